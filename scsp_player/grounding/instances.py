"""Which atoms are possible at all, and the ground instances of the clauses over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.program import Rule
from scsp_player.grounding.clauses import Clause, Kind, Part
from scsp_player.grounding.evaluation import Statistics, block, component_block
from scsp_player.grounding.planning import recording_plan
from scsp_player.grounding.rulebase import DOES, INIT, LEGAL, NEXT, TRUE, Rulebase, components
from scsp_player.grounding.store import FUNCTOR, Store


@dataclass(frozen=True, slots=True)
class Instances:
    """Ground instances of one clause: int32[n, 1 + k] literals ``2 * atom + sign``; column 0 is the head's atom.

    A literal 0 (TRUE) stands where the negated atom is not possible.
    """

    rule: Rule | None
    literals: NDArray[np.int32]


def feeding_clauses(rules: Rulebase) -> list[Clause]:
    """What may be true and done: initial and next fluents, and legal moves of the roles."""
    true, does = rules.relation(TRUE), rules.relation(DOES)
    legal = Part(Kind.POSITIVE, rules.relation(LEGAL), (0, 1))
    role = Part(Kind.POSITIVE, rules.roles, (0,))
    return [
        Clause(true, (0,), (Part(Kind.POSITIVE, rules.relation(INIT), (0,)),), 1),
        Clause(true, (0,), (Part(Kind.POSITIVE, rules.relation(NEXT), (0,)),), 1),
        Clause(does, (0, 1), (legal, role), 2),
    ]


def possible_atoms(rules: Rulebase, clauses: Sequence[Clause], statistics: Statistics) -> None:
    """Fill the state-dependent relations with every atom that is possible when all their negations are."""
    store = rules.store
    store.finish(rules.roles)
    statistics.unknown.update(rules.dynamic)

    def tested(part: Part) -> bool:
        return part.kind is not Kind.NEGATIVE or part.relation not in rules.dynamic

    order = components([*clauses, *feeding_clauses(rules)], negation=False)
    defined = {r for component in order for r in component.relations}
    for relation in rules.dynamic - defined:
        store.finish(relation)
    for component in order:
        store.run([component_block(store, component, statistics.matches, tested)])
        statistics.unknown.difference_update(component.relations)
    statistics.unknown.clear()


def instantiate(store: Store, clauses: Sequence[Clause], deferred: frozenset[int], statistics: Statistics) -> list[Instances]:
    """All ground instances of the clauses over complete relations; negations of ``deferred`` relations become literals.

    Positive parts become literals if they are marked as recorded. Atoms must have numbers.
    """
    outs: list[int] = []
    plans: list[int] = []
    for clause in clauses:
        later = [p for p in clause.body if p.kind is Kind.NEGATIVE and p.relation in deferred and p.recorded]
        parts = [p for p in clause.body if not (p.kind is Kind.NEGATIVE and p.relation in deferred)]
        recorded = [p for p in parts if p.kind is Kind.POSITIVE and p.recorded]
        determined = frozenset(t for t in clause.tokens if 0 <= t < FUNCTOR).union(*(p.variables for p in (*recorded, *later)))
        repeats = any(not p.variables <= determined for p in parts)
        out = store.relation(1 + len(recorded) + len(later), keyed=repeats)
        plans.append(recording_plan(store, clause, parts, later, statistics.matches, out))
        outs.append(out)
    store.run([block(store, plans, (), {})])
    return [Instances(clause.rule, store.rows(out)) for clause, out in zip(clauses, outs, strict=True)]


