"""The one compiled engine: assumptions, MAC, counting and singleton consistency around a single call of the propagation.

MAC branches in two ways (``x = a``, then ``x ≠ a`` propagated) and can be left and resumed at any node. Arguments of the helpers
are the arrays of a ``Store`` under their names there; ``control`` is its only row.

Only ``run`` is cached on disk, and Numba renews that when this file changes: touch it after a change to ``propagation_kernels``.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from scsp_player.solver.propagation_kernels import (
    ASSUMPTION,
    DECISION,
    Record,
    Records,
    announce,
    clear_queue,
    helper,
    move_value,
    propagate,
    set_alive,
    wide,
)
from scsp_player.solver.store import Store

Indices: TypeAlias = NDArray[np.int32]

PROPAGATE, ENUMERATE, COUNT, SINGLETON = 0, 1, 2, 3
"""Tasks: make the assumptions consistent; write solutions out; count them; remove values that are not singleton consistent."""

DONE, CONTRADICTION, FULL, PAUSED, HUGE = 0, 1, 2, 3, 4
"""Why ``run`` returned: the task is done; propagation met a contradiction below no decision; the buffer (or the counter) is full;
the node budget is spent; a node stands for more solutions than an integer holds (the product of the domains of its open projected
variables)."""

OPEN, FOUND, PROBED = 0, 1, 2
"""Phases: a node to look at; a solution to leave; a singleton to judge."""

DOM_DDEG, LEX = 0, 1
"""Variable orderings: least domain size over dynamic degree; first variable that is open."""

MOST = 1 << 61
"""Bound on what is counted in one integer."""


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
    """Leaves ``x`` the living id ``value`` only; ``source`` as for ``announce``."""
    if variables[x].alive > 1:
        move_value(values, value, wide(variables[x].first))
        set_alive(variables, constraints, slots, trail, control, x, wide(1))
        announce(variables, constraints, slots, control, x, source)


@helper
def refute(
    variables: Records, constraints: Records, slots: Records, values: Records, trail: Records, control: Record, x: int, value: int
) -> None:
    """Removes the living id ``value`` from ``x``, which has others, at a point where everything was consistent."""
    alive = wide(variables[x].alive) - 1
    move_value(values, value, variables[x].first + alive)
    set_alive(variables, constraints, slots, trail, control, x, alive)
    announce(variables, constraints, slots, control, x, DECISION)


@helper
def push_level(variables: Records, levels: Records, control: Record, x: int, value: int) -> None:
    """Opens a level for the decision ``x = value`` (which is not carried out here)."""
    control.depth += 1
    control.serial += 1
    level = levels[control.depth]
    level.trail_top = control.trail_top
    level.variable = x
    level.value = value
    level.projected = variables[x].projected


@helper
def pop_to(
    variables: Records, constraints: Records, slots: Records, trail: Records, levels: Records, control: Record, depth: int
) -> None:
    """Undoes all levels above ``depth``."""
    if control.depth <= depth:
        return
    bottom = levels[depth + 1].trail_top
    n = variables.size - 1
    for t in range(control.trail_top - 1, bottom - 1, -1):
        item = trail[t].item
        old = trail[t].old
        if item >= n:
            constraints[item - n].rows_alive = old
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
    control.serial += 1


@helper
def value_id(variables: Records, values: Records, x: int, number: int) -> int:
    """Id of the value ``number`` of ``x``, or −1 if it does not live."""
    first = wide(variables[x].first)
    end = wide(variables[x + 1].first)
    low = first
    high = end
    while low < high:
        middle = (low + high) >> 1
        if values[middle].number < number:
            low = middle + 1
        else:
            high = middle
    if low == end or values[low].number != number or values[low].place >= first + variables[x].alive:
        return -1
    return low


@helper
def check(n: int, assumed: Indices, numbers: Indices, project: Indices) -> None:
    """Raises ``ValueError`` for indices that name none of ``n`` variables."""
    if assumed.size != numbers.size:
        raise ValueError("there must be one value a variable")
    for i in range(assumed.size):
        if assumed[i] < 0 or assumed[i] >= n:
            raise ValueError("an assumption names a variable that does not exist")
    for i in range(project.size):
        if project[i] < 0 or project[i] >= n:
            raise ValueError("the projection names a variable that does not exist")


@helper
def choose(variables: Records, constraints: Records, slots: Records, control: Record, ordering: int, counting: bool) -> int:
    """The next variable to decide, or −1 if the node stands for solutions.

    Projected variables come first. A variable in no constraint with another open one takes each of its values whatever the others
    do: it need not be decided, unless solutions are written out and it is projected.
    """
    best = wide(-1)
    best_alive = wide(1)
    best_degree = 0
    best_projected = wide(0)
    for i in range(control.open_count):
        x = wide(variables[i].opened)
        variable = variables[x]
        projected = wide(variable.projected)
        if projected < best_projected:
            continue
        degree = 0
        for w in range(variable.first_watch, variables[x + 1].first_watch):
            constraint = constraints[slots[slots[w].watched].constraint]
            if constraint.open > 1 and constraint.rows_alive > 0:
                degree += 1
        if degree == 0 and (counting or projected == 0):
            continue
        alive = wide(variable.alive)
        mine = alive * best_degree
        theirs = best_alive * degree
        if best < 0 or projected > best_projected:
            better = True
        elif ordering == LEX:
            better = x < best
        else:
            better = mine < theirs or (mine == theirs and (degree > best_degree or (degree == best_degree and x < best)))
        if better:
            best = x
            best_alive = alive
            best_degree = degree
            best_projected = projected
    return best


@helper
def least_value(variables: Records, values: Records, x: int) -> int:
    """Id of the least living value of ``x``."""
    first = variables[x].first
    least = wide(values[first].listed)
    for p in range(first + 1, first + variables[x].alive):
        if values[p].listed < least:
            least = wide(values[p].listed)
    return least


@helper
def combinations_left(variables: Records, control: Record) -> int:
    """Product of the domain sizes of the open projected variables; −1 if it is over ``MOST``."""
    product = 1
    for i in range(control.open_count):
        variable = variables[variables[i].opened]
        if variable.projected:
            if product > MOST // variable.alive:
                return -1
            product *= variable.alive
    return product


@helper
def next_probe(variables: Records, values: Records, control: Record) -> int:
    """Id of the next value whose singleton is to be tested (of variable ``control.cursor``), or −1 if none is left."""
    n = variables.size - 1
    while True:
        variable = variables[control.cursor]
        while control.candidates > 0:
            control.candidates -= 1
            value = wide(values[variable.first + control.candidates].candidate)
            if variable.alive > 1 and values[value].place < variable.first + variable.alive:
                return value
        if control.unchanged == n:
            return -1
        control.unchanged += 1
        control.cursor = control.cursor + 1 if control.cursor + 1 < n else 0
        variable = variables[control.cursor]
        control.candidates = variable.alive
        # Probing permutes the listed values, hence a copy.
        for p in range(variable.first, variable.first + variable.alive):
            values[p].candidate = values[p].listed


@njit(cache=True, nogil=True)
def run(
    store: Store,
    task: int,
    depth: int,
    assumed: Indices,
    numbers: Indices,
    project: Indices,
    ordering: int,
    budget: int,
    buffer: NDArray[np.int32],
) -> tuple[int, int]:
    """Carries out a task from the start, or goes on with it.

    Args:
        store: the network.
        task: PROPAGATE, ENUMERATE, COUNT (into ``control.count``) or SINGLETON.
        depth: go back to this level first (0: the root) and assume something on a new one, which becomes the base of the task;
            −1 to go on where the last call stopped.
        assumed: int32[a], variables (read if ``depth`` ≥ 0).
        numbers: int32[a], their values.
        project: int32[k], variables that tell solutions apart, the same in all calls of a task.
        ordering: DOM_DDEG or LEX.
        budget: return after so many further nodes.
        buffer: int32[rows, k] with at least one row, receives the projected values of solutions.

    Returns:
        Why it returned, and the number of rows written.
    """
    variables, constraints, slots, values, tables, trail, levels, controls = store
    control = controls[0]
    n = variables.size - 1
    counting = task == COUNT
    written = 0
    if depth >= 0:
        check(n, assumed, numbers, project)
        pop_to(variables, constraints, slots, trail, levels, control, depth)
        push_level(variables, levels, control, wide(0), wide(0))
        for x in range(n):
            variables[x].projected = 0
        for i in range(project.size):
            variables[project[i]].projected = 1
        control.base = control.depth
        control.phase = OPEN
        control.starts += 1
        control.nodes = 0
        control.fails = 0
        control.count = 0
        control.cursor = n - 1
        control.candidates = 0
        control.unchanged = 0
        for i in range(assumed.size):
            value = value_id(variables, values, wide(assumed[i]), wide(numbers[i]))
            if value < 0:
                clear_queue(constraints, slots, control)
                return CONTRADICTION, written
            assign(variables, constraints, slots, values, trail, control, wide(assumed[i]), value, ASSUMPTION)
    last_node = control.nodes + budget
    while True:
        consistent = propagate(variables, constraints, slots, values, tables, trail, control)
        # At the end of the loop ``up`` is the depth of a decision that leads to nothing (more).
        up = wide(control.depth)
        if control.phase == PROBED:
            control.phase = OPEN
            if consistent:
                pop_to(variables, constraints, slots, trail, levels, control, up - 1)
                continue
            control.unchanged = 0
        elif task == PROPAGATE or (task == SINGLETON and not consistent):
            return (DONE if consistent else CONTRADICTION), written
        elif consistent and control.phase == OPEN:
            if control.nodes >= last_node:
                return PAUSED, written
            if task == SINGLETON:
                value = next_probe(variables, values, control)
                if value < 0:
                    return DONE, written
                x = wide(control.cursor)
                control.phase = PROBED
            else:
                x = choose(variables, constraints, slots, control, ordering, counting)
                value = least_value(variables, values, x) if x >= 0 else wide(-1)
            if x >= 0:
                control.nodes += 1
                push_level(variables, levels, control, x, value)
                assign(variables, constraints, slots, values, trail, control, x, value, DECISION)
                continue
            control.phase = FOUND
            if counting:
                product = combinations_left(variables, control)
                if product < 0:
                    return HUGE, written
                control.count += product
                if control.count > MOST:
                    return FULL, written
            else:
                for k in range(project.size):
                    buffer[written, k] = values[values[variables[project[k]].first].listed].number
                written += 1
                if written == len(buffer):
                    return FULL, written
        if control.phase == FOUND:
            # One completion of the projected variables is enough: all decisions below them go.
            control.phase = OPEN
            while up > control.base and levels[up].projected == 0:
                up -= 1
        elif not consistent:
            control.fails += 1
        if up == control.base:
            pop_to(variables, constraints, slots, trail, levels, control, up)
            return DONE, written
        x = wide(levels[up].variable)
        value = wide(levels[up].value)
        pop_to(variables, constraints, slots, trail, levels, control, up - 1)
        refute(variables, constraints, slots, values, trail, control, x, value)
