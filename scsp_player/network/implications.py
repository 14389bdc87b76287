"""What the legality of a move says about the state: fluents that must be true, and fluents that must be false."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame
from scsp_player.network.rules import MoveRules

Bools = NDArray[np.bool_]


def implied_fluents(game: GroundGame, merged: MoveRules, exclusive: Bools) -> tuple[Bools, Bools]:
    """bool[moves, fluents] each: fluents that are true whenever the move is legal before the end, and fluents that are false.

    Not all such: conditions imply what they say, alternatives what all of them imply, and fluents exclude others.

    Args:
        game: a game with one role.
        merged: its rules.
        exclusive: bool[fluents, fluents], pairs that are known to exclude each other.
    """
    known = _Implications(game, merged, exclusive)
    going_on = known.of(game.terminal_literal ^ 1)
    size = (2 * game.fluents + 7) // 8
    rows = b"".join((known.of(literal) | going_on).to_bytes(size, "little") for literal in game.legal_literal.tolist())
    octets = np.frombuffer(rows, dtype=np.uint8).reshape(game.moves, size)
    bits = np.unpackbits(octets, axis=1, count=2 * game.fluents, bitorder="little").astype(np.bool_)
    return bits[:, ::2].copy(), bits[:, 1::2].copy()


class _Implications:
    """Sets of literals of fluents, as bits of integers: bit 2 f for fluent f, bit 2 f + 1 for its negation."""

    def __init__(self, game: GroundGame, merged: MoveRules, exclusive: Bools) -> None:
        self._merged = merged
        self._known: dict[int, int] = {TRUE: 0, FALSE: 0}
        self._positive = int("01" * game.fluents or "0", 2)
        wide = np.zeros((1, 2 * game.fluents), dtype=np.bool_)
        for fluent, atom in enumerate(game.fluent_atom.tolist()):
            wide[0, 1::2] = exclusive[fluent]
            others = int.from_bytes(np.packbits(wide, bitorder="little").tobytes(), "little")
            self._known[2 * atom] = others | 1 << 2 * fluent
            self._known[2 * atom + 1] = 2 << 2 * fluent

    def of(self, literal: int) -> int:
        """What follows from a literal; nothing if it is a matter of moves."""
        merged = self._merged
        stack = [literal]
        while stack:
            current = stack[-1]
            if current in self._known:
                stack.pop()
                continue
            atom, negated = current >> 1, current & 1
            first, last = int(merged.head_start[atom]), int(merged.head_start[atom + 1])
            if first == last or (merged.moves[first:last] >= 0).any():
                self._known[current] = 0
                continue
            starts = merged.body_start[first : last + 1].tolist()
            body = (merged.body[starts[0] : starts[-1]] ^ negated).tolist()
            unknown = [below for below in body if below not in self._known]
            if unknown:
                stack.extend(unknown)
                continue
            parts = [[self._known[b] for b in body[i - starts[0] : j - starts[0]]] for i, j in pairwise(starts)]
            if negated:
                # Each rule fails by one of its conditions.
                self._known[current] = _all_of([_one_of(part) for part in parts])
            else:
                bodies = [_all_of(part) for part in parts]
                # A rule that asks for a fluent and its negation never applies.
                self._known[current] = _one_of([b for b in bodies if not b & b >> 1 & self._positive] or bodies)
        return self._known[literal]


def _all_of(sets: list[int]) -> int:
    union = 0
    for each in sets:
        union |= each
    return union


def _one_of(sets: list[int]) -> int:
    common = sets[0]
    for each in sets[1:]:
        common &= each
    return common
