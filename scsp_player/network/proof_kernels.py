"""A small clause-learning satisfiability solver over arrays, with at-most-one groups as native constraints.

Literals are ``2 * variable + sign`` (sign 1: negated). ``value`` holds 1, -1 or 0 (unknown) for every literal. A reason is the
index of a clause, ``-1`` (decision or given), or ``-(p + 2)`` for a literal that an at-most-one group falsifies because p is true.
Clauses watch their first two literals; the list of watchers of a literal is linked through ``watch_next``, whose nodes are
``2 * clause + side``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import helper, kernel

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

UNSATISFIABLE = 0
SATISFIABLE = 1
OUT_OF_BUDGET = 2
FULL = 3

# Places in the array of counters.
TRAIL = 0
HEAD = 1
LEVEL = 2
CLAUSES = 3
FRONTIER = 4
PAIR_LEFT = 5
PAIR_RIGHT = 6
WORK = 7
COUNTERS = 8

NO_CONFLICT = -1
PAIR_CONFLICT = -2


class Clauses(NamedTuple):
    """Clauses in CSR form with their watch lists; the arrays have room for learned clauses."""

    start: Longs
    literals: Ints
    watch_head: Longs
    watch_next: Longs


class Assignment(NamedTuple):
    """The state of the search; ``counters`` is indexed by the places named above, levels by 1, 2, …"""

    value: NDArray[np.int8]
    level: Ints
    reason: Longs
    trail: Ints
    trail_at: Longs
    frontier_at: Longs
    counters: Longs


class Groups(NamedTuple):
    """At-most-one groups of variables in CSR form, the groups of each variable, and the groups that need a true member."""

    start: Longs
    members: Ints
    member_start: Longs
    groups_of: Ints
    full: Ints


class Definitions(NamedTuple):
    """Variables defined as disjunction (kind 0) or conjunction (kind 1) of literals, and the move literals of each role."""

    kind: Ints
    start: Longs
    inputs: Ints
    role_start: Longs
    does: Ints


@kernel
def watch_all(clauses: Clauses, count: np.int64) -> None:
    """Rebuild the watch lists of the first ``count`` clauses (all of at least two literals)."""
    start, literals, watch_head, watch_next = clauses
    watch_head[:] = -1
    for clause in range(count):
        for side in range(2):
            literal = literals[start[clause] + side]
            watch_next[2 * clause + side] = watch_head[literal]
            watch_head[literal] = 2 * clause + side


@kernel
def assign(literal: np.int64, cause: np.int64, state: Assignment) -> None:
    """Make a literal true at the current level."""
    value, level, reason, trail, _, _, counters = state
    value[literal] = 1
    value[literal ^ 1] = -1
    level[literal >> 1] = counters[LEVEL]
    reason[literal >> 1] = cause
    trail[counters[TRAIL]] = literal
    counters[TRAIL] += 1


@helper
def propagate(clauses: Clauses, state: Assignment, groups: Groups) -> np.int64:
    """Unit propagation; returns a clause index, ``NO_CONFLICT`` or ``PAIR_CONFLICT`` (the pair is in ``counters``)."""
    start, literals, watch_head, watch_next = clauses
    value, trail, counters = state.value, state.trail, state.counters
    group_start, members, member_start, groups_of, _ = groups
    while counters[HEAD] < counters[TRAIL]:
        true = trail[counters[HEAD]]
        counters[HEAD] += 1
        false = true ^ 1
        previous = -1
        node = watch_head[false]
        counters[WORK] += 1
        while node >= 0:
            counters[WORK] += 1
            following = watch_next[node]
            clause = node >> 1
            side = node & 1
            begin = start[clause]
            other = literals[begin + 1 - side]
            if value[other] != 1:
                moved = False
                for k in range(begin + 2, start[clause + 1]):
                    candidate = literals[k]
                    if value[candidate] != -1:
                        literals[begin + side] = candidate
                        literals[k] = false
                        if previous < 0:
                            watch_head[false] = following
                        else:
                            watch_next[previous] = following
                        watch_next[node] = watch_head[candidate]
                        watch_head[candidate] = node
                        moved = True
                        break
                if moved:
                    node = following
                    continue
                if value[other] == -1:
                    return np.int64(clause)
                assign(np.int64(other), np.int64(clause), state)
            previous = node
            node = following
        if true & 1:
            continue
        variable = true >> 1
        for g in range(member_start[variable], member_start[variable + 1]):
            group = groups_of[g]
            for k in range(group_start[group], group_start[group + 1]):
                other = 2 * members[k]
                if other == true:
                    continue
                if value[other] == 1:
                    counters[PAIR_LEFT] = true
                    counters[PAIR_RIGHT] = other
                    return np.int64(PAIR_CONFLICT)
                if value[other] == 0:
                    assign(np.int64(other ^ 1), np.int64(-(true + 2)), state)
    return np.int64(NO_CONFLICT)


@kernel
def backtrack(target: np.int64, state: Assignment) -> None:
    """Undo all assignments above level ``target``."""
    value, _, _, trail, trail_at, frontier_at, counters = state
    if counters[LEVEL] <= target:
        return
    keep = trail_at[target + 1]
    for position in range(keep, counters[TRAIL]):
        literal = trail[position]
        value[literal] = 0
        value[literal ^ 1] = 0
    counters[TRAIL] = keep
    counters[HEAD] = keep
    counters[FRONTIER] = frontier_at[target + 1]
    counters[LEVEL] = target


@helper
def analyse(
    conflict: np.int64, clauses: Clauses, state: Assignment, seen: NDArray[np.bool_], learned: Ints
) -> tuple[np.int64, np.int64]:
    """First unique implication point: fills ``learned`` (asserting literal first), returns its length and the level to go to."""
    start, literals, _, _ = clauses
    _, level, reason, trail, _, _, counters = state
    current = counters[LEVEL]
    size = np.int64(1)
    open_count = 0
    position = counters[TRAIL] - 1
    resolved = np.int64(-1)
    cause = np.int64(conflict)
    while True:
        # Literals of the clause at hand that are false, the resolved one excepted.
        if cause == PAIR_CONFLICT:
            first, last = 0, 2
        elif cause >= 0:
            first, last = start[cause], start[cause + 1]
        else:
            first, last = 0, 1
        for k in range(first, last):
            if cause == PAIR_CONFLICT:
                literal = np.int64(counters[PAIR_LEFT + k]) ^ 1
            elif cause >= 0:
                literal = np.int64(literals[k])
            else:
                literal = np.int64(-cause - 2) ^ 1
            variable = literal >> 1
            if literal == resolved or seen[variable] or level[variable] == 0:
                continue
            seen[variable] = True
            if level[variable] == current:
                open_count += 1
            else:
                learned[size] = literal
                size += 1
        while not seen[trail[position] >> 1]:
            position -= 1
        resolved = np.int64(trail[position])
        position -= 1
        seen[resolved >> 1] = False
        open_count -= 1
        if open_count == 0:
            break
        cause = np.int64(reason[resolved >> 1])
    learned[0] = resolved ^ 1
    target = np.int64(0)
    for k in range(1, size):
        seen[learned[k] >> 1] = False
        if level[learned[k] >> 1] > target:
            target = np.int64(level[learned[k] >> 1])
            learned[1], learned[k] = learned[k], learned[1]
    return size, target


@helper
def decide(state: Assignment, definitions: Definitions, groups: Groups) -> np.int64:
    """The next decision: an unexplained definition first, then a role without a move, then a touched exactly-one group.

    An assigned defined variable is explained once its inputs force its value. Returns a literal, or -1 if nothing is left.
    """
    value, trail, counters = state.value, state.trail, state.counters
    kind, start, inputs, role_start, does = definitions
    while counters[FRONTIER] < counters[TRAIL]:
        literal = trail[counters[FRONTIER]]
        variable = literal >> 1
        # Disjunctions need an input when true, conjunctions when false; the other two cases are explained by propagation.
        if kind[variable] == (literal & 1) and start[variable] < start[variable + 1]:
            choice = np.int64(-1)
            explained = False
            for k in range(start[variable], start[variable + 1]):
                given = inputs[k] ^ (literal & 1)
                if value[given] == 1:
                    explained = True
                    break
                if choice < 0 and value[given] == 0:
                    choice = np.int64(given)
            if not explained and choice >= 0:
                return choice
        counters[FRONTIER] += 1
    for role in range(role_start.size - 1):
        choice = np.int64(-1)
        for move in range(role_start[role], role_start[role + 1]):
            if value[does[move]] == 1:
                choice = np.int64(-1)
                break
            if choice < 0 and value[does[move]] == 0:
                choice = np.int64(does[move])
        if choice >= 0:
            return choice
    for group in groups.full:
        choice = np.int64(-1)
        touched = False
        for k in range(groups.start[group], groups.start[group + 1]):
            known = value[2 * groups.members[k]]
            if known == 1:
                touched = False
                break
            if known == -1:
                touched = True
            elif choice < 0:
                choice = np.int64(2 * groups.members[k])
        if touched and choice >= 0:
            return choice
    return np.int64(-1)


@helper
def learn(size: np.int64, learned: Ints, clauses: Clauses, counters: Longs) -> np.int64:
    """Add a learned clause; returns its index, or -1 if there is no room."""
    start, literals, watch_head, watch_next = clauses
    clause = counters[CLAUSES]
    if 2 * clause + 3 >= watch_next.size or start[clause] + size > literals.size:
        return np.int64(-1)
    for k in range(size):
        literals[start[clause] + k] = learned[k]
    start[clause + 1] = start[clause] + size
    for side in range(2):
        watch_next[2 * clause + side] = watch_head[learned[side]]
        watch_head[learned[side]] = 2 * clause + side
    counters[CLAUSES] += 1
    return np.int64(clause)


@kernel
def search(
    assumptions: Ints,
    max_work: np.int64,
    clauses: Clauses,
    state: Assignment,
    definitions: Definitions,
    groups: Groups,
    seen: NDArray[np.bool_],
    learned: Ints,
) -> int:
    """Try to satisfy all clauses and ``assumptions``: one of the four outcomes at the top of this module.

    ``SATISFIABLE`` means that no decision was left: the assumptions are consistent as far as the search looked.
    ``max_work`` bounds the literals and clauses looked at.
    """
    value, counters = state.value, state.counters
    backtrack(np.int64(0), state)
    counters[WORK] = 0
    while True:
        conflict = propagate(clauses, state, groups)
        if conflict != NO_CONFLICT:
            if counters[LEVEL] == 0:
                # Nothing satisfies the clauses; propagating again will find the conflict again.
                counters[HEAD] = 0
                return UNSATISFIABLE
            size, target = analyse(conflict, clauses, state, seen, learned)
            backtrack(target, state)
            cause = np.int64(-1)
            if size > 1:
                cause = np.int64(learn(size, learned, clauses, counters))
                if cause < 0:
                    return FULL
            assign(np.int64(learned[0]), cause, state)
            if counters[WORK] > max_work:
                return OUT_OF_BUDGET
            continue
        depth = counters[LEVEL]
        if depth < assumptions.size:
            choice = np.int64(assumptions[depth])
            if value[choice] == -1:
                return UNSATISFIABLE
        else:
            choice = decide(state, definitions, groups)
            if choice < 0:
                return SATISFIABLE
        counters[LEVEL] += 1
        state.trail_at[counters[LEVEL]] = counters[TRAIL]
        state.frontier_at[counters[LEVEL]] = counters[FRONTIER]
        if value[choice] == 0:
            assign(choice, np.int64(-1), state)
