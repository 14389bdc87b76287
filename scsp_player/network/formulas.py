"""The atoms of a game as functions of the network's variables, made when they are asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE as FALSE_LITERAL
from scsp_player.grounding.ground_game import TRUE as TRUE_LITERAL
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network.acyclic import AcyclicRules
from scsp_player.network.boxes import boxes
from scsp_player.network.candidates import candidates
from scsp_player.network.circuit import MAX_CELLS, MOST_BOXES, Circuit
from scsp_player.network.csr import distinct, ranges
from scsp_player.network.functions import FALSE, TRUE, Function, Rules, cells
from scsp_player.network.naming import LateName, Name, identifier, words_of
from scsp_player.network.rules import MoveRules
from scsp_player.network.value_sets import Alike, RuleCodes, RulePatterns, merge_values

INLINE_CELLS = 64
INLINE_COLUMNS = 4
"""An atom used once is no variable of its own if its function has at most that many cells and columns."""

MANY_RULES = 32
"""Of so many rules of an atom those are put together that differ in the values of state variables …"""

DENSE_CELLS = 1 << 20
DENSE_COLUMNS = 4
"""… as a table, if it has at most that many cells and columns, else where they differ in one variable only."""

SPLIT_LITERALS = 3
"""A conjunction with several uses is taken apart, where that is possible, if it is at most that long."""


MANY_PATTERNS = 32
"""Where more tables than that would stand for an atom, sets of fluents are looked for that are alike but no variable's values."""


