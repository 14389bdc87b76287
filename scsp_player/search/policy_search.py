"""Nested rollout policy adaptation (Rosin 2011) with batches of playouts, for games with one player."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.propnet import Propnet
from scsp_player.search import policy_kernels as kernels
from scsp_player.search.line import BestLine

LANES = 256
"""Playouts of one step."""

SPECIAL = 1 << 18
"""Weights of moves in a certain state."""

RATE = 1.0
"""How far the policy goes towards the best line in one step."""

PATIENCE = 12
"""Steps without a better line after which a policy is given up."""

DEPTH_LIMIT = 1000
"""Moves after which playouts are given up."""


class PolicySearch:
    """Playouts by a policy that learns the best line of its run; ``step`` is one batch and one lesson.

    A run begins without knowledge, or, every other time, with the best line of all runs half learnt. It ends when its lines do
    not get better.
    """

    def __init__(self, propnet: Propnet, state: NDArray[np.uint64], line: BestLine, generator: np.random.Generator) -> None:
        self._propnet = propnet
        self._start = state
        self._line = line
        self._zobrist = generator.integers(1, 2**64, size=(propnet.game.state_words, 64), dtype=np.uint64)
        self._generator = generator.integers(0, 2**63, size=1, dtype=np.uint64)
        self._general = np.zeros(propnet.game.moves, np.float32)
        self._special = np.zeros(SPECIAL, np.float32)
        self._runs = 0
        self._begin()

    def _begin(self) -> None:
        self._runs += 1
        self._general[:] = 0.0
        self._special[:] = 0.0
        self._best: tuple[float, NDArray[np.int32]] | None = None
        self._waited = 0
        if self._runs % 2 == 0 and len(self._line.moves):
            self._learn(self._line.moves[:, 0], RATE)

    def step(self, expired: Callable[[], bool]) -> None:
        """Play a batch, learn from the best line of this run."""
        found = self._play(expired)
        self._waited += 1
        if found is not None:
            score, moves = found
            if self._best is None or score > self._best[0] or (score == self._best[0] and len(moves) < len(self._best[1])):
                self._waited = 0
            # Lines that are as good take the place of the old one, so that runs keep moving.
            if self._best is None or score >= self._best[0]:
                self._best = found
            self._line.offer(score, moves[:, None])
        if self._best is None or self._waited > PATIENCE:
            self._begin()
        elif not expired():
            self._learn(self._best[1], RATE)

    def _play(self, expired: Callable[[], bool]) -> tuple[float, NDArray[np.int32]] | None:
        """The best line of a batch of playouts: score and moves int32[length]; the shortest of several."""
        states = np.repeat(self._start[None], LANES, axis=0)
        lane = np.arange(LANES)
        history = np.full((64, LANES), -1, np.int32)
        best: tuple[float, NDArray[np.int32]] | None = None
        for depth in range(DEPTH_LIMIT):
            over, legal, scores = self._propnet.evaluate(states)
            ends = np.flatnonzero(over)
            if len(ends):
                top = int(ends[np.argmax(scores[ends, 0])])
                if best is None or scores[top, 0] > best[0]:
                    best = float(scores[top, 0]), history[:depth, lane[top]].copy()
            going_on = np.flatnonzero(~over & legal.any(axis=1))
            if not len(going_on) or expired():
                break
            if len(going_on) < len(lane):
                lane, states, legal = lane[going_on], states[going_on], legal[going_on]
            moves = np.empty(len(lane), np.int32)
            kernels.draw(states, legal, self._zobrist, self._general, self._special, self._generator, moves)
            if depth == len(history):
                history = np.concatenate([history, np.full_like(history, -1)])
            history[depth, lane] = moves
            states = self._propnet.successors(states, moves[:, None])
        return best

    def _learn(self, moves: NDArray[np.int32], rate: float) -> None:
        """Make a line int32[length] likelier."""
        states = np.empty((len(moves), len(self._start)), np.uint64)
        state = self._start[None]
        for number, move in enumerate(moves):
            states[number] = state[0]
            state = self._propnet.successors(state, np.array([[move]], np.int32))
        if len(moves):
            legal = self._propnet.legal(states)
            kernels.adapt(states, legal, np.ascontiguousarray(moves), rate, self._zobrist, self._general, self._special)
