"""Random matches, a circuit evaluated on the states and moves that occur in them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame, IntArray
from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.simplify.sampling_kernels import evaluate_nodes

Rows = NDArray[np.uint64]


def evaluated(circuit: Circuit, inputs: NDArray[np.bool_]) -> Rows:
    """uint64[nodes, words], bit l % 64 of word l // 64 for assignment l, of bool[fluents + moves, assignments]."""
    words = -(-inputs.shape[1] // 64)
    values = np.zeros((len(circuit.kind), words), np.uint64)
    values[0] = ~np.uint64(0)
    values[1 : 1 + circuit.inputs] = packed(inputs)
    evaluate_nodes(circuit.kind, circuit.child_start, circuit.child, values)
    return values


def packed(bits: NDArray[np.bool_]) -> Rows:
    """uint64[n, words] of bool[n, assignments]."""
    padded = np.zeros((bits.shape[0], -(-bits.shape[1] // 64) * 64), np.bool_)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def literal_rows(values: Rows, literals: IntArray) -> Rows:
    """uint64[n, words]: the values of literals."""
    result: Rows = values[literals >> 1] ^ np.where(literals & 1, ~np.uint64(0), np.uint64(0))[:, None]
    return result


def unpacked(rows: Rows, assignments: int) -> NDArray[np.bool_]:
    """bool[n, assignments] of uint64[n, words]."""
    octets = np.ascontiguousarray(rows.astype("<u8", copy=False)).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=assignments, bitorder="little").astype(np.bool_)


def random_positions(
    circuit: Circuit, game: GroundGame, lanes: int, generator: np.random.Generator
) -> Iterator[NDArray[np.bool_]]:
    """Turn after turn of ``lanes`` random matches: bool[fluents + moves, lanes], a state and a legal joint move in each lane.

    Matches that are over, or in which a role has no legal move, begin anew. ``circuit`` must be right for every state.
    """
    state = np.repeat(game.initial[:, None], lanes, axis=1)
    while True:
        inputs = np.zeros((circuit.inputs, lanes), np.bool_)
        inputs[: circuit.fluents] = state
        values = evaluated(circuit, inputs)
        legal = unpacked(literal_rows(values, circuit.legal), lanes)
        over = unpacked(literal_rows(values, np.array([circuit.terminal], np.int32)), lanes)[0]
        for first, last in zip(game.role_start[:-1].tolist(), game.role_start[1:].tolist(), strict=True):
            rank = generator.random((last - first, lanes), np.float32) * legal[first:last]
            move = rank.argmax(axis=0) if last > first else np.zeros(lanes, np.int64)
            over = over | ~legal[first:last].any(axis=0)
            if last > first:
                inputs[circuit.fluents + first + move, np.arange(lanes)] = True
        if over.all() and np.array_equal(state, np.repeat(game.initial[:, None], lanes, axis=1)):
            return
        if not over.any():
            yield inputs
        elif not over.all():
            yield np.ascontiguousarray(inputs[:, ~over])
        values = evaluated(circuit, inputs)
        state = unpacked(literal_rows(values, circuit.next), lanes)
        state[:, over] = game.initial[:, None]
