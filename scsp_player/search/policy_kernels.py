"""Kernels of playouts with learnt weights of moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import helper, kernel
from scsp_player.search.graph_kernels import random_word, scramble, zobrist_hash


@helper
def _weight(general: Any, special: Any, mixed: Any, move: Any) -> Any:
    place = scramble(mixed + np.uint64(move)) & np.uint64(special.size - 1)
    return np.exp(general[move] + special[np.int64(place)])


@kernel
def draw(states: Any, legal: Any, zobrist: Any, general: Any, special: Any, generator: Any, moves: Any) -> None:
    """Draw a legal move in each state, with probability proportional to exp(general + special weight).

    Args:
        states: uint64[k, words].
        legal: bool[k, moves]; a state without legal moves gets -1.
        zobrist: uint64[words, 64].
        general: float32[moves], weights of moves anywhere.
        special: float32[2^n], weights of moves in a certain state, by a hash of both.
        generator: uint64[1].
        moves: int32[k], becomes the moves.
    """
    for k in range(states.shape[0]):
        mixed = zobrist_hash(zobrist, states[k])
        total = 0.0
        for move in range(legal.shape[1]):
            if legal[k, move]:
                total += _weight(general, special, mixed, np.int64(move))
        left = np.float64(random_word(generator) >> np.uint64(11)) * (1.0 / 9007199254740992.0) * total
        moves[k] = -1
        for move in range(legal.shape[1]):
            if legal[k, move]:
                moves[k] = move
                left -= _weight(general, special, mixed, np.int64(move))
                if left < 0.0:
                    break


@kernel
def adapt(states: Any, legal: Any, chosen: Any, rate: float, zobrist: Any, general: Any, special: Any) -> None:
    """Make a line of moves ``chosen`` int32[k] through ``states`` likelier: gradient ascent of its log-likelihood."""
    for k in range(states.shape[0]):
        mixed = zobrist_hash(zobrist, states[k])
        total = 0.0
        for move in range(legal.shape[1]):
            if legal[k, move]:
                total += _weight(general, special, mixed, np.int64(move))
        for move in range(legal.shape[1]):
            if not legal[k, move]:
                continue
            place = np.int64(scramble(mixed + np.uint64(move)) & np.uint64(special.size - 1))
            step = (1.0 if move == chosen[k] else 0.0) - _weight(general, special, mixed, np.int64(move)) / total
            # What is good in this state may be good elsewhere, but less surely.
            special[place] += rate * step
            general[move] += 0.5 * rate * step
