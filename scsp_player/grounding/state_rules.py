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

    def __init__(self, program: Program, budget: Budget, *, restricted: bool = False) -> None:
        """Compile the rules of a program.

        Args:
            program: a normalised rule sheet.
            budget: for the static relations and the evaluation of the initial state.
            restricted: compute derived relations only for what is asked for (see ``demand``).
        """
        self.program = program
        self.store = Store(budget)
        self._statistics = Statistics(self.store)
        self.rules = prepared_rules(program, self.store, self._statistics, restricted=restricted)
        if restricted:
            self.rules.restrict(self._statistics.matches, positive=True)
        order = components([*self.rules.clauses, *self.rules.demand_clauses])
        self._true, self._does = self.rules.relation(TRUE), self.rules.relation(DOES)
        self._stage_of = {r: i for i, c in enumerate(order) for r in c.relations}
        self._lower = self._direct(order)
        self._needs: dict[int, list[int]] = {}
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

    def _direct(self, order: list[Component]) -> list[set[int]]:
        """For every stage the other stages that it reads, all of which come before it."""
        lower: list[set[int]] = []
        for i, component in enumerate(order):
            read = {p.relation for c in component.clauses for p in c.body if p.kind is not Kind.DIFFER}
            lower.append({self._stage_of[r] for r in read if r in self._stage_of} - {i})
        return lower

    def _needed(self, stage: int) -> list[int]:
        """The stages that a stage needs, itself last, in order of evaluation; kept, since few stages are ever asked for."""
        found = self._needs.get(stage)
        if found is None:
            seen = {stage}
            stack = [stage]
            while stack:
                new = self._lower[stack.pop()] - seen
                seen |= new
                stack.extend(new)
            found = self._needs[stage] = sorted(seen)
        return found

    def _reading(self, order: list[Component], relation: int) -> frozenset[int]:
        """The stages that depend on a relation."""
        found: set[int] = set()
        for i, component in enumerate(order):
            bodies = (c.body for c in component.clauses)
            reads = any(p.relation == relation for body in bodies for p in body if p.kind is not Kind.DIFFER)
            if reads or not self._lower[i].isdisjoint(found):
                found.add(i)
        return frozenset(found)

    def _compile(self, order: list[Component]) -> list[Stage]:
        """Compile the components one after the other, evaluating each on the initial state with the first legal moves."""
        store = self.store
        for relation in (self._true, self._does):
            store.fill(relation, np.zeros((0, store.columns(relation)), dtype=np.int32))
        store.fill(self._true, self.rows(INIT))
        store.finish(self._true)
        legal = self._stage_of.get(self.rules.relation(LEGAL), -1)
        if legal in self._after_moves:  # what is asked for may depend on moves; legal moves themselves do not
            stages = [self._evaluated_stage(order[i]) for i in self._needed(legal)]
            store.fill(self._does, self._first_moves())
            store.clear(np.concatenate([stage.relations for stage in stages]))
        found: dict[int, Stage] = {}
        for i in sorted(range(len(order)), key=lambda i: (i in self._after_moves, i)):
            if i in self._after_moves and not store.count(self._does):
                store.fill(self._does, self._first_moves())
            store.finish(self._does)
            found[i] = self._evaluated_stage(order[i])
        return [found[i] for i in range(len(order))]

    def _evaluated_stage(self, component: Component) -> Stage:
        """Compile a component, whose lower ones are evaluated, and evaluate it."""
        store, statistics = self.store, self._statistics
        statistics.unknown.update(component.relations)
        inside = frozenset(component.relations) if component.negative else frozenset()

        def tested(part: Part) -> bool:
            return part.kind is not Kind.NEGATIVE or part.relation not in inside

        plans = component_plans(store, component, statistics.matches, tested)
        store.run([block(store, plans.once, component.relations, plans.triggers)])
        statistics.unknown.difference_update(component.relations)
        decision = Decision(self.rules, component, statistics) if component.negative else None
        if decision is not None:
            decision.decide()
        return Stage(component, plans, decision, store.with_views(component.relations))

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
            for i in self._needed(stage):
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


