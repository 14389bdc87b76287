"""Courses of a match that fit what one has done and seen, as a tree: one layer for each turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.joint_moves import number_of_joint_moves
from scsp_player.belief.samples import States, Weights
from scsp_player.belief.views import ViewArray, Views
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

Numbers = NDArray[np.int64]
Moves = NDArray[np.int32]
Past = list[tuple[int, NDArray[np.bool_]]]
"""Own moves (global indices) and percepts (bool[percepts]) of all turns so far."""


class Layer(NamedTuple):
    """Nodes after the same number of turns.

    ``states`` is uint64[n, words], ``views`` uint64[n, roles]; ``parent`` int64[n] are rows of the layer before and ``moves``
    int32[n, roles] what led from there; ``chance`` float64[n] is the logarithm of the probability of the others' moves since the
    beginning, if all of them are made uniformly.
    """

    states: States
    views: ViewArray
    parent: Numbers
    moves: Moves
    chance: Weights

    def some(self, rows: Numbers) -> Layer:
        """Some of the nodes."""
        return Layer._make(column[rows] for column in self)

    def and_also(self, other: Layer) -> Layer:
        """The nodes of both, one after the other."""
        return Layer._make(np.concatenate([mine, others]) for mine, others in zip(self, other, strict=True))


class HistoryTree:
    """All nodes fit the turns up to their layer; the deepest layer may lie before the present turn, if nothing fits that.

    Attributes:
        layers: the beginning of the match alone, then what follows.
    """

    def __init__(self, game: GroundGame, propnet: Propnet, role: int) -> None:
        self.game, self.propnet, self.role = game, propnet, role
        self.views = Views(game)
        start = game.initial_state[None].copy()
        none = np.zeros((1, len(game.roles)), np.int32)
        self.layers = [Layer(start, self.views.first(1), np.zeros(1, np.int64), none, np.zeros(1))]

    @property
    def turns(self) -> int:
        """How many turns the deepest nodes fit."""
        return len(self.layers) - 1

    def add(self, turn: int, nodes: Layer) -> Numbers:
        """Put nodes into the layer after so many turns, which must be there or come next; their rows."""
        if turn == len(self.layers):
            self.layers.append(nodes)
            return np.arange(len(nodes.states))
        before = len(self.layers[turn].states)
        self.layers[turn] = self.layers[turn].and_also(nodes)
        return np.arange(before, before + len(nodes.states))

    @property
    def bytes(self) -> int:
        """What all nodes take."""
        return sum(column.nbytes for layer in self.layers for column in layer)

    def prune(self, leaves: Numbers) -> Numbers:
        """Forget what does not lead to these nodes of the deepest layer; their new rows."""
        result = rows = leaves
        for turn in range(self.turns, -1, -1):
            kept, place = np.unique(rows, return_inverse=True)
            layer = self.layers[turn].some(kept)
            if turn == self.turns:
                result = place.ravel()
            else:
                self.layers[turn + 1] = self.layers[turn + 1]._replace(parent=place.ravel())
            self.layers[turn], rows = layer, layer.parent
        return result

    def rows(self, leaves: Numbers) -> list[Numbers]:
        """For each layer the rows of the nodes on the way to nodes of the deepest one, each int64[leaves]."""
        result = [leaves]
        for layer in reversed(self.layers[1:]):
            result.append(layer.parent[result[-1]])
        return result[::-1]

    def replay(self, moves: Moves, past: Past) -> tuple[Numbers, Numbers]:
        """Add courses, int32[n, turns, roles] joint moves, as far as they are legal and show what was seen in all turns.

        Returns which of them these are, and the rows of their ends in the layer after the last turn.
        """
        kept, parent = np.arange(len(moves)), np.zeros(len(moves), np.int64)
        layers: list[tuple[Layer, Numbers]] = []
        at = self.layers[0].some(parent)
        for turn, (own, percepts) in enumerate(past):
            joint = moves[kept, turn]
            terminal, legal, _ = self.propnet.evaluate(at.states)
            states, shown = self.views.observe(self.propnet, at.states, joint)
            fits = ~terminal & (shown[:, self.role] == self.views.shown(self.role, percepts))
            for role in range(joint.shape[1]):
                fits &= legal[np.arange(len(joint)), joint[:, role]]
            sizes = number_of_joint_moves(self.game, legal, {self.role: own})
            on = np.flatnonzero(fits)
            kept = kept[on]
            at = Layer(
                states[on],
                self.views.after(at.views[on], joint[on], shown[on]),
                on if layers else parent[on],
                joint[on],
                at.chance[on] - np.log(sizes[on]),
            )
            layers.append((at, kept))
            if not len(kept):
                return kept, kept
        # Only what fits to the end goes in: a node of each course in every layer.
        rows = np.zeros(len(kept), np.int64)
        for turn, (layer, of) in enumerate(layers, 1):
            part = np.searchsorted(of, kept)
            rows = self.add(turn, layer.some(part)._replace(parent=rows))
        return kept, rows
