"""Building a circuit of conjunctions from ground rules: hash-consing, constants, absorption, flattening.

A *node* is the constant "true" (node 0), an input, a *gate* (conjunction of literals) or a *feedback* node (an atom of a positive
cycle, whose definition stands in its only child slot and may come later). A literal is ``2 * node + sign``, sign 1 for negation;
disjunctions are negated conjunctions of negated literals, so that double negation and De Morgan's laws cost nothing. The children
of a gate always have smaller numbers than the gate.

All functions share these arrays: ``kind`` uint8[nodes]; ``child_start`` int64[nodes + 1]; ``child`` int32 (literals); ``table``
int32 (open addressing, -1 = free, size a power of two); ``stamp`` int64[literals], which literals stand in the conjunction at
hand; and ``book`` int64[3]: nodes so far, children so far, last stamp.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from scsp_player.kernels import helper, kernel

INPUT: Final = 0
GATE: Final = 1
FEEDBACK: Final = 2

NODES: Final = 0
CHILDREN: Final = 1
STAMP: Final = 2

EXAMINED_CHILDREN: Final = 64
"""Absorption looks into gates of at most so many children; keeps the cost of building linear."""


@helper
def _mixed(literal: Any) -> Any:
    """A scrambled literal; sums of these are the hash of a set."""
    x = np.uint64(literal) * np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(29)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    return x ^ (x >> np.uint64(32))


@helper
def _distinct(literals: Any, count: Any, stamp: Any, mark: Any) -> Any:
    """Drop repeated and true literals in place; -1 if the conjunction is false."""
    kept = 0
    for i in range(count):
        literal = literals[i]
        if literal == 0 or stamp[literal] == mark:
            continue
        if literal == 1 or stamp[literal ^ 1] == mark:
            return -1
        stamp[literal] = mark
        literals[kept] = literal
        kept += 1
    return kept


@helper
def _absorb(literals: Any, count: Any, kind: Any, child_start: Any, child: Any, stamp: Any, mark: Any) -> Any:
    """Use what the conjunction says about its own gates; -1 if it is false, else the count, negated minus 2 if literals changed.

    a ∧ ¬(¬a ∧ …) = a;  a ∧ ¬(a ∧ b) = a ∧ ¬b;  (a ∧ b) ∧ a = (a ∧ b);  (a ∧ b) ∧ ¬a = false.
    """
    kept = 0
    changed = False
    for i in range(count):
        literal = literals[i]
        if stamp[literal] != mark:  # implied by a gate seen before
            changed = True
            continue
        node = literal >> 1
        start = child_start[node]
        stop = child_start[node + 1]
        if kind[node] == GATE and stop - start <= EXAMINED_CHILDREN:
            if literal & 1 == 0:
                for j in range(start, stop):
                    if stamp[child[j] ^ 1] == mark:
                        return -1
                    if stamp[child[j]] == mark:
                        stamp[child[j]] = 0
                        changed = True
            else:
                missing = 0
                last = 0
                idle = False
                for j in range(start, stop):
                    if stamp[child[j] ^ 1] == mark:
                        idle = True
                        break
                    if stamp[child[j]] != mark:
                        missing += 1
                        last = child[j]
                if idle:
                    stamp[literal] = 0
                    changed = True
                    continue
                if missing == 0:
                    return -1
                if missing == 1 and stop - start > 1:
                    stamp[literal] = 0
                    changed = True
                    literal = last ^ 1
                    if stamp[literal] == mark:
                        continue
                    stamp[literal] = mark
        literals[kept] = literal
        kept += 1
    # A positive gate may imply literals that stand before it.
    final = 0
    for i in range(kept):
        if stamp[literals[i]] == mark:
            literals[final] = literals[i]
            final += 1
    return -final - 2 if changed else final


@helper
def conjoin(literals: Any, count: Any, kind: Any, child_start: Any, child: Any, table: Any, stamp: Any, book: Any) -> Any:
    """The literal of the conjunction of ``literals[:count]`` (a scratch array, overwritten); makes a gate only if none is equal."""
    changed = True
    while changed:
        book[STAMP] += 1
        count = _distinct(literals, count, stamp, book[STAMP])
        if count < 0:
            return np.int32(1)
        count = _absorb(literals, count, kind, child_start, child, stamp, book[STAMP])
        if count == -1:
            return np.int32(1)
        changed = count < 0
        if changed:
            count = -count - 2
    if count == 0:
        return np.int32(0)
    if count == 1:
        return literals[0]
    code = np.uint64(count)
    for i in range(count):
        code += _mixed(literals[i])
    size = np.int64(table.size - 1)
    slot = np.int64(_mixed(code) & np.uint64(size))
    while table[slot] >= 0:
        node = table[slot]
        start = child_start[node]
        if child_start[node + 1] - start == count:
            same = True
            for j in range(start, start + count):
                if stamp[child[j]] != book[STAMP]:
                    same = False
                    break
            if same:
                return np.int32(2 * node)
        slot = (slot + 1) & size
    node = book[NODES]
    book[NODES] += 1
    kind[node] = GATE
    for i in range(count):
        child[book[CHILDREN]] = literals[i]
        book[CHILDREN] += 1
    child_start[node + 1] = book[CHILDREN]
    table[slot] = node
    return np.int32(2 * node)


@helper
def _literal_of(atom: Any, atom_literal: Any, kind: Any, child_start: Any, child: Any, book: Any) -> Any:
    """The literal of an atom; an atom of a positive cycle that is met before its rules becomes a feedback node."""
    if atom_literal[atom] < 0:
        node = book[NODES]
        book[NODES] += 1
        kind[node] = FEEDBACK
        child[book[CHILDREN]] = 1
        book[CHILDREN] += 1
        child_start[node + 1] = book[CHILDREN]
        atom_literal[atom] = 2 * node
    return atom_literal[atom]


@kernel
def build(
    atom_literal: Any,
    order: Any,
    merged: Any,
    head_start: Any,
    rule_start: Any,
    rule_body: Any,
    scratch: Any,
    kind: Any,
    child_start: Any,
    child: Any,
    table: Any,
    stamp: Any,
    book: Any,
) -> None:
    """Gates for the atoms in ``order``, each the disjunction of its rules, each the conjunction of its body.

    Fills ``atom_literal`` (int32[atoms]), which is -1 on entry except for the constant and the inputs. An atom with a non-zero
    mark in ``merged`` (uint8[atoms]; it has one rule and is used positively) gets no gate: its body takes its place. ``scratch`` is
    int32[n], n not less than the rules of an atom plus the literals of a body after merging.
    """
    for atom in order:
        alternatives = 0
        front = head_start[atom + 1] - head_start[atom]
        for rule in range(head_start[atom], head_start[atom + 1]):
            # Literals of this body are collected behind the place for the disjunction; merged bodies wait at the far end.
            count = front
            top = scratch.size
            begin = rule_start[rule]
            end = rule_start[rule + 1]
            while begin < end or top < scratch.size:
                if begin < end:
                    literal = rule_body[begin]
                    begin += 1
                else:
                    literal = scratch[top]
                    top += 1
                if merged[literal >> 1]:
                    only = head_start[literal >> 1]
                    for j in range(rule_start[only], rule_start[only + 1]):
                        top -= 1
                        scratch[top] = rule_body[j]
                else:
                    scratch[count] = _literal_of(literal >> 1, atom_literal, kind, child_start, child, book) ^ (literal & 1)
                    count += 1
            literal = conjoin(scratch[front:], count - front, kind, child_start, child, table, stamp, book)
            scratch[alternatives] = literal ^ 1
            alternatives += 1
        literal = conjoin(scratch, alternatives, kind, child_start, child, table, stamp, book) ^ 1
        if atom_literal[atom] >= 0:
            child[child_start[atom_literal[atom] >> 1]] = literal
        atom_literal[atom] = literal


@kernel
def order_cycle(
    members: Any, home: Any, number: Any, head_start: Any, rule_start: Any, rule_body: Any, cursor: Any, path: Any, result: Any
) -> None:
    """The atoms of one positive cycle depth first: few atoms then stand before one that they need, and the loop converges fast.

    ``home`` is int32[atoms], ``number`` for the ``members``; ``cursor`` int64[atoms], -1 for them; ``path`` int32[members],
    scratch; ``result`` int32[members].
    """
    filled = 0
    for root in members:
        if cursor[root] >= 0:
            continue
        depth = 0
        path[0] = root
        cursor[root] = rule_start[head_start[root]]
        while depth >= 0:
            atom = path[depth]
            if cursor[atom] == rule_start[head_start[atom + 1]]:
                result[filled] = atom
                filled += 1
                depth -= 1
                continue
            below = rule_body[cursor[atom]] >> 1
            cursor[atom] += 1
            if home[below] == number and cursor[below] < 0:
                cursor[below] = rule_start[head_start[below]]
                depth += 1
                path[depth] = below


@kernel
def mark_cone(roots: Any, bit: Any, child_start: Any, child: Any, marks: Any, stack: Any) -> None:
    """Set ``bit`` in the marks (uint8[nodes]) of every node that the root literals depend on."""
    depth = 0
    for root in roots:
        if marks[root >> 1] & bit == 0:
            marks[root >> 1] |= bit
            stack[depth] = root >> 1
            depth += 1
        while depth:
            depth -= 1
            node = stack[depth]
            for j in range(child_start[node], child_start[node + 1]):
                below = child[j] >> 1
                if marks[below] & bit == 0:
                    marks[below] |= bit
                    stack[depth] = below
                    depth += 1
