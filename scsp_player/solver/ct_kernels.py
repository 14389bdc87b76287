"""Generalised arc consistency on tables held as bitsets of rows: compact-table.

One bit a row says whether it is current; every value has a mask of the rows that it allows. Demeulenaere, Hartert, Lecoutre,
Perez, Perron, Régin and Schaus, CP 2016; short tuples: Verhaeghe, Lecoutre and Schaus, AAAI 2017. A table takes as many words of
64 rows as it needs; words that are empty leave a sparse set of words (many tables of games have one word only).

The arguments are the arrays of a ``Store`` under their names there; ``control`` is its only row.
"""

from __future__ import annotations

from scsp_player.kernels import helper
from scsp_player.solver.domain_kernels import (
    Bits,
    Record,
    Records,
    Tables,
    move_value,
    save,
    set_current,
    shrink,
    wide,
)


@helper
def intersect(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    tables: Tables,
    bits: Bits,
    trail: Records,
    control: Record,
    c: int,
) -> int:
    """Drops the rows that lost a value since the last revision.

    Returns:
        −1 if all rows stay; else the only slot that changed, or the number of slots (which is none) if several did.
    """
    constraint = constraints[c]
    first_slot = wide(constraint.first_slot)
    end_slot = wide(constraints[c + 1].first_slot)
    total = wide(constraint.words)
    first_word = wide(constraint.first_word)
    order = wide(constraint.first_order)
    limit = wide(constraint.current)
    found = -1
    dropped = False
    for s in range(first_slot, end_slot):
        slot = slots[s]
        if slot.changed == 0:
            continue
        slot.changed = 0
        found = s if found < 0 else slots.size
        variable = variables[slot.variable]
        start = wide(variable.first)
        alive = wide(variable.alive)
        lost = slot.seen - alive
        incremental = alive > 1 and lost < alive
        # Masks to unite: those of the living values, or of the lost ones without the rows where a star stands.
        if incremental:
            base = slot.first_exact - start * total
            begin = start + alive
            end = begin + lost
        else:
            base = slot.first_support - start * total
            begin = start
            end = start + alive
        for i in range(limit - 1, -1, -1):
            w = wide(tables[order + i]) if total > 1 else 0
            mask = wide(0)
            for p in range(begin, end):
                mask |= bits[base + values[p].listed * total + w]
            if incremental:
                mask = ~mask
            old = bits[first_word + w]
            new = old & mask
            if new == old:
                continue
            dropped = True
            stamp = control.words + first_word + w
            if bits[stamp] != control.serial:
                save(trail, control, variables.size + constraints.size - 2 + first_word + w, old)
                bits[stamp] = control.serial
            bits[first_word + w] = new
            if new == 0:
                limit -= 1
                if total > 1:
                    tables[order + i] = tables[order + limit]
                    tables[order + limit] = w
        if limit == 0:
            break
    if limit == 0:
        for s in range(first_slot, end_slot):
            slots[s].changed = 0
    set_current(variables, constraints, trail, control, c, limit)
    return found if dropped else wide(-1)


@helper
def revise_support_bits(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    tables: Tables,
    bits: Bits,
    trail: Records,
    control: Record,
    c: int,
) -> bool:
    """GAC on a table of short supports; False if a domain would become empty."""
    constraint = constraints[c]
    only = intersect(variables, constraints, slots, values, tables, bits, trail, control, c)
    if constraint.current == 0:
        return False
    if only < 0 and constraint.fresh == 0:
        return True
    constraint.fresh = 0
    total = wide(constraint.words)
    first_word = wide(constraint.first_word)
    order = wide(constraint.first_order)
    limit = wide(constraint.current)
    lone = bits[first_word]
    for s in range(constraint.first_slot, constraints[c + 1].first_slot):
        # The values of the only variable that changed keep their rows.
        if s == only:
            continue
        slot = slots[s]
        x = wide(slot.variable)
        alive = wide(variables[x].alive)
        if alive == 1:
            continue
        first = wide(variables[x].first)
        base = slot.first_support - first * total
        end = first + alive
        for p in range(end - 1, first - 1, -1):
            value = wide(values[p].listed)
            if total == 1:
                supported = (lone & bits[base + value]) != 0
            else:
                residue = slot.first_residue + value - first
                w = wide(tables[residue])
                supported = (bits[first_word + w] & bits[base + value * total + w]) != 0
                if not supported:
                    for i in range(limit):
                        w = wide(tables[order + i])
                        if bits[first_word + w] & bits[base + value * total + w] != 0:
                            tables[residue] = w
                            supported = True
                            break
            if not supported:
                end -= 1
                move_value(values, value, end)
        if end - first < alive:
            shrink(variables, constraints, slots, trail, control, x, end - first, c)
    return True
