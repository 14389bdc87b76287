"""One player against chance: every belief that can come about, each once, and the best move in it.

What the player knows is a distribution over states. Its move and what it then sees make a new one of it (a partially observable
Markov decision process: Kaelbling, Littman and Cassandra 1998). Two courses of the match that leave the same distribution are one
node, so ten questions in another order cost nothing. Moves that only gather information are worth what the better moves after them
are worth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.joint_moves import joint_moves, number_of_joint_moves
from scsp_player.belief.samples import sums
from scsp_player.belief.views import Views, mix
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

States = NDArray[np.uint64]
Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

CHUNK = 4096
"""Joint moves computed between two looks at the clock."""

SAME = 1e-9
"""Scores that differ by less are the same but for rounding."""

GRAIN = float(1 << 32)
"""Probabilities that agree in so many parts are taken to be equal when distributions are compared."""


@dataclass
class _Layer:
    """The beliefs after a number of turns and what moves lead from them to the next layer.

    Attributes:
        pair: int64[p], belief · moves + move, ascending: the moves to choose from.
        reward: float64[p], score of the matches that the move ends, weighted.
        edge_pair, edge_child, edge_probability: [e], the beliefs that may follow.
    """

    beliefs: int
    pair: Numbers
    reward: Floats
    edge_pair: Numbers
    edge_child: Numbers
    edge_probability: Floats


@dataclass
class _Entries:
    belief: Numbers
    states: States
    weights: Floats
    legal: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), np.bool_))


class BeliefGraph:
    """Beliefs from a given one on, layer by layer, as far as work and time allow.

    Args:
        game: a game with one role besides chance.
        propnet: its circuit.
        role: the player.
        states, probabilities: the belief: uint64[k, words] of states that are not terminal, float64[k].
    """

    def __init__(self, game: GroundGame, propnet: Propnet, role: int, states: States, probabilities: Floats) -> None:
        self.game = game
        self.complete = False
        self._role = role
        self._propnet = propnet
        self._views = Views(game)
        self._layers: list[_Layer] = []
        legal = propnet.legal(states)
        self._entries = _Entries(np.zeros(len(states), np.int64), states, probabilities / probabilities.sum(), legal)
        self._entropies = np.zeros(1)
        self._root_entropy = max(1e-9, float(_entropy(self._entries.belief, self._entries.weights, 1)[0]))

    @property
    def depth(self) -> int:
        """Turns looked ahead."""
        return len(self._layers)

    def grow(self, work: int, expired: Callable[[], bool]) -> bool:
        """Add layers until the game is exhausted, a layer would take more than ``work`` joint moves, or time is up.

        Returns whether all beliefs are known; a layer that was begun and not finished is dropped.
        """
        while not self.complete:
            if not len(self._entries.belief):
                self.complete = True
                break
            sizes = number_of_joint_moves(self.game, self._allowed())
            work -= int(min(sizes.sum(), 1e15))
            if work < 0 or expired():
                break
            if not self._add_layer(expired):
                break
        return self.complete

    def values(self) -> tuple[NDArray[np.int32], Floats, Floats]:
        """Our moves in the first belief, int32[m], the expected score of each, float64[m], and the expected number of turns.

        After the first move everything is done for the score, and of moves with the same score the one that ends the match sooner.
        Unless the graph is complete, scores are lower bounds: matches that go on beyond the last layer count as zero.
        """
        if not self._layers:
            return np.zeros(0, np.int32), np.zeros(0), np.zeros(0)
        beliefs = int(self._entries.belief.max(initial=0)) + 1
        later, left = np.zeros(beliefs), np.zeros(beliefs)
        for layer in reversed(self._layers):
            gain, wait = (
                sums(layer.edge_pair, layer.edge_probability * known[layer.edge_child], len(layer.pair)) for known in (later, left)
            )
            quality, turns = layer.reward + gain, 1.0 + wait
            belief = layer.pair // self.game.moves
            order = np.lexsort((turns, -np.rint(quality / SAME), belief))
            best = order[np.flatnonzero(np.diff(belief[order], prepend=-1))]
            later, left = np.full(layer.beliefs, -math.inf), np.zeros(layer.beliefs)
            later[belief[best]], left[belief[best]] = quality[best], turns[best]
        return (self._layers[0].pair % self.game.moves).astype(np.int32), quality, turns

    def information(self) -> Floats:
        """float64[m]: which share of what is unknown now each move is expected to make known, in the order of ``values``."""
        if not self._layers:
            return np.zeros(0)
        layer = self._layers[0]
        left = sums(layer.edge_pair, layer.edge_probability * self._entropies[layer.edge_child], len(layer.pair))
        return np.clip(1.0 - left / self._root_entropy, 0.0, 1.0)

    def _allowed(self) -> NDArray[np.bool_]:
        """bool[n, moves]: legal moves, our own only if they are legal in every state of the belief (unless none is)."""
        entries, (first, last) = self._entries, self.game.role_start[self._role : self._role + 2]
        begin = np.flatnonzero(np.diff(entries.belief, prepend=-1))
        own = entries.legal[:, first:last]
        everywhere = np.logical_and.reduceat(own, begin, axis=0)
        place = np.cumsum(np.diff(entries.belief, prepend=-1) != 0) - 1
        chosen = own & everywhere[place]
        known: NDArray[np.bool_] = np.asarray(everywhere.any(axis=1), np.bool_)
        none = ~known[place]
        chosen[none] = own[none]
        allowed = entries.legal.copy()
        allowed[:, first:last] = chosen
        return allowed

    def _add_layer(self, expired: Callable[[], bool]) -> bool:
        game, entries = self.game, self._entries
        found = joint_moves(game, self._allowed())
        chance = [r for r in range(len(game.roles)) if r != self._role]
        weight = entries.weights[found.owner] * found.share(chance)
        belief, own = entries.belief[found.owner], found.moves[:, self._role]
        pair, pair_of = np.unique(belief * game.moves + own, return_inverse=True)
        reward = np.zeros(len(pair))
        parts: list[tuple[Numbers, States, Floats, NDArray[np.bool_], Numbers]] = []
        for begin in range(0, len(weight), CHUNK):
            if expired():
                return False
            part = slice(begin, begin + CHUNK)
            before, moves = entries.states[found.owner[part]], found.moves[part]
            states, shown = self._views.observe(self._propnet, before, moves)
            terminal, legal, scores = self._propnet.evaluate(states)
            over = np.flatnonzero(terminal)
            np.add.at(reward, pair_of[part][over], weight[part][over] * scores[over, self._role])
            on = np.flatnonzero(~terminal)
            view = self._views.after(belief[part][on].astype(np.uint64), moves[on, self._role], shown[on, self._role])
            parts.append((view.view(np.int64), states[on], weight[part][on], legal[on], pair_of[part][on]))
        view, states, weights, legal, source = (np.concatenate(list(p)) for p in zip(*parts, strict=True))
        _, first, group = np.unique(view, return_index=True, return_inverse=True)
        group = group.ravel()
        probability = sums(group, weights, len(first))
        child = self._merge(group, states, weights / np.maximum(probability[group], 1e-300), legal, len(first))
        beliefs = int(entries.belief.max()) + 1
        if not self._layers:
            self._entropies = _entropy(self._entries.belief, self._entries.weights, int(child.max(initial=0)) + 1)
        self._layers.append(_Layer(beliefs, pair, reward, source[first], child, probability))
        return True

    def _merge(self, group: Numbers, states: States, weights: Floats, legal: NDArray[np.bool_], groups: int) -> Numbers:
        """Make the entries of the next layer out of groups, equal distributions once; int64[groups]: the belief of each group."""
        if not groups:
            self._entries = _Entries(group, states, weights, legal)
            return np.zeros(0, np.int64)
        keys = np.ascontiguousarray(np.concatenate([group[:, None].astype(np.uint64), states], axis=1))
        _, first, place = np.unique(keys.view(f"V{8 * keys.shape[1]}").ravel(), return_index=True, return_inverse=True)
        weights = sums(place, weights, len(first))
        group, states, legal = group[first], states[first], legal[first]
        with np.errstate(over="ignore"):
            code = np.zeros(len(states), np.uint64)
            for word in states.T:
                code = mix(code * np.uint64(0x9E3779B97F4A7C15) + word)
            code = mix(code + np.rint(weights * GRAIN).astype(np.uint64))
            signature = np.zeros(groups, np.uint64)
            np.add.at(signature, group, code)
        _, chosen, belief = np.unique(signature, return_index=True, return_inverse=True)
        kept = np.flatnonzero(np.isin(group, chosen))
        kept = kept[np.argsort(belief.ravel()[group[kept]], kind="stable")]
        self._entries = _Entries(belief.ravel()[group[kept]], states[kept], weights[kept], legal[kept])
        result: Numbers = belief.ravel()
        return result


def _entropy(belief: Numbers, weights: Floats, count: int) -> Floats:
    """float64[count]: entropy of each belief."""
    return sums(belief, -weights * np.log(np.maximum(weights, 1e-300)), count)
