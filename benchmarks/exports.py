"""Exports every rule sheet of a folder and compares the documents with the official tools.

    python -m benchmarks.exports games

For each sheet: the template, the initial state and a state four random moves on. All documents must load in the official parser;
for the two states the CSP twin must have as many solutions in ACE as here, that number must be the number of legal joint moves, and
the official checker must accept our solution. Needs the extra ``bench`` and Java.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import ace
from scsp_player.gdl import load_program, parse_term
from scsp_player.grounding import Reasoner

STATES = ("template", "init", "random:4")


def scsp_player(*arguments: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "scsp_player", *arguments], capture_output=True, text=True, check=False, timeout=600
    )
    if run.returncode not in (0, 1):
        raise RuntimeError(f"scsp-player {' '.join(arguments)}: {run.stderr.strip()}")
    return run.stdout


def joint_moves(sheet: Path, fluents: list[str] | None) -> int:
    """Number of legal joint moves in a state; 1 in a terminal one (the move "none")."""
    machine = Reasoner(load_program(sheet))
    state = machine.initial_state() if fluents is None else machine.state(map(parse_term, fluents))
    return 1 if machine.is_terminal(state) else math.prod(len(moves) for moves in machine.legal_moves(state))


def export(sheet: Path, at: str, folder: Path) -> tuple[Path, Path, dict[str, object]]:
    """The document, its CSP twin (the same file where nothing is left to chance), and what the command reported."""
    target = folder / f"{sheet.stem}.{at.replace(':', '-')}.xml"
    report = json.loads(scsp_player("translate", str(sheet), "-o", str(target), "--at", at, "--seed", "1", "--json"))
    twin = target.with_suffix(".csp.xml")
    return target, twin if twin.exists() else target, report


def main(folder: Path) -> None:
    """Check every ``.kif`` and ``.gdl`` sheet of FOLDER."""
    if ace.jar() is None:
        sys.exit("pycsp3 (extra bench) and Java are needed")
    table = Table("sheet", "at", "variables", "tables", "tuples", "solutions", "ACE", "legal joint moves", "checker")
    faults, documents = 0, []
    with tempfile.TemporaryDirectory() as place:
        for sheet in track(sorted([*folder.glob("*.kif"), *folder.glob("*.gdl")]), "exporting", console=Console(stderr=True)):
            for at in STATES:
                document, twin, report = export(sheet, at, Path(place))
                documents += sorted({document, twin})
                row = [str(report[k]) for k in ("variables", "constraints", "tuples")]
                if at == "template":
                    table.add_row(sheet.name, at, *row, "", "", "", "")
                    continue
                ours = json.loads(scsp_player("solve", str(twin), "--all", "--count", "--json"))["solutions"]
                theirs = ace.count(twin)
                legal = joint_moves(sheet, report.get("state"))  # type: ignore[arg-type]
                accepted = ace.checks(twin, scsp_player("solve", str(twin)))
                faults += not (ours == theirs == legal and accepted)
                table.add_row(sheet.name, at, *row, str(ours), str(theirs), str(legal), "OK" if accepted else "REFUSED")
        refused = ace.refused_by_parser(documents)
    Console(width=160).print(table)
    print(f"{len(documents)} documents, {len(refused)} refused by the official parser, {faults} differences")
    for file, message in refused.items():
        print(f"  {Path(file).name}: {message}")
    sys.exit(1 if refused or faults else 0)


if __name__ == "__main__":
    typer.run(main)
