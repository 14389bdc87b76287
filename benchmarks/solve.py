"""How many states of a game the solver expands in a CPU second: all joint moves with their successors, in one batch call.

    python -m benchmarks.solve games/tic-tac-toe.kif games/connect-four.kif

States come from random play. Each line gives the rate for a batch of unrelated states, for batches of the successors of one
state (as a search asks), and for one state a call, with the engine of the row.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from scsp_player.gdl import load_program
from scsp_player.grounding import Reasoner, ground
from scsp_player.network import MicroSCSP, template
from scsp_player.network.micro_scsp import state_values, successor_states
from scsp_player.solver import ENGINES, Solver


def played_states(path: Path, count: int) -> tuple[MicroSCSP, np.ndarray]:
    """The template of a sheet and non-terminal states met in random play, uint64[count, words]."""
    program = load_program(path)
    game = ground(program)
    reasoner = Reasoner(program)
    generator = np.random.default_rng(0)
    found: list[np.ndarray] = []
    while len(found) < count:
        state = reasoner.initial_state()
        while not reasoner.is_terminal(state) and len(found) < count:
            found.append(game.state_of(reasoner.fluents(state)))
            legal = reasoner.legal_moves(state)
            state = reasoner.successor(state, tuple(moves[int(generator.integers(len(moves)))] for moves in legal))
    return template(game), np.array(found)


def cpu_seconds(work: Callable[[], object], repeats: int) -> float:
    """Least CPU time of the thread over some repetitions."""
    best = float("inf")
    for _ in range(repeats):
        began = time.thread_time()
        work()
        best = min(best, time.thread_time() - began)
    return best


def main(
    sheets: list[Path],
    count: Annotated[int, typer.Option("--states", help="States for each sheet.")] = 200,
    repeats: Annotated[int, typer.Option("--repeats", help="The best of so many measurements counts.")] = 15,
) -> None:
    """Expand the states of rule SHEETS."""
    table = Table("sheet", "engine", "variables", "tables", "solutions a state", "batch: states/s", "children: states/s", "single")
    for sheet in sheets:
        micro, states = played_states(sheet, count)
        project = np.concatenate([micro.action_variable, micro.next])
        values = state_values(micro, states)
        for engine in ENGINES:
            solver = Solver(micro.instance, engine=engine)
            offsets, solutions = solver.expand(micro.now, values, project=project)
            families = []
            for i in range(0, count, max(1, count // 10)):
                children = successor_states(micro, solutions[offsets[i] : offsets[i + 1]], project)
                families.append(state_values(micro, children))

            def batch(solver=solver, values=values, project=project, micro=micro):
                return solver.expand(micro.now, values, project=project)

            def by_family(solver=solver, families=families, project=project, micro=micro):
                return [solver.expand(micro.now, family, project=project) for family in families]

            def single(solver=solver, values=values, project=project, micro=micro):
                return [solver.expand(micro.now, row[None], project=project) for row in values]

            together = len(values) / cpu_seconds(batch, repeats)
            related = sum(map(len, families)) / cpu_seconds(by_family, repeats)
            alone = len(values) / cpu_seconds(single, max(1, repeats // 5))
            sizes = (str(len(micro.instance.variables)), str(len(micro.instance.constraints)), f"{len(solutions) / count:.1f}")
            table.add_row(sheet.name, engine, *sizes, *(f"{rate:,.0f}" for rate in (together, related, alone)))
    Console(width=140).print(table)


if __name__ == "__main__":
    typer.run(main)
