"""Batches of random playouts from many states: words of lanes are dealt to states, lane groups are played call by call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame, IntArray
from scsp_player.propnet.drawn_kernels import count_drawn
from scsp_player.propnet.lanes import first_lanes, spread_states
from scsp_player.propnet.playout_layout import RANDOM_LINES, Call, Status, Totals
from scsp_player.propnet.program import Program
from scsp_player.propnet.stretches import kernels
from scsp_player.propnet.vector_code import Layout
from scsp_player.propnet.workspace import TIME_BITS, GroupLines, Workspace, WorkspacePool

OPERANDS_A_CALL = 1_000_000
"""Work of one call of the driver, after which it is asked whether to go on: less than a millisecond."""


class DrawnMoves(NamedTuple):
    """In how many playouts moves were drawn, whenever that was, and how they ended; moves that were certain are not drawn.

    Attributes:
        number: float32[states, moves], finished playouts in which the move was drawn.
        score_sum: float32[states, moves], scores of the role that moves, summed over these playouts.
    """

    number: NDArray[np.float32]
    score_sum: NDArray[np.float32]

    @classmethod
    def none(cls, states: int, moves: int) -> DrawnMoves:
        """Nothing was drawn."""
        return cls(np.zeros((states, moves), np.float32), np.zeros((states, moves), np.float32))


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
        drawn: what became of the playouts in which each move was drawn, if that was asked for.
    """

    score_sum: NDArray[np.float64]
    finished: NDArray[np.int64]
    truncated: NDArray[np.int64]
    plies: NDArray[np.int64]
    goal_count: NDArray[np.int64]
    complete: bool
    drawn: DrawnMoves | None = None

    def mean_scores(self) -> NDArray[np.float64]:
        """float64[states, roles]: mean score of the finished playouts, nan where there are none."""
        count = np.where(self.finished > 0, self.finished, np.nan)
        means: NDArray[np.float64] = self.score_sum / count[:, None]
        return means


@dataclass(frozen=True, eq=False)
class Goals:
    """The goals of a game, sorted by role.

    Attributes:
        order: int64[goals], their indices in the ground game.
        start: int32[roles + 1], goals of each role in that order.
        value: int32[goals], scores in that order.
    """

    order: NDArray[np.int64]
    start: IntArray
    value: IntArray

    @classmethod
    def of(cls, game: GroundGame) -> Goals:
        """The goals of a game."""
        order = np.argsort(game.goal_role, kind="stable")
        start = np.searchsorted(game.goal_role[order], np.arange(len(game.roles) + 1)).astype(np.int32)
        return cls(order, start, game.goal_value[order])

    def collect(self, totals: NDArray[np.int64], complete: bool, drawn: DrawnMoves | None) -> PlayoutResult:
        """The result of playouts from int64[Totals.GOALS + goals, states], the counts of each start state."""
        counts = totals[Totals.GOALS :]
        score_sum = np.zeros((totals.shape[1], len(self.start) - 1))
        for role in range(score_sum.shape[1]):
            of_role = slice(self.start[role], self.start[role + 1])
            score_sum[:, role] = self.value[of_role] @ counts[of_role]
        goal_count = np.empty_like(counts.T)
        goal_count[:, self.order] = counts.T
        finished, truncated, plies = totals[: Totals.GOALS]
        return PlayoutResult(score_sum, finished, truncated, plies, goal_count, complete, drawn)


