"""Beam search: level by level, only the states that look best go on; passes become wider and wider.

What looks best differs from pass to pass: what is near to the goal; among equally near ones, what leaves fewest moves, since dead
ends had better be visited before they close (Warnsdorff's rule for knight's tours); or what leaves most.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.propnet import Propnet
from scsp_player.search import state_space_kernels as kernels
from scsp_player.search.line import BestLine
from scsp_player.search.state_space import JOINT_ROOM

FIRST_WIDTH = 32
"""States that the first pass keeps on each level."""

MOST_KNOWN = 1 << 20
"""States that one pass may meet; then it ends."""

DEPTH_LIMIT = 1000
"""Levels of a pass."""

VIEWS = (0.0, -1.0, 1.0)
"""Signs of the number of legal moves in the order of states, pass by pass; 0 leaves it out."""

Heuristic = Callable[[NDArray[np.uint64]], NDArray[np.float32]]


class BeamSearch:
    """Passes of beam search from a state of a game with one player; ``step`` goes one level down.

    Within a pass no state is met twice. A pass that never leaves anything out has seen everything.

    Attributes:
        width: states that the pass keeps on each level.
    """

    def __init__(
        self, propnet: Propnet, state: NDArray[np.uint64], heuristic: Heuristic, line: BestLine, generator: np.random.Generator
    ) -> None:
        self._propnet = propnet
        self._game = propnet.game
        self._start = state
        self._heuristic = heuristic
        self._line = line
        self._generator = generator
        self._owner = np.zeros(JOINT_ROOM, np.int64)
        self._moves = np.zeros((JOINT_ROOM, len(self._game.roles)), np.int32)
        self.width = FIRST_WIDTH // 2
        self._passes = 0
        self._begin()

    def _begin(self) -> None:
        """Start a pass, twice as wide once all views had one."""
        if self._passes % len(VIEWS) == 0:
            self.width *= 2
        self._view = VIEWS[self._passes % len(VIEWS)]
        self._passes += 1
        self._beam = self._start[None]
        self._legal = self._propnet.legal(self._beam)
        self._history: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
        self._known = np.zeros((FIRST_WIDTH * 64, self._game.state_words), np.uint64)
        self._table = np.zeros(1 << 13, np.int32)
        self._count = int(kernels.enter(self._known, 0, self._table, self._beam, np.zeros(1, np.int32)))
        self._left_out = False

    def step(self, expired: Callable[[], bool]) -> None:
        """One level of the pass; the next pass begins after the last one."""
        parents, moves, states = [], [], []
        position, none_over = 0, np.zeros(len(self._beam), np.bool_)
        width = np.zeros((len(self._beam), len(self._game.roles)), np.int32)
        while position < len(self._beam) and not expired():
            used, after = kernels.list_joint_moves(
                self._legal, none_over, position, self._game.role_start, width, self._owner, self._moves
            )
            self._left_out |= after == position
            if used:
                owner, joint = self._owner[:used].copy(), self._moves[:used].copy()
                fresh, successors = self._unknown(self._propnet.successors(self._beam[owner], joint))
                parents.append(owner[fresh])
                moves.append(joint[fresh])
                states.append(successors)
            position = max(after, position + 1)
        self._left_out |= position < len(self._beam)
        if sum(map(len, parents)):
            self._descend(np.concatenate(parents), np.concatenate(moves), np.concatenate(states))
        else:
            self._beam = self._beam[:0]
        if not len(self._beam) or self._count > MOST_KNOWN or len(self._history) >= DEPTH_LIMIT:
            if not len(self._beam) and not self._left_out:
                self._line.certain = True
            self._begin()

    def _unknown(self, states: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """The first positions of those of the states that the pass has not met yet, and these states."""
        while self._count + len(states) > len(self._known):
            self._known = np.concatenate([self._known, np.zeros_like(self._known)])
        while 2 * (self._count + len(states)) > len(self._table):
            self._table = np.zeros(4 * len(self._table), np.int32)
            kernels.rebuild(self._known, self._count, self._table)
        numbers, before = np.zeros(len(states), np.int32), self._count
        self._count = int(kernels.enter(self._known, before, self._table, states, numbers))
        different, first = np.unique(numbers, return_index=True)
        fresh = first[different >= before].astype(np.int64)
        return fresh, states[fresh]

    def _descend(self, parents: NDArray[np.int64], moves: NDArray[np.int32], states: NDArray[np.uint64]) -> None:
        """Take note of the ends among new states, and go on with the best of the others."""
        over, legal, scores = self._propnet.evaluate(states)
        ends = np.flatnonzero(over)
        if len(ends):
            best = int(ends[np.argmax(scores[ends, 0])])
            if scores[best, 0] > self._line.score or (
                scores[best, 0] == self._line.score and len(self._history) + 1 < len(self._line.moves)
            ):
                self._line.offer(float(scores[best, 0]), self._line_to(int(parents[best]), moves[best]))
        going_on = np.flatnonzero(~over)
        if len(going_on) > self.width:
            self._left_out = True
            nearness = self._heuristic(states[going_on])
            if self._view:
                options = legal[going_on].sum(axis=1, dtype=np.float32)
                nearness = np.round(nearness, 1) + self._view * options / (1 + options.max())
            noise = self._generator.random(len(going_on), np.float32) * np.float32(1e-3)
            going_on = going_on[np.argpartition(nearness + noise, -self.width)[-self.width :]]
        self._beam, self._legal = states[going_on], legal[going_on]
        self._history.append((parents[going_on], moves[going_on]))

    def _line_to(self, parent: int, last: NDArray[np.int32]) -> NDArray[np.int32]:
        """int32[length, roles]: the moves to a state of the beam, and one more."""
        line = [last]
        for parents, moves in reversed(self._history):
            line.append(moves[parent])
            parent = int(parents[parent])
        return np.array(line[::-1], np.int32)
