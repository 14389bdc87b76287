"""Positive cycles of linear rules, taken apart like a system of linear equations.

Rules with at most one condition inside their cyclic component are equations x = A x + b over truth values: "or" for the sum,
"and" for the product, states for coefficients. The least solution, in which no atom holds itself up, comes out of Gaussian
elimination without division: whatever a loop at a single atom brings has been there before (the closure of algebraic path
problems: Backhouse and Carré, Regular algebra applied to path-finding problems, 1975; Tarjan, Fast algorithms for solving path
problems, 1981). On a board of n squares this takes far fewer conditions than the n rounds of a fixpoint.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scsp_player.network.acyclic import ALWAYS, Body, RuleCollector, add_alternative

START = -1
"""Stands for "from outside the component" where a member is expected."""


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """A cyclic component whose rules have at most one condition inside of it.

    Attributes:
        atoms: the members, atoms of the game.
        condition: for each member what all its rules ask for.
        into: for each member by which other members, or ``START``, it is derived, and what else this takes: alternatives, of which
            none is part of another. If it is derived from ``START`` without conditions, no others are listed.
    """

    atoms: Sequence[int]
    condition: Sequence[Body]
    into: Sequence[dict[int, set[Body]]]


def linear_system(atoms: Sequence[int], rules: Iterable[tuple[int, list[int]]]) -> LinearSystem | None:
    """The system of a component; None if a rule has several conditions inside.

    Args:
        atoms: the members; each has a rule.
        rules: head, an atom, and the literals of each rule.
    """
    member = {atom: k for k, atom in enumerate(atoms)}
    bodies: list[list[tuple[int, Body]]] = [[] for _ in atoms]
    for head, literals in rules:
        inner = {literal for literal in literals if literal >> 1 in member}
        if len(inner) > 1:
            return None
        origin = member[inner.pop() >> 1] if inner else START
        if origin != member[head]:
            bodies[member[head]].append((origin, frozenset(x for x in literals if x >> 1 not in member)))
    condition: list[Body] = []
    into: list[dict[int, set[Body]]] = []
    for alternatives in bodies:
        common = frozenset.intersection(*(body for _, body in alternatives)) if alternatives else ALWAYS
        entering: dict[int, set[Body]] = {}
        for origin, body in alternatives:
            add_alternative(entering.setdefault(origin, set()), body - common)
        if ALWAYS in entering.get(START, ()):
            entering = {START: {ALWAYS}}
        condition.append(common)
        into.append(entering)
    return LinearSystem(atoms, condition, into)


def elimination_order(system: LinearSystem, bound: int) -> list[int] | None:
    """An order in which to eliminate the members: always one that makes fewest connections between others.

    Returns None if more than ``bound`` connections would be made.
    """
    entering = [set(origins) for origins in system.into]
    leaving: list[set[int]] = [set() for _ in system.atoms]
    for member, origins in enumerate(entering):
        for origin in origins - {START}:
            leaving[origin].add(member)
    heap = [(len(entering[m]) * len(leaving[m]), m) for m in range(len(system.atoms))]
    heapq.heapify(heap)
    order: list[int] = []
    gone = [False] * len(system.atoms)
    while heap:
        cost, member = heapq.heappop(heap)
        if gone[member] or cost != len(entering[member]) * len(leaving[member]):
            continue
        bound -= cost
        if bound < 0:
            return None
        gone[member] = True
        order.append(member)
        for target in leaving[member]:
            entering[target].discard(member)
            entering[target].update(entering[member] - {target})
        for origin in entering[member] - {START}:
            leaving[origin].discard(member)
            leaving[origin].update(leaving[member] - {origin})
        for other in sorted((entering[member] | leaving[member]) - {START}):
            heapq.heappush(heap, (len(entering[other]) * len(leaving[other]), other))
    return order


def eliminate(system: LinearSystem, order: Sequence[int], collector: RuleCollector) -> list[dict[int, Body]]:
    """For each member in order what derives it from members that come later, or from outside, all earlier ones put in.

    The member's own condition is left out. Atoms for the coefficients are added to ``collector``.
    """
    into = [{origin: set(bodies) for origin, bodies in entering.items()} for entering in system.into]
    leaving: list[set[int]] = [set() for _ in system.atoms]
    for member, origins in enumerate(into):
        for origin in origins:
            if origin != START:
                leaving[origin].add(member)
    steps: list[dict[int, Body]] = []
    for member in order:
        sake = system.atoms[member]
        entering = {origin: collector.defined(bodies, sake) for origin, bodies in sorted(into[member].items())}
        through = collector.defined([system.condition[member]], sake)
        steps.append(entering)
        for origin in entering:
            if origin != START:
                leaving[origin].discard(member)
        for target in sorted(leaving[member]):
            onward = collector.defined(into[target].pop(member), sake) | through
            for origin, body in entering.items():
                if origin == target or ALWAYS in into[target].get(START, ()):
                    continue
                add_alternative(into[target].setdefault(origin, set()), body | onward)
                if origin != START:
                    leaving[origin].add(target)
            if ALWAYS in into[target].get(START, ()):
                for origin in into[target]:
                    if origin != START:
                        leaving[origin].discard(target)
                into[target] = {START: {ALWAYS}}
    return steps


def solve(system: LinearSystem, order: Sequence[int], wanted: Iterable[int], collector: RuleCollector) -> None:
    """Add rules without cycles for the members that are wanted, atoms of the game, and for what these need."""
    steps = eliminate(system, order, collector)
    asked = set(wanted)
    needed = [atom in asked for atom in system.atoms]
    for member, entering in zip(order, steps, strict=True):
        if needed[member]:
            for origin in entering:
                if origin != START:
                    needed[origin] = True
    for member, entering in zip(reversed(order), reversed(steps), strict=True):
        if needed[member]:
            condition = system.condition[member]
            bodies = [
                body | condition if origin == START else body | condition | {2 * system.atoms[origin]}
                for origin, body in entering.items()
            ]
            collector.derive(system.atoms[member], bodies)