class Player:
    """Plays the playouts of one program.

    Attributes:
        program: the program.
        groups: most lane groups of one call.
        sees_all_ends: whether playouts may begin in terminal states; otherwise they have to be looked for before.
    """

    sees_all_ends = True

    def __init__(
        self, program: Program, layout: Layout, goals: Goals, role_start: IntArray, groups: int | None = None
    ) -> None:
        """Prepare memory; goals come in the order of ``goals``, which the program's circuits must have as well.

        ``role_start`` int32[roles + 1] says where the moves of each role begin.
        """
        self.program = program
        self._layout, self._goals = layout, goals
        self._role_start = np.ascontiguousarray(role_start, np.int32)
        phases, most_moves = len(program.phases), int(np.diff(role_start).max(initial=1))
        self._lines = GroupLines.of(program.words, program.lines, phases, layout.fluents, layout.goals, layout.moves, most_moves)
        self.groups = groups or self._lines.groups()
        self._pool = WorkspacePool(self.groups, self._lines.end, program.words, most_moves, phases)
        step = sum(code.step_cost() for code in program.codes) // phases + 1
        self._steps = max(1, OPERANDS_A_CALL // step)
        self._record = self._constant_fields()

    @property
    def group_bytes(self) -> int:
        """Memory of one lane group, 64 playouts side by side for every word of a line."""
        return self._lines.bytes

    def run(
        self,
        states: NDArray[np.uint64],
        phase: NDArray[np.int64],
        quota: NDArray[np.int64],
        generator: np.random.Generator,
        max_depth: int,
        expired: Callable[[], bool],
        drawn: DrawnMoves | None = None,
        owner: NDArray[np.int64] | None = None,
    ) -> tuple[NDArray[np.int64], bool]:
        """Playouts of at most ``groups`` times as many words of lanes as a line has.

        Args:
            states: uint64[n, words], the start state of each word of lanes.
            phase: int64[n], their phases.
            quota: int64[n], how many playouts each word begins.
            generator: where the random numbers are seeded from.
            max_depth: moves after which a playout is truncated.
            expired: asked about every millisecond whether to stop.
            drawn: where to add what became of the moves of each word, which begins one playout a lane at most.
            owner: int64[n], the row of ``drawn`` that belongs to each word.

        Returns:
            int64[Totals.GOALS + goals, n], and whether every playout came to its end.
        """
        count = len(states)
        words = self.program.words
        groups = -(-count // words)
        with self._pool.lend() as workspace:
            call = self._prepare(workspace, states, phase, quota, generator, max_depth, groups)
            lines = self._lines
            if drawn is not None:
                self._record_moves(workspace, call, groups)
            done = self._advance(call, groups, expired)
            if drawn is not None:
                goals = self._goals.start, self._goals.value
                count_drawn(workspace.memory, lines.drawn, lines.ended, self._role_start, *goals, owner, *drawn)
            totals = workspace.memory[:groups, lines.totals : lines.totals + Totals.GOALS + len(self._goals.value)]
            result = np.ascontiguousarray(totals.transpose(1, 0, 2)).reshape(-1, groups * words)[:, :count].view(np.int64)
        return result, done

    def run_lanes(
        self,
        states: NDArray[np.uint64],
        begin: NDArray[np.uint64],
        generator: np.random.Generator,
        max_depth: int,
        expired: Callable[[], bool],
    ) -> NDArray[np.uint64]:
        """One playout in each lane, every lane from a state of its own.

        Args:
            states: uint64[groups, fluents, words], the states, bit by bit.
            begin: uint64[phases, groups, words], the lanes that play and whose state is in each phase.
            generator: where the random numbers are seeded from.
            max_depth: moves after which a playout is truncated.
            expired: asked about every millisecond whether to stop.

        Returns:
            uint64[groups, 1 + goals, words], the lanes whose playouts ended, and those that reached each goal.
        """
        groups, lines = len(states), self._lines
        playing = np.bitwise_or.reduce(begin, axis=0)
        with self._pool.lend() as workspace:
            memory = workspace.memory[:groups]
            memory[:, lines.status : lines.time] = 0
            memory[:, lines.status + Status.FREE] = playing
            # A lane begins again in the phase of its first state only; by then all others have begun.
            memory[:, lines.status + Status.REMAINING] = _populations(playing)
            memory[:, lines.begin : lines.begin + len(begin)] = begin.transpose(1, 0, 2)
            memory[:, lines.start : lines.start + self._layout.fluents] = states
            memory[:, 1 : 1 + self._layout.fluents] = states
            first = int(begin.any(axis=(1, 2)).argmax())
            call = self._call(workspace, generator, max_depth, groups, first)
            self._record_moves(workspace, call, groups)
            self._advance(call, groups, expired)
            return memory[:, lines.ended : lines.ended + 1 + self._layout.goals].copy()

    def _record_moves(self, workspace: Workspace, call: NDArray[np.int64], groups: int) -> None:
        """Have a call note in which lanes moves are drawn, and how playouts end."""
        lines = self._lines
        # Lines of moves count from the first line of a group.
        call[Call.DRAWN], call[Call.ENDED] = lines.drawn - self._layout.move, lines.ended
        workspace.memory[:groups, lines.drawn : lines.end] = 0

    def _advance(self, call: NDArray[np.int64], groups: int, expired: Callable[[], bool]) -> bool:
        """Play until every playout has come to its end, or time is up (False)."""
        advance, address = kernels(self.program.words).advance, call.ctypes.data
        steps = max(1, self._steps // groups)
        while True:
            done = bool(advance(address, steps))
            if done or expired():
                return done

    def _prepare(
        self,
        workspace: Workspace,
        states: NDArray[np.uint64],
        phase: NDArray[np.int64],
        quota: NDArray[np.int64],
        generator: np.random.Generator,
        max_depth: int,
        groups: int,
    ) -> NDArray[np.int64]:
        """Fill the lane groups; returns the record of the call, int64[Call.FIELDS]."""
        lines, fluents = self._lines, self._layout.fluents
        width = self.program.words
        count, words = len(states), groups * width
        memory = workspace.memory[:groups]
        if words > count:
            filled = np.zeros((words, 2 + states.shape[1]), np.int64)
            filled[:count, 0], filled[:count, 1], filled[:count, 2:] = quota, phase, states.view(np.int64)
            quota, phase, states = filled[:, 0], filled[:, 1], filled[:, 2:].view(np.uint64)
        memory[:, lines.status : lines.time] = 0
        memory[:, lines.status + Status.FREE] = first_lanes(quota).reshape(groups, width)
        memory[:, lines.status + Status.REMAINING] = quota.reshape(groups, width)
        word = np.arange(words)
        memory[word // width, lines.begin + phase, word % width] = ~np.uint64(0)
        start = memory[:, lines.start : lines.start + fluents]
        spread_states(start, fluents, states)
        memory[:, 1 : 1 + fluents] = start
        return self._call(workspace, generator, max_depth, groups, int(phase[0]))

    def _call(
        self, workspace: Workspace, generator: np.random.Generator, max_depth: int, groups: int, phase: int
    ) -> NDArray[np.int64]:
        """The record of a call whose first playouts begin in a phase, int64[Call.FIELDS]; seeds the random numbers."""
        lines, memory = self._lines, workspace.memory[:groups]
        max_depth = min(max_depth, 1 << (TIME_BITS - 2))
        memory[:, lines.status + Status.POSITION] = RANDOM_LINES
        random = memory[:, lines.random : lines.random + RANDOM_LINES]
        random[:] = generator.integers(0, 2**64, size=random.shape, dtype=np.uint64)
        workspace.waiting[:] = 0
        call = self._record.copy()
        call[[Call.BASE, Call.GROUPS, Call.STRIDE]] = memory.ctypes.data, groups, memory.strides[0]
        # The first step only begins playouts, in the phase after.
        before = (phase - 1) % len(self.program.phases)
        call[[Call.PHASE, Call.TIME_BITS, Call.LIMIT]] = before, max_depth.bit_length() + 1, max_depth
        addresses = workspace.chosen.ctypes.data, workspace.offsets.ctypes.data, workspace.waiting.ctypes.data
        call[[Call.CHOSEN, Call.OFFSETS, Call.WAITING]] = addresses
        return call

    def _constant_fields(self) -> NDArray[np.int64]:
        """The record of a call as far as it is always the same."""
        lines, program, layout, goals = self._lines, self.program, self._layout, self._goals
        record = np.zeros(Call.FIELDS, np.int64)
        record[Call.ENTRIES], record[Call.PHASE_TABLE] = program.entries.ctypes.data, program.table.ctypes.data
        record[Call.PHASES] = len(program.phases)
        record[Call.FLUENTS], record[Call.TERMINAL] = layout.fluents, layout.terminal
        record[Call.GOAL], record[Call.GOALS], record[Call.NEXT] = layout.goal, layout.goals, layout.next
        record[Call.ROLES], record[Call.GOAL_START] = len(goals.start) - 1, goals.start.ctypes.data
        record[Call.STATUS], record[Call.DONE], record[Call.BEGIN] = lines.status, lines.done, lines.begin
        record[Call.TIME], record[Call.RANDOM], record[Call.START] = lines.time, lines.random, lines.start
        record[Call.TREE], record[Call.TOTALS] = lines.tree, lines.totals
        return record


@lru_cache
def deal(states: int, words: int, playouts: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Owners and quotas of all words: ``words`` words a state, which share its ``playouts`` evenly.

    Returns int64[states * words] twice, not to be changed.

    >>> owner, quota = deal(2, 3, 10)
    >>> owner.tolist(), quota.tolist()
    ([0, 0, 0, 1, 1, 1], [4, 3, 3, 4, 3, 3])
    """
    share = playouts // words + (np.arange(words) < playouts % words)
    return np.repeat(np.arange(states), words), np.tile(share, states)


def _populations(lines: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Set bits of each word of uint64[groups, words]."""
    bits = np.unpackbits(np.ascontiguousarray(lines).view(np.uint8).reshape(*lines.shape, 8), axis=2)
    counts: NDArray[np.uint8] = bits.sum(axis=2, dtype=np.uint8)
    return counts
