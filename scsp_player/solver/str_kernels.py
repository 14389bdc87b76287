"""Generalised arc consistency (GAC) on tables held as sparse sets of rows.

Supports follow simple tabular reduction in its second form with short tuples (STR2: Lecoutre, Constraints 16(4), 2011; short
supports: Jefferson and Nightingale, IJCAI 2013). Conflict tables count the conflicts of every value: one that meets as many as
there are combinations of the other values has no support.

The arguments are the arrays of a ``Store`` under their names there; ``control`` is its only row.
"""

from __future__ import annotations

from scsp_player.kernels import helper
from scsp_player.solver.domain_kernels import (
    Record,
    Records,
    Tables,
    move_value,
    set_current,
    shrink,
    wide,
)


@helper
def revise_supports(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    tables: Tables,
    trail: Records,
    control: Record,
    c: int,
) -> bool:
    """GAC on a table of short supports; False if a domain would become empty."""
    constraint = constraints[c]
    first_slot = wide(constraint.first_slot)
    arity = constraints[c + 1].first_slot - first_slot
    control.tick += 1
    tick = control.tick
    checked_count = 0
    sought_count = 0
    for k in range(arity):
        slot = slots[first_slot + k]
        variable = variables[slot.variable]
        slot.limit = variable.first + variable.alive
        if slot.changed:
            slot.changed = 0
            slots[first_slot + checked_count].checked = k
            checked_count += 1
        if variable.alive > 1:
            slot.missing = variable.alive
            slots[first_slot + sought_count].sought = k
            sought_count += 1
    star = values.size - 1
    first_row = constraint.first_row
    first_cell = constraint.first_cell
    rows = wide(constraint.current)
    i = 0
    while i < rows:
        row = tables[first_row + i]
        cell = first_cell + row * arity
        valid = True
        for j in range(checked_count):
            k = slots[first_slot + j].checked
            if values[tables[cell + k]].place >= slots[first_slot + k].limit:
                valid = False
                break
        if not valid:
            rows -= 1
            tables[first_row + i] = tables[first_row + rows]
            tables[first_row + rows] = row
            continue
        i += 1
        j = 0
        while j < sought_count:
            k = slots[first_slot + j].sought
            slot = slots[first_slot + k]
            value = tables[cell + k]
            if value == star:
                slot.missing = 0
            elif values[value].mark != tick:
                values[value].mark = tick
                slot.missing -= 1
            if slot.missing == 0:
                sought_count -= 1
                slots[first_slot + j].sought = slots[first_slot + sought_count].sought
            else:
                j += 1
    if rows == 0:
        return False
    set_current(variables, constraints, trail, control, c, rows)
    for j in range(sought_count):
        x = wide(slots[first_slot + slots[first_slot + j].sought].variable)
        first = wide(variables[x].first)
        end = first + variables[x].alive
        for p in range(end - 1, first - 1, -1):
            value = values[p].listed
            if values[value].mark != tick:
                end -= 1
                move_value(values, wide(value), end)
        shrink(variables, constraints, slots, trail, control, x, end - first, c)
    return True


@helper
def possible_combinations(variables: Records, constraints: Records, slots: Records, c: int, conflicts: int) -> int:
    """Number of combinations of living values over the scope of conflict table ``c``; 0 if it cannot filter.

    A value dies when it has as many conflicts as there are combinations of the other values. There are fewest of those for the
    variable with the largest domain, and no value ever has more than ``most`` conflicts.
    """
    least = min(conflicts, wide(constraints[c].most))
    largest = 1
    others = 1
    for s in range(constraints[c].first_slot, constraints[c + 1].first_slot):
        alive = wide(variables[slots[s].variable].alive)
        others *= largest if alive >= largest else alive
        largest = max(alive, largest)
        if others > least:
            return 0
    return others * largest


@helper
def revise_conflicts(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    tables: Tables,
    trail: Records,
    control: Record,
    c: int,
) -> bool:
    """GAC on a table of distinct conflicts; False if a domain would become empty."""
    constraint = constraints[c]
    rows = wide(constraint.current)
    combinations = possible_combinations(variables, constraints, slots, c, rows)
    if combinations == 0:
        return True
    first_slot = wide(constraint.first_slot)
    arity = constraints[c + 1].first_slot - first_slot
    control.tick += 1
    tick = control.tick
    for s in range(first_slot, first_slot + arity):
        variable = variables[slots[s].variable]
        slots[s].changed = 0
        slots[s].limit = variable.first + variable.alive
    first_row = constraint.first_row
    first_cell = constraint.first_cell
    i = 0
    while i < rows:
        row = tables[first_row + i]
        cell = first_cell + row * arity
        # All columns are looked at, not only those that changed: visits that ended above left dead rows behind.
        valid = True
        for k in range(arity):
            if values[tables[cell + k]].place >= slots[first_slot + k].limit:
                valid = False
                break
        if not valid:
            rows -= 1
            tables[first_row + i] = tables[first_row + rows]
            tables[first_row + rows] = row
            continue
        i += 1
        for k in range(arity):
            entry = values[tables[cell + k]]
            if entry.mark != tick:
                entry.mark = tick
                entry.tally = 0
            entry.tally += 1
    set_current(variables, constraints, trail, control, c, rows)
    # The tallies belong to the domains before this revision, and so does ``combinations``: one round is enough, since all rows of
    # a value that dies were conflicts and supported nothing.
    for s in range(first_slot, first_slot + arity):
        x = wide(slots[s].variable)
        first = wide(variables[x].first)
        end = first + variables[x].alive
        needed = combinations // variables[x].alive
        if needed > rows:
            continue
        for p in range(end - 1, first - 1, -1):
            value = values[p].listed
            if values[value].mark == tick and values[value].tally == needed:
                end -= 1
                move_value(values, wide(value), end)
        if end == first:
            return False
        if end - first < variables[x].alive:
            shrink(variables, constraints, slots, trail, control, x, end - first, c)
    return True
