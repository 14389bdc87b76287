"""``scsp-player bench ground``: how many rule sheets are grounded in how much time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, TypedDict

import typer

LIMITS = (0.1, 1.0, 10.0, 60.0)
"""Seconds at which the distribution is read off."""

SUFFIXES = (".kif", ".gdl")


class Row(TypedDict):
    """One rule sheet: outcome "ground", "fallback" or "invalid", CPU seconds of parsing and grounding, size."""

    game: str
    outcome: str
    seconds: float
    atoms: int
    rules: int


def ground(
    paths: Annotated[list[Path], typer.Argument(help="Rule sheets, or folders of them.", metavar="PATH…")],
    seconds: Annotated[float, typer.Option("--seconds", help="CPU seconds allowed for each sheet.", min=0.0)] = 60.0,
    threads: Annotated[int, typer.Option("--threads", help="Processes at work at once.", min=1)] = 1,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Ground many rule sheets and show the distribution of times.

    Times are CPU seconds of parsing and grounding; imports and the compilation of kernels are left out.

    Example: `scsp-player bench ground games/ --seconds 10`
    """
    from scsp_player.commands.machine_facts import machine_facts

    sheets = list(_sheets(paths))
    rows = _measured(sheets, seconds, threads)
    if json_output:
        print(json.dumps({"results": rows, "machine": machine_facts()}))
    else:
        _show(rows)


def _sheets(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.iterdir() if p.suffix in SUFFIXES and not p.name.startswith("."))
        else:
            yield path


def _measured(sheets: list[Path], seconds: float, threads: int) -> list[Row]:
    """One row a sheet, in their order; every sheet in a process that lives for a few of them, so that memory is given back."""
    from rich.console import Console
    from rich.progress import track

    pool = ProcessPoolExecutor(threads, mp_context=get_context("spawn"), max_tasks_per_child=40)
    with pool:
        futures = [pool.submit(measure, sheet, seconds) for sheet in sheets]
        console = Console(stderr=True)
        return [f.result() for f in track(futures, "grounding", console=console, disable=not console.is_terminal)]


def measure(sheet: Path, seconds: float) -> Row:
    """Parse and ground one sheet within ``seconds`` of CPU time."""
    from scsp_player.gdl import GdlError, load_program
    from scsp_player.grounding import BudgetExceeded, prepare_kernels
    from scsp_player.grounding import ground as grounded

    prepare_kernels()
    start = time.process_time()
    outcome, atoms, rules = "ground", 0, 0
    try:
        game = grounded(load_program(sheet), seconds=seconds, clock=time.process_time)
        atoms, rules = game.atoms, game.rules
    except GdlError:
        outcome = "invalid"
    except BudgetExceeded:
        outcome = "fallback"
    return Row(game=sheet.stem, outcome=outcome, seconds=round(time.process_time() - start, 4), atoms=atoms, rules=rules)


def _show(rows: list[Row]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("game", "outcome")
    for title in ("seconds", "atoms", "rules"):
        table.add_column(title, justify="right")
    for row in rows:
        table.add_row(row["game"], row["outcome"], f"{row['seconds']:.3f}", str(row["atoms"]), str(row["rules"]))
    console = Console(highlight=False)
    console.print(table)
    for limit in LIMITS:
        count = sum(row["outcome"] == "ground" and row["seconds"] <= limit for row in rows)
        console.print(f"within {limit:g} s: {count} of {len(rows)} ({100 * count / max(len(rows), 1):.1f} %)")
