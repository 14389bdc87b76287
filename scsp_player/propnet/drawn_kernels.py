"""The kernel that counts in how many playouts moves were drawn, and what became of these."""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import helper, kernel


@helper
def _population(word: Any) -> Any:
    """Number of set bits, added up in ever wider fields."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word = word + (word >> np.uint64(8))
    word = word + (word >> np.uint64(16))
    return np.int64((word + (word >> np.uint64(32))) & np.uint64(0x7F))


@kernel
def count_drawn(
    memory: Any,
    drawn: int,
    ended: int,
    role_start: Any,
    goal_start: Any,
    goal_value: Any,
    owner: Any,
    number: Any,
    score_sum: Any,
) -> None:
    """Find in how many lanes of each word a move was drawn, and the sum of the scores of its role in these.

    Adds them up in ``number`` and ``score_sum`` float32[rows, moves], in row ``owner[k]`` for word k. ``memory`` uint64[groups,
    lines, words] holds a line of lanes for each move from line ``drawn`` on, and from line ``ended`` on the lanes that have ended,
    then a line for each goal. ``role_start`` and ``goal_start`` int32[roles + 1] say where moves and goals of each role begin;
    ``goal_value`` are scores.
    """
    words = memory.shape[2]
    for role in range(role_start.size - 1):
        for k in range(owner.size):
            group, word = k // words, k % words
            over = memory[group, ended, word]
            for move in range(role_start[role], role_start[role + 1]):
                lanes = memory[group, drawn + move, word] & over
                if lanes == np.uint64(0):
                    continue
                total = np.int64(0)
                for goal in range(goal_start[role], goal_start[role + 1]):
                    if goal_value[goal] != 0:
                        total += goal_value[goal] * _population(lanes & memory[group, ended + 1 + goal, word])
                number[owner[k], move] += np.float32(_population(lanes))
                score_sum[owner[k], move] += np.float32(total)
