"""Moving states, moves and answers between arrays with one entry a state and lines with one bit a lane.

The memory of lane groups is ``values``, uint64[groups, lines, WORDS]; lane l is bit ``l % 64`` of word ``l // 64``, where the words
of a line run through all groups.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray, unpack_state
from scsp_player.propnet.emit import LANES, WORDS

Words = NDArray[np.uint64]


def put_states(values: Words, fluents: int, states: Words) -> None:
    """Set lane k of the fluents' lines (from line 1 on) to state k of uint64[lanes, words]."""
    groups = -(-len(states) // LANES)
    bits = np.zeros((fluents, groups * LANES), np.bool_)
    bits[:, : len(states)] = unpack_state(states, fluents).T
    packed = np.packbits(bits, axis=1, bitorder="little").view("<u8")
    values[:groups, 1 : 1 + fluents] = packed.reshape(fluents, groups, WORDS).transpose(1, 0, 2)


def put_moves(values: Words, first_line: int, moves: int, joint: IntArray) -> None:
    """Set lane k of the moves' lines to the joint move k of int32[lanes, roles] (global move indices)."""
    groups = -(-len(joint) // LANES)
    values[:groups, first_line : first_line + moves] = 0
    lane = np.arange(len(joint))
    bit = np.uint64(1) << (lane % 64).astype(np.uint64)
    for role in range(joint.shape[1]):
        np.bitwise_or.at(values, (lane // LANES, first_line + joint[:, role], lane // 64 % WORDS), bit)


def get_lines(values: Words, first: int, count: int, lanes: int) -> NDArray[np.bool_]:
    """bool[lanes, count]: the first lanes of lines ``first`` … ``first + count - 1``."""
    groups = -(-lanes // LANES)
    words = np.ascontiguousarray(values[:groups, first : first + count].transpose(1, 0, 2), "<u8").reshape(count, groups * WORDS)
    return np.unpackbits(words.view(np.uint8), axis=1, count=lanes, bitorder="little").T.astype(np.bool_)


def spread_states(start: Words, fluents: int, states: Words) -> None:
    """Set all 64 lanes of word w of ``start``, uint64[groups, fluents, WORDS], to state w of uint64[groups * WORDS, words]."""
    bits = unpack_state(states, fluents).reshape(len(start), WORDS, fluents).transpose(0, 2, 1)
    np.negative(bits, out=start, dtype=np.uint64, casting="unsafe")


def first_lanes(count: NDArray[np.int64]) -> Words:
    """A line with the first ``count[w]`` lanes of each word w set.

    >>> first_lanes(np.array([0, 3, 64, 100]))
    array([                   0,                    7, 18446744073709551615,
           18446744073709551615], dtype=uint64)
    """
    few = (np.uint64(1) << np.minimum(count, 63).astype(np.uint64)) - np.uint64(1)
    return np.where(count >= 64, ~np.uint64(0), few)
