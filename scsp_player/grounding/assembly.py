"""From simplified ground rules to a ``GroundGame``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.scores import score_of
from scsp_player.grounding import simplify_kernels as kernels
from scsp_player.grounding.atoms import atom_terms, atoms_of
from scsp_player.grounding.components import evaluation_order
from scsp_player.grounding.ground_game import FALSE, GroundGame
from scsp_player.grounding.negative_cycle import refuse_negative_cycle
from scsp_player.grounding.pairs import pairs, position_in
from scsp_player.grounding.printed_order import printed_order
from scsp_player.grounding.rulebase import DOES, GOAL, INIT, LEGAL, NEXT, SEES, TERMINAL, TRUE, Rulebase
from scsp_player.grounding.simplification import Simplifier
from scsp_player.grounding.term_table import TermTable

IntArray = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Numbered:
    """The rows of a relation whose atoms may hold: terms of the columns, and old numbers of the atoms."""

    rows: IntArray
    atoms: IntArray


class Assembler:
    """Builds the game; a throw-away object that keeps the intermediate results."""

    def __init__(self, rules: Rulebase, simplifier: Simplifier, *, check_cycles: bool) -> None:
        self.rules = rules
        self.store = rules.store
        self.simplifier = simplifier
        self.check_cycles = check_cycles
        self.number = np.full(len(simplifier.value), -1, dtype=np.int32)

    def possible(self, name: tuple[str, int]) -> Numbered:
        """The atoms of a relation that do not fail in all states; of a static relation with atoms -1."""
        relation = self.rules.relation(name)
        rows = self.store.rows(relation)
        if relation not in self.rules.dynamic:
            return Numbered(rows, np.full(len(rows), -1, dtype=np.int32))
        atoms = atoms_of(self.store, relation)
        keep = self.simplifier.value[atoms] != kernels.FAILS
        return Numbered(rows[keep], atoms[keep])

    def literals(self, atoms: IntArray) -> IntArray:
        """New literals of old atoms; constants for decided ones (-1 is TRUE)."""
        return np.where((atoms < 0) | (self.simplifier.value[atoms] == kernels.HOLDS), 0, 2 * self.number[atoms]).astype(np.int32)

    def game(self) -> GroundGame:
        """The assembled game.

        Raises:
            GdlError: if an atom depends on its own negation.
        """
        true, does, following, legal = map(self.possible, (TRUE, DOES, NEXT, LEGAL))
        goal, sees, terminal = map(self.possible, (GOAL, SEES, TERMINAL))
        roles = np.array([self.store.symbol(r) for r in self.rules.program.roles], dtype=np.int32)
        role_index = np.full(self.store.terms(), -1, dtype=np.int32)
        role_index[roles] = np.arange(len(roles), dtype=np.int32)
        goal, sees = (Numbered(n.rows[k], n.atoms[k]) for n in (goal, sees) for k in [role_index[n.rows[:, 0]] >= 0])
        table = self.store.table()
        goal, goal_value = self._scores(goal, table)
        fluent_order = printed_order(table, true.rows[:, 0])
        move_order = printed_order(table, does.rows[:, 1])
        move_order = move_order[np.argsort(role_index[does.rows[move_order, 0]], kind="stable")]
        fluents, moves = true.atoms[fluent_order], does.atoms[move_order]

        outputs = [n.atoms[n.atoms >= 0] for n in (following, legal, goal, sees, terminal)]
        derived = self._number(fluents, moves, np.concatenate(outputs))
        kept = self.simplifier.renumbered(np.where(self.simplifier.value == kernels.UNKNOWN, self.number, -1).astype(np.int32))
        atoms = 1 + len(fluents) + len(moves) + len(derived)
        head_start = np.searchsorted(kept.head, np.arange(atoms + 1)).astype(np.int64)
        start, order, cyclic, offending = evaluation_order(head_start, kept.head, kept.start, kept.body)
        old = np.concatenate([fluents, moves, derived])
        named = self.rules.dynamic - self.rules.demand_relations
        table, term_of_atom = atom_terms(table, self.rules, named, old)
        atom_term = np.concatenate([np.array([-1], dtype=np.int32), term_of_atom])
        if len(offending):
            sources = [clause.rule for clause in self.rules.clauses]
            refuse_negative_cycle(table, atom_term, kept, head_start, offending, sources)

        next_of = np.full(len(role_index), FALSE, dtype=np.int32)
        next_of[following.rows[:, 0]] = self.literals(following.atoms)
        initial = np.zeros(len(role_index), dtype=np.bool_)
        initial[self.possible(INIT).rows[:, 0]] = True
        legal_literal = self._legal_literals(legal, does, move_order)
        goal_role, sees_role = role_index[goal.rows[:, 0]], role_index[sees.rows[:, 0]]
        goal_order = np.lexsort([goal_value, goal_role])
        sees_order = printed_order(table, sees.rows[:, 1])
        sees_order = sees_order[np.argsort(sees_role[sees_order], kind="stable")]
        ids = [true.rows[fluent_order, 0], does.rows[move_order, 1], sees.rows[sees_order, 1], atom_term[1:]]
        terms, (fluent_term, move_term, percept_term, atom_ids) = restricted(table, ids)
        terminal_literal = int(self.literals(terminal.atoms)[0]) if len(terminal.atoms) else FALSE
        return GroundGame(
            source=self.rules.program.source,
            roles=self.rules.program.roles,
            terms=terms,
            atom_term=np.concatenate([np.array([-1], dtype=np.int32), atom_ids]),
            rule_head=kept.head,
            rule_start=kept.start,
            rule_body=kept.body,
            head_start=head_start,
            fluent_term=fluent_term,
            fluent_atom=self.number[fluents],
            next_literal=next_of[true.rows[fluent_order, 0]],
            initial=initial[true.rows[fluent_order, 0]],
            role_start=np.searchsorted(role_index[does.rows[move_order, 0]], np.arange(len(roles) + 1)).astype(np.int32),
            move_term=move_term,
            does_atom=self.number[moves],
            legal_literal=legal_literal,
            goal_role=goal_role[goal_order],
            goal_value=goal_value[goal_order],
            goal_literal=self.literals(goal.atoms[goal_order]),
            percept_role=sees_role[sees_order],
            percept_term=percept_term,
            percept_literal=self.literals(sees.atoms[sees_order]),
            terminal_literal=terminal_literal,
            component_start=start,
            component_atoms=order,
            component_cyclic=cyclic,
        )

    def _number(self, fluents: IntArray, moves: IntArray, outputs: IntArray) -> IntArray:
        """Give new numbers to inputs and to the derived atoms that are kept; returns the latter's old numbers."""
        unknown = self.simplifier.value == kernels.UNKNOWN
        inputs = np.concatenate([fluents, moves])
        kept = unknown if self.check_cycles else self.simplifier.needed(outputs.astype(np.int32))
        self.number[inputs] = 1 + np.arange(len(inputs), dtype=np.int32)
        derived = np.flatnonzero(kept & (self.number < 0)).astype(np.int32)
        self.number[derived] = 1 + len(inputs) + np.arange(len(derived), dtype=np.int32)
        return derived

    def _legal_literals(self, legal: Numbered, does: Numbered, move_order: NDArray[np.intp]) -> IntArray:
        """The literal of ``legal`` for every move, found by the pair (role, move)."""
        place = position_in(pairs(legal.rows), pairs(does.rows[move_order]))
        return self.literals(legal.atoms[place])

    def _scores(self, goal: Numbered, table: TermTable) -> tuple[Numbered, IntArray]:
        """The goals whose values are numbers, and the numbers; a value of another kind is no score."""
        scores = [score_of(table.term(int(t))) for t in goal.rows[:, 1]]
        numbers = np.array([s is not None for s in scores], dtype=np.bool_)
        values = np.array([s for s in scores if s is not None], dtype=np.int32)
        return Numbered(goal.rows[numbers], goal.atoms[numbers]), values


def restricted(table: TermTable, groups: Sequence[IntArray]) -> tuple[TermTable, list[IntArray]]:
    """The part of a table that the given identifiers need, and the identifiers in it."""
    needed = np.zeros(len(table), dtype=np.bool_)
    for group in groups:
        needed[group] = True
    needed = kernels.with_subterms(needed, table.argument_start, table.arguments)
    number = (np.cumsum(needed) - 1).astype(np.int32)
    names, functor = np.unique(table.functor[needed], return_inverse=True)
    arity = np.diff(table.argument_start)
    start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(arity[needed])])
    arguments = number[table.arguments[np.repeat(needed, arity)]]
    small = TermTable(tuple(table.names[n] for n in names), functor.astype(np.int32), start, arguments)
    return small, [number[group] for group in groups]


