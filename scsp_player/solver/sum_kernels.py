"""Sums of terms, one a variable, each a function of its value: consistency with bounds (Harvey and Stuckey, Constraints 8, 2003).

A weighted sum, a count of values and a comparison of either with a variable are all of this form. Of each variable the least and
the greatest term of a living value are known; a value dies if its term together with the least (or greatest) terms of the others is
beyond a bound. The terms need not grow with the values. Once nothing can violate the sum any more, it takes no part until the
search goes back.

The arguments are the arrays of a ``Store`` under their names there; ``control`` is its only row. Of a sum, ``bits`` holds the two
bounds (from ``first_word`` of the table), and for each slot the least and the greatest living term (from ``first_exact``) and the
terms of the values (from ``first_support``).
"""

from __future__ import annotations

from scsp_player.kernels import helper
from scsp_player.solver.domain_kernels import Bits, Record, Records, move_value, set_current, shrink, wide
from scsp_player.solver.layout import SUM_INSIDE


@helper
def measure(variables: Records, slots: Records, values: Records, bits: Bits, s: int) -> None:
    """Finds the least and the greatest term of slot ``s``."""
    slot = slots[s]
    variable = variables[slot.variable]
    first = wide(variable.first)
    base = slot.first_support - first
    low = bits[base + values[first].listed]
    high = low
    for p in range(first + 1, first + variable.alive):
        term = bits[base + values[p].listed]
        low = min(low, term)
        high = max(high, term)
    bits[slot.first_exact] = low
    bits[slot.first_exact + 1] = high


@helper
def filter_terms(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    bits: Bits,
    trail: Records,
    control: Record,
    c: int,
    s: int,
    least: int,
    greatest: int,
    inside: bool,
) -> bool:
    """Removes the values of slot ``s`` whose terms do not lie between two bounds, or do; False if none would be left."""
    slot = slots[s]
    x = wide(slot.variable)
    first = wide(variables[x].first)
    end = first + variables[x].alive
    base = slot.first_support - first
    for p in range(end - 1, first - 1, -1):
        value = wide(values[p].listed)
        term = bits[base + value]
        if (least <= term and term <= greatest) != inside:
            end -= 1
            move_value(values, value, end)
    if end == first:
        return False
    if end - first < variables[x].alive:
        shrink(variables, constraints, slots, trail, control, x, end - first, c)
    return True


@helper
def revise_sum(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    bits: Bits,
    trail: Records,
    control: Record,
    c: int,
) -> bool:
    """Removes values that are beyond the bounds of sum ``c``; False if it cannot hold."""
    begin = wide(constraints[c].first_slot)
    end = wide(constraints[c + 1].first_slot)
    least = bits[constraints[c].first_word]
    greatest = bits[constraints[c].first_word + 1]
    low = wide(0)
    high = wide(0)
    loose = wide(-1)  # the slot whose term is open, or the number of slots if there are several
    for s in range(begin, end):
        slots[s].changed = 0
        measure(variables, slots, values, bits, s)
        place = slots[s].first_exact
        low += bits[place]
        high += bits[place + 1]
        if bits[place] < bits[place + 1]:
            loose = wide(s) if loose < 0 else wide(slots.size)
    if constraints[c].kind != SUM_INSIDE:
        apart = high < least or low > greatest
        if not apart and loose < slots.size:
            if loose < 0:
                return False
            rest = low - bits[slots[loose].first_exact]
            if not filter_terms(
                variables, constraints, slots, values, bits, trail, control, c, loose, least - rest, greatest - rest, False
            ):
                return False
            apart = True
        if apart:
            set_current(variables, constraints, trail, control, c, wide(0))
        return True
    changed = True
    while changed:
        if low > greatest or high < least:
            return False
        if low >= least and high <= greatest:
            set_current(variables, constraints, trail, control, c, wide(0))
            return True
        changed = False
        above = greatest - low
        below = high - least
        for s in range(begin, end):
            place = slots[s].first_exact
            lowest = bits[place]
            highest = bits[place + 1]
            if highest - lowest <= above and highest - lowest <= below:
                continue
            if not filter_terms(
                variables, constraints, slots, values, bits, trail, control, c, s, highest - below, lowest + above, True
            ):
                return False
            measure(variables, slots, values, bits, s)
            low += bits[place] - lowest
            high += bits[place + 1] - highest
            above = greatest - low
            below = high - least
            changed = True
    return True
