"""Relations that do not depend on the state, computed completely."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scsp_player.gdl.errors import GdlError
from scsp_player.grounding import simplify_kernels as kernels
from scsp_player.grounding.atoms import atom_terms, atoms_of, number_atoms
from scsp_player.grounding.budget import EndlessTerms
from scsp_player.grounding.clauses import Clause, Kind, Part
from scsp_player.grounding.components import evaluation_order
from scsp_player.grounding.evaluation import Statistics, component_block
from scsp_player.grounding.instances import instantiate
from scsp_player.grounding.negative_cycle import refuse_negative_cycle
from scsp_player.grounding.rulebase import Component, Rulebase, components
from scsp_player.grounding.simplification import Simplifier, collect


def evaluate_static(rules: Rulebase, statistics: Statistics) -> None:
    """Compute all relations that do not depend on the state, negation included.

    Raises:
        GdlError: if a relation depends on its own negation in a way that decides nothing, or grows without end.
    """
    static = [c for c in rules.clauses if c.relation not in rules.dynamic]
    defined = {c.relation for c in static}
    read = {p.relation for c in rules.clauses for p in c.body if p.kind is not Kind.DIFFER}
    for relation in (rules.schema.names.keys() | read) - rules.dynamic - defined:
        rules.store.finish(relation)
    for component in components(static):
        statistics.unknown.update(component.relations)
        try:
            evaluate_component(rules, component, statistics)
        except EndlessTerms as error:
            name = rules.name_of(component.relations[0])[0]
            rule = next((c.rule for c in component.clauses if c.rule is not None), None)
            raise GdlError(
                f"recursion restriction violated at {name}: its terms grow without end",
                rule.position if rule else None,
                "bind the arguments of a recursive condition by a relation that is not part of the recursion",
            ) from error
        statistics.unknown.difference_update(component.relations)


def evaluate_component(rules: Rulebase, component: Component, statistics: Statistics) -> None:
    """Compute the relations of one component, whose lower relations are complete."""
    if not component.negative:
        rules.store.run([component_block(rules.store, component, statistics.matches, lambda part: True)])
        return
    inside = frozenset(component.relations)

    def tested(part: Part) -> bool:
        return part.kind is not Kind.NEGATIVE or part.relation not in inside

    rules.store.run([component_block(rules.store, component, statistics.matches, tested)])
    statistics.unknown.difference_update(inside)
    decide(rules, component, statistics)


def decide(rules: Rulebase, component: Component, statistics: Statistics) -> None:
    """Keep those of a component's possible atoms that hold, found on its ground rules (well-founded model).

    Raises:
        GdlError: if an atom depends on its own negation.
    """
    store = rules.store
    inside = frozenset(component.relations)
    atoms = number_atoms(store, component.relations)
    marked = [_recording(clause, inside) for clause in component.clauses]
    instances = instantiate(store, marked, inside, statistics)
    simplifier = Simplifier(collect(instances), atoms, np.zeros(atoms, dtype=np.bool_))
    simplifier.remove_unfounded(np.full(atoms, -1, dtype=np.int32), np.zeros(0, dtype=np.int32))
    if (simplifier.value == kernels.UNKNOWN).any():
        number = np.where(simplifier.value == kernels.UNKNOWN, np.arange(atoms), -1).astype(np.int32)
        kept = simplifier.renumbered(number)
        head_start = np.searchsorted(kept.head, np.arange(atoms + 1)).astype(np.int64)
        offending = evaluation_order(head_start, kept.head, kept.start, kept.body)[3]
        names = atom_terms(rules, component.relations, np.arange(atoms, dtype=np.int32))
        refuse_negative_cycle(store.table(), names, kept, head_start, offending, [i.rule for i in instances])
    for relation in component.relations:
        rows = store.rows(relation)[simplifier.value[atoms_of(store, relation)] == kernels.HOLDS]
        store.reset(relation)
        store.fill(relation, rows)
        store.finish(relation)


def _recording(clause: Clause, inside: frozenset[int]) -> Clause:
    return replace(clause, body=tuple(replace(p, recorded=p.relation in inside) for p in clause.body))
