"""Levels of the search: values assigned and refuted, levels opened and undone.

The arguments are the arrays of a ``Store`` under their names there; ``control`` is its only row.
"""

from __future__ import annotations

from scsp_player.kernels import helper
from scsp_player.solver.domain_kernels import DECISION, Bits, Record, Records, move_value, save, shrink, wide


@helper
def assign(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    trail: Records,
    control: Record,
    x: int,
    value: int,
    source: int,
) -> None:
    """Leaves ``x`` the living id ``value`` only; ``source`` as for ``shrink``."""
    if variables[x].alive > 1:
        move_value(values, value, wide(variables[x].first))
        shrink(variables, constraints, slots, trail, control, x, wide(1), source)


@helper
def refute(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    trail: Records,
    control: Record,
    x: int,
    value: int,
    silent: int,
) -> None:
    """Removes the living id ``value`` from ``x``, which has others, at a point where everything was consistent.

    If ``silent`` is 1, the next step must be to assign ``x``.
    """
    alive = wide(variables[x].alive) - 1
    move_value(values, value, variables[x].first + alive)
    if silent == 0:
        shrink(variables, constraints, slots, trail, control, x, alive, DECISION)
        return
    if variables[x].stamp != control.serial:
        save(trail, control, x, alive + 1)
        variables[x].stamp = control.serial
    variables[x].alive = alive


@helper
def push_level(variables: Records, levels: Records, control: Record, x: int, value: int, projected: int, silent: int) -> None:
    """Opens a level (see LEVEL); what it stands for is not carried out here."""
    control.depth += 1
    control.serial += 1
    level = levels[control.depth]
    level.trail_top = control.trail_top
    level.variable = x
    level.value = value
    level.projected = projected
    level.fruitful = 0
    level.silent = silent


@helper
def pop_to(
    variables: Records,
    constraints: Records,
    slots: Records,
    bits: Bits,
    trail: Records,
    levels: Records,
    control: Record,
    depth: int,
) -> None:
    """Undoes all levels above ``depth``."""
    if control.depth <= depth:
        return
    bottom = levels[depth + 1].trail_top
    n = variables.size - 1
    m = constraints.size - 1
    for t in range(control.trail_top - 1, bottom - 1, -1):
        item = trail[t].item
        old = trail[t].old
        if item >= n + m:
            bits[item - n - m] = old
            continue
        if item >= n:
            constraints[item - n].current = old
            continue
        variable = variables[item]
        if variable.alive == 1:
            # All variables closed on a level reopen together, and they stand right behind the open ones: the length says all.
            control.open_count += 1
            for w in range(variable.first_watch, variables[item + 1].first_watch):
                constraints[slots[slots[w].watched].constraint].open += 1
        variable.alive = old
    control.trail_top = bottom
    control.depth = depth
    control.settled = min(control.settled, n - control.open_count)
    control.serial += 1
