"""What the server counts and measures, in the text form that Prometheus reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Upper ends of the classes of durations."""


class Metrics:
    """Counters and durations by name; names start with ``scsp_player_`` in the output.

    >>> metrics = Metrics()
    >>> metrics.count("messages", verb="INFO")
    >>> print(metrics.text({"matches": 1}).splitlines()[-1])
    scsp_player_matches 1
    """

    def __init__(self) -> None:
        self._counts: dict[str, dict[tuple[tuple[str, str], ...], int]] = defaultdict(lambda: defaultdict(int))
        self._durations: dict[str, list[int]] = {}
        self._sums: dict[str, float] = defaultdict(float)

    def count(self, name: str, **labels: str) -> None:
        """One more; names and labels are few, and never text of a peer."""
        self._counts[name][tuple(sorted(labels.items()))] += 1

    def time(self, name: str, seconds: float) -> None:
        """Something took so long."""
        classes = self._durations.setdefault(name, [0] * (len(SECONDS) + 1))
        classes[sum(seconds > end for end in SECONDS)] += 1
        self._sums[name] += seconds

    def text(self, gauges: Mapping[str, float]) -> str:
        """Everything, and values of the moment."""
        return "\n".join([*self._counter_lines(), *self._duration_lines(), *_gauge_lines(gauges)]) + "\n"

    def _counter_lines(self) -> Iterator[str]:
        for name, counts in sorted(self._counts.items()):
            yield f"# TYPE scsp_player_{name}_total counter"
            for labels, value in sorted(counts.items()):
                shown = ",".join(f'{key}="{text}"' for key, text in labels)
                yield f"scsp_player_{name}_total{{{shown}}} {value}" if shown else f"scsp_player_{name}_total {value}"

    def _duration_lines(self) -> Iterator[str]:
        for name, classes in sorted(self._durations.items()):
            yield f"# TYPE scsp_player_{name}_seconds histogram"
            below = 0
            for end, number in zip((*SECONDS, "+Inf"), classes, strict=True):
                below += number
                yield f'scsp_player_{name}_seconds_bucket{{le="{end}"}} {below}'
            yield f"scsp_player_{name}_seconds_sum {self._sums[name]:.6f}"
            yield f"scsp_player_{name}_seconds_count {below}"


def _gauge_lines(gauges: Mapping[str, float]) -> Iterator[str]:
    for name, value in gauges.items():
        yield f"# TYPE scsp_player_{name} gauge"
        yield f"scsp_player_{name} {value:g}"
