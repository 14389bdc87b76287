"""Moving states, moves and answers between arrays with one entry a state and lines with one bit a lane.

``values`` is uint64[lines, ROW_WORDS]; lane l is bit ``l % 64`` of word ``l // 64`` of every line.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray, unpack_state

Words = NDArray[np.uint64]


def put_states(values: Words, fluents: int, states: Words) -> None:
    """Set lane k of the fluents' lines (from line 1 on) to state k of uint64[lanes, words]."""
    bits = np.zeros((fluents, -(-len(states) // 64) * 64), np.bool_)
    bits[:, : len(states)] = unpack_state(states, fluents).T
    packed = np.packbits(bits, axis=1, bitorder="little").view("<u8")
    values[1 : 1 + fluents, : packed.shape[1]] = packed


def put_moves(values: Words, first_line: int, moves: int, joint: IntArray) -> None:
    """Set lane k of the moves' lines to the joint move k of int32[lanes, roles] (global move indices)."""
    values[first_line : first_line + moves] = 0
    lane = np.arange(len(joint))
    bit = np.uint64(1) << (lane % 64).astype(np.uint64)
    for role in range(joint.shape[1]):
        np.bitwise_or.at(values, (first_line + joint[:, role], lane // 64), bit)


def get_literals(values: Words, literals: IntArray, lanes: int) -> NDArray[np.bool_]:
    """bool[lanes, n]: the values of literals in the first lanes."""
    sign = np.uint64(0) - (literals & 1).astype(np.uint64)
    words = values[literals >> 1, : -(-lanes // 64)] ^ sign[:, None]
    octets = words.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=lanes, bitorder="little").T.astype(np.bool_)


def spread_states(start: Words, fluents: int, states: Words) -> None:
    """Set all 64 lanes of word w of ``start`` (one line a fluent) to state w of uint64[ROW_WORDS, words]."""
    np.negative(unpack_state(states, fluents).T, out=start, dtype=np.uint64, casting="unsafe")


def first_lanes(count: NDArray[np.int64]) -> Words:
    """A line with the first ``count[w]`` lanes of each word w set.

    >>> first_lanes(np.array([0, 3, 64, 100]))
    array([                   0,                    7, 18446744073709551615,
           18446744073709551615], dtype=uint64)
    """
    few = (np.uint64(1) << np.minimum(count, 63).astype(np.uint64)) - np.uint64(1)
    return np.where(count >= 64, ~np.uint64(0), few)
