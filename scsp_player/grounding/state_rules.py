"""The compiled rules of a game, evaluated on the state and the moves that are set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.program import Program
from scsp_player.grounding.budget import Budget
from scsp_player.grounding.clauses import Kind, Part
from scsp_player.grounding.decision import Decision
from scsp_player.grounding.evaluation import Plans, Statistics, block, component_plans
from scsp_player.grounding.rulebase import DOES, INIT, LEGAL, TRUE, Component, components
from scsp_player.grounding.static import prepared_rules
from scsp_player.grounding.store import Store

IntArray = NDArray[np.int32]


@dataclass(slots=True)
class Stage:
    """A component of state-dependent relations, compiled.

    Attributes:
        relations: its relations and their views.
        block: code that evaluates it.
        decision: what remains to be decided if it depends on its own negation.
    """

    component: Component
    plans: Plans
    decision: Decision | None
    relations: IntArray
    block: int = -1


class StateRules:
    """Evaluates relations on demand; what is evaluated stays so until the state or the moves change.

    Plans are made for the initial state: each component is compiled when those that it reads have been evaluated there, so that
    the join orders fit the real sizes.
    """

    def __init__(self, program: Program, budget: Budget) -> None:
        self.program = program
        self.store = Store(budget)
        self._statistics = Statistics(self.store)
        self.rules = prepared_rules(program, self.store, self._statistics)
        order = components(self.rules.clauses)
        self._true, self._does = self.rules.relation(TRUE), self.rules.relation(DOES)
        self._stage_of = {r: i for i, c in enumerate(order) for r in c.relations}
        self._needs = self._closures(order)
        self._after_moves = self._reading(order, self._does)
        self._evaluated: set[int] = set()
        self._stages = self._compile(order)
        self._inputs: dict[int, tuple[IntArray, int]] = {}
        for relation in (self._true, self._does):
            self._inputs[relation] = self.store.with_views([relation]), block(self.store, (), [relation], {})
        for stage in self._stages:
            stage.relations = self.store.with_views(stage.component.relations)
            stage.block = block(self.store, stage.plans.once, stage.component.relations, stage.plans.triggers)
            if stage.decision is not None:
                stage.decision.refresh()
        self._clear(range(len(self._stages)))

    def _closures(self, order: list[Component]) -> list[list[int]]:
        """For every stage the stages that it needs, itself last, in order of evaluation."""
        needs: list[list[int]] = []
        for i, component in enumerate(order):
            read = {p.relation for c in component.clauses for p in c.body if p.kind is not Kind.DIFFER}
            lower = {self._stage_of[r] for r in read if r in self._stage_of} - {i}
            needs.append(sorted({i}.union(*(needs[j] for j in lower))))
        return needs

    def _reading(self, order: list[Component], relation: int) -> frozenset[int]:
        """The stages that depend on a relation."""
        direct = {
            i
            for i, component in enumerate(order)
            if any(p.relation == relation for c in component.clauses for p in c.body if p.kind is not Kind.DIFFER)
        }
        return frozenset(i for i, needed in enumerate(self._needs) if direct & set(needed))

    def _compile(self, order: list[Component]) -> list[Stage]:
        """Compile the components one after the other, evaluating each on the initial state with the first legal moves."""
        store = self.store
        for relation in (self._true, self._does):
            store.fill(relation, np.zeros((0, store.columns(relation)), dtype=np.int32))
        store.fill(self._true, self.rows(INIT))
        store.finish(self._true)
        stages: list[Stage] = []
        pending = sorted(range(len(order)), key=lambda i: (i in self._after_moves, i))
        moved = False
        for i in pending:
            component = order[i]
            if i in self._after_moves and not moved:
                moved = True
                store.fill(self._does, self._first_moves())
                store.finish(self._does)
            self._statistics.unknown.update(component.relations)
            inside = frozenset(component.relations) if component.negative else frozenset()

            def tested(part: Part, inside: frozenset[int] = inside) -> bool:
                return part.kind is not Kind.NEGATIVE or part.relation not in inside

            plans = component_plans(store, component, self._statistics.matches, tested)
            store.run([block(store, plans.once, component.relations, plans.triggers)])
            self._statistics.unknown.difference_update(component.relations)
            decision = Decision(self.rules, component, self._statistics) if component.negative else None
            if decision is not None:
                decision.decide()
            stages.append(Stage(component, plans, decision, store.with_views(component.relations)))
        by_number = dict(zip(pending, stages, strict=True))
        return [by_number[i] for i in range(len(order))]

    def _first_moves(self) -> IntArray:
        legal = self.rows(LEGAL)
        roles = self.store.rows(self.rules.roles)[:, 0]
        first = [legal[legal[:, 0] == role][:1] for role in roles]
        return np.concatenate([np.zeros((0, 2), dtype=np.int32), *first])

    def rows(self, name: tuple[str, int]) -> IntArray:
        """The rows of a relation as they stand."""
        return self.store.rows(self.rules.relation(name))

    def set_state(self, fluents: IntArray) -> None:
        """Go to the state with these fluents (term identifiers, all different); no moves are done."""
        self._clear(self._evaluated)
        self._set_input(self._true, fluents.reshape(-1, 1))
        self._set_input(self._does, np.zeros((0, 2), dtype=np.int32))

    def set_moves(self, moves: IntArray) -> None:
        """Let the roles do these moves, int32[n, 2], in the state that is set."""
        self._clear(self._evaluated & self._after_moves)
        self._set_input(self._does, moves)

    def _set_input(self, relation: int, rows: IntArray) -> None:
        relations, absorb = self._inputs[relation]
        self.store.clear(relations)
        self.store.fill(relation, rows)
        self.store.run([absorb])

    def _clear(self, stages: set[int] | range | frozenset[int]) -> None:
        touched = [self._stages[i].relations for i in stages]
        if touched:
            self.store.clear(np.concatenate(touched))
        self._evaluated = self._evaluated - set(stages)

    def answers(self, name: tuple[str, int]) -> IntArray:
        """The rows of a relation in the state, evaluated if they are not yet."""
        relation = self.rules.relation(name)
        stage = self._stage_of.get(relation)
        if stage is not None:
            blocks: list[int] = []
            for i in self._needs[stage]:
                if i in self._evaluated:
                    continue
                self._evaluated.add(i)
                blocks.append(self._stages[i].block)
                decision = self._stages[i].decision
                if decision is not None:
                    self.store.run(blocks)
                    blocks = []
                    decision.decide()
            if blocks:
                self.store.run(blocks)
        return self.store.rows(relation)


