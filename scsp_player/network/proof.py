"""Questions to the clause-learning solver: can these literals all be true?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scsp_player.network import proof_kernels as kernels
from scsp_player.network.csr import concatenate, stack_rows
from scsp_player.network.proof_kernels import Assignment, Clauses, Definitions, Groups

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]

ROOM_CLAUSES = 4_000
ROOM_LITERALS = 200_000
"""Room for learned clauses at first; doubled when it does not suffice for one question."""


class ClauseProver:
    """Refutes conjunctions of literals from definitions, clauses and groups.

    Variable 0 is true. A literal is ``2 * variable + sign``.

    Args:
        kind, start, inputs: variable v is the disjunction (kind 0) or conjunction (kind 1) of the literals
            ``inputs[start[v]:start[v + 1]]``; a variable without inputs is free.
        clauses: disjunctions that hold.
        units: literals that hold.
        choices: for each role the variables of which exactly one is true; decided last.
        exclusive: groups of variables of which at most one is true.
        full: for each of these whether at least one is.
        max_conflicts: effort for one question.
    """

    def __init__(
        self,
        kind: Ints,
        start: Offsets,
        inputs: Ints,
        *,
        clauses: Sequence[Ints] = (),
        units: Sequence[int] = (),
        choices: Sequence[Ints] = (),
        exclusive: Sequence[Ints] = (),
        full: Sequence[bool] = (),
        max_conflicts: int = 20_000,
    ) -> None:
        self._max_conflicts = max_conflicts
        variables = len(kind)
        given = [0, *units]
        alternatives = [2 * choice for choice in choices]
        alternatives += [2 * group for group, is_full in zip(exclusive, full, strict=True) if is_full]
        long = [c for c in (*clauses, *alternatives) if len(c) > 1]
        given += [int(c[0]) for c in (*clauses, *alternatives) if len(c) == 1]
        contradictory = any(len(c) == 0 for c in (*clauses, *alternatives))
        clause_start, literals = concatenate([*_clauses_of_definitions(kind, start, inputs), stack_rows(long)])

        role_start, does = stack_rows([2 * choice for choice in choices])
        self._definitions = Definitions(kind, start, inputs, role_start, does)
        group_start, members = stack_rows([*choices, *exclusive])
        order = np.argsort(members, kind="stable")
        self._groups = Groups(
            start=group_start,
            members=members,
            member_start=np.searchsorted(members[order], np.arange(variables + 1)).astype(np.int64),
            groups_of=np.repeat(np.arange(len(group_start) - 1, dtype=np.int32), np.diff(group_start))[order],
            full=np.array([len(choices) + i for i, is_full in enumerate(full) if is_full], dtype=np.int32),
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
        self._clauses = Clauses(clause_start, literals, np.full(2 * variables, -1, dtype=np.int64), np.zeros(0, dtype=np.int64))
        self._reserve(self._given + 1 + ROOM_CLAUSES, len(literals) + ROOM_LITERALS)
        self._contradictory = contradictory or not self._assert(given)

    def refutes(self, assumptions: Sequence[int]) -> bool:
        """Whether it is proved that the literals cannot all be true; False also when the effort ran out."""
        if self._contradictory:
            return True
        literals = np.array(assumptions, dtype=np.int32)
        for _ in range(4):
            outcome = kernels.search(
                literals,
                np.int64(self._max_conflicts),
                self._clauses,
                self._state,
                self._definitions,
                self._groups,
                self._seen,
                self._learned,
            )
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
        start = np.zeros(clauses + 1, dtype=np.int64)
        start[: self._given + 1] = old.start[: self._given + 1]
        buffer = np.zeros(literals, dtype=np.int32)
        buffer[:used] = old.literals[:used]
        self._clauses = Clauses(start, buffer, old.watch_head, np.zeros(2 * clauses, dtype=np.int64))
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
