"""Kernels that propagate constants through ground rules."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import helper, kernel

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Octets = NDArray[np.int8]

UNKNOWN: Final = 0
HOLDS: Final = 1
FAILS: Final = 2


@helper
def tidy_row(row: Ints, count: int) -> int:
    """Sort the literals ``row[:count]`` and drop TRUE and repetitions; returns how many are left, or -1 for a contradiction."""
    for i in range(1, count):
        literal = row[i]
        k = i
        while k > 0 and row[k - 1] > literal:
            row[k] = row[k - 1]
            k -= 1
        row[k] = literal
    kept = 0
    for i in range(count):
        literal = row[i]
        if literal == 0 or (kept > 0 and row[kept - 1] == literal):
            continue
        if kept > 0 and row[kept - 1] == literal - 1 and (literal & 1) == 1:
            return -1
        row[kept] = literal
        kept += 1
    return kept


@kernel
def collect_rules(instances: NDArray[np.int32], rule_head: Ints, rule_start: Longs, rule_body: Ints, rule: int) -> int:
    """Append the instances of a clause to rules in CSR arrays; returns the number of rules. ``instances`` is overwritten."""
    width = instances.shape[1] - 1
    end = rule_start[rule]
    for i in range(len(instances)):
        row = instances[i, 1:]
        kept = tidy_row(row, width)
        if kept < 0:
            continue
        for k in range(kept):
            rule_body[end + k] = row[k]
        end += kept
        rule_head[rule] = instances[i, 0] >> 1
        rule += 1
        rule_start[rule] = end
    return rule


@kernel
def occurrences(rule_start: Longs, rule_body: Ints, rules: int, start: Longs, entries: Ints) -> None:
    """For every atom the rules in whose bodies it occurs, as CSR arrays; an entry is ``2 * rule + sign``.

    ``start`` is zero, one longer than CSR needs: while entries are written, atom a's place is counted at ``start[a + 1]``.
    """
    for k in range(rule_start[rules]):
        start[(rule_body[k] >> 1) + 2] += 1
    for a in range(2, start.size):
        start[a] += start[a - 1]
    for rule in range(rules):
        for k in range(rule_start[rule], rule_start[rule + 1]):
            place = (rule_body[k] >> 1) + 1
            entries[start[place]] = 2 * rule + (rule_body[k] & 1)
            start[place] += 1


@kernel
def propagate(
    value: Octets, left: Ints, support: Ints, rule_head: Ints, start: Longs, entries: Ints, queue: Ints, queued: int
) -> int:
    """Unit propagation from the ``queued`` atoms in ``queue``, whose values are set; returns the length of the queue.

    ``left[rule]`` counts literals that are not known to hold, -1 for a rule that cannot fire; ``support[atom]`` the rules that can
    fire. Atoms that get a value are appended to the queue.
    """
    done = 0
    while done < queued:
        atom = queue[done]
        done += 1
        holds = value[atom] == HOLDS
        for k in range(start[atom], start[atom + 1]):
            rule = entries[k] >> 1
            if left[rule] < 0:
                continue
            head = rule_head[rule]
            if holds == ((entries[k] & 1) == 0):
                left[rule] -= 1
                if left[rule] == 0 and value[head] == UNKNOWN:
                    value[head] = HOLDS
                    queue[queued] = head
                    queued += 1
            else:
                left[rule] = -1
                support[head] -= 1
                if support[head] == 0 and value[head] == UNKNOWN:
                    value[head] = FAILS
                    queue[queued] = head
                    queued += 1
    return queued


@kernel
def founded(
    value: Octets, left: Ints, rule_head: Ints, rule_start: Longs, rule_body: Ints, start: Longs, entries: Ints, link: Ints,
    initial: Ints, reached: Octets, waiting: Ints, stack: Ints,
) -> None:  # fmt: skip
    """Which atoms can be derived when every unknown negation may hold: sets ``reached`` (all zero before) to 1.

    ``link[atom]`` is the input that an atom makes possible (a next fluent, a legal move) or -1; ``initial`` the atoms possible
    from the start. ``waiting`` (rules) and ``stack`` (atoms) are scratch.
    """
    depth = 0
    for atom in initial:
        if reached[atom] == 0 and value[atom] != FAILS:
            reached[atom] = 1
            stack[depth] = atom
            depth += 1
    for rule in range(rule_head.size):
        if left[rule] < 0:
            continue
        count = 0
        for k in range(rule_start[rule], rule_start[rule + 1]):
            count += (rule_body[k] & 1) == 0
        waiting[rule] = count
        head = rule_head[rule]
        if count == 0 and reached[head] == 0 and value[head] != FAILS:
            reached[head] = 1
            stack[depth] = head
            depth += 1
    while depth > 0:
        depth -= 1
        atom = stack[depth]
        target = link[atom]
        if target >= 0 and reached[target] == 0 and value[target] != FAILS:
            reached[target] = 1
            stack[depth] = target
            depth += 1
        for k in range(start[atom], start[atom + 1]):
            if (entries[k] & 1) == 1:
                continue
            rule = entries[k] >> 1
            if left[rule] < 0:
                continue
            waiting[rule] -= 1
            head = rule_head[rule]
            if waiting[rule] == 0 and reached[head] == 0 and value[head] != FAILS:
                reached[head] = 1
                stack[depth] = head
                depth += 1


@kernel
def sort_rules(keys: Ints, start: Longs, order: Ints) -> None:
    """Counting sort: the rules with a key >= 0 by ascending key, equal keys in their order, as CSR arrays.

    ``start`` is zero, one longer than CSR needs (see ``occurrences``).
    """
    for rule in range(keys.size):
        if keys[rule] >= 0:
            start[keys[rule] + 2] += 1
    for key in range(2, start.size):
        start[key] += start[key - 1]
    for rule in range(keys.size):
        if keys[rule] >= 0:
            order[start[keys[rule] + 1]] = rule
            start[keys[rule] + 1] += 1


@kernel
def needed_atoms(
    value: Octets, left: Ints, head_start: Longs, head_rules: Ints, rule_start: Longs, rule_body: Ints, roots: Ints,
    needed: Octets, stack: Ints,
) -> None:  # fmt: skip
    """Set ``needed`` (all zero before) to 1 for the unknown atoms that the roots depend on; ``head_rules`` lists rules by head."""
    depth = 0
    for atom in roots:
        if value[atom] == UNKNOWN and needed[atom] == 0:
            needed[atom] = 1
            stack[depth] = atom
            depth += 1
    while depth > 0:
        depth -= 1
        atom = stack[depth]
        for j in range(head_start[atom], head_start[atom + 1]):
            rule = head_rules[j]
            if left[rule] < 0:
                continue
            for k in range(rule_start[rule], rule_start[rule + 1]):
                other = rule_body[k] >> 1
                if value[other] == UNKNOWN and needed[other] == 0:
                    needed[other] = 1
                    stack[depth] = other
                    depth += 1


@helper
def repeats(start: Longs, body: Ints, first: int, rule: int, size: int, table: Ints, row: Ints, count: int) -> bool:
    """Whether a rule ``first`` … ``rule - 1`` has the body ``row[:count]``; if not, ``rule`` enters the hash ``table[:size]``."""
    state = np.int64(count)
    for k in range(count):
        state = (state ^ row[k]) * -7046029254386353131
        state ^= state >> 29
    slot = state & (size - 1)
    while table[slot] >= first:
        other = table[slot]
        if start[other + 1] - start[other] == count:
            k = 0
            while k < count and body[start[other] + k] == row[k]:
                k += 1
            if k == count:
                return True
        slot = (slot + 1) & (size - 1)
    table[slot] = rule
    return False


@kernel
def compact_rules(
    value: Octets, left: Ints, number: Ints, order: Ints, rule_head: Ints, rule_start: Longs, rule_body: Ints,
    new_head: Ints, new_start: Longs, new_body: Ints, kept_rule: Ints, table: Ints, row: Ints,
) -> int:  # fmt: skip
    """Copy the rules in ``order`` (by new head) that can fire, without constants and without repetitions; returns their number.

    ``number`` is the new number of an atom; ``table`` has room for a hash table over the rules of any one head (at least four times
    as many entries, a power of two), ``row`` for a body.
    """
    rules = 0
    end = 0
    first = 0
    last_head = -1
    size = 0
    for j in range(order.size):
        rule = order[j]
        head = rule_head[rule]
        if left[rule] < 0 or value[head] != UNKNOWN:
            continue
        if head != last_head:
            last_head = head
            first = rules
            following = j
            while following < order.size and rule_head[order[following]] == head:
                following += 1
            size = 4
            while size < 2 * (following - j):
                size *= 2
            for k in range(size):
                table[k] = -1
        count = 0
        for k in range(rule_start[rule], rule_start[rule + 1]):
            literal = rule_body[k]
            if value[literal >> 1] == UNKNOWN:
                row[count] = 2 * number[literal >> 1] + (literal & 1)
                count += 1
        count = tidy_row(row, count)
        if repeats(new_start, new_body, first, rules, size, table, row, count):
            continue
        new_head[rules] = number[head]
        kept_rule[rules] = rule
        for k in range(count):
            new_body[end + k] = row[k]
        end += count
        rules += 1
        new_start[rules] = end
    return rules


@kernel
def with_subterms(needed: NDArray[np.bool_], argument_start: Longs, arguments: Ints) -> NDArray[np.bool_]:
    """Mark the arguments of marked terms, all the way down; arguments have smaller identifiers. ``needed`` is changed."""
    for term in range(needed.size - 1, -1, -1):
        if needed[term]:
            for k in range(argument_start[term], argument_start[term + 1]):
                needed[arguments[k]] = True
    return needed
