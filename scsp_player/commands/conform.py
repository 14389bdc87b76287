"""``scsp-player conform``: replay recorded traces on the engines."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.arena.conform import Conformance

ENGINES = ("reasoner", "propnet", "network")


def command(
    traces: Annotated[list[Path], typer.Argument(help="Trace files, or folders of them.", exists=True)],
    engine: Annotated[str, typer.Option(help="reasoner, propnet, network, or all.")] = "all",
    timeout: Annotated[float, typer.Option(help="Seconds that grounding a sheet may take.")] = 60.0,
    jobs: Annotated[int, typer.Option(help="Files compared at a time; 0 = one a core.")] = 1,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Replay recorded traces on an engine and show where the answers differ.

    Exit status 1 if any answer differs. Example: `scsp-player conform traces/ --engine propnet --jobs 2`
    """
    from rich.console import Console
    from rich.progress import track

    if engine not in (*ENGINES, "all"):
        raise typer.BadParameter(f"{engine} is none of {', '.join(ENGINES)}, all")
    files = [f for t in traces for f in (sorted(t.glob("*.json*")) if t.is_dir() else [t])]
    tasks = [(f, e) for f in files for e in (ENGINES if engine == "all" else (engine,))]
    console = Console(file=sys.stderr)
    outcomes = []
    with ProcessPoolExecutor(jobs or None) as pool:
        futures = [pool.submit(run_one, f, e, timeout) for f, e in tasks]
        for future in track(as_completed(futures), "comparing", len(futures), console=console, transient=True):
            outcomes.append(future.result())
    outcomes.sort(key=lambda o: (o.trace, o.engine))
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
        _show(outcomes)
    raise typer.Exit(1 if mismatches else 0)


def run_one(path: Path, engine: str, timeout: float) -> Conformance:
    """Compare one trace with one engine; runs in a worker process."""
    from scsp_player.arena.conform import conform
    from scsp_player.arena.engines import machine

    return conform(path, engine, lambda program: machine(engine, program, seconds=timeout))


def _show(outcomes: list[Conformance]) -> None:
    for outcome in outcomes:
        if outcome.skipped:
            print(f"{outcome.trace}, {outcome.engine}: skipped ({outcome.skipped})")
        elif outcome.mismatches:
            print(f"{outcome.mismatches[0]}" + (f" (and {rest} more)" if (rest := len(outcome.mismatches) - 1) else ""))
    for engine in sorted({o.engine for o in outcomes}):
        mine = [o for o in outcomes if o.engine == engine]
        agreeing = sum(not o.skipped and not o.mismatches for o in mine)
        states = sum(o.states for o in mine)
        skipped = sum(bool(o.skipped) for o in mine)
        print(f"{engine}: {agreeing} of {len(mine)} traces agree on every state ({states} states, {skipped} skipped)")
