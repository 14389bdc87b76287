"""Our grounder and gringo on the same rule sheets, in one run.

    python -m benchmarks.grounding ../shared/games --results grounding.jsonl

Three contestants, each with the same limits of processor time and memory for each sheet, in processes that the system ends:

* ours: reading the sheet and grounding it, to the ground rules of a game, simplified;
* gringo: a plain encoding of the sheet (see ``benchmarks.gringo``); parsing and grounding that program counts, writing it does not;
* gringo-split: gringo on the rules as we split them, with static relations as facts; our preparation counts too. Only on sheets for
  which plain gringo needs more than a second.

Every result is appended to a file as it comes; a run that is started again goes on where the last one ended. Needs the
extra ``test``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from benchmarks import gringo
from scsp_player.commands.bench_ground import KILL_SECONDS, LIMITS, prepare, sheets_in
from scsp_player.commands.bench_ground import measure as measure_ours
from scsp_player.commands.limited_tasks import Limits, Stopped, run_limited
from scsp_player.commands.machine_facts import machine_facts
from scsp_player.commands.peak_memory import forget_peak, peak_bytes
from scsp_player.gdl import load_program
from scsp_player.grounding import BudgetExceeded
from scsp_player.grounding.budget import Budget

CONTESTANTS = ("ours", "gringo", "gringo-split")

WORTH_SPLITTING = 1.0
"""Processor seconds of plain gringo from which on it is tried with our split rules too."""

Result = dict[str, Any]


def run(contestant: str, sheet: Path, seconds: float, memory_bytes: int) -> Result:
    """One contestant on one sheet: outcome "ground", "time", "memory" or "invalid", and what it took."""
    if contestant == "ours":
        row = measure_ours(sheet, seconds, memory_bytes)
        outcome = row["outcome"] if row["outcome"] != "fallback" else "time"
        return {"outcome": outcome, "seconds": row["seconds"], "atoms": row["atoms"], "megabytes": row["megabytes"]}
    import clingo

    program = load_program(sheet)
    text = gringo.plain(program) if contestant == "gringo" else ""
    forget_peak()
    start = time.process_time()
    outcome, atoms = "ground", 0
    try:
        if contestant == "gringo-split":
            text = gringo.split(program, Budget(seconds, memory_bytes, time.process_time))
        control = clingo.Control(["--warn=none"])
        control.add("base", [], text)
        control.ground([("base", [])])
        atoms = len(control.symbolic_atoms)
    except BudgetExceeded:
        outcome = "time"
    except MemoryError:
        outcome = "memory"
    except RuntimeError as error:
        outcome = "memory" if "bad_alloc" in str(error) else "invalid"
    seconds_spent = round(time.process_time() - start, 4)
    return {"outcome": outcome, "seconds": seconds_spent, "atoms": atoms, "megabytes": peak_bytes() >> 20}


def main(
    paths: Annotated[list[Path], typer.Argument(help="Rule sheets, or folders of them.")],
    results: Annotated[Path, typer.Option(help="File of results; what is in it is not measured again.")] = Path("grounding.jsonl"),
    seconds: Annotated[float, typer.Option(help="CPU seconds for each sheet and contestant.")] = 60.0,
    memory: Annotated[int, typer.Option(help="MiB for each sheet and contestant.")] = 4096,
    processes: Annotated[int, typer.Option(help="Processes at work at once.")] = 1,
    every: Annotated[int, typer.Option(help="Take only every so many-th sheet.", min=1)] = 1,
    contestants: Annotated[str, typer.Option(help="Which ones.")] = ",".join(CONTESTANTS),
) -> None:
    """Measure what is not in the file of results yet, then print the table and the distributions."""
    sheets = list(sheets_in(paths))[::every]
    known = _known(results)
    for contestant in contestants.split(","):
        tasks = [
            (contestant, sheet, seconds, memory << 20)
            for sheet in sheets
            if (contestant, sheet.name) not in known and (contestant != "gringo-split" or _slow(known.get(("gringo", sheet.name))))
        ]
        limits = Limits(seconds + (KILL_SECONDS if contestant == "ours" else 0.0), memory << 20)
        measured = run_limited(run, tasks, limits, processes=processes, prepare=prepare)
        with results.open("a", encoding="utf-8") as file:
            for number, (index, result) in enumerate(measured, start=1):
                sheet = tasks[index][1]
                if isinstance(result, Stopped):
                    result = {"outcome": result.reason, "seconds": seconds, "atoms": 0, "megabytes": 0}
                row = {"contestant": contestant, "sheet": sheet.name, **result}
                known[contestant, sheet.name] = row
                file.write(json.dumps(row) + "\n")
                file.flush()
                print(f"{contestant} {number}/{len(tasks)} {sheet.stem} {row['outcome']} {row['seconds']:.2f} s", flush=True)
    _show(sheets, known, memory)


def _known(results: Path) -> dict[tuple[str, str], Result]:
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    rows = [json.loads(line) for line in lines]
    return {(row["contestant"], row["sheet"]): row for row in rows}


def _slow(row: Result | None) -> bool:
    return row is not None and (row["outcome"] != "ground" or row["seconds"] > WORTH_SPLITTING)


def _cell(row: Result | None) -> str:
    if row is None:
        return ""
    return f"{row['seconds']:.2f}" if row["outcome"] == "ground" else row["outcome"]


def _show(sheets: Sequence[Path], known: dict[tuple[str, str], Result], memory: int) -> None:
    console = Console(highlight=False)
    table = Table("sheet")
    for name in CONTESTANTS:
        table.add_column(f"{name}, s", justify="right")
    for sheet in sheets:
        rows = [known.get((name, sheet.name)) for name in CONTESTANTS]
        if any(row is not None and (row["seconds"] > WORTH_SPLITTING or row["outcome"] != "ground") for row in rows):
            table.add_row(sheet.stem, *map(_cell, rows))
    console.print(f"sheets on which somebody needs more than {WORTH_SPLITTING:g} s:")
    console.print(table)
    shares = Table("", "sheets", *(f"≤ {limit:g} s" for limit in LIMITS), "CPU s", "MiB")
    for name in CONTESTANTS:
        rows = [known[name, sheet.name] for sheet in sheets if (name, sheet.name) in known]
        if name == "gringo-split":  # where it was not tried, plain gringo was fast
            rows += [known["gringo", s.name] for s in sheets if (name, s.name) not in known and ("gringo", s.name) in known]
        counts = [sum(row["outcome"] == "ground" and row["seconds"] <= limit for row in rows) for limit in LIMITS]
        share = [f"{100 * count / max(len(rows), 1):.1f} %" for count in counts]
        total = sum(row["seconds"] for row in rows)
        shares.add_row(name, str(len(rows)), *share, f"{total:.1f}", str(max((row["megabytes"] for row in rows), default=0)))
    console.print(shares)
    console.print(f"limits: memory {memory} MiB; machine: {machine_facts()}", markup=False)


if __name__ == "__main__":
    typer.run(main)
