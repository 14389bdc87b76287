"""Puzzles as networks of several turns: OR-tools CP-SAT beside our solvers.

    python -m benchmarks.cpsat games/hanoi-3.kif:7 games/lights-out-3x3.kif:5 games/queens-6.kif:6 --seconds 30

For each sheet and number of moves: whether a play of that many moves brings the first role its best score, asked of the network of
so many turns. Processor seconds of the search of CP-SAT (one worker; its presolve counts), of our compact-table solver (one
solution, dom/wdeg with restarts), and of ``plan``, which also proves that fewer moves do not do, and goes by clauses. Needs
OR-tools.
"""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from scsp_player.network import template, unroll
from scsp_player.network.planning import Planner
from scsp_player.solver import Solver
from scsp_player.solver.cpsat import CpSatModel
from xcsp.model import STAR, Instance


def holds(instance: Instance, values: list[int]) -> bool:
    """Whether an assignment satisfies all tables."""
    assignment = np.array(values)
    for table in instance.constraints:
        row = assignment[table.scope]
        met = ((table.tuples == row) | (table.tuples == STAR)).all(axis=1).any()
        if met != table.positive:
            return False
    return True


def compare(sheet: Path, moves: int, seconds: float) -> str:
    """A line of the table."""
    game = ground(load_program(sheet))
    micro = template(game)
    score = int(micro.instance.variables[int(micro.score_variable[0])].domain[-1])
    instance = unroll(micro, moves, state=game.initial_state, goal=(0, score)).instance
    clock = time.process_time
    times: list[float] = [clock()]
    model = CpSatModel(instance)
    times.append(clock())
    theirs, values, _ = model.solve(seconds)
    times.append(clock())
    solver = Solver(instance, "dom/wdeg")
    times.append(clock())
    first = solver.first(seconds=seconds)
    times.append(clock())
    ours = "SAT" if len(first) else "UNSAT" if first.complete else "UNKNOWN"
    found = Planner(micro).run(seconds)
    times.append(clock())
    if theirs == "SAT" and not holds(instance, values):
        raise ValueError(f"{sheet.name}: the solution of CP-SAT is none")
    if "UNKNOWN" not in (theirs, ours) and theirs != ours:
        raise ValueError(f"{sheet.name}: CP-SAT says {theirs}, we say {ours}")
    spent = [f"{b - a:.2f}" for a, b in itertools.pairwise(times)]
    plan = f"{len(found.moves)} moves{', proved' * found.proved_optimal}" if found.score is not None else "nothing"
    searches = (f"{theirs} {spent[1]} ({spent[0]})", f"{ours} {spent[3]} ({spent[2]})", f"{plan}, {spent[4]}")
    return f"| {sheet.stem}, {moves} | {len(instance.variables)} | {' | '.join(searches)} |"


def main(
    sheets: Annotated[list[str], typer.Argument(help="Rule sheets with numbers of moves: SHEET:MOVES.")],
    seconds: Annotated[float, typer.Option(help="Allowed to each solver.")] = 30.0,
) -> None:
    """Compare solvers on unrolled puzzles; in parentheses what making the model took."""
    print("| sheet, moves | variables | CP-SAT, s | compact-table, s | plan, s |\n|---|---|---|---|---|")
    for item in sheets:
        path, _, moves = item.rpartition(":")
        print(compare(Path(path), int(moves), seconds), flush=True)


if __name__ == "__main__":
    typer.run(main)
