"""Clauses over Booleans: unit propagation by two watched literals, and search that learns a clause from each contradiction.

The scheme is that of MiniSat (Eén and Sörensson, SAT 2003): first unique implication point, activities that decay, saved phases,
Luby restarts. Literals are ``2 * variable + sign`` with sign 1 for negation. Watches are linked lists through the clauses, so that
nothing grows: clause c watches its first two literals by the links ``2 c`` and ``2 c + 1``.

Only ``search`` is cached on disk with all that it calls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import helper, kernel
from scsp_player.solver.domain_kernels import wide

SATISFIED, REFUTED, PAUSED, CROWDED, CONTRADICTORY = 0, 1, 2, 3, 4
"""Why ``search`` returned: all variables have values; the assumptions contradict the clauses; the conflicts allowed are used up;
there is no room for more learnt clauses; the clauses alone have no model."""

PROBE, BACK, ATTACH = -1, -2, -3
"""In place of a number of conflicts: see ``search``."""

RESTART = 64
"""Conflicts of the shortest run between restarts."""

DECAY = 1.0 / 0.95
"""Growth of the amount by which activities rise."""

TOP, HEAD, DEPTH, CLAUSES, CELLS, HEAPED, CONFLICTS, DECISIONS, RUN, LEFT = range(10)
"""Numbers kept in ``control``: length of the trail, how much of it is propagated, decision level, clauses, cells of clauses used,
size of the heap, conflicts and decisions so far, runs begun, conflicts left in the present run."""


VARIABLE = np.dtype(
    [
        ("activity", np.float64),  # how much it was in conflicts lately; in the last row the amount of the next rise
        ("level", np.int32),  # decision level of its value
        ("reason", np.int32),  # the clause that forced its value, -1 for decisions
        ("place", np.int32),  # where it stands in the heap, -1 if it does not
        ("seen", np.int32),  # mark of the analysis
        ("phase", np.int32),  # sign of the literal that is decided on
        ("trail", np.int32),  # (column of its own) true literals in the order in which they became true
        ("limit", np.int32),  # (column of its own) length of the trail below each decision level
        ("heap", np.int32),  # (column of its own) binary heap of variables, the most active in front
        ("learnt", np.int32),  # (column of its own) the clause being learnt
    ],
    align=True,
)
"""One row a variable, and as many again and two, since assumptions may open levels in which nothing is decided."""

LITERAL = np.dtype([("first", np.int32), ("value", np.int32)], align=True)
"""One row a literal: the first link of the clauses that watch it; 1 true, -1 false, 0 open."""

CLAUSE = np.dtype([("start", np.int64), ("glue", np.int64)], align=True)
"""One row a clause, and one more: where it begins in ``cells``; number of levels in it when it was learnt, 0 for a given one."""


class Clauses(NamedTuple):
    """A set of clauses and the state of the search in it; few arrays, since each costs in compilation."""

    variables: NDArray[np.void]
    """VARIABLE[2 n + 2]"""
    literals: NDArray[np.void]
    """LITERAL[2 n]"""
    clauses: NDArray[np.void]
    """CLAUSE[room]"""
    cells: NDArray[np.int32]
    """literals of all clauses"""
    link: NDArray[np.int32]
    """int32[2 room]: the next link in the list of a literal, -1 at its end"""
    control: NDArray[np.int64]
    """int64[10]: see ``TOP`` …"""


@helper
def sift_up(s: Clauses, i: int) -> None:
    """Restore the heap where the activity at place ``i`` has grown."""
    x = wide(s.variables[i].heap)
    while i > 0:
        above = (i - 1) >> 1
        if s.variables[s.variables[above].heap].activity >= s.variables[x].activity:
            break
        s.variables[i].heap = s.variables[above].heap
        s.variables[s.variables[i].heap].place = i
        i = above
    s.variables[i].heap = x
    s.variables[x].place = i


@helper
def sift_down(s: Clauses, i: int) -> None:
    """Restore the heap where place ``i`` got another variable."""
    size = s.control[HEAPED]
    x = wide(s.variables[i].heap)
    while True:
        below = 2 * i + 1
        if below >= size:
            break
        if below + 1 < size and s.variables[s.variables[below + 1].heap].activity > s.variables[s.variables[below].heap].activity:
            below += 1
        if s.variables[s.variables[below].heap].activity <= s.variables[x].activity:
            break
        s.variables[i].heap = s.variables[below].heap
        s.variables[s.variables[i].heap].place = i
        i = below
    s.variables[i].heap = x
    s.variables[x].place = i


@helper
def insert(s: Clauses, x: int) -> None:
    """Put a variable into the heap unless it is there."""
    if s.variables[x].place < 0:
        i = s.control[HEAPED]
        s.control[HEAPED] = i + 1
        s.variables[i].heap = x
        sift_up(s, i)


@helper
def enqueue(s: Clauses, literal: int, reason: int) -> None:
    """Make an open literal true."""
    x = literal >> 1
    s.literals[literal].value = 1
    s.literals[literal ^ 1].value = -1
    s.variables[x].level = s.control[DEPTH]
    s.variables[x].reason = reason
    s.variables[s.control[TOP]].trail = literal
    s.control[TOP] += 1


@helper
def go_back(s: Clauses, depth: int) -> None:
    """Undo all levels above ``depth``."""
    if s.control[DEPTH] <= depth:
        return
    bottom = wide(s.variables[depth].limit)
    for i in range(s.control[TOP] - 1, bottom - 1, -1):
        literal = wide(s.variables[i].trail)
        s.literals[literal].value = 0
        s.literals[literal ^ 1].value = 0
        s.variables[literal >> 1].phase = literal & 1
        insert(s, literal >> 1)
    s.control[TOP] = bottom
    s.control[HEAD] = bottom
    s.control[DEPTH] = depth


@helper
def propagate(s: Clauses) -> int:
    """Follow all unit clauses; the clause that is false, or -1."""
    while s.control[HEAD] < s.control[TOP]:
        wrong = wide(s.variables[s.control[HEAD]].trail) ^ 1
        s.control[HEAD] += 1
        w = wide(s.literals[wrong].first)
        s.literals[wrong].first = -1
        while w >= 0:
            after = wide(s.link[w])
            c = w >> 1
            begin = s.clauses[c].start
            own = begin + (w & 1)
            other = wide(s.cells[begin + 1 - (w & 1)])
            moved = False
            if s.literals[other].value != 1:
                for j in range(begin + 2, s.clauses[c + 1].start):
                    literal = wide(s.cells[j])
                    if s.literals[literal].value >= 0:
                        s.cells[j] = wrong
                        s.cells[own] = literal
                        s.link[w] = s.literals[literal].first
                        s.literals[literal].first = w
                        moved = True
                        break
            if not moved:
                s.link[w] = s.literals[wrong].first
                s.literals[wrong].first = w
                if s.literals[other].value == 0:
                    enqueue(s, other, c)
                elif s.literals[other].value < 0:
                    # The rest of the list goes back as it is.
                    while after >= 0:
                        w = after
                        after = wide(s.link[w])
                        s.link[w] = s.literals[wrong].first
                        s.literals[wrong].first = w
                    return c
            w = after
    return -1


@helper
def raise_activity(s: Clauses, x: int) -> None:
    """A variable was in a conflict."""
    last = s.variables.size - 1
    s.variables[x].activity += s.variables[last].activity
    if s.variables[x].activity > 1e100:
        for y in range(last + 1):
            s.variables[y].activity *= 1e-100
    if s.variables[x].place >= 0:
        sift_up(s, wide(s.variables[x].place))


@helper
def analyse(s: Clauses, conflict: int) -> int:
    """Learn the clause of the first unique implication point into ``learnt``, that literal in front; returns its length."""
    depth = s.control[DEPTH]
    size = wide(1)
    open_paths = wide(0)
    i = s.control[TOP]
    c = conflict
    skipped = wide(-1)
    while True:
        for j in range(s.clauses[c].start, s.clauses[c + 1].start):
            literal = wide(s.cells[j])
            x = literal >> 1
            if literal != skipped and s.variables[x].seen == 0 and s.variables[x].level > 0:
                s.variables[x].seen = 1
                raise_activity(s, x)
                if s.variables[x].level == depth:
                    open_paths += 1
                else:
                    s.variables[size].learnt = literal
                    size += 1
        i -= 1
        while s.variables[s.variables[i].trail >> 1].seen == 0:
            i -= 1
        skipped = wide(s.variables[i].trail)
        c = wide(s.variables[skipped >> 1].reason)
        s.variables[skipped >> 1].seen = 0
        open_paths -= 1
        if open_paths == 0:
            break
    s.variables[0].learnt = skipped ^ 1
    # Literals that follow from the others are left out.
    kept = wide(1)
    for k in range(1, size):
        literal = wide(s.variables[k].learnt)
        c = wide(s.variables[literal >> 1].reason)
        needed = c < 0
        if c >= 0:
            for j in range(s.clauses[c].start, s.clauses[c + 1].start):
                x = wide(s.cells[j]) >> 1
                if x != literal >> 1 and s.variables[x].seen == 0 and s.variables[x].level > 0:
                    needed = True
                    break
        if needed:
            # Swapped, so that all marks can be taken away afterwards.
            s.variables[k].learnt = s.variables[kept].learnt
            s.variables[kept].learnt = literal
            kept += 1
    for k in range(1, size):
        s.variables[s.variables[k].learnt >> 1].seen = 0
    return kept


@helper
def attach(s: Clauses, c: int) -> None:
    """Watch the first two literals of a clause."""
    for k in range(2):
        literal = wide(s.cells[s.clauses[c].start + k])
        s.link[2 * c + k] = s.literals[literal].first
        s.literals[literal].first = 2 * c + k


@helper
def learn(s: Clauses, size: int) -> None:
    """Go back as far as the learnt clause says, add it, and follow it."""
    if size == 1:
        go_back(s, wide(0))
        enqueue(s, wide(s.variables[0].learnt), wide(-1))
        return
    second = wide(1)
    for k in range(2, size):
        if s.variables[s.variables[k].learnt >> 1].level > s.variables[s.variables[second].learnt >> 1].level:
            second = k
    s.variables[1].learnt, s.variables[second].learnt = s.variables[second].learnt, s.variables[1].learnt
    c = s.control[CLAUSES]
    begin = s.clauses[c].start
    glue = wide(1)
    for k in range(size):
        s.cells[begin + k] = s.variables[k].learnt
        # Decision levels are counted by marks at their first variables on the trail.
        if k > 0:
            first = s.variables[s.variables[s.variables[s.variables[k].learnt >> 1].level - 1].limit].trail >> 1
            if s.variables[first].seen == 0:
                s.variables[first].seen = 1
                glue += 1
    for k in range(1, size):
        s.variables[s.variables[s.variables[s.variables[s.variables[k].learnt >> 1].level - 1].limit].trail >> 1].seen = 0
    s.clauses[c + 1].start = begin + size
    s.clauses[c].glue = glue
    s.control[CLAUSES] = c + 1
    s.control[CELLS] = begin + size
    go_back(s, wide(s.variables[s.variables[1].learnt >> 1].level))
    attach(s, c)
    enqueue(s, wide(s.variables[0].learnt), c)


@helper
def luby(i: int) -> int:
    """Element i ≥ 1 of the sequence 1 1 2 1 1 2 4 … (Luby, Sinclair and Zuckerman 1993)."""
    while True:
        size = wide(1)
        while size < i + 1:
            size *= 2
        if size == i + 1:
            return size >> 1
        i -= (size >> 1) - 1


@kernel
def search(s: Clauses, assumptions: NDArray[np.int32], conflicts: int) -> int:
    """Search on for a model in which ``assumptions`` (int32[k], literals) are true, for at most ``conflicts`` conflicts.

    Other things are asked for by ``conflicts``: ``PROBE`` to make the assumptions true, with all that follows by unit propagation
    (paused if there is no contradiction); ``BACK`` to undo everything but what follows from the clauses alone; ``ATTACH``, the
    same, and all clauses are watched; their first two literals must not be false unless one is true.
    """
    control = s.control
    if conflicts < 0:
        go_back(s, wide(0))
        if conflicts == ATTACH:
            for c in range(control[CLAUSES]):
                attach(s, wide(c))
        if conflicts != PROBE:
            return PAUSED
    most = control[CONFLICTS] + conflicts
    while True:
        conflict = propagate(s)
        if conflict >= 0:
            control[CONFLICTS] += 1
            control[LEFT] -= 1
            if control[DEPTH] == 0:
                return CONTRADICTORY
            if conflicts == PROBE:
                return REFUTED
            if control[CLAUSES] + 2 >= s.clauses.size or control[CELLS] + s.variables.size + 2 > s.cells.size:
                return CROWDED
            learn(s, analyse(s, conflict))
            s.variables[s.variables.size - 1].activity *= DECAY
            continue
        if control[CONFLICTS] >= most and conflicts != PROBE:
            return PAUSED
        if control[LEFT] <= 0:
            control[RUN] += 1
            control[LEFT] = RESTART * luby(control[RUN])
            go_back(s, wide(0))
        decision = wide(-1)
        while control[DEPTH] < assumptions.size:
            literal = wide(assumptions[control[DEPTH]])
            if s.literals[literal].value < 0:
                return REFUTED
            if s.literals[literal].value == 0:
                decision = literal
                break
            s.variables[control[DEPTH]].limit = control[TOP]
            control[DEPTH] += 1
        if decision < 0 and conflicts == PROBE:
            return PAUSED
        while decision < 0:
            if control[HEAPED] == 0:
                return SATISFIED
            x = wide(s.variables[0].heap)
            control[HEAPED] -= 1
            s.variables[x].place = -1
            if control[HEAPED] > 0:
                s.variables[0].heap = s.variables[control[HEAPED]].heap
                s.variables[s.variables[0].heap].place = 0
                sift_down(s, wide(0))
            if s.literals[2 * x].value == 0:
                decision = 2 * x + s.variables[x].phase
        control[DECISIONS] += 1
        s.variables[control[DEPTH]].limit = control[TOP]
        control[DEPTH] += 1
        enqueue(s, decision, wide(-1))
