"""Least fixpoints of components of clauses in a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from scsp_player.grounding.clauses import Kind, Part
from scsp_player.grounding.join_order import Matches
from scsp_player.grounding.planning import deriving_plan
from scsp_player.grounding.rulebase import Component
from scsp_player.grounding.store import Store


class Statistics:
    """Estimates of how many rows of a relation agree with given values in some columns.

    Attributes:
        unknown: relations that are not complete yet; they count as ``guess`` rows, and their views too. Estimates of the others are
            made once.
    """

    def __init__(self, store: Store, guess: float = 1000.0) -> None:
        self.store = store
        self.guess = guess
        self.unknown: set[int] = set()
        self._known: dict[tuple[int, tuple[int, ...]], float] = {}
        self._distinct: dict[int, list[float]] = {}

    def matches(self, r: int, columns: tuple[int, ...]) -> float:
        """Estimated number of rows of ``r`` with given values in ``columns``, all values taken as equally frequent."""
        if self.store.source_of.get(r, r) in self.unknown:
            width = self.store.columns(r)
            return self.guess ** (1.0 - len(columns) / width) if width else 1.0
        found = self._known.get((r, columns))
        if found is None:
            found = self._known[r, columns] = self._estimate(r, columns)
        return found

    def _estimate(self, r: int, columns: tuple[int, ...]) -> float:
        self.store.refresh(self.store.source_of.get(r, r))
        estimate = float(self.store.count(r))
        if not columns or not estimate:
            return estimate
        distinct = self._distinct.get(r)
        if distinct is None:
            rows = self.store.rows(r)
            width = self.store.columns(r)
            distinct = self._distinct[r] = [float(np.count_nonzero(np.bincount(rows[:, c]))) for c in range(width)]
        for column in columns:
            estimate /= distinct[column]
        return estimate


@dataclass(frozen=True, slots=True)
class Plans:
    """The compiled clauses of a component: plans to run once, and plans by the relation or view whose rows trigger them."""

    once: tuple[int, ...]
    triggers: dict[int, list[int]]


def component_plans(store: Store, component: Component, matches: Matches, tested: Callable[[Part], bool]) -> Plans:
    """Compile the clauses of a component; parts that are not ``tested`` are left out."""
    inside = set(component.relations)
    once: list[int] = []
    triggers: dict[int, list[int]] = {}
    for clause in component.clauses:
        parts = [p for p in clause.body if tested(p)]
        recursive = [p for p in parts if p.kind is Kind.POSITIVE and p.relation in inside]
        if not recursive:
            once.append(deriving_plan(store, clause, parts, matches))
        for part in recursive:
            plan = deriving_plan(store, clause, parts, matches, part)
            triggers.setdefault(store.access(part.relation, part.tokens)[0], []).append(plan)
    return Plans(tuple(once), triggers)


def component_block(store: Store, component: Component, matches: Matches, tested: Callable[[Part], bool]) -> int:
    """Compile the clauses of a component into a block for ``Store.run``."""
    plans = component_plans(store, component, matches, tested)
    return block(store, plans.once, component.relations, plans.triggers)


def block(store: Store, once: Iterable[int], relations: Iterable[int], triggers: dict[int, list[int]]) -> int:
    """Write a block: plans to run once, then the relations (their views join in) with the plans that their rows trigger."""
    entries: list[int] = []
    for relation in relations:
        for r in (relation, *store.views_of(relation)):
            plans = triggers.get(r, [])
            entries.append(store.emit_code([r, len(plans), *plans]))
    plans = list(once)
    return store.emit_code([len(plans), *plans, len(entries), *entries])

