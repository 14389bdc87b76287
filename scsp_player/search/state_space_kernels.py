"""Kernels that enumerate the states of a game: joint moves of a batch, and states to numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import helper, kernel
from scsp_player.search.graph_kernels import scramble


@helper
def _slot_of(state: Any, row: Any, table: Any, known: Any) -> Any:
    """Where ``state[row]`` is in the table, or the empty slot where it belongs; ``known`` uint64[n, words] are the states in it."""
    mask = table.size - 1
    words = state.shape[1]
    mixed = np.uint64(0)
    for w in range(words):
        mixed = scramble(mixed ^ state[row, w])
    slot = np.int64(mixed & np.uint64(mask))
    while table[slot] != 0:
        number = table[slot] - 1
        same = True
        for w in range(words):
            same = same and known[number, w] == state[row, w]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@kernel
def enter(known: Any, count: int, table: Any, states: Any, numbers: Any) -> int:
    """``numbers`` int32[k] become the numbers of ``states`` uint64[k, words]; new ones are appended to ``known``.

    ``known`` uint64[n, words] holds ``count`` states and has room for all; ``table`` int32[2^m] has 1 + number, 0 for an empty
    slot, and is at most half full afterwards. Returns the new count.
    """
    for k in range(states.shape[0]):
        slot = _slot_of(states, k, table, known)
        if table[slot] == 0:
            for w in range(states.shape[1]):
                known[count, w] = states[k, w]
            count += 1
            table[slot] = count
        numbers[k] = table[slot] - 1
    return count


@kernel
def rebuild(known: Any, count: int, table: Any) -> None:
    """Enter the first ``count`` states, all different, into an empty table."""
    for k in range(count):
        table[_slot_of(known, k, table, known)] = k + 1


@kernel
def number_of(known: Any, table: Any, state: Any) -> int:
    """The number of ``state`` uint64[1, words], -1 if it was not entered."""
    return int(table[_slot_of(state, 0, table, known)]) - 1


@kernel
def list_joint_moves(legal: Any, over: Any, start: int, role_start: Any, width: Any, owner: Any, moves: Any) -> Any:
    """List all joint moves of states ``start``, … in mixed radix order, first role most significant, as long as there is room.

    Args:
        legal: bool[k, moves], legal moves of the states.
        over: bool[k], whether a state is terminal: it has no moves.
        start: number of the first state.
        role_start: int32[roles + 1], where the moves of each role begin.
        width: int32[k, roles], becomes the number of legal moves; 0 for terminal states.
        owner: int64[room], becomes the state of each joint move.
        moves: int32[room, roles], becomes the joint moves.

    Returns:
        How many joint moves there are, and the first state that had no room.
    """
    roles = role_start.size - 1
    used = 0
    for k in range(start, legal.shape[0]):
        joint = 1
        for role in range(roles):
            number = 0
            if not over[k]:
                for move in range(role_start[role], role_start[role + 1]):
                    number += legal[k, move]
            width[k, role] = number
            joint = min(joint * number, owner.size + 1)
        if used + joint > owner.size:
            return used, k
        block = joint
        for role in range(roles):
            if joint == 0:
                break
            inner = block // width[k, role]
            position = used
            while position < used + joint:
                for move in range(role_start[role], role_start[role + 1]):
                    if legal[k, move]:
                        for _ in range(inner):
                            moves[position, role] = move
                            position += 1
            block = inner
        for position in range(used, used + joint):
            owner[position] = k
        used += joint
    return used, legal.shape[0]