@dataclass(frozen=True, eq=False)
class Family:
    """Fluents sorted in sets.

    Attributes:
        patterns: tells rules apart that differ in more than members of sets.
        atoms: the members of each set.
    """

    patterns: RulePatterns
    atoms: list[list[int]]


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
        self._codes = RuleCodes(merged, game.fluent_atom)
        self._patterns = RulePatterns(merged, self._codes, game.fluents)
        self._value_sets: dict[tuple[int, frozenset[int]], Function] = {}
        self._sets: list[list[Function | None]] = [[None] * len(sets) for sets in merged.sets]
        self._actions: list[int] = []
        self._move_of = np.full(rules.atoms, -1, dtype=np.int64)
        self._move_of[game.does_atom] = np.arange(game.moves)
        self._position = np.zeros(rules.atoms, dtype=np.int64)
        self._position[rules.order] = np.arange(len(rules.order))
        self._with_moves = np.concatenate([[0], np.cumsum((merged.moves >= 0).any(axis=1))])
        self._long_rules = np.concatenate([[0], np.cumsum(np.diff(merged.body_start) != 1)])

    def give(self, atom: int, function: Function) -> None:
        """The function of an input, or a replacement for that of a derived atom."""
        self._functions[atom] = function
        self._built[atom] = True

    def give_values(self, atoms: NDArray[np.int32], variable: int, values: NDArray[np.int32]) -> None:
        """Each of the atoms holds exactly if the variable has the value beside it."""
        for atom, value in zip(atoms.tolist(), values.tolist(), strict=True):
            self.give(atom, self._circuit.builder.one_of(variable, [value]))
        self._patterns.give_values(atoms, variable, values)

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

    def conjuncts(self, literals: NDArray[np.int32]) -> list[tuple[Function, NDArray[np.int64]]]:
        """Functions, none of which depends on more than it must, and for each the places of the literals that imply it.

        A literal holds exactly if all functions with its place hold.
        """
        owner, current = np.arange(len(literals)), literals
        finished: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
        while len(current):
            split = self._splits(current)
            finished.append((owner[~split], current[~split]))
            owner, current = owner[split], current[split]
            first, last = self._merged.head_start[current >> 1], self._merged.head_start[(current >> 1) + 1]
            begin, end = self._merged.body_start[first], self._merged.body_start[last]
            owner = np.repeat(owner, end - begin)
            current = self._merged.body[ranges(begin, end)] ^ np.repeat(current & 1, end - begin)
        owners = np.concatenate([np.zeros(0, dtype=np.int64), *(o for o, _ in finished)])
        found = np.concatenate([np.zeros(0, dtype=np.int32), *(f for _, f in finished)])
        order = np.lexsort((owners, found))
        owners, found = owners[order], found[order]
        begins = np.flatnonzero(np.append(True, found[1:] != found[:-1])) if len(found) else np.zeros(0, dtype=np.int64)
        ends = np.append(begins[1:], len(found))
        return [
            (self.function(int(found[begins[k]])), distinct(owners[begins[k] : ends[k]]))
            for k in np.argsort(owners[begins], kind="stable").tolist()
        ]

    def _splits(self, literals: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether each literal's definition is a conjunction that is to be taken apart."""
        merged, atom, negative = self._merged, literals >> 1, (literals & 1) == 1
        first, last = merged.head_start[atom], merged.head_start[atom + 1]
        parts = merged.body_start[last] - merged.body_start[first]
        single = self._long_rules[last] == self._long_rules[first]
        free = (literals > FALSE_LITERAL) & ~self._built[atom] & (self._with_moves[last] == self._with_moves[first])
        conjunction = np.where(negative, single & (last > first), last - first == 1)
        return np.asarray(free & conjunction & ((parts <= SPLIT_LITERALS) | (merged.uses[atom] <= 1)))

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
        name = LateName(partial(self.name, atom))
        function = self._circuit.rules(self._conditions(atom), name)
        if len(function.axes) <= 1:
            return function
        if self._merged.uses[atom] <= 1 and len(function.axes) <= INLINE_COLUMNS and cells(function.axes) <= INLINE_CELLS:
            return function
        return self._circuit.boolean(function, name)

    def _conditions(self, atom: int) -> list[list[Function]]:
        first, last = int(self._merged.head_start[atom]), int(self._merged.head_start[atom + 1])
        if last - first < MANY_RULES or not self._patterns.any(first, last):
            return [[*map(self._known, self._body(rule)), *self._moves_of(rule)] for rule in range(first, last)]
        patterns = self._patterns.of(first, last, MANY_PATTERNS)
        if patterns is None:
            found = self._by_families(first, last, LateName(partial(self.name, atom)))
            if found is not None:
                return found
            patterns = self._patterns.of(first, last, last - first)
        result: list[list[Function]] = []
        for alike in patterns or ():
            common = [*map(self._known, alike.others), *self._moves_of(alike.rule)]
            result.extend([*row, *common] for row in self._of_values(alike))
        return result

    def _by_families(self, first: int, last: int, name: Name) -> list[list[Function]] | None:
        """The rules as few conjunctions of "one of these fluents, which are alike, is true"; None if they are no such."""
        proposed: list[tuple[Family, list[Alike]]] = []
        for family in self._families:
            patterns = family.patterns.of(first, last, MANY_PATTERNS) or []
            most = max((math.prod(len(family.atoms[v]) for v in alike.variables) for alike in patterns), default=DENSE_CELLS + 1)
            if most <= DENSE_CELLS:
                proposed.append((family, patterns))
        for family, patterns in sorted(proposed, key=lambda pair: len(pair[1])):
            result: list[list[Function]] = []
            for alike in patterns:
                members = [family.atoms[variable] for variable in alike.variables]
                table = np.zeros([len(atoms) for atoms in members], dtype=np.bool_)
                table[tuple(alike.values.T)] = True
                found = boxes(table, MOST_BOXES)
                if found is None:
                    break
                common = [*map(self._known, alike.others), *self._moves_of(alike.rule)]
                for box in found:
                    chosen = [np.array(atoms)[mask].tolist() for atoms, mask in zip(members, box, strict=True)]
                    sets = [self._circuit.any_of([self._known(2 * atom) for atom in atoms], name) for atoms in chosen]
                    result.append([*sets, *common])
            else:
                return result
        return None

    @cached_property
    def _families(self) -> list[Family]:
        """The fluents sorted in sets that look alike, in all ways that are proposed for state variables."""
        game, result = self._game, dict[int, Family]()
        for candidate in candidates(game):
            family = result.get(candidate.family)
            if family is None:
                patterns = RulePatterns(self._merged, self._codes, game.fluents, exclusive=False)
                family = result[candidate.family] = Family(patterns, [])
            atoms = game.fluent_atom[candidate.fluents]
            family.patterns.give_values(atoms, len(family.atoms), np.arange(len(atoms), dtype=np.int32))
            family.atoms.append(atoms.tolist())
        return list(result.values())

    def _of_values(self, alike: Alike) -> list[list[Function]]:
        """Rules, without their common conditions, for "the variables have the values of one of these rows"."""
        builder = self._circuit.builder
        axes = [builder.identity(variable) for variable in alike.variables]
        if len(axes) <= DENSE_COLUMNS and cells(axes) <= DENSE_CELLS:
            function = self._circuit.combiner.listed(axes, alike.values)
            if cells(function.axes) <= MAX_CELLS or len(function.axes) <= 2:
                return [[function]]
            found = self._circuit.boxes(function)
            if found is not None:
                return found
        rows = merge_values(tuple(frozenset({value}) for value in row) for row in alike.values.tolist())
        return [[self._one_of(v, values) for v, values in zip(alike.variables, row, strict=True)] for row in rows]

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
