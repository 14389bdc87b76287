"""Search when states cannot be told apart: many possible states are played at once, and every role learns for what it knows.

Multiple-observer information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012): each walk begins in a state drawn
from the belief, and every role has a tree of its own, whose nodes are *views*, what the role has gone through. So a role cannot
answer what it has not seen, and a move that shows something is worth what it makes possible. All walks of a batch go one turn
further together, by one pass of the circuit a step, and each ends in 64 random games.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief import node_kernels
from scsp_player.belief.information_set import Belief
from scsp_player.belief.samples import States
from scsp_player.belief.views import ViewArray, Views
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

Floats = NDArray[np.float64]

TURNS = 128
"""Turns that a walk goes at most before it ends in playouts."""

FIRST_BATCH = 32
"""Walks in the first batch, when it is not known yet how long they take."""

SHORT_BATCH, LONG_BATCH = 0.12, 0.4
"""Batches that take less than this share of the time left are enlarged, those that take more than that are halved."""

SEEN_ENOUGH = 32.0
"""Visits of a node before what was chosen there counts as a model of the role."""


@dataclass(frozen=True)
class WalkSettings:
    """How information-set search spends its time.

    Attributes:
        exploration: C of UCB.
        mixing: share of the uniform distribution in regret matching; negative for UCB.
        playouts: random games at the end of a walk.
        batch: walks side by side.
        depth_limit: longest playout.
        nodes: views that are remembered; when they are full, all are forgotten.
    """

    exploration: float = 0.7
    mixing: float = -1.0
    playouts: int = 64
    batch: int = 128
    depth_limit: int = 1000
    nodes: int = 1 << 17


class InformationSetSearch:
    """Walks from the states of a belief.

    Attributes:
        walks: how many there have been.
        turns: their turns together.
    """

    def __init__(
        self,
        game: GroundGame,
        propnet: Propnet,
        role: int,
        *,
        settings: WalkSettings | None = None,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.game = game
        self.role = role
        self.settings = settings or WalkSettings()
        self.clock = clock
        self.walks = self.turns = 0
        self._propnet = propnet
        self._views = Views(game)
        self._generator = np.random.default_rng(seed)
        nodes = self.settings.nodes
        self._key, self._first, self._count = np.zeros(nodes, np.uint64), np.zeros(nodes, np.int64), np.zeros(nodes, np.int32)
        self._used = np.zeros(2, np.int64)
        self._table = np.zeros(4 * nodes, np.int32)
        self._move = np.zeros(8 * nodes, np.int32)
        self._visits, self._total, self._regret, self._average = (np.zeros(8 * nodes) for _ in range(4))
        self.forget()

    def forget(self) -> None:
        """Drop all statistics."""
        self._table[:] = -1
        self._used[:] = 0

    def think(
        self, belief: Belief, deadline: float, report: Callable[[], None] | None = None, *, walks: int | None = None
    ) -> None:
        """Walk until ``deadline`` by ``clock``, or until there have been ``walks`` more walks."""
        target = None if walks is None else self.walks + walks
        batch = self.settings.batch if target is not None else min(FIRST_BATCH, self.settings.batch)
        told = self.clock()
        while target is None or self.walks < target:
            start = self.clock()
            self._walk(belief, batch if target is None else min(batch, target - self.walks), deadline - start, target is None)
            end = self.clock()
            if report is not None and end >= told:
                report()
                told = end + 0.05
            if target is None:
                if end + 1.25 * (end - start) >= deadline:
                    break
                # A batch takes as long as its longest random game, so many walks cost hardly more than few.
                if batch < self.settings.batch and end - start < SHORT_BATCH * (deadline - end):
                    batch = min(2 * batch, self.settings.batch)
                elif batch > 1 and end - start > LONG_BATCH * (deadline - end):
                    batch //= 2

    def _walk(self, belief: Belief, lanes: int, seconds: float, timed: bool) -> None:
        s, roles = self.settings, len(self.game.roles)
        if self._used[node_kernels.NODES] > 0.95 * s.nodes or self._used[node_kernels.SLOTS] > 7.5 * s.nodes:
            self.forget()
        picked = belief.draw(lanes)
        states, views = belief.states[picked], belief.views[picked].copy()
        live, new = np.ones(lanes, np.bool_), np.zeros(lanes, np.bool_)
        length = np.zeros(lanes, np.int64)
        scores = np.zeros((lanes, roles))
        moves = np.zeros((lanes, roles), np.int32)
        slots, nodes = np.empty((2, TURNS, lanes, roles), np.int64)
        probability = np.empty((TURNS, lanes, roles))
        terminal, legal, final = self._propnet.evaluate(states)
        legal = np.ascontiguousarray(legal)
        for turn in range(TURNS):
            over = live & terminal
            scores[over] = final[over] / 100.0
            live &= ~terminal
            self._choose(legal, views, live, moves, slots[turn], probability[turn], nodes[turn], new)
            on = np.flatnonzero(live & ~new)
            live[:] = False
            live[on] = True
            if not len(on):
                break
            length[on] += 1
            seen = self._propnet.percepts(states[on], moves[on])
            views[on] = self._views.after(views[on], moves[on], seen)
            states[on] = self._propnet.successors(states[on], moves[on])
            terminal[on], legal[on], final[on] = self._propnet.evaluate(states[on])
        waiting = np.flatnonzero(new | live)
        if len(waiting):
            scores[waiting] = self._play_out(states[waiting], seconds if timed else None)
        node_kernels.back_up(
            slots, probability, nodes, length, scores, s.mixing, self._first, self._count, self._total, self._regret
        )
        self.walks += lanes
        self.turns += int(length.sum())

    def _choose(
        self,
        legal: NDArray[np.bool_],
        views: ViewArray,
        live: NDArray[np.bool_],
        moves: NDArray[np.int32],
        slots: NDArray[np.int64],
        probability: Floats,
        nodes: NDArray[np.int64],
        new: NDArray[np.bool_],
    ) -> None:
        node_kernels.choose(
            legal,
            views,
            live,
            self._generator.random(views.shape),
            self.game.role_start,
            self.game.random_role,
            self.settings.exploration,
            self.settings.mixing,
            self._table,
            self._key,
            self._first,
            self._count,
            self._used,
            self._move,
            self._visits,
            self._total,
            self._regret,
            self._average,
            moves,
            slots,
            probability,
            nodes,
            new,
        )

    def _play_out(self, states: States, seconds: float | None) -> Floats:
        """Mean scores of random games, 0 to 1: float64[k, roles]; games cut off count as zero."""
        count = self.settings.playouts
        result = self._propnet.playouts(
            states,
            lanes_per_state=count,
            playouts_per_state=count,
            seed=self._generator,
            max_depth=self.settings.depth_limit,
            seconds=seconds,
        )
        means: Floats = result.score_sum / np.maximum(1, result.finished + result.truncated)[:, None] / 100.0
        return means

    def choices(self, view: int) -> tuple[NDArray[np.int32], Floats, Floats, Floats]:
        """What is known of the moves of a role that has gone through ``view``: moves, visits, mean scores, average strategy."""
        place = node_kernels.find(self._table, self._key, np.uint64(view))
        node = int(self._table[place])
        part = slice(0, 0) if node < 0 else slice(int(self._first[node]), int(self._first[node] + self._count[node]))
        visits, average = self._visits[part], self._average[part]
        means = self._total[part] / np.maximum(1.0, visits)
        return self._move[part], visits, means, average / max(1e-300, float(average.sum()))

    def policy(self, role: int, views: ViewArray, legal: NDArray[np.bool_], probabilities: Floats) -> Floats:
        """See ``Model``: half uniform, half as the role has chosen in the search where that was often enough."""
        result: Floats = legal / np.maximum(1, legal.sum(axis=1, keepdims=True))
        begin = int(self.game.role_start[role])
        distinct, place = np.unique(views[legal.sum(axis=1) > 1], return_inverse=True)
        rows = np.flatnonzero(legal.sum(axis=1) > 1)
        for number, view in enumerate(distinct.tolist()):
            known, visits, _, _ = self.choices(view)
            if visits.sum() >= SEEN_ENOUGH:
                mine = rows[place.ravel() == number]
                share = np.zeros(legal.shape[1])
                share[known - begin] = visits / visits.sum()
                result[mine] = np.where(legal[mine], 0.5 * result[mine] + 0.5 * share, 0.0)
        result /= np.maximum(1e-300, result.sum(axis=1, keepdims=True))
        return result

    def follow(self, parent: NDArray[np.int64], moves: NDArray[np.int32], seen: NDArray[np.bool_], states: States) -> None:
        """See ``Model``: what the search knows goes by views."""

    def reset(self, states: States) -> None:
        """See ``Model``: what the search knows goes by views."""
