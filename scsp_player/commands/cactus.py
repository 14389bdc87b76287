"""A cactus plot: how many instances each solver finishes within how much time. Written as SVG by hand, it needs no library."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT = 720, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 160, 24, 48
# Told apart by the colour-blind.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d31")


def cactus_plot(times: Mapping[str, Sequence[float]], title: str) -> str:
    """The plot as an SVG document.

    Args:
        times: for each solver the seconds of the instances that it finished, in any order.
        title: shown above.
    """
    shown = {name: sorted(max(value, 1e-3) for value in values) for name, values in times.items()}
    everything = [value for values in shown.values() for value in values] or [1.0]
    low = math.floor(math.log10(min(everything)))
    high = max(low + 1, math.ceil(math.log10(max(everything))))
    most = max((len(values) for values in shown.values()), default=1) or 1
    width, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def across(count: float) -> float:
        return _LEFT + width * count / most

    def up(seconds: float) -> float:
        return _TOP + height * (1 - (math.log10(seconds) - low) / (high - low))

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="16">{escape(title)}</text>',
    ]
    for power in range(low, high + 1):
        y = up(10.0**power)
        lines.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_LEFT + width}" y2="{y:.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} s</text>')
    step = max(1, math.ceil(most / 10))
    for count in range(0, most + 1, step):
        lines.append(f'<text x="{across(count):.1f}" y="{_TOP + height + 18}" text-anchor="middle">{count}</text>')
    middle = _LEFT + width / 2
    lines.append(f'<text x="{middle:.1f}" y="{_HEIGHT - 8}" text-anchor="middle">instances finished</text>')
    for place, (name, values) in enumerate(shown.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        points = " ".join(f"{across(i + 1):.1f},{up(value):.1f}" for i, value in enumerate(values))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = _TOP + 14 + 18 * place
        lines.append(f'<rect x="{_LEFT + width + 14}" y="{y - 9}" width="14" height="4" fill="{colour}"/>')
        lines.append(f'<text x="{_LEFT + width + 34}" y="{y}">{escape(name)} ({len(values)})</text>')
    return "\n".join([*lines, "</svg>\n"])
