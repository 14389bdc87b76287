"""The atoms of a game as functions of the network's variables, made when they are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE as FALSE_LITERAL
from scsp_player.grounding.ground_game import TRUE as TRUE_LITERAL
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network.acyclic import AcyclicRules
from scsp_player.network.circuit import Circuit
from scsp_player.network.csr import distinct, ranges
from scsp_player.network.functions import FALSE, TRUE, Function, Rules, cells
from scsp_player.network.naming import identifier, words_of
from scsp_player.network.rules import MoveRules
from scsp_player.network.value_sets import Values, merge_values

INLINE_CELLS = 64
INLINE_COLUMNS = 4
"""An atom used once is no variable of its own if its function has at most that many cells and columns."""

MANY_RULES = 256
"""Of so many rules of an atom those are put together that differ in the value of one variable."""

SPLIT_LITERALS = 3
"""A conjunction with several uses is taken apart, where that is possible, if it is at most that long."""


class Formulas:
    """Functions of atoms; the functions of the inputs are given with ``give``."""

    def __init__(self, game: GroundGame, rules: AcyclicRules, merged: MoveRules, circuit: Circuit) -> None:
        self._game = game
        self._rules = rules
        self._merged = merged
        self._circuit = circuit
        self._functions: dict[int, Function] = {}
        self._built = np.zeros(rules.atoms, dtype=np.bool_)
        self._met = np.zeros(rules.atoms, dtype=np.bool_)
        self.give(0, TRUE)
        self._value_of: dict[int, tuple[int, int]] = {}
        self._value_sets: dict[tuple[int, frozenset[int]], Function] = {}
        self._sets: list[list[Function | None]] = [[None] * len(sets) for sets in merged.sets]
        self._actions: list[int] = []
        self._move_of = np.full(rules.atoms, -1, dtype=np.int64)
        self._move_of[game.does_atom] = np.arange(game.moves)
        self._position = np.zeros(rules.atoms, dtype=np.int64)
        self._position[rules.order] = np.arange(len(rules.order))

    def give(self, atom: int, function: Function) -> None:
        """The function of an input, or a replacement for that of a derived atom."""
        self._functions[atom] = function
        self._built[atom] = True

    def give_value(self, atom: int, variable: int, value: int) -> None:
        """The atom holds exactly if the variable has the value."""
        self.give(atom, self._circuit.builder.one_of(variable, [value]))
        self._value_of[atom] = (variable, value)

    def give_actions(self, variables: list[int]) -> None:
        """The move variable of every role."""
        self._actions = variables
        self._built[self._game.does_atom] = True

    def function(self, literal: int) -> Function:
        """The function of a literal; auxiliary variables are made on the way where they are needed."""
        if literal in (TRUE_LITERAL, FALSE_LITERAL):
            return TRUE if literal == TRUE_LITERAL else FALSE
        atom = literal >> 1
        if not self._built[atom]:
            self._build([atom])
        return self._known(literal)

    def rules(self, literal: int) -> Rules:
        """The literal's rules with the functions of their conditions (one rule for a literal that is no derived atom)."""
        atom = literal >> 1
        if literal & 1 or literal == TRUE_LITERAL or self._built[atom] or not self._derived(atom):
            return [[self.function(literal)]]
        self._build(sorted({int(b) >> 1 for b in self._bodies(atom)}))
        return self._conditions(atom)

    def conjuncts(self, literal: int) -> list[Function]:
        """Functions that hold together exactly if the literal holds; none of them depends on more than it must."""
        result: list[Function] = []
        stack = [literal]
        while stack:
            current = stack.pop()
            parts = self._parts(current)
            if parts is None:
                result.append(self.function(current))
            else:
                stack.extend(parts)
        return result

    def _parts(self, literal: int) -> list[int] | None:
        """Literals whose conjunction is this literal, if its definition is of that form."""
        atom = literal >> 1
        if literal <= FALSE_LITERAL or self._built[atom] or not self._derived(atom):
            return None
        merged = self._merged
        first, last = int(merged.head_start[atom]), int(merged.head_start[atom + 1])
        if (merged.moves[first:last] >= 0).any():
            return None
        bodies = merged.body[merged.body_start[first] : merged.body_start[last]]
        if not literal & 1:
            parts = bodies.tolist() if last - first == 1 else None
        else:
            parts = (bodies ^ 1).tolist() if len(bodies) == last - first else None
        if parts is not None and len(parts) > SPLIT_LITERALS and merged.uses[atom] > 1:
            return None
        return parts

    def name(self, atom: int) -> str:
        """Words for the name of a variable of an atom."""
        term = self._game.terms.term(int(self._game.atom_term[self._rules.original[atom]]))
        number = int(self._rules.number[atom])
        return identifier("", words_of(term)).lstrip("_") + (f"_step_{number}" if number else "")

    def _derived(self, atom: int) -> bool:
        return bool(self._merged.head_start[atom] < self._merged.head_start[atom + 1])

    def _bodies(self, atom: int) -> NDArray[np.int32]:
        merged = self._merged
        return merged.body[merged.body_start[merged.head_start[atom]] : merged.body_start[merged.head_start[atom + 1]]]

    def _build(self, atoms: Iterable[int]) -> None:
        """Make the functions of atoms and of everything below them, in order of evaluation."""
        merged = self._merged
        parts: list[NDArray[np.int32]] = []
        frontier = np.array([a for a in atoms if not self._built[a]], dtype=np.int32)
        while len(frontier):
            parts.append(frontier)
            self._met[frontier] = True
            first, last = merged.body_start[merged.head_start[frontier]], merged.body_start[merged.head_start[frontier + 1]]
            below = merged.body[ranges(first, last)] >> 1
            frontier = distinct(below[~self._met[below] & ~self._built[below]])
        if not parts:
            return
        missing = np.concatenate(parts)
        self._met[missing] = False
        for atom in missing[np.argsort(self._position[missing], kind="stable")].tolist():
            self._circuit.builder.deadline.check()
            self.give(atom, self._define(atom))

    def _define(self, atom: int) -> Function:
        if not self._derived(atom):
            return FALSE
        name = self.name(atom)
        function = self._circuit.rules(self._conditions(atom), name)
        if len(function.axes) <= 1:
            return function
        if self._merged.uses[atom] <= 1 and len(function.axes) <= INLINE_COLUMNS and cells(function.axes) <= INLINE_CELLS:
            return function
        return self._circuit.boolean(function, name)

    def _conditions(self, atom: int) -> list[list[Function]]:
        rules = range(int(self._merged.head_start[atom]), int(self._merged.head_start[atom + 1]))
        if len(rules) < MANY_RULES:
            return [[*map(self._known, self._body(rule)), *self._moves_of(rule)] for rule in rules]
        alike: dict[tuple[object, ...], list[Values]] = defaultdict(list)
        first: dict[tuple[object, ...], tuple[list[int], int]] = {}
        for rule in rules:
            body = self._body(rule)
            values = sorted((self._value_of[x >> 1], x) for x in body if not x & 1 and x >> 1 in self._value_of)
            variables = tuple(variable for (variable, _), _ in values)
            if len(set(variables)) < len(variables):
                continue  # two values of one variable: never
            chosen = {x for _, x in values}
            others = [x for x in body if x not in chosen]
            key = (variables, *others, *self._merged.moves[rule].tolist())
            alike[key].append(tuple(frozenset({value}) for (_, value), _ in values))
            first.setdefault(key, (others, rule))
        result: list[list[Function]] = []
        for key, rows in alike.items():
            others, rule = first[key]
            common = [*map(self._known, others), *self._moves_of(rule)]
            for row in merge_values(rows):
                pairs = zip(cast("tuple[int, ...]", key[0]), row, strict=True)
                result.append([*(self._one_of(variable, values) for variable, values in pairs), *common])
        return result

    def _body(self, rule: int) -> list[int]:
        merged = self._merged
        return cast("list[int]", merged.body[merged.body_start[rule] : merged.body_start[rule + 1]].tolist())

    def _moves_of(self, rule: int) -> list[Function]:
        moves = self._merged.moves[rule].tolist()
        return [self._moves(role, number) for role, number in enumerate(moves) if number >= 0]

    def _one_of(self, variable: int, values: frozenset[int]) -> Function:
        known = self._value_sets.get((variable, values))
        if known is None:
            known = self._value_sets[variable, values] = self._circuit.builder.one_of(variable, sorted(values))
        return known

    def _known(self, literal: int) -> Function:
        atom = literal >> 1
        function = self._functions.get(atom)
        if function is None:
            # A single move. There may be very many, and rules mostly mention sets of them.
            move = int(self._move_of[atom])
            role = int(np.searchsorted(self._game.role_start, move, side="right")) - 1
            function = self._circuit.builder.one_of(self._actions[role], [move - int(self._game.role_start[role])])
            self._functions[atom] = function
        return ~function if literal & 1 else function

    def _moves(self, role: int, identifier: int) -> Function:
        function = self._sets[role][identifier]
        if function is None:
            values = self._merged.sets[role][identifier]
            function = self._sets[role][identifier] = self._circuit.builder.one_of(self._actions[role], values)
        return function
