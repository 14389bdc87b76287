"""What to decide next: variable orderings, value orders, and the values whose singletons are to be tested.

The arguments are the arrays of a ``Store`` under their names there; ``control`` is its only row.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import helper
from scsp_player.solver.domain_kernels import Record, Records, wide

Indices: TypeAlias = NDArray[np.int32]

DOM_DDEG, LEX, DOM_WDEG, DOM, PROJECT = 0, 1, 2, 3, 4
"""Variable orderings: least domain size over dynamic degree (Bessière and Régin, CP 1996); first variable that is open; least
domain size over weighted degree (Boussemart, Hemery, Lecoutre and Sais, ECAI 2004); least domain size; order of the projection."""

LEAST, GREATEST, RANDOM = 0, 1, 2
"""Value orders."""

MOST = 1 << 61
"""Bound on what is counted in one integer."""


@helper
def choose(
    variables: Records, constraints: Records, slots: Records, control: Record, project: Indices, ordering: int, counting: bool
) -> int:
    """The next variable to decide, or −1 if the node stands for solutions.

    Projected variables come first. A variable in no constraint with another open one takes each of its values whatever the others
    do: it need not be decided, unless solutions are written out and it is projected.
    """
    if ordering == PROJECT and not counting:
        for k in range(project.size):
            if variables[project[k]].alive > 1:
                return wide(project[k])
    best = wide(-1)
    best_alive = wide(1)
    best_degree = wide(0)
    best_projected = wide(0)
    for i in range(control.open_count):
        x = wide(variables[i].opened)
        variable = variables[x]
        projected = wide(variable.projected)
        if projected < best_projected:
            continue
        alive = wide(variable.alive)
        if best >= 0 and projected == best_projected:
            # Its degree need not be summed up if even the greatest one would not do.
            most = wide(variables[x + 1].first_watch - variable.first_watch)
            if ordering == DOM_WDEG:
                most = variable.weight
            elif ordering == DOM:
                most = wide(1)
            if (x > best) if ordering == LEX else (alive * best_degree > best_alive * most):
                continue
        degree = wide(0)
        for w in range(variable.first_watch, variables[x + 1].first_watch):
            constraint = constraints[slots[slots[w].watched].constraint]
            if constraint.open > 1 and constraint.current > 0:
                degree += constraint.weight if ordering == DOM_WDEG else 1
        if degree == 0 and (counting or projected == 0):
            continue
        if ordering == DOM and degree > 0:
            degree = wide(1)
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
def choose_value(variables: Records, values: Records, control: Record, x: int, value_order: int) -> int:
    """Id of the least, or greatest, or any living value of ``x``."""
    first = wide(variables[x].first)
    if value_order == RANDOM:
        # Park and Miller's generator: 31 bits, no overflow.
        control.random = control.random * 48271 % 2147483647
        return wide(values[first + control.random % variables[x].alive].listed)
    chosen = wide(values[first].listed)
    for p in range(first + 1, first + variables[x].alive):
        value = wide(values[p].listed)
        if (value < chosen) == (value_order == LEAST):
            chosen = value
    return chosen


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
def start_probing(variables: Records, values: Records, control: Record) -> None:
    """Marks all living values of open variables for a test of their singletons."""
    for i in range(control.open_count):
        variable = variables[variables[i].opened]
        for p in range(variable.first, variable.first + variable.alive):
            values[values[p].listed].probe = 1
    control.cursor = 0
    control.removed = 0


@helper
def next_probe(variables: Records, values: Records, control: Record) -> int:
    """The open variable, from ``control.cursor`` on, that has a living value to be tested; −1 if there is none."""
    n = variables.size - 1
    for x in range(control.cursor, n):
        variable = variables[x]
        if variable.alive > 1:
            for p in range(variable.first, variable.first + variable.alive):
                if values[values[p].listed].probe:
                    control.cursor = x
                    return wide(values[p].listed)
    control.cursor = n
    return -1
