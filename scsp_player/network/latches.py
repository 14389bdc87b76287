"""Fluents that stay true once they are, and fluents that follow a course of their own whatever is played; of one-player games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, GroundGame
from scsp_player.network.effects import effects
from scsp_player.network.implications import implied_fluents
from scsp_player.network.rules import MoveRules

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Latches:
    """What moves do to fluents that never become false again.

    Attributes:
        fluents: bool[fluents], false at first and never taken back, neither part of a clock.
        kept: bool[fluents], never become false once they are true, whether they are so at first or not.
        possible: bool[moves], moves that may become legal.
        demanded, denied: bool[moves, fluents], what is true, and what is false, whenever a move is legal before the end.
        added: int32[moves], the one latched fluent that a move makes true, which was false before; -1 if the move may make none
            true, or several, or one that is true already.
        stays, comes: bool[fluents, possible moves], the fluent stays true where it is, and becomes true if it was not.
    """

    fluents: Bools
    kept: Bools
    possible: Bools
    demanded: Bools
    denied: Bools
    added: NDArray[np.int32]
    stays: Bools
    comes: Bools

    def one_a_move(self) -> bool:
        """Whether every move makes exactly one of them true, so that their number tells how many moves were made."""
        return bool((self.added[self.possible] >= 0).all())


def latches(game: GroundGame, merged: MoveRules, exclusive: Bools) -> Latches:
    """The latched fluents of a game with one role.

    Args:
        game: the ground rules.
        merged: its rules.
        exclusive: bool[fluents, fluents], pairs that are never true together, from ``exclusive_pairs``.
    """
    known = effects(game, merged)
    demanded, denied = implied_fluents(game, merged, exclusive)
    possible = game.legal_literal != FALSE
    stays: Bools = np.logical_or(known.surely_keeps, denied.T)
    kept: Bools = np.all(stays[:, possible], axis=1)
    # What is always true refutes the moves that need it to be false.
    possible = np.logical_and(possible, ~denied[:, kept & game.initial].any(axis=1))
    fluents = kept & ~game.initial & ~autonomous(game)
    candidates = known.adds & fluents[:, None]
    first = candidates.argmax(axis=0)
    moves = np.arange(game.moves)
    clear = (candidates.sum(axis=0) == 1) & known.surely_adds[first, moves] & denied[moves, first]
    added = np.where(clear, first, -1).astype(np.int32)
    return Latches(fluents, kept, possible, demanded, denied, added, stays[:, possible], known.surely_adds[:, possible])


def autonomous(game: GroundGame) -> Bools:
    """bool[fluents]: those whose next value depends on nobody's move, not even indirectly; clocks above all."""
    depends = np.zeros(game.atoms, dtype=np.bool_)
    depends[game.does_atom] = True
    row = np.repeat(np.arange(game.rules), np.diff(game.rule_start))
    atoms = game.rule_body >> 1
    while True:
        before = int(depends.sum())
        touched = np.zeros(game.rules, dtype=np.bool_)
        touched[row[depends[atoms]]] = True
        depends[game.rule_head[touched]] = True
        depends[game.fluent_atom[depends[game.next_literal >> 1]]] = True
        if int(depends.sum()) == before:
            return np.asarray(~depends[game.fluent_atom])
