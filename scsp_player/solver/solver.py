"""The solver for one instance: arrays built and propagated once, then asked again and again under different assumptions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scsp_player.solver.batch import solutions_of_sets
from scsp_player.solver.engine_kernels import CONTRADICTION, PAUSED, PROPAGATE, SINGLETON
from scsp_player.solver.enumeration import Enumeration
from scsp_player.solver.layout import MOST_MASK_WORDS
from scsp_player.solver.question import NOTHING, ORDERINGS, VALUE_ORDERS, Assumptions, Question, ask, told_arrays
from scsp_player.solver.results import Count, Solutions
from scsp_player.solver.satisfaction import first_solution
from scsp_player.solver.store import build_store
from xcsp.model import Instance

ENGINES = {"ct": MOST_MASK_WORDS, "str2": -1}
"""Engines by name, with the most words that the masks of a table may take before it is held as rows."""

_PROBES = 1 << 12


class Solver:
    """Table-constraint solver (MAC with compact-table or STR2) on one instance.

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
        ordering: variable ordering, a name in ``ORDERINGS``.
        value_order: a name in ``VALUE_ORDERS``.
        store: arrays of the network and its search, for the kernels; None if propagation alone shows that there is no solution.
    """

    def __init__(
        self, instance: Instance, ordering: str = "adaptive", *, value_order: str = "first", engine: str = "ct"
    ) -> None:
        """Builds the arrays of ``instance`` and propagates its root.

        Args:
            instance: the instance.
            ordering: a name in ``ORDERINGS``.
            value_order: a name in ``VALUE_ORDERS``.
            engine: a name in ``ENGINES``: ``"ct"`` holds tables as bitsets (compact-table) unless they would take too much
                memory, ``"str2"`` as rows.

        Raises:
            ValueError: if a table is malformed or a name is unknown.
        """
        for name, known in ((ordering, ORDERINGS), (value_order, VALUE_ORDERS), (engine, ENGINES)):
            if name not in known:
                raise ValueError(f"unknown ordering or engine {name!r}; there are {', '.join(known)}")
        self.instance = instance
        self.ordering = ordering
        self.value_order = value_order
        self._everything = np.arange(len(instance.variables), dtype=np.int32)
        self.store = build_store(instance, ENGINES[engine])
        if self._domains(PROPAGATE, None, ()) is None:
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
        variables, numbers = told_arrays(assumptions)
        return Enumeration(self.store, self._question(variables, numbers, project), limit, seconds)

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

    def first(
        self, assumptions: Assumptions | None = None, *, seconds: float | None = None, seed: int | None = None
    ) -> Solutions:
        """One solution if there is any, searched for with restarts and nogoods (best with the ordering ``dom/wdeg``).

        Args:
            assumptions: as for ``solutions``.
            seconds: stop after so much wall time.
            seed: take values in a random order, the same for the same seed; None for the order of the solver.

        Raises:
            ValueError: if an index names no variable.
        """
        return first_solution(self.store, self._question(*told_arrays(assumptions), None), seconds, seed)

    def expand(
        self, variables: ArrayLike, values: ArrayLike, *, project: ArrayLike | None = None, limit: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The solutions under each of many sets of assumptions, in one call of the compiled engine.

        Sets are sorted, and what neighbours have in common is told and propagated once. So many states of a game, above all those
        that follow from one position, cost little more than what they differ in.

        Args:
            variables: int[k], distinct indices.
            values: int[n, k], a set of their values in each row.
            project: as for ``solutions``. The search decides projected variables in this order, whatever the solver's ordering:
                name first those that determine the others.
            limit: most solutions for each set; ask for one more than you want in order to learn whether there are more.

        Returns:
            offsets, int64[n + 1]: the solutions of set i are ``solutions[offsets[i]:offsets[i + 1]]``.
            solutions, int32[total, p]: values of the projected variables.

        Raises:
            ValueError: if an index names no variable, the variables are not distinct, or the shapes do not fit.

        >>> from xcsp.model import Instance, Table, Variable
        >>> x, y = (Variable(name, np.arange(3, dtype=np.int32)) for name in "xy")
        >>> less = Table(np.array([0, 1], dtype=np.int32), np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32))
        >>> offsets, solutions = Solver(Instance("less", (x, y), (less,))).expand([1], [[0], [1], [2]], project=[0])
        >>> offsets.tolist(), solutions[:, 0].tolist()
        ([0, 0, 1, 3], [0, 0, 1])
        """
        told = np.ascontiguousarray(variables, dtype=np.int32)
        numbers = np.ascontiguousarray(values, dtype=np.int32)
        if numbers.ndim != 2 or told.ndim != 1 or numbers.shape[1] != len(told):
            raise ValueError(f"values of shape {numbers.shape} for {told.shape} variables; there must be one value a variable")
        if len(set(told.tolist())) < len(told):
            raise ValueError("a variable is told twice")
        question = self._question(told, numbers, project)._replace(ordering=ORDERINGS["project"])
        return solutions_of_sets(self.store, question if limit is None else question._replace(limit=limit))

    def propagate(self, assumptions: Assumptions | None = None, of: ArrayLike | None = None) -> list[NDArray[np.int32]] | None:
        """For each variable (or each of ``of``) the values left by arc consistency, ascending; None after a contradiction.

        Raises:
            ValueError: if an index names no variable.
        """
        return self._domains(PROPAGATE, assumptions, of)

    def singleton_consistent(
        self, assumptions: Assumptions | None = None, of: ArrayLike | None = None
    ) -> list[NDArray[np.int32]] | None:
        """For each variable (or each of ``of``) the values left by singleton consistency, ascending; None after a contradiction.

        Raises:
            ValueError: if an index names no variable.
        """
        return self._domains(SINGLETON, assumptions, of)

    def _domains(self, task: int, assumptions: Assumptions | None, of: ArrayLike | None) -> list[NDArray[np.int32]] | None:
        store = self.store
        if store is None:
            return None
        question = self._question(*told_arrays(assumptions), NOTHING)
        outcome, _ = ask(store, task, 0, question, _PROBES)
        while outcome == PAUSED:  # in portions, so that an interrupt from the keyboard gets through
            outcome, _ = ask(store, task, -1, question, _PROBES)
        if outcome == CONTRADICTION:
            return None
        numbers, listed = store.values["number"], store.values["listed"]
        wanted = self._everything if of is None else np.asarray(of, dtype=np.int32)
        first = store.variables["first"][wanted].tolist()
        alive = store.variables["alive"][wanted].tolist()
        return [numbers[np.sort(listed[f : f + a])] for f, a in zip(first, alive, strict=True)]

    def _question(self, variables: NDArray[np.int32], numbers: NDArray[np.int32], project: ArrayLike | None) -> Question:
        projection = self._everything if project is None else np.ascontiguousarray(project, dtype=np.int32)
        return Question(variables, numbers, projection, ORDERINGS[self.ordering], VALUE_ORDERS[self.value_order])
