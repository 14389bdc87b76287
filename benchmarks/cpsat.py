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
from typing import Annotated, Any

import numpy as np
import typer

from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from scsp_player.network import template, unroll
from scsp_player.network.planning import Planner
from scsp_player.solver import Solver
from xcsp.model import STAR, Instance, Table


class CpSatModel:
    """An instance as a model of CP-SAT: tables without stars are its own, others become one Boolean a row."""

    def __init__(self, instance: Instance) -> None:
        from ortools.sat.python import cp_model

        if instance.relations or instance.stochastic:
            raise ValueError("only plain problems of tables are translated")
        self._cp = cp_model
        self.model: Any = cp_model.CpModel()
        self.variables = [
            self.model.new_int_var_from_domain(cp_model.Domain.from_values(v.domain.tolist()), v.name) for v in instance.variables
        ]
        self._is: dict[tuple[int, int], Any] = {}
        for table in instance.constraints:
            self._post(table)

    def _equals(self, x: int, value: int) -> Any:
        """The Boolean that says that a variable has a value."""
        found = self._is.get((x, value))
        if found is None:
            found = self._is[x, value] = self.model.new_bool_var("")
            self.model.add(self.variables[x] == value).only_enforce_if(found)
            self.model.add(self.variables[x] != value).only_enforce_if(~found)
        return found

    def _post(self, table: Table) -> None:
        scope = table.scope.tolist()
        rows = table.tuples.tolist()
        if not table.positive:
            self.model.add_forbidden_assignments([self.variables[x] for x in scope], rows)
        elif not (table.tuples == STAR).any():
            self.model.add_allowed_assignments([self.variables[x] for x in scope], rows)
        else:
            chosen = [self.model.new_bool_var("") for _ in rows]
            self.model.add_exactly_one(chosen)
            for row, holds in zip(rows, chosen, strict=True):
                self.model.add_bool_and([self._equals(x, v) for x, v in zip(scope, row, strict=True) if v != STAR]).only_enforce_if(
                    holds
                )

    def solve(self, seconds: float) -> tuple[str, list[int]]:
        """``SAT``, ``UNSAT`` or ``UNKNOWN``, and the values of a solution."""
        solver = self._cp.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_time_in_seconds = seconds
        status = solver.solve(self.model)
        if status in (self._cp.OPTIMAL, self._cp.FEASIBLE):
            return "SAT", [solver.value(x) for x in self.variables]
        return ("UNSAT" if status == self._cp.INFEASIBLE else "UNKNOWN"), []


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
    theirs, values = model.solve(seconds)
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
