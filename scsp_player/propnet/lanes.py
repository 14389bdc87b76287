"""Moving states, moves and answers between arrays with one entry a state and lines with one bit a lane.

The memory of lane groups is ``values``, uint64[groups, lines, words]; lane l is bit ``l % 64`` of word ``l // 64``, where the words
of a line run through all groups.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray, unpack_state
from scsp_player.propnet.lane_kernels import write_moves, write_states

Words = NDArray[np.uint64]


def group_count(lanes: int, words: int) -> int:
    """How many lane groups so many lanes need, if lines have ``words`` words."""
    return -(-lanes // (64 * words))


def put_states(values: Words, fluents: int, states: Words) -> None:
    """Set lane k of the fluents' lines (from line 1 on) to state k of uint64[lanes, words]."""
    values[: group_count(len(states), values.shape[2]), 1 : 1 + fluents] = 0
    write_states(values, states)


def put_moves(values: Words, first_line: int, moves: int, joint: IntArray) -> None:
    """Set lane k of the moves' lines to the joint move k of int32[lanes, roles] (global move indices)."""
    values[: group_count(len(joint), values.shape[2]), first_line : first_line + moves] = 0
    write_moves(values, first_line, joint)


def get_lines(values: Words, first: int, count: int, lanes: int) -> NDArray[np.bool_]:
    """bool[lanes, count]: the first lanes of lines ``first`` … ``first + count - 1``."""
    words = values.shape[2]
    groups = group_count(lanes, words)
    lines = np.ascontiguousarray(values[:groups, first : first + count].transpose(1, 0, 2), "<u8").reshape(count, groups * words)
    return np.unpackbits(lines.view(np.uint8), axis=1, count=lanes, bitorder="little").T.astype(np.bool_)


def spread_states(start: Words, fluents: int, states: Words) -> None:
    """Set all 64 lanes of word w of ``start``, uint64[groups, fluents, line words], to state w of ``states``.

    ``states`` has the shape uint64[groups * line words, state words].
    """
    bits = unpack_state(states, fluents).reshape(*start.shape[::2], fluents).transpose(0, 2, 1)
    np.negative(bits, out=start, dtype=np.uint64, casting="unsafe")


def first_lanes(count: NDArray[np.int64]) -> Words:
    """A line with the first ``count[w]`` lanes of each word w set.

    >>> first_lanes(np.array([0, 3, 64, 100]))
    array([                   0,                    7, 18446744073709551615,
           18446744073709551615], dtype=uint64)
    """
    few = (np.uint64(1) << np.minimum(count, 63).astype(np.uint64)) - np.uint64(1)
    return np.where(count >= 64, ~np.uint64(0), few)
