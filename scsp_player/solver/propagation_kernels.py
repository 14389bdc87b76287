"""Propagation to the fixpoint: tables wait in a queue and are revised by the algorithm of their kind.

The arguments are the arrays of a ``Store`` under their names there; ``control`` is its only row.
"""

from __future__ import annotations

from scsp_player.kernels import helper
from scsp_player.solver.ct_kernels import revise_support_bits
from scsp_player.solver.different_kernels import revise_different
from scsp_player.solver.domain_kernels import Bits, Record, Records, Tables, wide
from scsp_player.solver.layout import CONFLICT_ROWS, DIFFERENT, SUPPORT_BITS, SUPPORT_ROWS
from scsp_player.solver.nogood_kernels import propagate_nogoods
from scsp_player.solver.str_kernels import revise_conflicts, revise_supports
from scsp_player.solver.sum_kernels import revise_sum


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
def revise_relation(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    tables: Tables,
    bits: Bits,
    trail: Records,
    control: Record,
    nogoods: Tables | None,
    c: int,
) -> bool:
    """Filters by a constraint that is no table; a store without nogoods has none (see ``nogood_kernels``)."""
    if nogoods is not None:
        if constraints[c].kind == DIFFERENT:
            return revise_different(variables, constraints, slots, values, tables, trail, control, c)
        return revise_sum(variables, constraints, slots, values, bits, trail, control, c)
    return True


@helper
def propagate(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    tables: Tables,
    bits: Bits,
    trail: Records,
    control: Record,
    nogoods: Tables | None,
) -> bool:
    """Looks at nogoods and revises waiting tables until all are consistent; False (and an empty queue) after a contradiction.

    The table that contradicts gains weight, and so do its variables, for the orderings that look at weights.
    """
    while True:
        if nogoods is not None and not propagate_nogoods(variables, constraints, slots, values, trail, control, nogoods):
            clear_queue(constraints, slots, control)
            return False
        if control.queue_length == 0:
            return True
        c = wide(constraints[control.queue_head].waiting)
        control.queue_head += 1
        if control.queue_head == constraints.size - 1:
            control.queue_head = 0
        control.queue_length -= 1
        constraints[c].queued = 0
        kind = constraints[c].kind
        if kind == SUPPORT_BITS:
            consistent = revise_support_bits(variables, constraints, slots, values, tables, bits, trail, control, c)
        elif kind == CONFLICT_ROWS:
            consistent = revise_conflicts(variables, constraints, slots, values, tables, trail, control, c)
        elif kind == SUPPORT_ROWS:
            consistent = revise_supports(variables, constraints, slots, values, tables, trail, control, c)
        else:
            consistent = revise_relation(variables, constraints, slots, values, tables, bits, trail, control, nogoods, c)
        if not consistent:
            constraints[c].weight += 1
            for s in range(constraints[c].first_slot, constraints[c + 1].first_slot):
                variables[slots[s].variable].weight += 1
            clear_queue(constraints, slots, control)
            return False
