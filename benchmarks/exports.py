"""Exports rule sheets and compares the documents with the official tools.

    python -m benchmarks.exports games ../shared/games --sample 50 --seconds 60

For each sheet: the template, the initial state and a state four random moves on. All documents must load in the official parser;
for the two states the CSP twin must have as many solutions in ACE as here, that number must be the number of legal joint moves, and
the official checker must accept our solution. Sheets that are too large for the limits are named and left out. Needs the extra
``bench`` and Java.
"""

from __future__ import annotations

import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from benchmarks import ace
from scsp_player.commands.bench_ground import sheets_in
from scsp_player.commands.limited_tasks import Limits, Stopped, run_limited
from scsp_player.gdl import GdlError, load_program
from scsp_player.grounding import BudgetExceeded, Reasoner, ground
from scsp_player.network import injected_instance, template
from scsp_player.network.position import position
from scsp_player.solver import Solver
from xcsp import Instance, write_instance

STATES = ("init", "random:4")

MOST_SOLUTIONS = 100_000
"""States with more joint moves are not enumerated."""


@dataclass
class Export:
    """One document.

    Attributes:
        sheet, at: where it comes from.
        files: the document, and its CSP twin where chance moves.
        sizes: variables, tables, tuples.
        legal: number of legal joint moves (1 in terminal states), None for the template.
        ours: number of our solutions; solution: the first of them as competition lines.
    """

    sheet: str
    at: str
    files: list[Path]
    sizes: tuple[int, int, int]
    legal: int | None = None
    ours: int | None = None
    solution: str = ""


def export(sheet: Path, folder: Path, seconds: float) -> list[Export] | str:
    """The documents of a sheet; why there are none, if there are none."""
    try:
        program = load_program(sheet)
        game = ground(program, seconds=seconds)
        micro = template(game)
    except (GdlError, BudgetExceeded) as error:
        return str(error)
    machine = Reasoner(program)
    found = [written(micro.instance, sheet.stem, "template", folder)]
    for at in STATES:
        fluents = position(program, at, seed=1).fluents
        state = machine.state(fluents)
        legal = 1 if machine.is_terminal(state) else math.prod(len(moves) for moves in machine.legal_moves(state))
        instance = injected_instance(micro, game.state_of(fluents))
        one = written(instance, sheet.stem, at, folder)
        one.legal = legal
        if legal <= MOST_SOLUTIONS:
            solver = Solver(instance)
            one.ours = solver.count().number
            names = " ".join(v.name for v in instance.variables)
            for values in solver.solutions(limit=1).values.tolist():
                listed = " ".join(map(str, values))
                one.solution = (
                    f"s SATISFIABLE\nv <instantiation> <list> {names} </list> <values> {listed} </values> </instantiation>\n"
                )
        found.append(one)
    return found


def written(instance: Instance, stem: str, at: str, folder: Path) -> Export:
    files = [folder / f"{stem}.{at.replace(':', '-')}.xml"]
    write_instance(instance, files[0])
    if instance.stochastic:
        files.append(files[0].with_suffix(".csp.xml"))
        write_instance(instance, files[1], stochastic=False)
    tuples = sum(len(table.tuples) for table in instance.constraints)
    return Export(stem, at, files, (len(instance.variables), len(instance.constraints), tuples))


def main(
    paths: Annotated[list[Path], typer.Argument(help="Rule sheets, or folders of them.")],
    sample: Annotated[int, typer.Option(help="Only so many sheets, drawn at random; 0: all.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Of the drawing.", min=0)] = 1,
    seconds: Annotated[float, typer.Option(help="CPU seconds for each sheet, without the official tools.")] = 60.0,
    memory: Annotated[int, typer.Option(help="MiB for each sheet.", min=256)] = 4096,
) -> None:
    """Compare the documents of rule sheets with the official tools."""
    if ace.jar() is None:
        sys.exit("pycsp3 (extra bench) and Java are needed")
    sheets = list(sheets_in(paths))
    if sample and sample < len(sheets):
        sheets = [sheets[i] for i in sorted(np.random.default_rng(seed).choice(len(sheets), size=sample, replace=False))]
    table = Table("sheet", "at", "variables", "tables", "tuples", "solutions", "ACE", "legal joint moves", "checker")
    log = Console(stderr=True)
    faults, documents, left_out, counted = 0, list[Path](), 0, 0
    with tempfile.TemporaryDirectory() as place:
        tasks = [(sheet, Path(place), seconds) for sheet in sheets]
        for index, result in run_limited(export, tasks, Limits(seconds, memory << 20), processes=1):
            if isinstance(result, Stopped | str):
                left_out += 1
                log.print(f"{sheets[index].name}: {result if isinstance(result, str) else result.text}", markup=False)
                continue
            for one in result:
                documents += one.files
                theirs: object = ""
                verdict = ""
                if one.ours is not None:
                    theirs = ace.count(one.files[-1])
                    accepted = not one.solution or ace.checks(one.files[-1], one.solution)
                    verdict = "OK" if accepted else "REFUSED"
                    counted += 1
                    faults += not (one.ours == theirs == one.legal and accepted)
                shown = [one.sheet, one.at, *one.sizes, one.ours, theirs, one.legal, verdict]
                table.add_row(*("" if x is None else str(x) for x in shown))
            log.print(f"{sheets[index].name}: {faults} differences so far", markup=False)
        refused = ace.refused_by_parser(documents)
    Console(width=160).print(table)
    print(f"{len(documents)} documents of {len(sheets) - left_out} sheets, {len(refused)} refused by the official parser")
    print(f"{counted} states counted, {faults} differences; {left_out} sheets left out")
    for file, message in refused.items():
        print(f"  {Path(file).name}: {message}")
    sys.exit(1 if refused or faults else 0)


if __name__ == "__main__":
    typer.run(main)
