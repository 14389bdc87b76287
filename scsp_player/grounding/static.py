"""Relations that do not depend on the state, computed completely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.program import Program
from scsp_player.grounding.budget import EndlessTerms, TrialOver
from scsp_player.grounding.clauses import Clause, Kind, Part
from scsp_player.grounding.decision import Decision
from scsp_player.grounding.evaluation import Statistics, component_block
from scsp_player.grounding.rulebase import Component, Rulebase, components
from scsp_player.grounding.store import Store

DEEPEST_TERM: Final = 5000
"""Terms nested deeper than the sheet's own by this much are taken for a recursion that does not end."""

PATIENCE: Final = 3_000_000
"""Steps after which a static relation is rather computed for what is asked for."""


def prepared_rules(program: Program, store: Store, statistics: Statistics, *, restricted: bool) -> Rulebase:
    """The rules of a program with static relations complete and long bodies split.

    If the rules are to be ``restricted`` later, static relations that take more than ``PATIENCE`` steps are left to that.

    Raises:
        GdlError: if a rule is unsafe, a relation depends on its own negation in a way that decides nothing, or grows without end.
    """
    rules = Rulebase(program, store)
    # No term of the sheet is nested deeper than it is long.
    written = max((len(c.tokens) for c in (*rules.static, *rules.clauses)), default=0)
    store.bound_depth(DEEPEST_TERM + written)
    rules.split_static(statistics.matches)
    large = evaluate_static(rules, rules.static, statistics, PATIENCE if restricted else None)
    rules.postpone(large)
    evaluate_static(rules, rules.split_dynamic(statistics.matches), statistics, None)
    return rules


def evaluate_static(rules: Rulebase, clauses: Sequence[Clause], statistics: Statistics, patience: int | None) -> set[int]:
    """Compute the static relations that the clauses define, negation included.

    Returns the relations that are left empty because they, or what they read, take more than ``patience`` steps.
    """
    store = rules.store
    defined = {c.relation for c in (*rules.static, *clauses)}
    read = {p.relation for c in (*clauses, *rules.clauses) for p in c.body if p.kind is not Kind.DIFFER}
    for relation in (rules.schema.names.keys() | read) - rules.dynamic - defined:
        store.finish(relation)
    large: set[int] = set()
    for component in components(clauses):
        statistics.unknown.update(component.relations)
        if any(p.relation in large for c in component.clauses for p in c.body):
            large.update(component.relations)
            continue
        with store.budget.part(1 << 61 if patience is None else patience, 4 * len(store.heap)):
            try:
                _evaluate_finite(rules, component, statistics)
            except TrialOver:
                store.abandon()
                store.clear(store.with_views(component.relations))
                large.update(component.relations)
                continue
        statistics.unknown.difference_update(component.relations)
    store.budget.check()
    return large


def _evaluate_finite(rules: Rulebase, component: Component, statistics: Statistics) -> None:
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
    Decision(rules, component, statistics).decide()
