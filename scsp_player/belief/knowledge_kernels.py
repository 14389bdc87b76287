"""Unit propagation on the completion of ground rules, for 64 cases side by side: what must be so, and what cannot be.

What is known of an atom is two words, one bit a case: where it holds, and where it does not. A case in which both are set
contradicts the rules.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import helper, inlined, kernel

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]
Words = NDArray[np.uint64]
Bools = NDArray[np.bool_]

NONE, ALL = np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)


@inlined
def outside(cases: np.uint64) -> np.uint64:
    """All other cases; without ``~``, which makes negative numbers of Python's."""
    return ALL ^ cases


@inlined
def where(known: Words, literal: int) -> np.uint64:
    """The cases in which a literal holds; those in which it does not are where its negation holds."""
    cases: np.uint64 = known[literal & 1, literal >> 1]
    return cases


@helper
def settle(known: Words, literal: int, cases: np.uint64) -> bool:
    """Make a literal hold in some cases; whether that is new in one of them."""
    before = known[literal & 1, literal >> 1]
    known[literal & 1, literal >> 1] = before | cases
    return bool((cases & outside(before)) != NONE)


@helper
def visit(known: Words, head_start: Offsets, rule_start: Offsets, rule_body: Ints, atom: int) -> bool:
    """All that follows from the rules of one atom, in both directions; whether something is new."""
    held, denied, one, several = NONE, ALL, NONE, NONE
    for rule in range(head_start[atom], head_start[atom + 1]):
        holds, fails = ALL, NONE
        for at in range(rule_start[rule], rule_start[rule + 1]):
            holds &= where(known, rule_body[at])
            fails |= where(known, rule_body[at] ^ 1)
        held |= holds
        denied &= fails
        several |= one & outside(fails)
        one |= outside(fails)
    changed = settle(known, 2 * atom, held)
    changed |= settle(known, 2 * atom + 1, denied)
    # If the atom holds and only one rule is left, its body holds; if it does not, no body may.
    needed = known[0, atom] & outside(held) & one & outside(several)
    barred = known[1, atom] & outside(denied)
    if needed == NONE and barred == NONE:
        return changed
    for rule in range(head_start[atom], head_start[atom + 1]):
        fails, first, second = NONE, NONE, NONE
        for at in range(rule_start[rule], rule_start[rule + 1]):
            literal = rule_body[at]
            fails |= where(known, literal ^ 1)
            open_cases = outside(where(known, literal) | where(known, literal ^ 1))
            second |= first & open_cases
            first |= open_cases
        must, last = needed & outside(fails), barred & outside(fails) & first & outside(second)
        if must == NONE and last == NONE:
            continue
        for at in range(rule_start[rule], rule_start[rule + 1]):
            literal = rule_body[at]
            open_cases = outside(where(known, literal) | where(known, literal ^ 1))
            changed |= settle(known, literal, must)
            changed |= settle(known, literal ^ 1, last & open_cases)
    return changed


@helper
def unfounded(
    known: Words, head_start: Offsets, rule_start: Offsets, rule_body: Ints, component: Ints, inside: Bools, founded: Words
) -> bool:
    """Make those atoms of a cyclic component false that nothing outside of it can hold up; whether something is new."""
    for atom in component:
        inside[atom] = True
    growing = True
    while growing:
        growing = False
        for atom in component:
            able = NONE
            for rule in range(head_start[atom], head_start[atom + 1]):
                possible = ALL
                for at in range(rule_start[rule], rule_start[rule + 1]):
                    literal = rule_body[at]
                    possible &= outside(where(known, literal ^ 1))
                    if literal & 1 == 0 and inside[literal >> 1]:
                        possible &= founded[literal >> 1]
                able |= possible
            growing |= (able & outside(founded[atom])) != NONE
            founded[atom] |= able
    changed = False
    for atom in component:
        changed |= settle(known, 2 * atom + 1, outside(founded[atom]))
        inside[atom] = False
        founded[atom] = NONE
    return changed


@helper
def exclude(known: Words, atoms: Ints, exact: np.uint64) -> bool:
    """At most one of some atoms holds, in the cases ``exact`` exactly one; whether something is new."""
    changed = False
    made, twice, one, several = NONE, NONE, NONE, NONE
    for atom in atoms:
        twice |= made & known[0, atom]
        made |= known[0, atom]
        several |= one & outside(known[1, atom])
        one |= outside(known[1, atom])
    only = exact & one & outside(several)
    for atom in atoms:
        changed |= settle(known, 2 * atom, only & outside(known[1, atom]))
        changed |= settle(known, 2 * atom + 1, twice | (made & outside(known[0, atom])))
    # Where none of them can hold, let the first one hold as well, so that the contradiction shows.
    if exact & outside(one) != NONE:
        changed |= settle(known, 2 * atoms[0], exact & outside(one))
    return changed


@helper
def choices(known: Words, role_start: Ints, does_atom: Ints, legal_literal: Ints) -> bool:
    """Every role makes exactly one move, and a legal one; whether something is new."""
    changed = False
    for role in range(len(role_start) - 1):
        able = NONE
        for move in range(role_start[role], role_start[role + 1]):
            changed |= settle(known, 2 * does_atom[move] + 1, where(known, legal_literal[move] ^ 1))
            able |= outside(known[1, does_atom[move]])
        # Rules may leave a role without a move: nothing follows from that.
        changed |= exclude(known, does_atom[role_start[role] : role_start[role + 1]], able)
        for move in range(role_start[role], role_start[role + 1]):
            changed |= settle(known, legal_literal[move], known[0, does_atom[move]])
    return changed


@kernel
def propagate(
    known: Words,
    head_start: Offsets,
    rule_start: Offsets,
    rule_body: Ints,
    component_start: Offsets,
    component_atoms: Ints,
    component_cyclic: Bools,
    role_start: Ints,
    does_atom: Ints,
    legal_literal: Ints,
    group_start: Offsets,
    group_atoms: Ints,
    group_exact: Bools,
    moving: bool,
    inside: Bools,
    founded: Words,
) -> np.uint64:
    """Propagate until nothing changes; the cases that contradict the rules.

    ``known``, uint64[2, atoms], is where each atom is known to hold and where it is known not to; it is changed. If all roles are
    ``moving``, each makes exactly one legal move; else nothing is said about moves. ``inside``, bool[atoms], and ``founded``,
    uint64[atoms], are zero before and after. The groups are those of ``Exclusive``, all other arrays those of ``GroundGame``.
    """
    components = len(component_start) - 1
    changed = True
    while changed:
        changed = False
        # With the rules, then against them: consequences go up, reasons go down.
        for turn in range(2 * components):
            c = turn if turn < components else 2 * components - 1 - turn
            for at in range(component_start[c], component_start[c + 1]):
                changed |= visit(known, head_start, rule_start, rule_body, component_atoms[at])
            if component_cyclic[c]:
                component = component_atoms[component_start[c] : component_start[c + 1]]
                changed |= unfounded(known, head_start, rule_start, rule_body, component, inside, founded)
        for g in range(len(group_exact)):
            exact = ALL if group_exact[g] else NONE
            changed |= exclude(known, group_atoms[group_start[g] : group_start[g + 1]], exact)
        if moving:
            changed |= choices(known, role_start, does_atom, legal_literal)
    wrong = NONE
    for atom in range(known.shape[1]):
        wrong |= known[0, atom] & known[1, atom]
    return wrong
