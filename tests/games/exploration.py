"""Walks through the positions of a game, layer by layer, on the lane evaluator.

A *layer* holds the distinct positions after so many turns. The same position may stand in several layers; every sheet here
bounds the length of its matches, so there are finitely many layers.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

CHUNK = 4096
"""States evaluated at once: large enough to amortise the interpreter, small enough for the processor's cache."""


@dataclass
class Layer:
    """Positions after a number of turns.

    Attributes:
        states: bool[k, fluents], distinct.
        terminal: bool[k].
        goals: int[k, roles], -1 for none or several; meaningful in terminal positions.
        legal: bool[k, moves].
        sequences: for each position the number of move sequences that lead to it.
        origin, joint, target: one entry an edge into the next layer: index here, joint move int[e, roles], index there.
    """

    states: np.ndarray
    terminal: np.ndarray
    goals: np.ndarray
    legal: np.ndarray
    sequences: list
    origin: np.ndarray | None = None
    joint: np.ndarray | None = None
    target: np.ndarray | None = None


def in_chunks(function, *arrays):
    """``function`` over slices of the arrays, results put together again."""
    parts = [function(*(a[i : i + CHUNK] for a in arrays)) for i in range(0, len(arrays[0]), CHUNK)]
    if isinstance(parts[0], tuple):
        return tuple(np.concatenate(p) for p in zip(*parts, strict=True))
    return np.concatenate(parts)


def joint_moves(game, legal_row):
    """All legal joint moves of one state as tuples of global move indices."""
    by_role = [
        game.role_start[r] + np.flatnonzero(legal_row[game.role_start[r] : game.role_start[r + 1]]) for r in range(len(game.roles))
    ]
    return list(itertools.product(*(b.tolist() for b in by_role)))


def layers(machine, *, edge_limit):
    """Yields the layers from the initial position on; stops before the edges of a layer would make more than ``edge_limit`` in all.

    A layer's edges are filled in before the next layer is yielded. The game is exhausted if the last layer is all terminal.
    """
    game = machine.game
    states, sequences, edges = game.initial[None, :], [1], 0
    while True:
        terminal, legal, goals = in_chunks(machine.evaluate, states)
        layer = Layer(states, terminal, goals, legal, sequences)
        yield layer
        choices = np.ones(len(states), dtype=np.int64)
        for r in range(len(game.roles)):
            choices *= legal[:, game.role_start[r] : game.role_start[r + 1]].sum(axis=1)
        edges += int(choices[~terminal].sum())
        if terminal.all() or edges > edge_limit:
            return
        live = np.flatnonzero(~terminal)
        moves = [joint_moves(game, legal[i]) for i in live]
        layer.origin = np.repeat(live, [len(m) for m in moves])
        layer.joint = np.array(list(itertools.chain.from_iterable(moves)), dtype=np.int64)
        after = in_chunks(machine.successors, states[layer.origin], layer.joint)
        packed = np.packbits(after, axis=1)
        keys = np.ascontiguousarray(packed).view(f"V{packed.shape[1]}").ravel()
        _, first, layer.target = np.unique(keys, return_index=True, return_inverse=True)
        states = after[first]
        counts = [0] * len(states)
        for i, j in zip(layer.origin.tolist(), layer.target.tolist(), strict=True):
            counts[j] += sequences[i]
        sequences = counts


def random_playouts(machine, games, seed):
    """Lengths int[games] and final scores int[games, roles] of uniformly random playouts."""
    game = machine.game
    rng = np.random.default_rng(seed)
    states = np.repeat(game.initial[None, :], games, axis=0)
    lengths = np.zeros(games, dtype=np.int64)
    scores = np.zeros((games, len(game.roles)), dtype=np.int64)
    open_games = np.arange(games)
    while True:
        terminal, legal, goals = machine.evaluate(states)
        scores[open_games[terminal]] = goals[terminal]
        open_games, states, legal = open_games[~terminal], states[~terminal], legal[~terminal]
        if not len(open_games):
            return lengths, scores
        joint = np.empty((len(states), len(game.roles)), dtype=np.int64)
        for r in range(len(game.roles)):
            start, stop = game.role_start[r], game.role_start[r + 1]
            weight = rng.random((len(states), stop - start))
            joint[:, r] = start + np.where(legal[:, start:stop], weight, -1.0).argmax(axis=1)
        states = machine.successors(states, joint)
        lengths[open_games] += 1
