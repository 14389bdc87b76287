"""``scsp-player conform``: replay recorded traces on the engines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.arena.conform import Conformance, Mismatch

ENGINES = ("reasoner", "propnet", "network")

KILL_SECONDS = 10.0
"""Processor time beyond its limit after which a comparison is not asked to end any more, but ended."""

SHOWN = 400
"""Characters of each answer of a difference that are shown."""


def command(
    traces: Annotated[list[Path], typer.Argument(help="Trace files, or folders of them.", exists=True)],
    engine: Annotated[str, typer.Option(help="reasoner, propnet, network, or all.")] = "all",
    time_limit: Annotated[float, typer.Option(help="Processor seconds for each trace on each engine.", min=0.0)] = 300.0,
    timeout: Annotated[float, typer.Option(help="Seconds of them that grounding a sheet may take.", min=0.0)] = 60.0,
    jobs: Annotated[int, typer.Option(help="Files compared at a time; 0 = one a core.", min=0)] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Replay recorded traces on an engine and show where the answers differ.

    A trace that takes too long, or whose game an engine cannot play, is skipped with the reason, and the others go on.
    Exit status 1 if any answer differs, 2 if no trace could be compared.

    Example: `scsp-player conform traces/ --engine propnet --time-limit 60`
    """
    from scsp_player.commands.limited_tasks import Limits, collect_limited

    if engine not in (*ENGINES, "all"):
        raise typer.BadParameter(f"{engine} is none of {', '.join(ENGINES)}, all")
    files = [f for t in traces for f in (sorted(t.glob("*.json*")) if t.is_dir() else [t])]
    tasks = [(f, e, time_limit, timeout) for f in files for e in (ENGINES if engine == "all" else (engine,))]
    limits = Limits(time_limit + KILL_SECONDS)
    results = collect_limited("comparing", compare, tasks, limits, processes=jobs, prepare=prepare)
    outcomes = [_outcome(task[0], task[1], result) for task, result in zip(tasks, results, strict=True)]
    mismatches = [m for o in outcomes for m in o.mismatches]
    if json_output:
        print(
            json.dumps(
                {
                    "checked": sum(not o.skipped for o in outcomes),
                    "mismatches": [vars(m) for m in mismatches],
                    "skipped": [{"trace": o.trace, "engine": o.engine, "reason": o.skipped} for o in outcomes if o.skipped],
                }
            )
        )
    else:
        _show(outcomes, {task[0].name: task[0] for task in tasks})
    raise typer.Exit(1 if mismatches else 2 if all(o.skipped for o in outcomes) else 0)


def compare(path: Path, engine: str, seconds: float, grounding_seconds: float) -> Conformance:
    """Compare one trace with one engine; runs in a worker process."""
    from scsp_player.arena.conform import Conformance, conform
    from scsp_player.arena.engines import machine
    from scsp_player.gdl import GdlError

    try:
        return conform(path, engine, lambda program: machine(engine, program, seconds=grounding_seconds), seconds=seconds)
    except GdlError as error:
        return Conformance(path.name, engine, skipped=str(error))


def prepare() -> None:
    """Load the compiled kernels, which takes no time from a trace."""
    from scsp_player.arena import conform, engines  # noqa: F401  (imports take time too)
    from scsp_player.grounding import prepare_kernels

    prepare_kernels()


def _outcome(path: Path, engine: str, result: object) -> Conformance:
    from scsp_player.arena.conform import Conformance
    from scsp_player.commands.limited_tasks import Stopped

    if isinstance(result, Stopped):
        return Conformance(path.name, engine, skipped=result.text)
    assert isinstance(result, Conformance)
    return result


def _show(outcomes: list[Conformance], paths: dict[str, Path]) -> None:
    for outcome in outcomes:
        if outcome.skipped:
            print(f"{outcome.trace}, {outcome.engine}: skipped ({outcome.skipped})")
        if outcome.mismatches:
            print("\n".join(_described(outcome, paths[outcome.trace])))
    for engine in sorted({o.engine for o in outcomes}):
        mine = [o for o in outcomes if o.engine == engine]
        agreeing = sum(not o.skipped and not o.mismatches for o in mine)
        states = sum(o.states for o in mine)
        skipped = sum(bool(o.skipped) for o in mine)
        print(f"{engine}: {agreeing} of {len(mine)} traces agree on every state ({states} states, {skipped} skipped)")


def _described(outcome: Conformance, path: Path) -> list[str]:
    """The first difference in full: where in the playout, what is there and what is not, and in which state."""
    from scsp_player.arena.conform import read_trace

    first: Mismatch = outcome.mismatches[0]
    record = read_trace(path)["states"][first.state]
    count = len(outcome.mismatches)
    place = f"state {first.state} (playout {record.get('playout')}, depth {record.get('depth')})"
    lines = [
        f"{outcome.trace}, {outcome.engine}: {count} difference{'s' if count > 1 else ''}, the first in {place}: {first.question}",
        f"    recorded only: {_cut(first.recorded) or 'nothing'}",
        f"    answered only: {_cut(first.answered) or 'nothing'}",
        f"    in the state:  {_cut(' '.join(record['fluents']))}",
    ]
    if first.question.startswith(("successor", "percepts")):
        lines.append(f"    joint move:    {' | '.join(record['move'])}")
    return lines


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} … ({len(text) - SHOWN} characters more)"
