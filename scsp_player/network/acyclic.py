"""Rules without positive cycles, and what collects them while cycles are taken apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scsp_player.network.csr import ranges
from scsp_player.network.errors import NetworkTooLargeError

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]

Body: TypeAlias = frozenset[int]
"""Literals that hold together; without any it is what always holds."""

ALWAYS: Body = frozenset()

INLINE_LITERALS = 2
"""A conjunction of so many literals needs no atom of its own."""


@dataclass(frozen=True, eq=False)
class AcyclicRules:
    """Rules in which no atom depends on itself: those of the game, with cyclic components rewritten over additional atoms.

    Attributes:
        atoms: number of atoms, those of the game first, then the additional ones.
        original: int32[atoms], the atom of the game for whose sake an atom is there (itself, if it is one of the game).
        number: int32[atoms], which of the atoms made for the sake of that one it is, from 1; 0 for an atom of the game.
        head_start, rule_start, rule_body: as in ``GroundGame``.
        order: int32[derived atoms], an order of evaluation.
    """

    atoms: int
    original: Ints
    number: Ints
    head_start: Offsets
    rule_start: Offsets
    rule_body: Ints
    order: Ints


class RuleCollector:
    """Takes rules and additional atoms in order of evaluation; equal definitions become one atom.

    Args:
        atoms: number of atoms that are there already.
        max_literals: bound on the literals of all bodies.
        source: where the rules come from, for messages.

    Raises:
        NetworkTooLargeError: from every method that adds rules beyond the bound.
    """

    def __init__(self, atoms: int, max_literals: int, source: str) -> None:
        self.atoms = atoms
        self._left = max_literals
        self._source = source
        self._heads: list[Ints] = []
        self._lengths: list[Offsets] = []
        self._bodies: list[Ints] = []
        self._order: list[Ints] = []
        self._original: list[Ints] = [np.arange(atoms, dtype=np.int32)]
        self._number: list[Ints] = [np.zeros(atoms, dtype=np.int32)]
        self._made_for: dict[int, int] = {}
        self._known: dict[frozenset[Body], int] = {}

    def fresh(self, originals: Ints, number: int) -> Ints:
        """New atoms for the sake of atoms of the game; ``number`` tells them from others of these."""
        made = self.atoms + np.arange(len(originals), dtype=np.int32)
        self.atoms += len(originals)
        self._original.append(originals)
        self._number.append(np.full(len(originals), number, dtype=np.int32))
        return made

    def rules(self, heads: Ints, lengths: Offsets, bodies: Ints) -> None:
        """Rules as arrays: their heads, the lengths of their bodies, and these one after the other."""
        self._left -= len(bodies)
        if self._left < 0:
            raise NetworkTooLargeError(f"{self._source}: the positive cycles of the rules unfold into too many conditions")
        self._heads.append(heads)
        self._lengths.append(lengths)
        self._bodies.append(bodies)

    def follow(self, atoms: Ints) -> None:
        """Derived atoms that come next in the order of evaluation."""
        self._order.append(atoms)

    def derive(self, atom: int, bodies: Iterable[Body]) -> None:
        """All rules of an atom, which comes next in the order of evaluation."""
        listed = [sorted(body) for body in bodies]
        self.rules(
            np.full(len(listed), atom, dtype=np.int32),
            np.array([len(body) for body in listed], dtype=np.int64),
            np.array([literal for body in listed for literal in body], dtype=np.int32),
        )
        self.follow(np.array([atom], dtype=np.int32))

    def defined(self, bodies: Iterable[Body], sake: int) -> Body:
        """A conjunction that holds exactly if one of the bodies does; an atom is made for it where it takes one.

        Args:
            bodies: at least one, none of them part of another.
            sake: the atom of the game for whose sake this is asked.
        """
        key = frozenset(bodies)
        if len(key) == 1:
            only = next(iter(key))
            if len(only) <= INLINE_LITERALS:
                return only
        return frozenset({2 * self.atom_for(key, sake)})

    def atom_for(self, bodies: Iterable[Body], sake: int) -> int:
        """An atom that holds exactly if one of the bodies does."""
        key = frozenset(bodies)
        atom = self._known.get(key)
        if atom is None:
            number = self._made_for[sake] = self._made_for.get(sake, 0) + 1
            atom = self._known[key] = int(self.fresh(np.array([sake], dtype=np.int32), number)[0])
            self.derive(atom, sorted(key, key=sorted))
        return atom

    def finish(self) -> AcyclicRules:
        """Everything that was collected."""
        nothing = np.zeros(0, dtype=np.int32)
        heads = np.concatenate([nothing, *self._heads])
        lengths = np.concatenate([nothing, *self._lengths])
        bodies = np.concatenate([nothing, *self._bodies])
        ascending = np.argsort(heads, kind="stable")
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return AcyclicRules(
            atoms=self.atoms,
            original=np.concatenate(self._original),
            number=np.concatenate(self._number),
            head_start=np.searchsorted(heads[ascending], np.arange(self.atoms + 1)).astype(np.int64),
            rule_start=np.concatenate([[0], np.cumsum(lengths[ascending])]).astype(np.int64),
            rule_body=bodies[ranges(start[ascending], start[ascending + 1])],
            order=np.concatenate([nothing, *self._order]).astype(np.int32),
        )


def add_alternative(alternatives: set[Body], body: Body) -> None:
    """Add a body to a disjunction, unless one of its parts is there; bodies of which it is a part go."""
    if any(other <= body for other in alternatives):
        return
    alternatives.difference_update([other for other in alternatives if body < other])
    alternatives.add(body)
