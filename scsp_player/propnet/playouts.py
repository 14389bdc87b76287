"""Batches of random playouts from many states: lanes are dealt to states, rows of lanes run one after the other."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame, IntArray
from scsp_player.propnet.draw_kernels import LIVE, RANDOM, REMAINING
from scsp_player.propnet.lanes import first_lanes, spread_states
from scsp_player.propnet.playout_kernels import FINISHED, GOALS, PLIES, TRUNCATED, advance
from scsp_player.propnet.rows import ROW_LANES, ROW_WORDS
from scsp_player.propnet.schedule import GOAL, PERCEPT, Schedule
from scsp_player.propnet.workspace import Workspace, lines_of

LITERALS_A_CALL = 2_000_000
"""Work of one call of the kernel, after which the clock is read: some milliseconds."""

GOAL_LITERALS = 8
"""What checking and counting one goal costs, measured in literals."""

MOVE_LITERALS = 5
"""What drawing costs for each potential move, measured in literals."""


@dataclass(frozen=True, eq=False)
class PlayoutResult:
    """What came out of random playouts, one row a start state.

    A playout is *finished* if it reached a terminal state, and *truncated* if it met the depth limit first or a state in which a
    role has no legal move. Truncated playouts have no score.

    Attributes:
        score_sum: float64[states, roles], sums of the scores of the finished playouts.
        finished: int64[states].
        truncated: int64[states].
        plies: int64[states], moves made in all playouts together.
        goal_count: int64[states, goals], finished playouts by goal, in the order of ``GroundGame.goal_literal``; a playout whose
            end gives a role several goals is counted for none of them (the role scores 0).
        complete: whether all requested playouts were played; False if time was up.
    """

    score_sum: NDArray[np.float64]
    finished: NDArray[np.int64]
    truncated: NDArray[np.int64]
    plies: NDArray[np.int64]
    goal_count: NDArray[np.int64]
    complete: bool

    def mean_scores(self) -> NDArray[np.float64]:
        """float64[states, roles]: mean score of the finished playouts, nan where there are none."""
        count = np.where(self.finished > 0, self.finished, np.nan)
        means: NDArray[np.float64] = self.score_sum / count[:, None]
        return means


@dataclass(frozen=True, eq=False)
class PlayoutProgram:
    """A schedule with what playouts need beside it.

    Attributes:
        schedule: the circuit in evaluation order.
        role_start: int32[roles + 1], moves of each role.
        goal_order: int64[goals], goals sorted by role.
        goal_start: int32[roles + 1], goals of each role in that order.
        goal_value: int32[goals], scores in that order.
        goal: int32[goals], literals in that order.
        steps: moves of all lanes in one call of the kernel.
        patience: lane-steps that ended lanes may wait for goals to be computed; waiting and computing then cost the same.
    """

    schedule: Schedule
    role_start: IntArray
    goal_order: NDArray[np.int64]
    goal_start: IntArray
    goal_value: IntArray
    goal: IntArray
    steps: int
    patience: int

    @classmethod
    def of(cls, game: GroundGame, schedule: Schedule) -> PlayoutProgram:
        """The program of a game and its schedule."""
        order = np.argsort(game.goal_role, kind="stable")
        literals = schedule.stage_literals()
        step_cost = int(literals[:PERCEPT].sum() - literals[GOAL]) + schedule.fluents + MOVE_LITERALS * schedule.moves + 1
        goal_cost = int(literals[GOAL]) + GOAL_LITERALS * len(order)
        return cls(
            schedule,
            game.role_start,
            order,
            np.searchsorted(game.goal_role[order], np.arange(len(game.roles) + 1)).astype(np.int32),
            game.goal_value[order],
            schedule.goal[order],
            steps=max(1, LITERALS_A_CALL // step_cost),
            patience=ROW_LANES * goal_cost // step_cost,
        )

    def run(
        self,
        workspace: Workspace,
        states: NDArray[np.uint64],
        quota: NDArray[np.int64],
        generator: np.random.Generator,
        max_depth: int,
        deadline: float,
    ) -> tuple[NDArray[np.uint64], bool]:
        """Playouts of one row.

        Args:
            workspace: memory to work in.
            states: uint64[ROW_WORDS, words], the start state of each word of lanes.
            quota: int64[ROW_WORDS], how many playouts each word begins.
            generator: where the random numbers are seeded from.
            max_depth: moves after which a playout is truncated.
            deadline: value of ``time.perf_counter()`` at which to stop.

        Returns:
            uint64[GOALS + goals, ROW_WORDS] as described in ``playout_kernels``, and whether every playout came to its end.
        """
        schedule = self.schedule
        lanes, values = workspace.lanes, workspace.values
        lanes[:] = 0
        lanes[RANDOM : RANDOM + 2] = generator.integers(1, 2**64, size=(2, ROW_WORDS), dtype=np.uint64)
        lanes[LIVE] = first_lanes(quota)
        lanes[REMAINING] = np.maximum(quota - 64, 0)
        depth = lines_of(max_depth.bit_length())
        depth[:] = depth_lines(max_depth)
        totals = lines_of(GOALS + len(self.goal))
        spread_states(workspace.start, schedule.fluents, states)
        values[1 : 1 + schedule.fluents] = workspace.start
        while True:
            done = advance(
                values,
                schedule.fluents,
                schedule.first_gate,
                schedule.code_start,
                schedule.code,
                schedule.segment,
                schedule.stage_segment,
                schedule.terminal,
                schedule.legal,
                self.role_start,
                self.goal_start,
                self.goal,
                schedule.next,
                workspace.start,
                lanes,
                depth,
                max_depth,
                totals,
                workspace.tree,
                workspace.chosen,
                workspace.offset,
                self.patience,
                self.steps,
            )
            if done or time.perf_counter() >= deadline:
                return totals, done

    def collect(self, totals: NDArray[np.int64], complete: bool) -> PlayoutResult:
        """The result of all playouts from int64[GOALS + goals, states], the counts of each start state."""
        counts = totals[GOALS:]
        score_sum = np.zeros((totals.shape[1], len(self.role_start) - 1))
        for role in range(score_sum.shape[1]):
            of_role = slice(self.goal_start[role], self.goal_start[role + 1])
            score_sum[:, role] = self.goal_value[of_role] @ counts[of_role]
        goal_count = np.empty_like(counts.T)
        goal_count[:, self.goal_order] = counts.T
        return PlayoutResult(score_sum, totals[FINISHED], totals[TRUNCATED], totals[PLIES], goal_count, complete)


@lru_cache
def depth_lines(limit: int) -> NDArray[np.uint64]:
    """uint64[bits, 1]: bit-sliced counters of all lanes before the first move; they overflow after ``limit`` moves.

    >>> depth_lines(3).ravel() == [2**64 - 1, 0]
    array([ True,  True])
    """
    first = (1 << limit.bit_length()) - limit
    return np.array([[-((first >> j) & 1) % 2**64] for j in range(limit.bit_length())], np.uint64)


@lru_cache
def deal(states: int, words: int, playouts: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Owners and quotas of all words: ``words`` words a state, which share its ``playouts`` evenly; filled up to whole rows.

    Returns int64[rows, ROW_WORDS] twice, not to be changed.

    >>> owner, quota = deal(2, 3, 10)
    >>> owner[0, :7].tolist(), quota[0, :7].tolist()
    ([0, 0, 0, 1, 1, 1, 0], [4, 3, 3, 4, 3, 3, 0])
    """
    rows = -(-states * words // ROW_WORDS)
    owner = np.zeros(rows * ROW_WORDS, np.int64)
    quota = np.zeros(rows * ROW_WORDS, np.int64)
    owner[: states * words] = np.repeat(np.arange(states), words)
    share = playouts // words + (np.arange(words) < playouts % words)
    quota[: states * words] = np.tile(share, states)
    return owner.reshape(rows, ROW_WORDS), quota.reshape(rows, ROW_WORDS)
