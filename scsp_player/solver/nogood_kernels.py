"""Nogoods from restarts: what the branch at which a run ends has refuted, kept as clauses for the runs that follow.

Each refutation ``x ≠ a`` on the branch says that the decisions ``y = b`` above it do not go together with ``x = a``: a *reduced
nld-nogood*, since refutations above need not be named (Lecoutre, Sais, Tabary and Vidal, "Recording and minimizing nogoods from
restarts", JSAT 1, 2007). A nogood waits at two of its literals until one of them holds. A later run then never decides anew what
an earlier one has seen the end of, and a run that ends by itself has refuted everything that was left.

The array ``nogoods`` of a ``Store`` holds, for every value id, the first nogood that waits at it (0: none), its variable, and, as
columns of their own, the ids refuted on the branch and the depths where that was; then the nogoods: number of literals, the next
nogood at its first and at its second literal, the literals (value ids). References to nogoods are twice their place, plus one if
they wait at the second literal. An empty array means that none are kept. Where the store has None instead, Numba leaves out all
that is about nogoods and relations (it knows the type, and prunes the branches): players, which need neither, wait less.

The other arguments are the arrays of a ``Store`` under their names there; ``control`` is its only row.
"""

from __future__ import annotations

from scsp_player.kernels import helper
from scsp_player.solver.domain_kernels import ASSUMPTION, Record, Records, Tables, move_value, shrink, wide

COLUMNS = 4
"""Columns of one entry a value id in front of the nogoods."""

HEAD = 3
"""Entries of a nogood in front of its literals."""


@helper
def note_refutation(nogoods: Tables | None, control: Record, ids: int, value: int) -> None:
    """Remembers that ``value`` was refuted at the present depth; what was refuted deeper is forgotten.

    ``ids`` is the number of value ids.
    """
    if nogoods is not None:
        if nogoods.size == 0:
            return
        length = wide(control.refuted)
        while length > 0 and nogoods[3 * ids + length - 1] > control.depth:
            length -= 1
        nogoods[2 * ids + length] = value
        nogoods[3 * ids + length] = control.depth
        control.refuted = length + 1


@helper
def record_nogoods(variables: Records, values: Records, levels: Records, control: Record, nogoods: Tables | None) -> None:
    """Keeps the nogoods of the branch that was just left, with everything above the base undone.

    Everything was consistent at the node where the branch was left: so its decisions and refuted values are open at the base. What
    was refuted there stays refuted and needs no nogood. If there is no room for all, those kept so far are given up.
    """
    if nogoods is not None:
        ids = values.size - 1
        needed = wide(0)
        for i in range(control.refuted):
            needed += HEAD + 1 + nogoods[3 * ids + i] - control.base
        end = wide(control.nogood_end)
        if end == 0:
            for x in range(variables.size - 1):
                for value in range(variables[x].first, variables[x + 1].first):
                    nogoods[ids + value] = x
        if end == 0 or end + needed > nogoods.size:
            end = wide(COLUMNS * ids)
            for value in range(ids):
                nogoods[value] = 0
        for i in range(control.refuted):
            size = 1 + nogoods[3 * ids + i] - control.base
            if size == 1 or end + HEAD + size > nogoods.size:
                continue
            nogoods[end] = size
            nogoods[end + HEAD] = nogoods[2 * ids + i]
            for k in range(1, size):
                nogoods[end + HEAD + k] = levels[control.base + size - k].value
            for k in range(2):
                literal = nogoods[end + HEAD + k]
                nogoods[end + 1 + k] = nogoods[literal]
                nogoods[literal] = 2 * end + k
            end += HEAD + size
        control.nogood_end = end
        control.refuted = 0
        control.settled = variables.size - 1 - control.open_count


@helper
def propagate_nogoods(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    trail: Records,
    control: Record,
    nogoods: Tables,
) -> bool:
    """Looks at the nogoods of all variables closed since the last time; False if one of them holds altogether.

    Closed variables stand in the column ``opened`` from its end on in the order in which they were closed, and are opened again in
    the opposite order: the number of those looked at, ``control.settled``, is all there is to remember.
    """
    if control.nogood_end == 0:
        return True
    n = variables.size - 1
    ids = values.size - 1
    while control.settled < n - control.open_count:
        x = variables[n - 1 - control.settled].opened
        control.settled += 1
        value = wide(values[variables[x].first].listed)
        before = value  # where the reference to the present nogood stands
        reference = wide(nogoods[value])
        while reference > 0:
            nogood = reference >> 1
            k = reference & 1
            following = wide(nogoods[nogood + 1 + k])
            other = wide(nogoods[nogood + HEAD + 1 - k])
            y = wide(nogoods[ids + other])
            if values[other].place < variables[y].first + variables[y].alive:
                found = wide(-1)
                for i in range(nogood + HEAD + 2, nogood + HEAD + nogoods[nogood]):
                    literal = wide(nogoods[i])
                    z = nogoods[ids + literal]
                    if variables[z].alive > 1 or values[literal].place >= variables[z].first + 1:
                        found = i
                        break
                if found >= 0:
                    literal = wide(nogoods[found])
                    nogoods[found] = value
                    nogoods[nogood + HEAD + k] = literal
                    nogoods[nogood + 1 + k] = nogoods[literal]
                    nogoods[literal] = reference
                    nogoods[before] = following
                    reference = following
                    continue
                alive = wide(variables[y].alive) - 1
                if alive == 0:
                    return False
                move_value(values, other, variables[y].first + alive)
                shrink(variables, constraints, slots, trail, control, y, alive, ASSUMPTION)
            before = nogood + 1 + k
            reference = following
    return True
