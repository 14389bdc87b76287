"""Questions to the clause-learning solver: can these literals all be true?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scsp_player.network import proof_kernels as kernels
from scsp_player.network.csr import NO_ROWS, Rows, concatenate, take_rows
from scsp_player.network.proof_kernels import Assignment, Clauses, Definitions, Groups

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]

NO_FLAGS = np.zeros(0, dtype=np.bool_)

MAX_WORK = 3_000_000
"""Some hundredths of a second; proofs that succeed mostly take far less."""

ROOM_CLAUSES = 50_000
ROOM_LITERALS = 4_000_000
"""Room for learned clauses at first; doubled when it does not suffice for one question."""


class ClauseProver:
    """Refutes conjunctions of literals from definitions, clauses and groups.

    Variable 0 is true. A literal is ``2 * variable + sign``. Sequences of rows are CSR pairs (starts, flat array).

    Args:
        kind, start, inputs: variable v is the disjunction (kind 0) or conjunction (kind 1) of the literals
            ``inputs[start[v]:start[v + 1]]``; a variable without inputs is free.
        clauses: several sequences of disjunctions that hold.
        units: literals that hold.
        choices: for each role the variables of which exactly one is true; decided last.
        exclusive: groups of variables of which at most one is true.
        full: for each of these whether at least one is.
        max_work: effort for one question, in clauses looked at.

    Attributes:
        spent: effort so far.
        size: number of literals in the clauses given.
    """

    def __init__(
        self,
        kind: Ints,
        start: Offsets,
        inputs: Ints,
        *,
        clauses: Sequence[Rows] = (),
        units: Sequence[int] = (),
        choices: Rows = NO_ROWS,
        exclusive: Rows = NO_ROWS,
        full: NDArray[np.bool_] = NO_FLAGS,
        max_work: int = MAX_WORK,
    ) -> None:
        self.spent = 0
        self._max_work = max_work
        variables = len(kind)
        full_rows = take_rows(exclusive, np.flatnonzero(full))
        stated = concatenate([*clauses, (choices[0], 2 * choices[1]), (full_rows[0], 2 * full_rows[1])])
        length = np.diff(stated[0])
        given = [0, *units, *stated[1][stated[0][:-1][length == 1]].tolist()]
        contradictory = bool((length == 0).any())
        clause_start, literals = concatenate(
            [*_clauses_of_definitions(kind, start, inputs), take_rows(stated, np.flatnonzero(length > 1))]
        )
        roles = len(choices[0]) - 1
        group_start, members = concatenate([choices, exclusive])
        self._definitions = Definitions(kind, start, inputs, choices[0].astype(np.int64), (2 * choices[1]).astype(np.int32))
        order = np.argsort(members, kind="stable")
        self._groups = Groups(
            start=group_start,
            members=members,
            member_start=np.searchsorted(members[order], np.arange(variables + 1)).astype(np.int64),
            groups_of=np.repeat(np.arange(len(group_start) - 1, dtype=np.int32), np.diff(group_start))[order],
            full=(roles + np.flatnonzero(full)).astype(np.int32),
        )
        self._state = Assignment(
            value=np.zeros(2 * variables, dtype=np.int8),
            level=np.zeros(variables, dtype=np.int32),
            reason=np.full(variables, -1, dtype=np.int64),
            trail=np.zeros(variables + 1, dtype=np.int32),
            trail_at=np.zeros(variables + 2, dtype=np.int64),
            frontier_at=np.zeros(variables + 2, dtype=np.int64),
            counters=np.zeros(kernels.COUNTERS, dtype=np.int64),
        )
        self._seen = np.zeros(variables, dtype=np.bool_)
        self._learned = np.zeros(variables + 1, dtype=np.int32)
        self._given = len(clause_start) - 1
        self.size = len(literals)
        self._clauses = Clauses(clause_start, literals, np.full(2 * variables, -1, dtype=np.int64), np.zeros(0, dtype=np.int64))
        self._reserve(self._given + 1 + ROOM_CLAUSES, len(literals) + ROOM_LITERALS)
        self._contradictory = contradictory or not self._assert(given)

    def refutes(self, assumptions: Sequence[int], effort: int = 1) -> bool:
        """Whether it is proved that the literals cannot all be true; False also when ``effort * max_work`` did not suffice."""
        if self._contradictory:
            return True
        literals = np.array(assumptions, dtype=np.int32)
        for _ in range(4):
            outcome = kernels.search(
                literals,
                np.int64(effort * self._max_work),
                self._clauses,
                self._state,
                self._definitions,
                self._groups,
                self._seen,
                self._learned,
            )
            self.spent += int(self._state.counters[kernels.WORK])
            if outcome != kernels.FULL:
                break
            kernels.backtrack(np.int64(0), self._state)
            self._state.counters[kernels.HEAD] = 0
            self._reserve(2 * len(self._clauses.start), 2 * len(self._clauses.literals))
        return bool(outcome == kernels.UNSATISFIABLE)

    def _reserve(self, clauses: int, literals: int) -> None:
        """Room for learned clauses; those learned so far are forgotten."""
        old = self._clauses
        used = int(old.start[self._given])
        # Not zeroed: the allocator would write all of it each time.
        start = np.empty(clauses + 1, dtype=np.int64)
        start[: self._given + 1] = old.start[: self._given + 1]
        buffer = np.empty(literals, dtype=np.int32)
        buffer[:used] = old.literals[:used]
        self._clauses = Clauses(start, buffer, old.watch_head, np.empty(2 * clauses, dtype=np.int64))
        self._state.counters[kernels.CLAUSES] = self._given
        kernels.watch_all(self._clauses, np.int64(self._given))

    def _assert(self, literals: Sequence[int]) -> bool:
        """Make literals true for good; False if they contradict each other."""
        for literal in literals:
            if self._state.value[literal] == -1:
                return False
            if self._state.value[literal] == 0:
                kernels.assign(np.int64(literal), np.int64(-1), self._state)
        return True


def _clauses_of_definitions(kind: Ints, start: Offsets, inputs: Ints) -> list[tuple[Offsets, Ints]]:
    """Both directions of every definition."""
    count = np.diff(start)
    owner = np.repeat(np.arange(len(kind), dtype=np.int32), count)
    # A conjunction is a disjunction with all signs flipped.
    flip = kind[owner]
    pairs = np.stack([inputs ^ 1 ^ flip, (2 * owner) ^ flip], axis=1).astype(np.int32).ravel()
    defined = np.flatnonzero(count)
    long_start = np.concatenate([[0], np.cumsum(count[defined] + 1)]).astype(np.int64)
    long = np.zeros(int(long_start[-1]), dtype=np.int32)
    is_head = np.zeros(len(long), dtype=np.bool_)
    is_head[long_start[:-1]] = True
    long[is_head] = (2 * defined + 1) ^ kind[defined]
    long[~is_head] = inputs ^ flip
    return [(2 * np.arange(len(inputs) + 1, dtype=np.int64), pairs), (long_start, long)]
