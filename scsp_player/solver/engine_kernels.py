"""The one compiled engine: told values, MAC, counting and singleton consistency around a single call of the propagation.

MAC (maintaining GAC; Sabin and Freuder, ECAI 1994) branches in two ways, ``x = a``, then ``x ≠ a`` propagated. Once ``x = a`` led
to a solution, refuting it seldom prunes anything, so the remaining values of ``x`` are tried one after the other without
propagation in between. Singletons are tested below one another as long as they go together (SAC-3: Lecoutre and Cardon, IJCAI
2005). A search can be left and resumed at any node. Arguments of the helpers are the arrays of a ``Store`` under their names there;
``control`` is its only row.

Only ``run`` is cached on disk, and Numba renews that when this file changes: touch it after a change to the other kernels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import helper, kernel
from scsp_player.solver.choice_kernels import (
    MOST,
    Indices,
    choose,
    choose_value,
    combinations_left,
    next_probe,
    start_probing,
)
from scsp_player.solver.domain_kernels import ASSUMPTION, DECISION, Record, Records, wide
from scsp_player.solver.level_kernels import assign, pop_to, push_level, refute
from scsp_player.solver.nogood_kernels import note_refutation, record_nogoods
from scsp_player.solver.propagation_kernels import clear_queue, propagate
from scsp_player.solver.store import Store

PROPAGATE, ENUMERATE, COUNT, SINGLETON = 0, 1, 2, 3
"""Tasks: make the told values consistent; write solutions out; count them; remove values that are not singleton consistent."""

DONE, CONTRADICTION, FULL, PAUSED, HUGE = 0, 1, 2, 3, 4
"""Why ``run`` returned: the task is done; propagation met a contradiction below no decision; the buffer (or the counter) is full;
the node budget is spent; a node stands for more solutions than an integer holds (the product of the domains of its open projected
variables)."""

RESTART = -2
"""As ``depth``: leave the branch, keep what it has refuted as nogoods, and begin again above the told values."""

OPEN, FOUND, PROBED, TELLING, TOLD = 0, 1, 2, 3, 4
"""Phases: a node to look at; a solution to leave; a singleton to judge; values just told; a set of told values done with."""


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
def check(n: int, told: Indices, numbers: NDArray[np.int32], project: Indices) -> None:
    """Raises ``ValueError`` for indices that name none of ``n`` variables."""
    if told.size != numbers.shape[1]:
        raise ValueError("there must be one value a variable")
    for i in range(told.size):
        if told[i] < 0 or told[i] >= n:
            raise ValueError("an assumption names a variable that does not exist")
    for i in range(project.size):
        if project[i] < 0 or project[i] >= n:
            raise ValueError("the projection names a variable that does not exist")


@helper
def tell(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    trail: Records,
    levels: Records,
    control: Record,
    told: Indices,
    numbers: NDArray[np.int32],
    shared: Indices,
) -> bool:
    """Tells the next values of the present set on a level of their own; False if one of them does not live.

    Sets stand in an order in which neighbours share as many of their first values as possible. So the values go up to the point
    where the paths of the following sets part from this one (Morrison's radix tree, walked along its edges): what is shared is
    propagated once.
    """
    row = control.told
    begin = wide(levels[control.depth].variable) if control.depth > control.bottom else wide(0)
    end = wide(told.size)
    for r in range(row + 1, len(numbers)):
        if shared[r] <= begin:
            break
        end = min(end, wide(shared[r]))
    push_level(variables, levels, control, end, wide(0), wide(0), wide(0))
    for i in range(begin, end):
        x = wide(told[i])
        value = value_id(variables, values, x, wide(numbers[row, i]))
        if value < 0:
            clear_queue(constraints, slots, control)
            return False
        assign(variables, constraints, slots, values, trail, control, x, value, ASSUMPTION)
    return True


@kernel
def run(
    store: Store,
    task: int,
    depth: int,
    told: Indices,
    numbers: NDArray[np.int32],
    shared: Indices,
    project: Indices,
    ordering: int,
    value_order: int,
    limit: int,
    budget: int,
    buffer: NDArray[np.int32],
    ends: NDArray[np.int64],
) -> tuple[int, int]:
    """Carries out a task from the start, or goes on with it.

    Args:
        store: the network.
        task: PROPAGATE, ENUMERATE, COUNT (into ``control.count``) or SINGLETON.
        depth: go back to this level first (0: the root) and tell something on new ones, which are the base of the task; −1 to go on
            where the last call stopped; RESTART, after ENUMERATE has PAUSED.
        told: int32[a], variables.
        numbers: int32[r, a], sets of their values: the task is carried out for each (only ENUMERATE takes several).
        shared: int32[r], how many of its first values each set has in common with the one before.
        project: int32[k], variables that tell solutions apart, the same in all calls of a task.
        ordering: DOM_DDEG and so on.
        value_order: LEAST or GREATEST.
        limit: most solutions to write out for each set.
        budget: return after so many further nodes.
        buffer: int32[rows, k] with at least one row, receives the projected values of solutions.
        ends: int64[r], receives for each set the number of solutions written out up to its end.

    Returns:
        Why it returned, and the number of rows written.
    """
    variables, constraints, slots, values, tables, bits, trail, levels, controls, nogoods = store
    control = controls[0]
    n = variables.size - 1
    counting = task == COUNT
    written = 0
    telling = True
    if depth >= 0:
        check(n, told, numbers, project)
        pop_to(variables, constraints, slots, bits, trail, levels, control, wide(depth))
        for x in range(n):
            variables[x].projected = 0
        for i in range(project.size):
            variables[project[i]].projected = 1
        control.bottom = depth
        control.phase = TELLING
        control.starts += 1
        control.nodes = 0
        control.fails = 0
        control.count = 0
        control.found = 0
        control.told = 0
        control.told_found = 0
        control.removed = 1
        control.cursor = n
        control.refuted = 0
        control.nogood_end = 0
        telling = tell(variables, constraints, slots, values, trail, levels, control, told, numbers, shared)
    elif depth == RESTART:
        pop_to(variables, constraints, slots, bits, trail, levels, control, wide(control.base))
        record_nogoods(variables, values, levels, control, nogoods)
    last_node = control.nodes + budget
    while True:
        consistent = telling and propagate(variables, constraints, slots, values, tables, bits, trail, control, nogoods)
        telling = True
        if control.phase == TELLING and consistent:
            if levels[control.depth].variable < told.size:
                telling = tell(variables, constraints, slots, values, trail, levels, control, told, numbers, shared)
                continue
            control.phase = OPEN
            control.base = control.depth
        elif control.phase == TELLING or control.phase == TOLD:
            # Sets that share the told values with which nothing went on are done with as well.
            end = levels[control.depth].variable if control.phase == TELLING else told.size + 1
            alone = len(numbers) == 1
            while True:
                ends[control.told] = control.found
                control.told += 1
                if control.told == len(numbers) or shared[control.told] < end:
                    break
            if control.told == len(numbers):
                return (CONTRADICTION if alone and control.phase == TELLING else DONE), written
            control.phase = TELLING
            control.told_found = 0
            up = wide(control.depth)
            if not consistent:
                up -= 1
            # The search has left its marks on the level of the last told values, whatever they share with the next ones.
            while up > control.bottom and (levels[up].variable > shared[control.told] or levels[up].variable == told.size):
                up -= 1
            pop_to(variables, constraints, slots, bits, trail, levels, control, up)
            telling = tell(variables, constraints, slots, values, trail, levels, control, told, numbers, shared)
            continue
        # At the end of the loop ``up`` is the depth of a decision that leads to nothing (more).
        up = wide(control.depth)
        if task == SINGLETON:
            # Values are tried below one another as long as they go together: each of them then is singleton consistent.
            if control.phase == PROBED and not consistent:
                x = wide(levels[up].variable)
                value = wide(levels[up].value)
                pop_to(variables, constraints, slots, bits, trail, levels, control, wide(control.base))
                control.phase = OPEN
                control.cursor = 0
                if up == control.base + 1:
                    control.removed = 1
                    control.fails += 1
                    refute(variables, constraints, slots, values, trail, control, x, value, wide(0))
                continue
            if not consistent:
                return CONTRADICTION, written
            if control.phase == PROBED:
                for i in range(control.open_count, n):
                    values[values[variables[variables[i].opened].first].listed].probe = 0
            elif control.nodes >= last_node:
                return PAUSED, written
            value = next_probe(variables, values, control)
            if value < 0 and up > control.base:
                pop_to(variables, constraints, slots, bits, trail, levels, control, wide(control.base))
                control.phase = OPEN
                control.cursor = 0
                continue
            if value < 0:
                if control.removed == 0:
                    return DONE, written
                start_probing(variables, values, control)
                continue
            x = wide(control.cursor)
            control.nodes += 1
            control.phase = PROBED
            push_level(variables, levels, control, x, value, wide(0), wide(0))
            assign(variables, constraints, slots, values, trail, control, x, value, DECISION)
            continue
        if task == PROPAGATE:
            return (DONE if consistent else CONTRADICTION), written
        if consistent and control.phase == OPEN:
            if control.nodes >= last_node:
                return PAUSED, written
            x = choose(variables, constraints, slots, control, project, ordering, counting)
            if x >= 0:
                value = choose_value(variables, values, control, x, value_order)
                control.nodes += 1
                push_level(variables, levels, control, x, value, wide(variables[x].projected), wide(0))
                assign(variables, constraints, slots, values, trail, control, x, value, DECISION)
                continue
            control.phase = FOUND
            levels[up].fruitful = 1
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
                control.found += 1
                control.told_found += 1
                if written == len(buffer):
                    return FULL, written
        if control.phase == FOUND:
            # One completion of the projected variables is enough: all decisions below them go.
            control.phase = OPEN
            while up > control.base and levels[up].projected == 0:
                up -= 1
            levels[up].fruitful = 1
        elif not consistent:
            control.fails += 1
        if up == control.base or control.told_found >= limit:
            pop_to(variables, constraints, slots, bits, trail, levels, control, wide(control.base))
            control.phase = TOLD
            continue
        level = levels[up]
        x = wide(level.variable)
        value = wide(level.value)
        tried = level.silent == 1 or level.fruitful == 1
        if level.fruitful == 1:
            levels[up - 1].fruitful = 1
        pop_to(variables, constraints, slots, bits, trail, levels, control, up - 1)
        silent = tried and variables[x].alive > 2
        refute(variables, constraints, slots, values, trail, control, x, value, wide(1 if silent else 0))
        note_refutation(nogoods, control, wide(values.size - 1), value)
        if silent:
            control.nodes += 1
            value = choose_value(variables, values, control, x, value_order)
            push_level(variables, levels, control, x, value, wide(variables[x].projected), wide(1))
            assign(variables, constraints, slots, values, trail, control, x, value, DECISION)
