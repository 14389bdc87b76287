"""Moves of which at most one is ever legal: the draw counts them together.

Of the moves of all kinds of pieces that may stand on a square only those of one kind are legal. What a move needs to be legal is
read off the circuit; two moves exclude each other if one needs the contrary of what the other needs, or if they need two fluents
of which at most one is ever true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray
from scsp_player.propnet import circuit_kernels as kernels
from scsp_player.propnet.circuit import Circuit

MOST_MOVES = 6000
"""Roles with more moves are left alone: the work grows with the square."""

LEAST_SAVED = 0.25
"""Moves are only put together if at least this part of the draw's leaves is saved."""


def exclusive_moves(circuit: Circuit, moves: Sequence[int], exclusive: Sequence[IntArray]) -> list[list[int]]:
    """The moves (global indices) in groups of which at most one move is ever legal, groups and moves in ascending order.

    Args:
        circuit: says what is legal.
        moves: moves of one role.
        exclusive: groups of fluents of which at most one is true in every state that play reaches.
    """
    alone = [[move] for move in moves]
    if not exclusive or not 2 < len(moves) <= MOST_MOVES:
        return alone
    needs = _needs(circuit, moves)
    width = 2 * (1 + circuit.fluents)
    contrary = _contraries(circuit.fluents, exclusive)
    needed = _rows(needs, width)
    opposed = _rows([_union(contrary[literal] for literal in _members(need)) for need in needs], width)
    group_of = np.full(len(moves), -1, np.int64)
    count = 0
    for i in range(len(moves)):
        compatible = ~(needed[:i] & opposed[i]).any(axis=1)
        free = np.ones(count, np.bool_)
        free[group_of[:i][compatible]] = False
        first = int(free.argmax()) if free.any() else count
        group_of[i] = first
        count = max(count, first + 1)
    if count > (1 - LEAST_SAVED) * len(moves):
        return alone
    groups: list[list[int]] = [[] for _ in range(count)]
    for move, group in zip(moves, group_of.tolist(), strict=True):
        groups[group].append(move)
    return groups


def _needs(circuit: Circuit, moves: Sequence[int]) -> list[int]:
    """What holds where each move is legal: a set of literals of fluents, as the bits of a number."""
    nodes = len(circuit.kind)
    below = np.zeros(nodes, np.uint8)
    literals = circuit.legal[np.asarray(moves)]
    kernels.mark_cone(literals, np.uint8(1), circuit.child_start, circuit.child, below, np.zeros(nodes, np.int32))
    holds: list[tuple[int, int]] = [(0, 0)] * nodes  # if a node is true, if it is false
    for node in range(1, 1 + circuit.fluents):
        holds[node] = (1 << 2 * node, 2 << 2 * node)
    start, child = circuit.child_start.tolist(), circuit.child.tolist()
    for node in np.flatnonzero((circuit.kind == kernels.GATE) & (below > 0)).tolist():
        true, false = 0, -1
        for literal in child[start[node] : start[node + 1]]:
            true |= holds[literal >> 1][literal & 1]
            false &= holds[literal >> 1][~literal & 1]
        holds[node] = (true, false)
    return [holds[literal >> 1][literal & 1] for literal in literals.tolist()]


def _contraries(fluents: int, exclusive: Sequence[IntArray]) -> list[int]:
    """For each literal the literals that cannot hold with it."""
    result = [1 << (literal ^ 1) for literal in range(2 * (1 + fluents))]
    for group in exclusive:
        literals = (2 * (1 + group.astype(np.int64))).tolist()
        everything = _union(1 << literal for literal in literals)
        for literal in literals:
            result[literal] |= everything & ~(1 << literal)
    return result


def _union(sets: Iterator[int]) -> int:
    result = 0
    for some in sets:
        result |= some
    return result


def _members(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _rows(sets: Sequence[int], width: int) -> NDArray[np.uint64]:
    """uint64[sets, words]: sets as rows of bits."""
    size = -(-width // 64) * 8
    return np.frombuffer(b"".join(some.to_bytes(size, "little") for some in sets), np.uint64).reshape(len(sets), -1)
