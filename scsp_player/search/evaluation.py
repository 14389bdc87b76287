"""What the engines say of states that the search meets: ends, legal moves, scores, successors, playouts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.propnet import DrawnMoves, PlayoutResult, Propnet
from scsp_player.search import amaf_kernels, batch_kernels, proof_kernels
from scsp_player.search.batch import Rows
from scsp_player.search.constants import SUM, SUM_UNKNOWN, SUM_VARIES
from scsp_player.search.graph import GraphArrays, SearchGraph
from scsp_player.search.reduction import Frames, Reduction
from scsp_player.search.settings import SearchSettings

LOOKAHEAD_ROOM = 4096
"""Joint moves that one batch may look at for ends below its new nodes."""

SURVEYS = 16
"""Batches of random games from the beginning."""

PASSES = 3
"""What looking at one joint move costs, measured in plies of one playout: successor, end, and getting them in and out."""


class Evaluator:
    """Evaluates states of one game by its propnet.

    Attributes:
        plies: mean length of recent playouts, negative if there were none.
        reduction: symmetries by which states are one; None for none.
    """

    def __init__(self, propnet: Propnet, settings: SearchSettings, generator: np.random.Generator) -> None:
        game = propnet.game
        self.game = game
        self.plies = -1.0
        self.reduction: Reduction | None = None
        self._propnet = propnet
        self._settings = settings
        self._generator = generator
        self._owner = np.zeros(LOOKAHEAD_ROOM, np.int64)
        self._code = np.zeros(LOOKAHEAD_ROOM, np.int64)
        self._moves = np.zeros((LOOKAHEAD_ROOM, len(game.roles)), np.int32)
        self._unturned = Frames.alone(game.moves)
        self._drawn: DrawnMoves | None = None
        self._no_scores = np.zeros((LOOKAHEAD_ROOM, len(game.roles)), np.int32)

    def successors(self, states: NDArray[np.uint64], joint_moves: NDArray[np.int32]) -> NDArray[np.uint64]:
        """uint64[k, words]: the states after joint moves int32[k, roles]."""
        return self._propnet.successors(states, joint_moves)

    def children(
        self, states: NDArray[np.uint64], joint_moves: NDArray[np.int32]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """uint64[k, words]: the states after joint moves int32[k, roles], as nodes have them; int32[k]: what has turned them so."""
        states = self._propnet.successors(states, joint_moves)
        return (states, np.zeros(len(states), np.int32)) if self.reduction is None else self.reduction.turned(states)

    def record(self, graph: SearchGraph, nodes: NDArray[np.int64], most_moves: int) -> None:
        """Find out whether nodes int64[k] are terminal, and their scores or, if there are at most ``most_moves``, their moves."""
        states = graph.arrays.state[nodes]
        terminal, legal, scores = self._propnet.evaluate(states)
        if self.reduction is not None and legal.sum(axis=1).max(initial=0) <= most_moves:
            legal = self.reduction.thin(states, legal)
        batch_kernels.record(graph.arrays, nodes, terminal, legal, scores, self.game.role_start, most_moves)

    def look_ahead(self, graph: SearchGraph, nodes: NDArray[np.int64]) -> None:
        """Find the ends and the known states one move below new nodes int64[k], where that is cheap beside their playouts."""
        most = int(self._settings.lookahead * self._settings.playouts * self.plies / PASSES)
        if most < 1:
            return
        g = graph.arrays
        room = len(self._owner)
        used = batch_kernels.list_joint_moves(g, nodes, min(most, room), self._owner, self._code, self._moves)
        if not used:
            return
        owner, code = self._owner[:used], self._code[:used]
        states, turns = self.children(g.state[owner], self._moves[:used])
        ends = self._propnet.terminal(states)
        scores = self._no_scores[:used]
        over = np.flatnonzero(ends)
        if len(over):
            scores = scores.copy()
            scores[over] = np.maximum(self._propnet.goals(states[over]), 0)
        graph.reserve(len(over), used)
        batch_kernels.link_seen(graph.arrays, owner, code, states, turns, ends, scores)
        proof_kernels.settle(graph.arrays)

    def survey(self, graph: SearchGraph) -> bool:
        """Random games from the beginning, to know how long they are and whether scores seem to have a constant sum.

        False if they have not; then nothing may be concluded from one role's score about another's.
        """
        players = [role for role in range(len(self.game.roles)) if role != self.game.random_role]
        result = self._play(np.repeat(self.game.initial_state[None], SURVEYS, axis=0), None)
        sums = result.score_sum[:, players].sum(axis=1)[result.finished > 0] / result.finished[result.finished > 0]
        if len(sums) and (sums != sums[0]).any():
            graph.arrays.fact[SUM] = SUM_VARIES
        elif len(sums) and graph.arrays.fact[SUM] == SUM_UNKNOWN:
            graph.arrays.fact[SUM] = int(sums[0])
        return bool(graph.arrays.fact[SUM] != SUM_VARIES)

    def play_out(
        self, states: NDArray[np.uint64], seconds: float | None, interrupted: Callable[[], bool] | None = None
    ) -> NDArray[np.float64] | None:
        """Mean scores of random games from ``states``: float64[k, roles]; games cut off count as zero.

        If ``seconds`` run out, the means are those of the games that have ended; if ``interrupted`` says to stop there are none.
        """
        result = self._play(states, seconds, interrupted)
        self._drawn = result.drawn
        count = self._settings.playouts
        if result.complete:
            means: NDArray[np.float64] = result.score_sum / count
        elif interrupted is not None:
            return None
        else:
            means = result.score_sum / np.maximum(1, result.finished + result.truncated)[:, None]
        return means

    def learn(
        self, g: GraphArrays, rows: Rows, count: int, leaves: NDArray[np.int64], values: NDArray[np.float64]
    ) -> None:
        """Tell the nodes on the first ``count`` paths what became of each move in the latest ``play_out``.

        It began with the states of ``leaves`` int64[k]; ``values`` float64[k, roles] are the means that it found.
        """
        if self._drawn is None or not len(leaves):
            return
        frames = self._unturned if self.reduction is None else self.reduction.frames
        amaf_kernels.learn(g, rows, count, leaves, values, self._settings.playouts, *self._drawn, *frames)

    def _play(
        self, states: NDArray[np.uint64], seconds: float | None, interrupted: Callable[[], bool] | None = None
    ) -> PlayoutResult:
        count = self._settings.playouts
        result = self._propnet.playouts(
            states,
            lanes_per_state=count,
            playouts_per_state=count,
            seed=self._generator,
            max_depth=self._settings.depth_limit,
            seconds=seconds,
            interrupted=interrupted,
            count_moves=self._settings.amaf > 0,
        )
        length = float(result.plies.sum()) / (count * len(states))
        self.plies = length if self.plies < 0 else 0.95 * self.plies + 0.05 * length
        return result
