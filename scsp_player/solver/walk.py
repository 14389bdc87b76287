"""Decisions taken by hand, one below the other, with propagation after each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.solver.engine_kernels import CONTRADICTION, DONE, ENUMERATE, FULL, PAUSED, PROPAGATE, SINGLETON
from scsp_player.solver.question import NOTHING, ORDERINGS, Assumptions, Question, ask, told_arrays
from scsp_player.solver.solver import Solver

_NO_NUMBERS = np.zeros((1, 0), dtype=np.int32)
_BUDGET = 1 << 12


class Walk:
    """A path of decisions in the search space of a solver, extended and taken back by its owner.

    Any other question to the solver ends the walk.

    Attributes:
        consistent: False if the assumptions contradict; then nothing else may be asked.
        nodes: decisions taken so far.
    """

    def __init__(self, solver: Solver, assumptions: Assumptions | None = None) -> None:
        """Starts under ``assumptions``, made singleton consistent.

        Raises:
            ValueError: if an index names no variable.
        """
        self._ordering = ORDERINGS[solver.ordering]
        self._store = solver.store
        self._depth = 1
        self._stale = False
        self.nodes = 0
        variables, numbers = told_arrays(assumptions)
        self.consistent = self._store is not None and self._run(SINGLETON, 0, variables, numbers) == DONE

    def domain(self, x: int) -> list[int]:
        """The living values of variable ``x``, ascending."""
        assert self._store is not None
        if self._stale:
            self._run(PROPAGATE, self._depth)
            self._stale = False
        first, alive = int(self._store.variables["first"][x]), int(self._store.variables["alive"][x])
        listed = self._store.values["listed"][first : first + alive]
        return sorted(self._store.values["number"][listed].tolist())

    def descend(self, x: int, value: int) -> bool:
        """Decides ``x = value``; False, and back where it was, if propagation contradicts."""
        self.nodes += 1
        outcome = self._run(PROPAGATE, self._depth, np.array([x], dtype=np.int32), np.array([[value]], dtype=np.int32))
        self._stale = outcome == CONTRADICTION
        if self._stale:
            return False
        self._depth += 1
        return True

    def ascend(self) -> None:
        """Takes the last decision back."""
        self._depth -= 1
        self._stale = True

    def completable(self) -> bool:
        """Whether some solution agrees with all decisions."""
        self._stale = True
        return self._run(ENUMERATE, self._depth) == FULL

    def _run(
        self, task: int, depth: int, variables: NDArray[np.int32] = NOTHING, numbers: NDArray[np.int32] = _NO_NUMBERS
    ) -> int:
        store = self._store
        assert store is not None
        question = Question(variables, numbers, ordering=self._ordering)
        outcome, _ = ask(store, task, depth, question, _BUDGET)
        while outcome == PAUSED:
            outcome, _ = ask(store, task, -1, question, _BUDGET)
        return outcome
