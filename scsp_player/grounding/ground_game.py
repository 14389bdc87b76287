"""The waist of the hour-glass: a game as integer-coded ground rules, read by every engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.terms import Term
from scsp_player.grounding.term_table import TermTable

TRUE = 0
"""The literal that always holds. Atom 0 is the constant "true"."""
FALSE = 1
"""The literal that never holds (the negation of atom 0)."""

IntArray = NDArray[np.int32]
OffsetArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GroundGame:
    """All ground rules of a game, simplified as far as constants go, in flat arrays.

    *Atoms* are numbered 0 … n-1; atom 0 is the constant "true". A *literal* is ``2 * atom + sign`` with sign 1 for negation, so
    that ``TRUE`` = 0 and ``FALSE`` = 1 are literals like any other. Every question about a state is a literal that may be
    constant: a move that is always legal has ``legal_literal`` ``TRUE``, a fluent that never becomes true again has
    ``next_literal`` ``FALSE``. Inputs (the atoms of ``true`` and ``does``) have no rules; every other atom except atom 0 holds
    exactly if one of its rules has a body that holds (least fixpoint inside positive cycles). Bodies contain no constants, are
    not empty, and only mention inputs and atoms that have rules.

    A *state* is a bitset over fluents: ``uint64[state_words]``, fluent f at bit ``f % 64`` of word ``f // 64``.

    Attributes:
        source: name of the rule sheet.
        roles: names in the order of the sheet; a role called ``random`` is chance.
        terms: the table that every ``*_term`` array points into.
        atom_term: int32[atoms], the atom as a term, e.g. ``(true (cell 1 1 b))``; -1 for atom 0. Auxiliary atoms have new names.
        rule_head: int32[rules], ascending.
        rule_start: int64[rules + 1], where each rule's body starts in ``rule_body``.
        rule_body: int32[literals].
        head_start: int64[atoms + 1], the rules of atom a are ``head_start[a]:head_start[a + 1]``.
        fluent_term: int32[fluents], the fluent itself, e.g. ``(cell 1 1 b)``; in ascending order of printed form.
        fluent_atom: int32[fluents], input atom ``true(fluent)``.
        next_literal: int32[fluents], holds if the fluent is true in the next state.
        initial: bool[fluents].
        role_start: int32[roles + 1], the moves of role r are ``role_start[r]:role_start[r + 1]``.
        move_term: int32[moves], in ascending order of printed form within a role.
        does_atom: int32[moves], input atom ``does(role, move)``.
        legal_literal: int32[moves].
        goal_role, goal_value, goal_literal: int32[goals], role index, score 0–100 and literal of every possible goal.
        percept_role, percept_term, percept_literal: int32[percepts], the same for ``sees``.
        terminal_literal: the literal of ``terminal``.
        component_start: int64[components + 1], strongly connected components of the atoms that have rules, in an order of
            evaluation: every atom stands after the atoms that it depends on, those of its own component excepted.
        component_atoms: int32[atoms that have rules].
        component_cyclic: bool[components], True if the component's atoms depend on themselves (least fixpoint needed).
    """

    source: str
    roles: tuple[str, ...]
    terms: TermTable
    atom_term: IntArray
    rule_head: IntArray
    rule_start: OffsetArray
    rule_body: IntArray
    head_start: OffsetArray
    fluent_term: IntArray
    fluent_atom: IntArray
    next_literal: IntArray
    initial: NDArray[np.bool_]
    role_start: IntArray
    move_term: IntArray
    does_atom: IntArray
    legal_literal: IntArray
    goal_role: IntArray
    goal_value: IntArray
    goal_literal: IntArray
    percept_role: IntArray
    percept_term: IntArray
    percept_literal: IntArray
    terminal_literal: int
    component_start: OffsetArray
    component_atoms: IntArray
    component_cyclic: NDArray[np.bool_]

    @property
    def atoms(self) -> int:
        """Number of atoms, the constant and the inputs included."""
        return len(self.atom_term)

    @property
    def rules(self) -> int:
        """Number of ground rules."""
        return len(self.rule_head)

    @property
    def fluents(self) -> int:
        """Number of fluents."""
        return len(self.fluent_term)

    @property
    def moves(self) -> int:
        """Number of moves of all roles together."""
        return len(self.move_term)

    @property
    def state_words(self) -> int:
        """Words of a state; at least one."""
        return max(1, (self.fluents + 63) // 64)

    @cached_property
    def random_role(self) -> int:
        """Index of the chance role, or -1."""
        return self.roles.index("random") if "random" in self.roles else -1

    def fluent(self, index: int) -> Term:
        """The fluent with this index as a term."""
        return self.terms.term(int(self.fluent_term[index]))

    def move(self, index: int) -> Term:
        """The move with this (global) index as a term."""
        return self.terms.term(int(self.move_term[index]))

    @cached_property
    def fluent_index(self) -> dict[Term, int]:
        """Fluent to its index."""
        return {self.fluent(i): i for i in range(self.fluents)}

    @cached_property
    def move_index(self) -> tuple[dict[Term, int], ...]:
        """For each role: move to its global index."""
        return tuple(
            {self.move(i): i for i in range(self.role_start[r], self.role_start[r + 1])} for r in range(len(self.roles))
        )

    @cached_property
    def initial_state(self) -> NDArray[np.uint64]:
        """The initial state as a bitset."""
        return pack_state(self.initial)

    def state_of(self, fluents: Iterable[Term]) -> NDArray[np.uint64]:
        """The bitset of a set of fluents.

        Raises:
            ValueError: if a fluent is unknown to the game.
        """
        bits = np.zeros(self.fluents, dtype=np.bool_)
        for fluent in fluents:
            index = self.fluent_index.get(fluent)
            if index is None:
                raise ValueError(f"{fluent} can never be true in {self.source}")
            bits[index] = True
        return pack_state(bits)

    def fluents_of(self, state: NDArray[np.uint64]) -> frozenset[Term]:
        """The true fluents of a bitset."""
        return frozenset(self.fluent(int(i)) for i in np.flatnonzero(unpack_state(state, self.fluents)))


def pack_state(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Bitset of a Boolean vector: bool[..., fluents] → uint64[..., words], at least one word.

    >>> pack_state(np.array([True, False, True]))
    array([5], dtype=uint64)
    """
    words = max(1, (bits.shape[-1] + 63) // 64)
    padded = np.zeros((*bits.shape[:-1], words * 64), dtype=np.bool_)
    padded[..., : bits.shape[-1]] = bits
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def unpack_state(state: NDArray[np.uint64], fluents: int) -> NDArray[np.bool_]:
    """Boolean vector of a bitset: uint64[..., words] → bool[..., fluents].

    >>> unpack_state(np.array([5], dtype=np.uint64), 3)
    array([ True, False,  True])
    """
    octets = np.ascontiguousarray(state.astype("<u8", copy=False)).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=fluents, bitorder="little").astype(np.bool_)
