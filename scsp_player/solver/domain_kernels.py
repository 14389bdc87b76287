"""Domains, their trail and the queue of tables that wait for propagation.

The arguments are the arrays of a ``Store`` under their names there; ``control`` is its only row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import helper

Records: TypeAlias = NDArray[np.void]
Record: TypeAlias = Any
Tables: TypeAlias = NDArray[np.int32]
Bits: TypeAlias = NDArray[np.int64]

wide = cast("Callable[[Any], int]", np.int64)
"""Widens a field, so that Numba compiles helpers for one type of integer only."""

ASSUMPTION, DECISION = wide(-1), wide(-2)
"""What shrinks a domain besides a table: something told; a decision of the search or its refutation."""


@helper
def save(trail: Records, control: Record, item: int, old: int) -> None:
    """Remembers the old number of ``item`` (see TRAIL) for the way back."""
    entry = trail[control.trail_top]
    entry.item = item
    entry.old = old
    control.trail_top += 1


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
def shrink(
    variables: Records,
    constraints: Records,
    slots: Records,
    trail: Records,
    control: Record,
    x: int,
    alive: int,
    source: int,
) -> None:
    """Lowers the number of living values of ``x`` and queues its tables; the values that die are listed behind the others already.

    ``source`` is the table that shrank the domain, which is not queued, or ASSUMPTION or DECISION. In the last case everything was
    consistent before: tables without another open variable need no revision then, since each value of ``x`` had its support.
    """
    variable = variables[x]
    before = variable.alive
    if variable.stamp != control.serial:
        save(trail, control, x, wide(before))
        variable.stamp = control.serial
    variable.alive = alive
    closed = 0
    if alive == 1:
        closed = 1
        control.open_count -= 1
        last = variables[control.open_count].opened
        variables[variable.open_place].opened = last
        variables[last].open_place = variable.open_place
        variables[control.open_count].opened = x
        variable.open_place = control.open_count
    size = constraints.size - 1
    own = 1 - closed
    for w in range(variable.first_watch, variables[x + 1].first_watch):
        slot = slots[slots[w].watched]
        constraint = constraints[slot.constraint]
        constraint.open -= closed
        if slot.constraint == source or constraint.current == 0 or (source == DECISION and constraint.open == own):
            continue
        if slot.changed == 0:
            slot.changed = 1
            slot.seen = before
        if constraint.queued == 0:
            constraint.queued = 1
            end = control.queue_head + control.queue_length
            constraints[end - size if end >= size else end].waiting = slot.constraint
            control.queue_length += 1


@helper
def set_current(variables: Records, constraints: Records, trail: Records, control: Record, c: int, current: int) -> None:
    """Lowers the number of current rows, or words, of table ``c``; those that leave stand behind the others already."""
    constraint = constraints[c]
    if constraint.current != current:
        if constraint.stamp != control.serial:
            save(trail, control, variables.size - 1 + c, wide(constraint.current))
            constraint.stamp = control.serial
        constraint.current = current
