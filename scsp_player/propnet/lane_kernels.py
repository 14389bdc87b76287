"""Moving states, moves and what is shown between arrays with one entry a state and lines with one bit a lane, bit by bit.

Lines are those of ``lanes``: uint64[groups, lines, words].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import helper, kernel


@helper
def lowest(word: Any) -> int:
    """The position of the lowest bit that is set in a word that is not zero."""
    position = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word & ((np.uint64(1) << np.uint64(step)) - np.uint64(1)) == np.uint64(0):
            word >>= np.uint64(step)
            position += step
    return position


@kernel
def write_states(memory: Any, states: Any) -> None:
    """Set in lane k of the lines from 1 on what is set in state k of uint64[lanes, state words]."""
    words = memory.shape[2]
    for lane in range(states.shape[0]):
        group, word = lane // (64 * words), lane // 64 % words
        bit = np.uint64(1) << np.uint64(lane & 63)
        for part in range(states.shape[1]):
            holds = states[lane, part]
            while holds != np.uint64(0):
                memory[group, 1 + 64 * part + lowest(holds), word] |= bit
                holds &= holds - np.uint64(1)


@kernel
def write_moves(memory: Any, first_line: int, joint: Any) -> None:
    """Set in lane k of the moves' lines the joint move k of int32[lanes, roles], global move indices."""
    words = memory.shape[2]
    for lane in range(joint.shape[0]):
        group, word = lane // (64 * words), lane // 64 % words
        bit = np.uint64(1) << np.uint64(lane & 63)
        for role in range(joint.shape[1]):
            memory[group, first_line + joint[lane, role], word] |= bit


@kernel
def read_out(
    memory: Any, next_line: int, fluents: int, percept_line: int, percept_role: Any, percept_hash: Any, states: Any, shown: Any
) -> None:
    """Fill ``states`` uint64[k, state words] and ``shown`` uint64[k, roles] from the first k lanes of uint64[groups, lines, words].

    What a role is shown is the sum of ``percept_hash`` uint64[percepts] over its percepts that hold, modulo 2**64. Both arrays
    must be zero before.
    """
    groups, words = memory.shape[0], memory.shape[2]
    count = states.shape[0]
    for group in range(groups):
        for word in range(words):
            first = (group * words + word) * 64
            if first >= count:
                return
            lanes = ~np.uint64(0)
            if count - first < 64:
                lanes = (np.uint64(1) << np.uint64(count - first)) - np.uint64(1)
            for f in range(fluents):
                holds = memory[group, next_line + f, word] & lanes
                place = f >> 6
                bit = np.uint64(1) << np.uint64(f & 63)
                while holds != np.uint64(0):
                    states[first + lowest(holds), place] |= bit
                    holds &= holds - np.uint64(1)
            for p in range(percept_role.size):
                holds = memory[group, percept_line + p, word] & lanes
                role = percept_role[p]
                value = percept_hash[p]
                while holds != np.uint64(0):
                    shown[first + lowest(holds), role] += value
                    holds &= holds - np.uint64(1)
