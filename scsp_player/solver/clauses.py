"""A solver for clauses over Booleans that learns from contradictions: for networks whose constraints are logic, not tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scsp_player.solver.clause_kernels import (
    ATTACH,
    BACK,
    CELLS,
    CLAUSE,
    CLAUSES,
    CONFLICTS,
    CONTRADICTORY,
    CROWDED,
    HEAPED,
    LITERAL,
    PROBE,
    REFUTED,
    SATISFIED,
    TOP,
    VARIABLE,
    Clauses,
    search,
)

Ints = NDArray[np.int32]

PORTION = 500
"""Conflicts between two looks at the clock."""

ROOM = 1 << 19
"""Cells for learnt clauses, and a 64th of that many clauses."""

GOOD_GLUE = 2
"""Learnt clauses over at most that many levels are kept for good."""


class ClauseList:
    """Clauses as they are written, and the numbers of the variables in them.

    Literals are ``2 * variable + sign``, sign 1 for negation.

    Attributes:
        variables: how many there are.
    """

    def __init__(self, variables: int = 0) -> None:
        self.variables = variables
        self._lengths: list[NDArray[np.int64]] = []
        self._cells: list[Ints] = []
        self._pending: list[int] = []
        self._pending_lengths: list[int] = []

    def fresh(self, count: int = 1) -> int:
        """So many new variables; the number of the first."""
        self.variables += count
        return self.variables - count

    def add(self, literals: Iterable[int]) -> None:
        """One of the literals is true."""
        clause = set(literals)
        if not any(literal ^ 1 in clause for literal in clause):
            self._pending.extend(clause)
            self._pending_lengths.append(len(clause))

    def extend(self, rows: ArrayLike) -> None:
        """Clauses of one length, int[clauses, length], without repetitions within a row."""
        array = np.asarray(rows, dtype=np.int32)
        self._flush()
        self._cells.append(array.ravel())
        self._lengths.append(np.full(len(array), array.shape[1], dtype=np.int64))

    def define(self, variable: int, bodies: Iterable[Iterable[int]]) -> None:
        """The variable is true exactly if all literals of one of the bodies are."""
        alternatives: list[int] = []
        for body in bodies:
            literals = list(dict.fromkeys(body))
            if len(literals) == 1:
                single = literals[0]
            else:
                single = 2 * self.fresh()
                for literal in literals:
                    self.add((single ^ 1, literal))
                self.add([single, *(literal ^ 1 for literal in literals)])
            alternatives.append(single)
        for literal in alternatives:
            self.add((2 * variable, literal ^ 1))
        self.add([2 * variable + 1, *alternatives])

    def finish(self) -> tuple[NDArray[np.int64], Ints]:
        """All clauses: starts int64[clauses + 1] and literals int32[total]."""
        self._flush()
        lengths = np.concatenate([np.zeros(1, np.int64), *self._lengths])
        return np.cumsum(lengths), np.concatenate([np.zeros(0, np.int32), *self._cells])

    def _flush(self) -> None:
        if self._pending_lengths:
            self._cells.append(np.array(self._pending, dtype=np.int32))
            self._lengths.append(np.array(self._pending_lengths, dtype=np.int64))
            self._pending, self._pending_lengths = [], []


class ClauseSolver:
    """Models of clauses under changing assumptions; what was learnt is kept from question to question.

    Args:
        clauses: the clauses.
        positive: bool[variables], whether a variable is tried as true first; all as false if left out.

    >>> clauses = ClauseList(2)
    >>> clauses.add((0, 2)); clauses.add((1, 2))
    >>> solver = ClauseSolver(clauses)
    >>> solver.solve([]), solver.model().tolist(), solver.solve([3])
    (True, [False, True], False)
    """

    def __init__(self, clauses: ClauseList, positive: NDArray[np.bool_] | None = None) -> None:
        starts, cells = clauses.finish()
        n = max(1, clauses.variables)
        lengths = np.diff(starts)
        self._false = bool((lengths == 0).any())
        units = np.unique(cells[starts[:-1][lengths == 1]])
        self._false |= bool(np.isin(units ^ 1, units).any())
        longer = np.repeat(lengths > 1, lengths)
        lengths = lengths[lengths > 1]
        count, used = len(lengths), int(longer.sum())
        room = count + ROOM // 64
        variables, literals = np.zeros(2 * n + 2, VARIABLE), np.zeros(2 * n, LITERAL)
        variables["heap"][:n] = variables["place"][:n] = np.arange(n)
        variables["phase"][:n] = 1 if positive is None else ~positive
        variables["reason"] = -1
        variables["activity"][-1] = 1.0
        literals["first"] = -1
        self._state = Clauses(
            variables,
            literals,
            np.zeros(room, CLAUSE),
            np.concatenate([cells[longer], np.zeros(ROOM + 4 * n, np.int32)]),
            np.full(2 * room, -1, np.int32),
            np.zeros(10, np.int64),
        )
        self._state.clauses["start"][1 : count + 1] = np.cumsum(lengths)
        self._state.control[[CLAUSES, CELLS, HEAPED]] = count, used, n
        self._count = n
        if not self._false:
            literals["value"][units], literals["value"][units ^ 1] = 1, -1
            variables["trail"][: len(units)] = units
            self._state.control[TOP] = len(units)
            self._ask((), ATTACH)

    @property
    def conflicts(self) -> int:
        """Contradictions met so far."""
        return int(self._state.control[CONFLICTS])

    def solve(
        self, assumptions: Iterable[int], expired: Callable[[], bool] = lambda: False, *, conflicts: int | None = None
    ) -> bool | None:
        """Whether there is a model in which all ``assumptions`` (literals) are true; None if that is not known when ``expired``.

        Args:
            assumptions: literals.
            expired: looked at every ``PORTION`` conflicts.
            conflicts: stop after about so many.
        """
        wanted = tuple(assumptions)
        before = self.conflicts
        if self._ask(wanted, PROBE) == REFUTED:
            return False
        while not expired() and (conflicts is None or self.conflicts - before < conflicts):
            outcome = self._ask(wanted, PORTION)
            if outcome == SATISFIED:
                return True
            if outcome == REFUTED:
                return False
            if outcome == CROWDED:
                self._thin_out()
        return None

    def model(self) -> NDArray[np.bool_]:
        """bool[variables]: the model that was found last."""
        return np.asarray(self._state.literals["value"][::2] == 1)

    def implied(self, assumptions: Iterable[int]) -> Ints | None:
        """The literals that unit propagation makes true under ``assumptions``; None after a contradiction."""
        if self._ask(tuple(assumptions), PROBE) == REFUTED:
            return None
        return self._state.variables["trail"][: self._state.control[TOP]].copy()

    def add(self, literals: Iterable[int]) -> None:
        """One more clause."""
        self._ask((), BACK)
        s = self._state
        clause = list(dict.fromkeys(literals))
        value = s.literals["value"]
        if self._false or any(value[literal] > 0 or literal ^ 1 in clause for literal in clause):
            return
        clause = [literal for literal in clause if not value[literal]]
        if len(clause) <= 1:
            self._false |= not clause
            for literal in clause:
                value[literal], value[literal ^ 1] = 1, -1
                s.variables["level"][literal >> 1], s.variables["reason"][literal >> 1] = 0, -1
                s.variables["trail"][s.control[TOP]] = literal
                s.control[TOP] += 1
            return
        while s.control[CLAUSES] + 3 >= len(s.clauses) or s.control[CELLS] + len(clause) + len(s.variables) + 2 > len(s.cells):
            self._thin_out()
            s = self._state
        c, begin = int(s.control[CLAUSES]), int(s.control[CELLS])
        s.cells[begin : begin + len(clause)] = clause
        s.clauses["start"][c + 1] = begin + len(clause)
        s.clauses["glue"][c] = 0
        for k in range(2):
            s.link[2 * c + k] = s.literals["first"][clause[k]]
            s.literals["first"][clause[k]] = 2 * c + k
        s.control[[CLAUSES, CELLS]] = c + 1, begin + len(clause)

    def _ask(self, assumptions: tuple[int, ...], conflicts: int) -> int:
        if self._false:
            return REFUTED
        if conflicts > 0:
            search(self._state, np.zeros(0, np.int32), BACK)
        outcome = int(search(self._state, np.array(assumptions, dtype=np.int32), conflicts))
        self._false |= outcome == CONTRADICTORY
        return REFUTED if self._false else outcome

    def _thin_out(self) -> None:
        """Forget the half of the learnt clauses that spread over most levels, or make room."""
        self._ask((), BACK)
        s = self._state
        count = int(s.control[CLAUSES])
        glue, lengths = s.clauses["glue"][:count], np.diff(s.clauses["start"][: count + 1])
        doubtful = np.flatnonzero(glue > GOOD_GLUE)
        kept = np.ones(count, np.bool_)
        kept[doubtful[np.argsort(glue[doubtful], kind="stable")[len(doubtful) // 2 :]]] = False
        cells = s.cells[: int(s.control[CELLS])][np.repeat(kept, lengths)]
        left = int(kept.sum())
        clauses = np.zeros(left + ROOM // 64, CLAUSE)
        clauses["start"][1 : left + 1] = np.cumsum(lengths[kept])
        clauses["glue"][:left] = glue[kept]
        self._state = s._replace(
            clauses=clauses,
            cells=np.concatenate([cells, np.zeros(ROOM + 4 * self._count, np.int32)]),
            link=np.full(2 * len(clauses), -1, np.int32),
        )
        s.literals["first"] = -1
        s.variables["reason"] = -1
        s.control[[CLAUSES, CELLS]] = left, len(cells)
        self._ask((), ATTACH)
