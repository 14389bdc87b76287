"""Exports rule sheets and compares the documents with the official tools.

    python -m benchmarks.exports games ../shared/games --sample 50 --seconds 60
    python -m benchmarks.exports ../shared/games --names '[a-m]*' --sample 50 --journal exports.jsonl

For each sheet: the template, the initial state and a state four random moves on. All documents must load in the official parser;
for the two states the CSP twin must have as many solutions in ACE as here, that number must be the number of legal joint moves, and
the official checker must accept our solution. Sheets that are too large for the limits are named and left out. With a journal, what
is known of a sheet is written down once it is known, and a sheet that stands there is not done again. Needs the extra ``bench`` and
Java.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

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


@dataclass
class Verdict:
    """What became of a sheet.

    Attributes:
        sheet: its path.
        rows: one a document (template and states): name, state, variables, tables, tuples, our solutions, ACE's, legal joint
            moves, what the checker said.
        faults: states for which these differ.
        documents: how many were written.
        refused: file to message of the official parser.
        left_out: why there is nothing of all this; empty if there is.
    """

    sheet: str
    rows: list[list[Any]] = field(default_factory=list)
    faults: int = 0
    documents: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    left_out: str = ""


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


def judged(sheet: Path, exports: list[Export]) -> Verdict:
    """What the official tools say to the documents of a sheet; the documents are removed."""
    rows, faults = [], 0
    for one in exports:
        theirs, verdict = None, ""
        if one.ours is not None:
            theirs = ace.count(one.files[-1])
            accepted = not one.solution or ace.checks(one.files[-1], one.solution)
            verdict = "OK" if accepted else "REFUSED"
            faults += not (one.ours == theirs == one.legal and accepted)
        rows.append([one.sheet, one.at, *one.sizes, one.ours, theirs, one.legal, verdict])
    files = [file for one in exports for file in one.files]
    refused = {Path(file).name: message for file, message in ace.refused_by_parser(files).items()}
    for file in files:
        file.unlink()
    return Verdict(str(sheet), rows, faults, len(files), refused)


def known_verdicts(journal: Path | None) -> list[Verdict]:
    """What a journal says; a last line that was cut off counts for nothing."""
    if journal is None or not journal.exists():
        return []
    lines = journal.read_text(encoding="utf-8").split("\n")[:-1]
    return [Verdict(**json.loads(line)) for line in lines]


def note(verdict: Verdict, journal: Path | None) -> None:
    """Adds a line to the journal, in place of what was cut off."""
    if journal is None:
        return
    with journal.open("a+b") as file:
        file.seek(0)
        whole = file.read()
        file.truncate(whole.rfind(b"\n") + 1)
        file.write(json.dumps(asdict(verdict)).encode() + b"\n")


def report(verdicts: list[Verdict]) -> bool:
    """Prints everything; whether all is well."""
    table = Table("sheet", "at", "variables", "tables", "tuples", "solutions", "ACE", "legal joint moves", "checker")
    for row in (row for verdict in verdicts for row in verdict.rows):
        table.add_row(*("" if x is None else str(x) for x in row))
    refused = {name: message for verdict in verdicts for name, message in verdict.refused.items()}
    faults = sum(verdict.faults for verdict in verdicts)
    left_out = [verdict for verdict in verdicts if verdict.left_out]
    counted = sum(row[5] is not None for verdict in verdicts for row in verdict.rows)
    Console(width=160).print(table)
    documents = sum(verdict.documents for verdict in verdicts)
    print(f"{documents} documents of {len(verdicts) - len(left_out)} sheets, {len(refused)} refused by the official parser")
    print(f"{counted} states counted, {faults} differences; {len(left_out)} sheets left out")
    for verdict in left_out:
        print(f"  {Path(verdict.sheet).name}: {verdict.left_out}")
    for name, message in refused.items():
        print(f"  {name}: {message}")
    return not refused and not faults


def main(
    paths: Annotated[list[Path], typer.Argument(help="Rule sheets, or folders of them.")],
    names: Annotated[str, typer.Option(help="Only sheets with such names, e.g. 'tic*'.")] = "*",
    sample: Annotated[int, typer.Option(help="Only so many sheets, drawn at random; 0: all.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Of the drawing.", min=0)] = 1,
    seconds: Annotated[float, typer.Option(help="CPU seconds for each sheet, without the official tools.")] = 60.0,
    memory: Annotated[int, typer.Option(help="MiB for each sheet.", min=256)] = 4096,
    journal: Annotated[Path | None, typer.Option(help="Write results here, and go on from what is there.", dir_okay=False)] = None,
) -> None:
    """Compare the documents of rule sheets with the official tools."""
    if ace.jar() is None:
        sys.exit("pycsp3 (extra bench) and Java are needed")
    sheets = [sheet for sheet in sheets_in(paths) if fnmatchcase(sheet.stem, names)]
    if sample and sample < len(sheets):
        sheets = [sheets[i] for i in sorted(np.random.default_rng(seed).choice(len(sheets), size=sample, replace=False))]
    chosen = set(map(str, sheets))
    verdicts = [verdict for verdict in known_verdicts(journal) if verdict.sheet in chosen]
    done = {verdict.sheet for verdict in verdicts}
    sheets = [sheet for sheet in sheets if str(sheet) not in done]
    log = Console(stderr=True)
    with tempfile.TemporaryDirectory() as place:
        tasks = [(sheet, Path(place), seconds) for sheet in sheets]
        for index, result in run_limited(export, tasks, Limits(seconds, memory << 20), processes=1):
            sheet = sheets[index]
            if isinstance(result, Stopped | str):
                verdict = Verdict(str(sheet), left_out=result if isinstance(result, str) else result.text)
            else:
                try:
                    verdict = judged(sheet, result)
                except subprocess.TimeoutExpired as late:
                    verdict = Verdict(str(sheet), left_out=f"an official tool took more than {late.timeout:g} s")
            note(verdict, journal)
            verdicts.append(verdict)
            faults = sum(verdict.faults for verdict in verdicts)
            log.print(f"{sheet.name}: {verdict.left_out or f'{faults} differences so far'}", markup=False)
    sys.exit(0 if report(verdicts) else 1)


if __name__ == "__main__":
    typer.run(main)
