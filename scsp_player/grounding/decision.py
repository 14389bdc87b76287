"""Components that depend on their own negation, decided on their ground rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scsp_player.grounding import simplify_kernels as kernels
from scsp_player.grounding.atoms import atom_terms, atoms_of, number_atoms
from scsp_player.grounding.clauses import Clause, Kind, Part
from scsp_player.grounding.components import evaluation_order
from scsp_player.grounding.evaluation import Statistics, block
from scsp_player.grounding.instances import Recording
from scsp_player.grounding.negative_cycle import refuse_negative_cycle
from scsp_player.grounding.planning import deriving_plan
from scsp_player.grounding.rulebase import Component, Rulebase
from scsp_player.grounding.simplification import Simplifier, collect


class Decision:
    """Finds which of a component's possible atoms hold (well-founded model), as often as asked.

    The plans that record the ground rules are compiled once; the component's relations must hold the possible atoms, those found
    with its own negations counted as possible, and all lower relations must be complete.
    """

    def __init__(self, rules: Rulebase, component: Component, statistics: Statistics) -> None:
        store = rules.store
        self.rules = rules
        self.relations = component.relations
        inside = frozenset(component.relations)
        marked = [replace(c, body=tuple(replace(p, recorded=p.relation in inside) for p in c.body)) for c in component.clauses]
        self._recording = Recording(store, marked, inside, statistics)
        self._kept = {r: store.relation(store.columns(r), keyed=False) for r in self.relations}
        self._copies: list[int] = []
        for relation, kept in self._kept.items():
            columns = tuple(range(store.columns(relation)))
            part = Part(Kind.POSITIVE, kept, columns)
            copy = Clause(relation, columns, (part,), len(columns))
            self._copies.append(deriving_plan(store, copy, (part,), statistics.matches))
        self.refresh()

    def refresh(self) -> None:
        """Take notice of views that were made since."""
        self._relations = self.rules.store.with_views(self.relations)
        self._block = block(self.rules.store, self._copies, self.relations, {})

    def decide(self) -> None:
        """Keep the atoms that hold.

        Raises:
            GdlError: if an atom depends on its own negation.
        """
        store = self.rules.store
        atoms = number_atoms(store, self.relations)
        instances = self._recording.instances()
        simplifier = Simplifier(collect(instances), atoms, np.zeros(atoms, dtype=np.bool_))
        simplifier.remove_unfounded(np.full(atoms, -1, dtype=np.int32), np.zeros(0, dtype=np.int32))
        if (simplifier.value == kernels.UNKNOWN).any():
            number = np.where(simplifier.value == kernels.UNKNOWN, np.arange(atoms), -1).astype(np.int32)
            undecided = simplifier.renumbered(number)
            head_start = np.searchsorted(undecided.head, np.arange(atoms + 1)).astype(np.int64)
            offending = evaluation_order(head_start, undecided.head, undecided.start, undecided.body)[3]
            table, names = atom_terms(store.table(), self.rules, self.relations, np.arange(atoms, dtype=np.int32))
            refuse_negative_cycle(table, names, undecided, head_start, offending, [i.rule for i in instances])
        for relation, kept in self._kept.items():
            rows = store.rows(relation)[simplifier.value[atoms_of(store, relation)] == kernels.HOLDS]
            store.clear(np.array([kept], dtype=np.int32))
            store.fill(kept, rows)
            store.finish(kept)
        store.clear(self._relations)
        store.run([self._block])
