"""``scsp-player bench ground``: how many rule sheets are grounded in how much time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypedDict

import typer

LIMITS = (0.1, 1.0, 10.0, 60.0)
"""Seconds at which the distribution is read off."""

SUFFIXES = (".kif", ".gdl")

KILL_SECONDS = 10.0
"""Processor time beyond its limit after which grounding is not asked to end any more, but ended."""


class Row(TypedDict):
    """One rule sheet: outcome "ground", "fallback" or "invalid", CPU seconds of parsing and grounding, size, memory at the peak."""

    game: str
    outcome: str
    seconds: float
    atoms: int
    rules: int
    megabytes: int


def ground(
    paths: Annotated[list[Path], typer.Argument(help="Rule sheets, or folders of them.", metavar="PATH…")],
    seconds: Annotated[float, typer.Option("--seconds", help="CPU seconds allowed for each sheet.", min=0.0)] = 60.0,
    memory: Annotated[int, typer.Option("--memory", help="MiB allowed for each sheet.", min=256)] = 4096,
    threads: Annotated[int, typer.Option("--threads", help="Processes at work at once.", min=1)] = 1,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Ground many rule sheets and show the distribution of times.

    Times are CPU seconds of parsing and grounding; imports and the compilation of kernels are left out. Memory is that of the whole
    process, some 200 MiB of libraries included. Each sheet is grounded in a process that the system ends at its limits.

    Example: `scsp-player bench ground games/ --seconds 10`
    """
    from scsp_player.commands.machine_facts import machine_facts

    rows = measured(list(sheets_in(paths)), seconds, memory << 20, threads)
    if json_output:
        print(json.dumps({"results": rows, "machine": machine_facts()}))
    else:
        _show(rows)


def sheets_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The rule sheets among the paths and in the folders among them, by name."""
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.iterdir() if p.suffix in SUFFIXES and not p.name.startswith("."))
        else:
            yield path


def measured(sheets: Sequence[Path], seconds: float, memory_bytes: int, processes: int) -> list[Row]:
    """One row a sheet, in their order."""
    from scsp_player.commands.limited_tasks import Limits, Stopped, collect_limited

    limits = Limits(seconds + KILL_SECONDS, memory_bytes)
    tasks = [(sheet, seconds, memory_bytes) for sheet in sheets]
    rows: list[Row] = []
    for sheet, result in zip(
        sheets, collect_limited("grounding", measure, tasks, limits, processes=processes, prepare=prepare), strict=True
    ):
        if isinstance(result, Stopped):
            spent = seconds if result.reason == "time" else 0.0
            result = Row(game=sheet.stem, outcome="fallback", seconds=spent, atoms=0, rules=0, megabytes=0)
        rows.append(result)
    return rows


def prepare() -> None:
    """Load the compiled kernels, which takes no time from a sheet."""
    from scsp_player.grounding import prepare_kernels

    prepare_kernels()


def measure(sheet: Path, seconds: float, memory_bytes: int) -> Row:
    """Parse and ground one sheet within ``seconds`` of CPU time; runs in a worker process."""
    from scsp_player.commands.peak_memory import forget_peak, peak_bytes
    from scsp_player.gdl import GdlError, load_program
    from scsp_player.grounding import BudgetExceeded
    from scsp_player.grounding import ground as grounded

    forget_peak()
    start = time.process_time()
    outcome, atoms, rules = "ground", 0, 0
    try:
        game = grounded(load_program(sheet), seconds=seconds, memory_bytes=memory_bytes, clock=time.process_time)
        atoms, rules = game.atoms, game.rules
    except GdlError:
        outcome = "invalid"
    except (BudgetExceeded, MemoryError):
        outcome = "fallback"
    spent = round(time.process_time() - start, 4)
    return Row(game=sheet.stem, outcome=outcome, seconds=spent, atoms=atoms, rules=rules, megabytes=peak_bytes() >> 20)


def distribution(rows: Sequence[Row]) -> list[tuple[float, int]]:
    """For each of ``LIMITS`` the number of sheets that were grounded within it."""
    return [(limit, sum(row["outcome"] == "ground" and row["seconds"] <= limit for row in rows)) for limit in LIMITS]


def _show(rows: list[Row]) -> None:
    from scsp_player.commands.tables import show, table_of

    lines = [
        (row["game"], row["outcome"], f"{row['seconds']:.3f}", str(row["atoms"]), str(row["rules"]), str(row["megabytes"]))
        for row in rows
    ]
    show(
        table_of(("game", "outcome"), ("seconds", "atoms", "rules", "MiB"), lines),
        *(
            f"within {limit:g} s: {count} of {len(rows)} ({100 * count / max(len(rows), 1):.1f} %)"
            for limit, count in distribution(rows)
        ),
    )
