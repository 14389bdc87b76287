"""Do the engines agree? Plays random games on rule sheets and asks every engine about every position.

Example: ``python benchmarks/agreement.py games/tic-tac-toe.kif games/monty-hall.kif --games 1000``
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from scsp_player.arena.engines import ENGINES, machine
from scsp_player.gdl import load_program
from scsp_player.machine import StateMachine

KEPT = 20
"""Mismatches that are described; further ones are only counted."""


@dataclass
class Agreement:
    """Outcome of a comparison.

    Attributes:
        games: random games played.
        positions: positions asked about, terminal ones included.
        mismatches: engine to number of questions that it answered unlike the first engine.
        examples: the first of them in words.
    """

    games: int = 0
    positions: int = 0
    mismatches: dict[str, int] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)

    def note(self, engine: str, text: str) -> None:
        """Counts a mismatch."""
        self.mismatches[engine] += 1
        if len(self.examples) < KEPT:
            self.examples.append(f"{engine}: {text}")


def compare_game(machines: Mapping[str, StateMachine], rng: Random, agreement: Agreement, *, longest: int = 1000) -> None:
    """One random game under the first engine's rules; every other engine is asked the same questions on the way.

    Each engine follows the game on its own states, so a wrong successor shows in all that comes after it too. Legal moves are not
    compared where the game is over: there they mean nothing, and a network has the value "none" for them.
    """
    (lead_name, lead), *others = machines.items()
    states = {name: engine.initial_state() for name, engine in machines.items()}
    for turn in range(longest + 1):
        agreement.positions += 1
        here = states[lead_name]
        fluents, terminal = lead.fluents(here), lead.is_terminal(here)
        goals = lead.goals(here) if terminal else None
        legal = None if terminal else lead.legal_moves(here)
        move = tuple(rng.choice(moves) for moves in legal) if legal and all(legal) else None
        percepts = lead.percepts(here, move) if move else None
        for name, engine in others:
            state = states[name]
            answers = {
                "fluents": (engine.fluents(state), fluents),
                "terminal": (engine.is_terminal(state), terminal),
                "legal moves": (None if terminal else engine.legal_moves(state), legal),
                "goals": (engine.goals(state) if terminal else None, goals),
                "percepts": (engine.percepts(state, move) if move else None, percepts),
            }
            for question, (answer, wanted) in answers.items():
                if answer != wanted:
                    agreement.note(name, f"turn {turn}, {question}: {_shown(answer)} instead of {_shown(wanted)}")
        if move is None:
            break
        states = {name: engine.successor(states[name], move) for name, engine in machines.items()}
    agreement.games += 1


def _shown(answer: object) -> str:
    if isinstance(answer, frozenset):
        return "{" + ", ".join(sorted(map(str, answer))) + "}"
    return f"({', '.join(map(_shown, answer))})" if isinstance(answer, tuple) else str(answer)


def main(
    sheets: Annotated[list[Path], typer.Argument(help="Rule sheets.")],
    games: Annotated[int, typer.Option(help="Random games a sheet.")] = 1000,
    engines: Annotated[str, typer.Option(help="Engines, the one to compare with first.")] = ",".join(ENGINES),
    seed: Annotated[int, typer.Option(help="Of the random moves.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Counts the answers in which engines differ along random games; exit status 1 if there are any."""
    names = engines.split(",")
    table = Table("sheet", "games", "positions", *(f"{name}: mismatches" for name in names[1:]), "seconds")
    rows, examples = [], []
    errors = Console(stderr=True)
    with Progress(console=errors, transient=True) as progress:
        for sheet in sheets:
            program = load_program(sheet)
            machines = {name: machine(name, program) for name in names}
            agreement, rng = Agreement(mismatches=dict.fromkeys(names[1:], 0)), Random(seed)
            start = time.perf_counter()
            for _ in progress.track(range(games), description=sheet.stem):
                compare_game(machines, rng, agreement)
            seconds = time.perf_counter() - start
            table.add_row(
                sheet.stem,
                str(agreement.games),
                str(agreement.positions),
                *(str(agreement.mismatches[name]) for name in names[1:]),
                f"{seconds:.1f}",
            )
            rows.append({"sheet": sheet.stem, "seconds": seconds, **asdict(agreement)})
            examples += [f"{sheet.stem}: {example}" for example in agreement.examples]
    if as_json:
        print(json.dumps({"engines": names, "seed": seed, "results": rows}))
    else:
        Console().print(table)
    for example in examples:
        errors.print(example, markup=False)
    if any(sum(row["mismatches"].values()) for row in rows):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
