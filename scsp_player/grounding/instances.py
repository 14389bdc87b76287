"""Which atoms are possible at all, and the ground instances of the clauses over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.program import Rule
from scsp_player.grounding.clauses import Clause, Kind, Part, variables_in
from scsp_player.grounding.evaluation import Statistics, block, component_block
from scsp_player.grounding.planning import recording_plan
from scsp_player.grounding.rulebase import DOES, INIT, LEGAL, NEXT, TRUE, Rulebase, components
from scsp_player.grounding.store import Store


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


class Recording:
    """Compiled plans that record all ground instances of clauses, as often as asked."""

    def __init__(self, store: Store, clauses: Sequence[Clause], deferred: frozenset[int], statistics: Statistics) -> None:
        """Compile the plans.

        Args:
            store: where the clauses' relations are.
            clauses: positive parts that are marked as recorded become literals.
            deferred: relations whose negations become literals too; other negations are tested.
            statistics: sizes of the relations.
        """
        self.store = store
        self.clauses = clauses
        self._outs: list[int] = []
        plans: list[int] = []
        for clause in clauses:
            later = [p for p in clause.body if p.kind is Kind.NEGATIVE and p.relation in deferred and p.recorded]
            parts = [p for p in clause.body if not (p.kind is Kind.NEGATIVE and p.relation in deferred)]
            recorded = [p for p in parts if p.kind is Kind.POSITIVE and p.recorded]
            determined = variables_in(clause.tokens).union(*(p.variables for p in (*recorded, *later)))
            repeats = any(not p.variables <= determined for p in parts)
            out = store.relation(1 + len(recorded) + len(later), keyed=repeats)
            plans.append(recording_plan(store, clause, parts, later, statistics.matches, out))
            self._outs.append(out)
        self._block = block(store, plans, (), {})

    def instances(self) -> list[Instances]:
        """All ground instances over complete relations, whose atoms must have numbers."""
        self.store.clear(np.array(self._outs, dtype=np.int32))
        self.store.run([self._block])
        return [Instances(c.rule, self.store.rows(out)) for c, out in zip(self.clauses, self._outs, strict=True)]
