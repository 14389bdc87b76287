"""The solver for one instance: arrays built and propagated once, then asked again and again under different assumptions."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scsp_player.solver.engine_kernels import CONTRADICTION, DOM_DDEG, LEX, PAUSED, PROPAGATE, SINGLETON, run
from scsp_player.solver.enumeration import Enumeration
from scsp_player.solver.results import Count, Solutions
from scsp_player.solver.store import build_store
from xcsp.model import Instance

Assumptions: TypeAlias = tuple[ArrayLike, ArrayLike]
"""Indices of variables and the values they take."""

ORDERINGS = {"dom/ddeg": DOM_DDEG, "lex": LEX}
"""Variable orderings by name."""

_NOTHING = np.zeros(0, dtype=np.int32)
_NO_BUFFER = np.zeros((1, 0), dtype=np.int32)
_PROBES = 1 << 12


class Solver:
    """Table-constraint solver (MAC with STR2) on one instance.

    The root is propagated when the solver is made; every call goes back to it by the trail and applies its assumptions, so that
    asking costs what the assumptions change. A solver is not to be used by two threads at the same time.

    >>> from xcsp.model import Instance, Table, Variable
    >>> x, y = (Variable(name, np.arange(3, dtype=np.int32)) for name in "xy")
    >>> less = Table(np.array([0, 1], dtype=np.int32), np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32))
    >>> solver = Solver(Instance("less", (x, y), (less,)))
    >>> solver.solutions(([1], [2])).values.tolist()
    [[0, 2], [1, 2]]
    >>> solver.count().number
    3

    Attributes:
        instance: the instance.
        ordering: variable ordering, ``"dom/ddeg"`` or ``"lex"``.
        store: arrays of the network and its search, for the kernels; None if propagation alone shows that there is no solution.
    """

    def __init__(self, instance: Instance, ordering: str = "dom/ddeg") -> None:
        """Builds the arrays of ``instance`` and propagates its root.

        Raises:
            ValueError: if a table is malformed or the ordering is unknown.
        """
        if ordering not in ORDERINGS:
            raise ValueError(f"unknown variable ordering {ordering!r}; there are {', '.join(ORDERINGS)}")
        self.instance = instance
        self.ordering = ordering
        self._everything = np.arange(len(instance.variables), dtype=np.int32)
        self.store = build_store(instance)
        if self._domains(PROPAGATE, None) is None:
            self.store = None
        if self.store is not None:
            # What the empty assumption removed is the root's: forget how to undo it.
            for field, value in (("trail_top", 0), ("depth", 0)):
                self.store.control[field] = value
            self.store.control["serial"] += 1

    @property
    def consistent(self) -> bool:
        """False if propagation alone shows that there is no solution."""
        return self.store is not None

    def stream(
        self,
        assumptions: Assumptions | None = None,
        *,
        project: ArrayLike | None = None,
        limit: int | None = None,
        seconds: float | None = None,
    ) -> Enumeration:
        """The solutions block by block, found as they are asked for; arguments as for ``solutions``.

        Any other question to this solver ends the enumeration: going on then raises ``RuntimeError``.
        """
        variables, values = assumed_arrays(assumptions)
        projection = self._projection(project)
        ordering = ORDERINGS[self.ordering]
        return Enumeration(self.store, variables, values, projection, ordering, limit, seconds)

    def solutions(
        self,
        assumptions: Assumptions | None = None,
        *,
        project: ArrayLike | None = None,
        limit: int | None = None,
        seconds: float | None = None,
    ) -> Solutions:
        """All solutions under ``assumptions``, distinct on the variables ``project``.

        Args:
            assumptions: variables (indices) and the values they must take; a value outside its domain means no solution.
            project: indices of the variables to report, in this order; None for all. Each combination of their values that some
                solution has is reported once.
            limit: stop after so many solutions.
            seconds: stop after so much wall time.

        Raises:
            ValueError: if an index names no variable.
        """
        enumeration = self.stream(assumptions, project=project, limit=limit, seconds=seconds)
        blocks = list(enumeration)
        if not blocks:
            values = np.zeros((0, enumeration.width), dtype=np.int32)
        else:
            values = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        return Solutions(values, enumeration.complete, enumeration.nodes, enumeration.fails, enumeration.seconds)

    def count(
        self,
        assumptions: Assumptions | None = None,
        *,
        project: ArrayLike | None = None,
        limit: int | None = None,
        seconds: float | None = None,
    ) -> Count:
        """Number of solutions, without storing them; arguments as for ``solutions``.

        Variables that no constraint ties to another open variable are counted by the product of their domains, so the number may
        be far greater than what could be enumerated. With ``limit`` the count may stop as soon as it reached it.
        """
        enumeration = self.stream(assumptions, project=project, limit=limit, seconds=seconds)
        number = enumeration.count()
        return Count(number, enumeration.complete, enumeration.nodes, enumeration.fails, enumeration.seconds)

    def propagate(self, assumptions: Assumptions | None = None) -> list[NDArray[np.int32]] | None:
        """For each variable the values left by generalised arc consistency, ascending; None after a contradiction.

        Raises:
            ValueError: if an index names no variable.
        """
        return self._domains(PROPAGATE, assumptions)

    def singleton_consistent(self, assumptions: Assumptions | None = None) -> list[NDArray[np.int32]] | None:
        """For each variable the values left by singleton arc consistency, ascending; None after a contradiction.

        Raises:
            ValueError: if an index names no variable.
        """
        return self._domains(SINGLETON, assumptions)

    def _domains(self, task: int, assumptions: Assumptions | None) -> list[NDArray[np.int32]] | None:
        store = self.store
        if store is None:
            return None
        variables, numbers = assumed_arrays(assumptions)
        outcome, _ = run(store, task, 0, variables, numbers, _NOTHING, DOM_DDEG, _PROBES, _NO_BUFFER)
        while outcome == PAUSED:  # in portions, so that an interrupt from the keyboard gets through
            outcome, _ = run(store, task, -1, variables, numbers, _NOTHING, DOM_DDEG, _PROBES, _NO_BUFFER)
        if outcome == CONTRADICTION:
            return None
        numbers, listed = store.values["number"], store.values["listed"]
        first = store.variables["first"].tolist()
        alive = store.variables["alive"].tolist()
        return [numbers[np.sort(listed[f : f + a])] for f, a in zip(first[:-1], alive[:-1], strict=True)]

    def _projection(self, project: ArrayLike | None) -> NDArray[np.int32]:
        return self._everything if project is None else np.ascontiguousarray(project, dtype=np.int32)


def assumed_arrays(assumptions: Assumptions | None) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Assumptions as arrays."""
    if assumptions is None:
        return _NOTHING, _NOTHING
    variables, values = assumptions
    return np.ascontiguousarray(variables, dtype=np.int32), np.ascontiguousarray(values, dtype=np.int32)
