"""An instance for OR-tools CP-SAT: a yardstick, and a back-end for single questions where its learning and presolve pay.

Tables without stars are CP-SAT's own; others become one Boolean a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scsp_player.gdl.errors import GdlError
from xcsp.model import STAR, Instance, Table


class CpSatModel:
    """A model of CP-SAT, to which questions are put.

    Args:
        instance: tables only, nothing stochastic.

    Raises:
        GdlError: if OR-tools is not installed.
        ValueError: if the instance has other constraints or chance.
    """

    def __init__(self, instance: Instance) -> None:
        try:
            from ortools.sat.python import cp_model
        except ImportError as error:
            raise GdlError("OR-tools is not installed", remedy="install the extra: pip install 'scsp-player[bench]'") from error
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

    def solve(self, seconds: float, variables: Sequence[int] = (), values: Sequence[int] = ()) -> tuple[str, list[int], int]:
        """``SAT``, ``UNSAT`` or ``UNKNOWN``; the values of a solution in which ``variables`` have ``values``; branches taken."""
        model = self.model.clone() if len(variables) else self.model
        for variable, value in zip(variables, values, strict=True):
            model.add(model.get_int_var_from_proto_index(self.variables[variable].index) == value)
        solver = self._cp.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_time_in_seconds = max(0.0, seconds)
        status = solver.solve(model)
        if status in (self._cp.OPTIMAL, self._cp.FEASIBLE):
            return "SAT", [solver.value(x) for x in self.variables], solver.num_branches
        return ("UNSAT" if status == self._cp.INFEASIBLE else "UNKNOWN"), [], solver.num_branches

    def _equals(self, x: int, value: int) -> Any:
        """The Boolean that says that a variable has a value."""
        found = self._is.get((x, value))
        if found is None:
            found = self._is[x, value] = self.model.new_bool_var("")
            self.model.add(self.variables[x] == value).only_enforce_if(found)
            self.model.add(self.variables[x] != value).only_enforce_if(~found)
        return found

    def _post(self, table: Table) -> None:
        scope = [self.variables[x] for x in table.scope.tolist()]
        rows = table.tuples.tolist()
        if not table.positive:
            self.model.add_forbidden_assignments(scope, rows)
        elif not (table.tuples == STAR).any():
            self.model.add_allowed_assignments(scope, rows)
        else:
            chosen = [self.model.new_bool_var("") for _ in rows]
            self.model.add_exactly_one(chosen)
            for row, holds in zip(rows, chosen, strict=True):
                met = [self._equals(x, value) for x, value in zip(table.scope.tolist(), row, strict=True) if value != STAR]
                self.model.add_bool_and(met).only_enforce_if(holds)
