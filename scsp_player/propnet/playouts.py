"""Batches of random playouts from many states: lanes are dealt to states, rows of lanes run one after the other."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray
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
    """

    schedule: Schedule
    role_start: IntArray
    goal_order: NDArray[np.int64]
    goal_start: IntArray
    goal_value: IntArray

    def run(
        self,
        workspace: Workspace,
        states: NDArray[np.uint64],
        owner: IntArray,
        quota: NDArray[np.int64],
        generator: np.random.Generator,
        max_depth: int,
        deadline: float,
    ) -> tuple[NDArray[np.int64], bool]:
        """Playouts of one row.

        Args:
            workspace: memory to work in.
            states: uint64[states, words].
            owner: int32[ROW_WORDS], the state of each word.
            quota: int64[ROW_WORDS], how many playouts each word begins.
            generator: where the random numbers are seeded from.
            max_depth: moves after which a playout is truncated.
            deadline: value of ``time.perf_counter()`` at which to stop.

        Returns:
            int64[GOALS + goals, ROW_WORDS] as described in ``playout_kernels``, and whether every playout came to its end.
        """
        schedule = self.schedule
        lanes, values = workspace.lanes, workspace.values
        lanes[:] = 0
        lanes[RANDOM : RANDOM + 2] = generator.integers(1, 2**64, size=(2, ROW_WORDS), dtype=np.uint64)
        lanes[LIVE] = first_lanes(quota)
        lanes[REMAINING] = np.maximum(quota - 64, 0)
        depth = lines_of(max_depth.bit_length())
        depth[:] = depth_lines(max_depth)
        totals = lines_of(GOALS + len(self.goal_order))
        spread_states(workspace.start, schedule.fluents, states, owner)
        values[1 : 1 + schedule.fluents] = workspace.start
        steps = max(1, LITERALS_A_CALL // max(1, self._step_cost()))
        goal = schedule.goal[self.goal_order]
        patience = self._patience()
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
                goal,
                schedule.next,
                workspace.start,
                lanes,
                depth,
                max_depth,
                totals,
                workspace.tree,
                workspace.chosen,
                workspace.offset,
                patience,
                steps,
            )
            if done or time.perf_counter() >= deadline:
                return totals.astype(np.int64), done

    def _step_cost(self) -> int:
        """Rough cost of a step, in literals."""
        schedule = self.schedule
        work = schedule.stage_literals()
        return int(work[:PERCEPT].sum() - work[GOAL] + schedule.fluents + 5 * schedule.moves)

    def _patience(self) -> int:
        """Lane-steps that ended lanes may wait for goals to be computed: waiting and computing then cost the same."""
        cost = int(self.schedule.stage_literals()[GOAL]) + GOAL_LITERALS * len(self.goal_order)
        return ROW_LANES * cost // max(1, self._step_cost())


def depth_lines(limit: int) -> NDArray[np.uint64]:
    """uint64[bits, 1]: bit-sliced counters of all lanes before the first move; they overflow after ``limit`` moves.

    >>> depth_lines(3).ravel() == [2**64 - 1, 0]
    array([ True,  True])
    """
    first = (1 << limit.bit_length()) - limit
    return np.array([[-((first >> j) & 1) % 2**64] for j in range(limit.bit_length())], np.uint64)


def deal(states: int, words: int, playouts: int) -> tuple[IntArray, NDArray[np.int64]]:
    """Owners and quotas of all words: ``words`` words a state, which share its ``playouts`` evenly; filled up to whole rows.

    Returns int32[rows, ROW_WORDS] and int64[rows, ROW_WORDS].

    >>> owner, quota = deal(2, 3, 10)
    >>> owner[0, :7].tolist(), quota[0, :7].tolist()
    ([0, 0, 0, 1, 1, 1, 0], [4, 3, 3, 4, 3, 3, 0])
    """
    rows = -(-states * words // ROW_WORDS)
    owner = np.zeros(rows * ROW_WORDS, np.int32)
    quota = np.zeros(rows * ROW_WORDS, np.int64)
    owner[: states * words] = np.repeat(np.arange(states, dtype=np.int32), words)
    share = playouts // words + (np.arange(words) < playouts % words)
    quota[: states * words] = np.tile(share, states)
    return owner.reshape(rows, ROW_WORDS), quota.reshape(rows, ROW_WORDS)


def collect(
    program: PlayoutProgram, states: int, owner: IntArray, totals: NDArray[np.int64], complete: bool
) -> PlayoutResult:
    """Sums over the words of each state.

    Args:
        program: what was run.
        states: number of start states.
        owner: int32[n], the state of each word.
        totals: int64[GOALS + goals, n], the counts of each word.
        complete: whether all playouts came to an end.
    """
    of_state = np.zeros((states, len(totals)), np.int64)
    np.add.at(of_state, owner, totals.T)
    by_state = of_state.T
    counts = by_state[GOALS:]
    roles = len(program.role_start) - 1
    score_sum = np.zeros((states, roles))
    for role in range(roles):
        of_role = slice(program.goal_start[role], program.goal_start[role + 1])
        score_sum[:, role] = program.goal_value[of_role] @ counts[of_role]
    goal_count = np.zeros((states, len(counts)), np.int64)
    goal_count[:, program.goal_order] = counts.T
    return PlayoutResult(
        score_sum, by_state[FINISHED], by_state[TRUNCATED], by_state[PLIES], goal_count, complete
    )
