"""What a player may believe about the state when it does not see everything: weighted states that fit its percepts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.terms import Term
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

JointMoves = NDArray[np.int32]
States = NDArray[np.uint64]


class Belief:
    """The states that are consistent with one role's own moves and percepts, with their probabilities.

    The others are taken to move uniformly at random, as chance does. While the set has at most ``limit`` states it is exact
    (every history that fits, merged by state); above it, ``limit`` states are drawn by their probabilities.

    Attributes:
        states: uint64[k, words], distinct.
        probabilities: float64[k], summing to 1.
        exact: whether no state was ever left out.
    """

    def __init__(self, game: GroundGame, propnet: Propnet, role: int, *, seed: int = 0, limit: int = 2000) -> None:
        self.game = game
        self.role = role
        self.limit = limit
        self.exact = True
        self._propnet = propnet
        self._generator = np.random.default_rng(seed)
        self.states: States = game.initial_state[None].copy()
        self.probabilities: NDArray[np.float64] = np.ones(1)

    def certain(self, state: NDArray[np.uint64]) -> None:
        """The state is known: uint64[words]."""
        self.states = state[None].copy()
        self.probabilities = np.ones(1)

    def update(self, own_move: Term, percepts: frozenset[Term]) -> bool:
        """Take in one turn; returns whether any state explains the percepts (if none does, they are ignored).

        Raises:
            ValueError: if ``own_move`` is not a move of the role.
        """
        move = self.game.move_index[self.role].get(own_move)
        if move is None:
            raise ValueError(f"{own_move} is not a move of {self.game.roles[self.role]}")
        expected = self._expected(percepts)
        fitting: list[tuple[States, NDArray[np.float64]]] = []
        any_state: list[tuple[States, NDArray[np.float64]]] = []
        terminal, legal, _ = self._propnet.evaluate(self.states)
        for index in range(len(self.states)):
            if terminal[index]:
                continue
            for joint, weight in self._joint_moves(legal[index], move):
                repeated = np.repeat(self.states[index][None], len(joint), axis=0)
                successors = self._propnet.successors(repeated, joint)
                weights = np.full(len(joint), weight * self.probabilities[index])
                seen = self._propnet.percepts(repeated, joint)[:, self.game.percept_role == self.role]
                keep = (seen == expected).all(axis=1)
                any_state.append((successors, weights))
                fitting.append((successors[keep], weights[keep]))
        found = any(len(s) for s, _ in fitting)
        self._merge(fitting if found else any_state)
        return found

    def _expected(self, percepts: frozenset[Term]) -> NDArray[np.bool_]:
        mine = np.flatnonzero(self.game.percept_role == self.role)
        terms = self.game.terms
        return np.array([terms.term(int(self.game.percept_term[i])) in percepts for i in mine], dtype=np.bool_)

    def _joint_moves(self, legal: NDArray[np.bool_], own: int) -> Iterator[tuple[JointMoves, float]]:
        """Joint moves that contain ``own``, int32[n, roles], with the probability of each."""
        choices = []
        for role in range(len(self.game.roles)):
            first, last = self.game.role_start[role], self.game.role_start[role + 1]
            moves = np.flatnonzero(legal[first:last]) + first
            choices.append(np.array([own]) if role == self.role else moves)
        total = int(np.prod([float(len(c)) for c in choices]))
        if total == 0:
            return
        if total <= self.limit:
            grid = np.meshgrid(*choices, indexing="ij")
            yield np.stack([g.ravel() for g in grid], axis=1).astype(np.int32), 1.0 / total
        else:
            self.exact = False
            draws = [self._generator.choice(c, size=self.limit) for c in choices]
            yield np.stack(draws, axis=1).astype(np.int32), 1.0 / self.limit

    def _merge(self, parts: list[tuple[States, NDArray[np.float64]]]) -> None:
        states = np.concatenate([s for s, _ in parts]) if parts else np.zeros((0, self.game.state_words), dtype=np.uint64)
        if not len(states):
            return
        weights = np.concatenate([w for _, w in parts])
        distinct, inverse = np.unique(states, axis=0, return_inverse=True)
        weights = np.bincount(inverse.ravel(), weights=weights)
        if len(distinct) > self.limit:
            self.exact = False
            picked = self._generator.choice(len(distinct), size=self.limit, p=weights / weights.sum())
            numbers, counts = np.unique(picked, return_counts=True)
            distinct, weights = distinct[numbers], counts.astype(np.float64)
        self.states = distinct
        self.probabilities = weights / weights.sum()
