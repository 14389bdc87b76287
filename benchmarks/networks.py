"""For how many rule sheets the network fits its bounds, and for how many fluents groups that exclude each other are proved.

    python -m benchmarks.networks ../shared/games --results networks.jsonl

Grounding and translation of each sheet have the same limit of processor time, in processes that the system ends. Every result is
appended to a file as it comes; a run that is started again goes on where the last one ended.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from scsp_player.commands.bench_ground import prepare, sheets_in
from scsp_player.commands.limited_tasks import Limits, Stopped, run_limited
from scsp_player.gdl import GdlError, load_program
from scsp_player.grounding import BudgetExceeded, ground

Result = dict[str, Any]


def measure(sheet: Path, seconds: float) -> Result:
    """Ground and translate one sheet: the outcome, the size of the network, and how its fluents are grouped."""
    from scsp_player.network import NetworkTooLargeError, template

    start = time.process_time()
    try:
        game = ground(load_program(sheet), seconds=seconds)
        grounding = time.process_time() - start
        micro = template(game)
    except NetworkTooLargeError as error:
        return {"outcome": "too large", "reason": str(error), "fluents": game.fluents}
    except (GdlError, BudgetExceeded, MemoryError) as error:
        return {"outcome": "not ground", "reason": f"{type(error).__name__}: {error}"}
    sizes = Counter({True: 0, False: 0})
    for group in micro.groups:
        if not group.boolean:
            sizes[group.exact] += len(group.fluents)
    return {
        "outcome": "fits",
        "seconds": round(time.process_time() - start, 3),
        "grounding_seconds": round(grounding, 3),
        "fluents": game.fluents,
        "in_exactly_one": sizes[True],
        "in_at_most_one": sizes[False],
        "state_variables": len(micro.groups),
        "variables": len(micro.instance.variables),
        "constraints": len(micro.instance.constraints),
        "tuples": sum(len(table.tuples) for table in micro.instance.constraints),
    }


def summary(rows: list[Result]) -> Result:
    """The figures over all sheets."""
    outcomes = Counter(row["outcome"] for row in rows)
    fitting = [row for row in rows if row["outcome"] == "fits"]
    total = {key: sum(row[key] for row in fitting) for key in ("fluents", "in_exactly_one", "in_at_most_one", "state_variables")}
    return {"sheets": len(rows), **outcomes, **total}


def main(
    sheets: Annotated[list[Path], typer.Argument(help="Rule sheets, or folders of them.", exists=True)],
    results: Annotated[Path, typer.Option(help="File of results, one JSON object a line.")] = Path("networks.jsonl"),
    seconds: Annotated[float, typer.Option(help="Processor seconds for each sheet.")] = 60.0,
    processes: Annotated[int, typer.Option(help="Sheets at a time.")] = 1,
    memory: Annotated[int, typer.Option(help="Megabytes for each sheet.")] = 3000,
) -> None:
    """Translate all sheets and print the figures as one JSON object."""
    rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    done = {row["sheet"] for row in rows}
    waiting = [sheet for sheet in sheets_in(sheets) if sheet.name not in done]
    tasks = [(sheet, seconds) for sheet in waiting]
    for index, found in run_limited(measure, tasks, Limits(seconds, memory << 20), processes=processes, prepare=prepare):
        row = {"outcome": "stopped", "reason": found.text} if isinstance(found, Stopped) else found
        rows.append({"sheet": waiting[index].name, **row})
        with results.open("a") as file:
            file.write(json.dumps(rows[-1]) + "\n")
    print(json.dumps(summary(rows)))


if __name__ == "__main__":
    typer.run(main)
