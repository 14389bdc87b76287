"""Pairs of fluents that are never true together, of a one-player game: what moves cannot bring about.

By induction: the pair is not true at first, and no step makes it true. A fluent becomes true by a move that *adds* it, or stays
true under a move that may *keep* it. If a move adds one of the two, it must neither add the other, nor keep it where it is legal:
"not attacked" in the legality of a move says of many fluents that they are false. This finds less than pairs can be proved, but
all pairs at once, by one product of matrices.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, GroundGame
from scsp_player.network.effects import MAX_CELLS, effects
from scsp_player.network.groups import StateGroup
from scsp_player.network.implications import implied_fluents
from scsp_player.network.rules import MoveRules

Bools = NDArray[np.bool_]

ROUNDS = 3
"""What is proved in one round helps to prove more in the next."""

def exclusive_pairs(game: GroundGame, merged: MoveRules) -> Bools:
    """bool[fluents, fluents], symmetric: pairs that are not true together in any reachable state; not all such pairs."""
    none = np.zeros((game.fluents, game.fluents), dtype=np.bool_)
    if len(game.roles) != 1 or game.fluents * max(game.fluents, game.moves) > MAX_CELLS:
        return none
    known = effects(game, merged)
    possible = game.legal_literal != FALSE
    initial = game.initial[:, None] & game.initial[None, :]
    adds = known.adds & possible
    excluded = none
    for _ in range(ROUNDS):
        # What is needed for a move excludes other things, as far as that is proved already.
        keeps = known.keeps & possible & ~implied_fluents(game, merged, excluded)[1].T
        together = adds.astype(np.float32) @ (adds | keeps).T.astype(np.float32) > 0
        before, excluded = excluded, ~(together | together.T | initial)
        np.fill_diagonal(excluded, False)
        if (excluded == before).all():
            break
    return excluded


def least_moves(game: GroundGame, merged: MoveRules, groups: Sequence[StateGroup], state: Bools) -> int:
    """A lower bound of the number of moves that give every one of some state variables another value.

    A move changes a variable at most if it adds another value, or if nothing may be its value and something is.

    Args:
        game: a game with one role.
        merged: its rules.
        groups: the state variables that must change.
        state: bool[fluents], the state.
    """
    if not groups or game.fluents * game.moves > MAX_CELLS:
        return 0
    adds = effects(game, merged).adds
    changes = np.zeros(game.moves, dtype=np.int64)
    for group in groups:
        held = state[group.fluents]
        changes += adds[group.fluents[~held]].any(axis=0) | (held.any() and not group.exact)
    most = int(changes[game.legal_literal != FALSE].max(initial=0))
    return -(-len(groups) // most) if most else 0
