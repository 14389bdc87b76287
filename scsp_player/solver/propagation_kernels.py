"""Trail, domains and generalised arc consistency (GAC) on tables.

Supports follow simple tabular reduction in its second form with short tuples (STR2: Lecoutre, Constraints 16(4), 2011; short
supports: Jefferson and Nightingale, IJCAI 2013). Conflict tables count the conflicts of every value: one that meets as many as
there are combinations of the other values has no support.

The arguments are the arrays of a ``Store`` under their names there; ``control`` is its only row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Records: TypeAlias = NDArray[np.void]
Record: TypeAlias = Any
Tables: TypeAlias = NDArray[np.int32]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def helper(function: _Function) -> _Function:
    """Compiles a function that only kernels call.

    It has no entry points for Python, which would take half of the compilation; and it is not cached by itself, being part of the
    kernels that call it.
    """
    options: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(_Function, njit(**options)(function))


wide = cast("Callable[[Any], int]", np.int64)
"""Widens a field, so that Numba compiles helpers for one type of integer only."""

ASSUMPTION, DECISION = wide(-1), wide(-2)
"""What shrinks a domain besides a table: something told; a decision of the search or its refutation."""


@helper
def set_alive(
    variables: Records, constraints: Records, slots: Records, trail: Records, control: Record, x: int, alive: int
) -> None:
    """Lowers the number of living values of ``x``; the values that die must be listed behind the others already."""
    variable = variables[x]
    if variable.stamp != control.serial:
        entry = trail[control.trail_top]
        entry.item = x
        entry.old = variable.alive
        control.trail_top += 1
        variable.stamp = control.serial
    variable.alive = alive
    if alive == 1:
        control.open_count -= 1
        last = variables[control.open_count].opened
        variables[variable.open_place].opened = last
        variables[last].open_place = variable.open_place
        variables[control.open_count].opened = x
        variable.open_place = control.open_count
        for w in range(variable.first_watch, variables[x + 1].first_watch):
            constraints[slots[slots[w].watched].constraint].open -= 1


@helper
def announce(variables: Records, constraints: Records, slots: Records, control: Record, x: int, source: int) -> None:
    """Queues the tables on ``x`` after its domain shrank.

    ``source`` is the table that shrank it, which is not queued, or ASSUMPTION or DECISION. In the last case everything was
    consistent before: tables without another open variable need no revision then, since each value of ``x`` had its support.
    """
    size = constraints.size - 1
    own = 1 if variables[x].alive > 1 else 0
    for w in range(variables[x].first_watch, variables[x + 1].first_watch):
        slot = slots[slots[w].watched]
        constraint = constraints[slot.constraint]
        if slot.constraint == source or constraint.rows_alive == 0 or (source == DECISION and constraint.open == own):
            continue
        slot.changed = 1
        if constraint.queued == 0:
            constraint.queued = 1
            end = control.queue_head + control.queue_length
            constraints[end - size if end >= size else end].waiting = slot.constraint
            control.queue_length += 1


@helper
def move_value(values: Records, value: int, target: int) -> None:
    """Exchanges ``value`` with the id that is listed at ``target``."""
    place = values[value].place
    other = values[target].listed
    values[target].listed = value
    values[place].listed = other
    values[value].place = target
    values[other].place = place


@helper
def set_rows_alive(variables: Records, constraints: Records, trail: Records, control: Record, c: int, rows: int) -> None:
    """Lowers the number of current rows of table ``c``; the rows that leave stand behind the others already."""
    constraint = constraints[c]
    if constraint.rows_alive != rows:
        if constraint.stamp != control.serial:
            entry = trail[control.trail_top]
            entry.item = variables.size - 1 + c
            entry.old = constraint.rows_alive
            control.trail_top += 1
            constraint.stamp = control.serial
        constraint.rows_alive = rows


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
    rows = wide(constraint.rows_alive)
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
    set_rows_alive(variables, constraints, trail, control, c, rows)
    for j in range(sought_count):
        x = wide(slots[first_slot + slots[first_slot + j].sought].variable)
        first = wide(variables[x].first)
        end = first + variables[x].alive
        for p in range(end - 1, first - 1, -1):
            value = values[p].listed
            if values[value].mark != tick:
                end -= 1
                move_value(values, wide(value), end)
        set_alive(variables, constraints, slots, trail, control, x, end - first)
        announce(variables, constraints, slots, control, x, c)
    return True


@helper
def possible_combinations(variables: Records, constraints: Records, slots: Records, c: int) -> int:
    """Number of combinations of living values over the scope of conflict table ``c``; 0 if its rows are too few to filter.

    A value dies when it has as many conflicts as there are combinations of the other values, and there are fewest of those for
    the variable with the largest domain.
    """
    largest = 1
    others = 1
    for s in range(constraints[c].first_slot, constraints[c + 1].first_slot):
        alive = wide(variables[slots[s].variable].alive)
        others *= largest if alive >= largest else alive
        largest = max(alive, largest)
        if others > constraints[c].rows_alive:
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
    combinations = possible_combinations(variables, constraints, slots, c)
    if combinations == 0:
        return True
    constraint = constraints[c]
    first_slot = wide(constraint.first_slot)
    arity = constraints[c + 1].first_slot - first_slot
    control.tick += 1
    tick = control.tick
    for s in range(first_slot, first_slot + arity):
        variable = variables[slots[s].variable]
        slots[s].limit = variable.first + variable.alive
    first_row = constraint.first_row
    first_cell = constraint.first_cell
    rows = wide(constraint.rows_alive)
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
    set_rows_alive(variables, constraints, trail, control, c, rows)
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
            set_alive(variables, constraints, slots, trail, control, x, end - first)
            announce(variables, constraints, slots, control, x, c)
    return True


@helper
def clear_queue(constraints: Records, slots: Records, control: Record) -> None:
    """Forgets all waiting tables, after a contradiction."""
    size = constraints.size - 1
    for i in range(control.queue_head, control.queue_head + control.queue_length):
        c = constraints[i - size if i >= size else i].waiting
        constraints[c].queued = 0
        for s in range(constraints[c].first_slot, constraints[c + 1].first_slot):
            slots[s].changed = 0
    control.queue_head = 0
    control.queue_length = 0


@helper
def propagate(
    variables: Records, constraints: Records, slots: Records, values: Records, tables: Tables, trail: Records, control: Record
) -> bool:
    """Revises waiting tables until all are consistent; False (and an empty queue) after a contradiction."""
    while control.queue_length > 0:
        c = wide(constraints[control.queue_head].waiting)
        control.queue_head += 1
        if control.queue_head == constraints.size - 1:
            control.queue_head = 0
        control.queue_length -= 1
        constraints[c].queued = 0
        if constraints[c].positive:
            consistent = revise_supports(variables, constraints, slots, values, tables, trail, control, c)
        else:
            consistent = revise_conflicts(variables, constraints, slots, values, tables, trail, control, c)
        if not consistent:
            clear_queue(constraints, slots, control)
            return False
    return True
