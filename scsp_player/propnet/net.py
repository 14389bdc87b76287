"""The propositional network of a game: questions about many states at once, answered one lane a state."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame, IntArray, pack_state, unpack_state
from scsp_player.propnet.answers import Answers, Expansion
from scsp_player.propnet.circuit import Circuit, build_circuit
from scsp_player.propnet.endings import circuits_of_phases
from scsp_player.propnet.improvement import Improvement
from scsp_player.propnet.lane_kernels import read_out
from scsp_player.propnet.lanes import get_lines, group_count, put_moves, put_states
from scsp_player.propnet.native import processor
from scsp_player.propnet.phases import Phases, find_phases
from scsp_player.propnet.playout_layout import Totals
from scsp_player.propnet.playouts import DrawnMoves, Goals, Player, PlayoutResult, deal
from scsp_player.propnet.program import PhaseCode, Program
from scsp_player.propnet.schedule import GOAL, LEGAL, NEXT, PERCEPT, TERMINAL, Schedule
from scsp_player.propnet.simplify import simplify
from scsp_player.propnet.stretches import kernels
from scsp_player.propnet.vector_code import Layout
from scsp_player.propnet.workspace import Workspace, WorkspacePool, whole_cache_lines

States = NDArray[np.uint64]

DEPTH_LIMIT = 1000
"""Moves after which a playout is given up if nothing else is said."""

IMPROVE = (3.0, 12.0, 60.0)
"""Processor seconds of the attempts to simplify a circuit in the background."""

EXPANSION_LIMIT = 4096
"""States with more joint moves are not expanded if nothing else is said."""

ASKED_GROUPS = 4
"""Lane groups that answer questions about states at the same time."""


class Propnet:
    """A game compiled to a circuit and further to machine code. States, moves and percepts are indices of the ``GroundGame``.

    All methods may be called from several threads at once; compiled code runs without the interpreter lock.

    Attributes:
        game: the ground game.
        circuit: its simplified circuit.
        phases: what every playout goes through in turn.
        words: words of a line of memory, each of 64 lanes.
        general: code for any state and any moves.
        layout: where a lane group keeps what.
        player: what playouts are played with.
        general_player: the same for states in no phase of the game.
    """

    def __init__(
        self,
        game: GroundGame,
        *,
        native: bool = True,
        split: bool = True,
        circuit: Circuit | None = None,
        words: int | None = None,
    ) -> None:
        """Compile a game.

        Args:
            game: the ground game.
            native: write machine code if this is a processor for which we can; otherwise circuits are interpreted.
            split: have code of its own for each phase of the game.
            circuit: what to answer from, if not from the game's own circuit: one that ``simplify`` has made of it, which then
                limits what may be asked.
            words: words of a line, a power of two; by default as many as a vector of this processor has. Playouts with other widths
                draw other random numbers.

        Raises:
            ValueError: if ``terminal``, a legal move or a goal depends on the moves of the same turn.
        """
        self.game = game
        self.words = processor().words if words is None else words
        self._asked = ASKED_GROUPS * 64 * self.words
        self.circuit: Circuit = build_circuit(game) if circuit is None else circuit
        self._goals = Goals.of(game)
        self.layout = Layout(game.fluents, game.moves, len(game.goal_literal), len(game.percept_literal))
        circuit = replace(self.circuit, goal=self.circuit.goal[self._goals.order])
        one = Phases(np.zeros(0, np.int64), np.zeros((1, 0), np.bool_))
        self.general = Program.of(one, (PhaseCode.of_game(game, circuit, self.layout),), self.words, native)
        self._pool = WorkspacePool(ASKED_GROUPS, whole_cache_lines(self.general.lines, self.words), self.words, 0)
        self.general_player = Player(self.general, self.layout, self._goals, game.role_start)
        self.phases = find_phases(game, circuit) if split else one
        self.player = self.general_player
        self._native = native
        if split and (len(self.phases.fluents) or np.isin(circuit.legal, (0, 1)).any()):
            self.player = self._player_of(circuit, None)

    def _player_of(self, circuit: Circuit, like: Player | None) -> Player:
        """A player of a circuit; if another one is given it plays as that one does, apart from draws among exclusive moves."""
        circuits, all_ends = circuits_of_phases(self.game, circuit, self.phases)
        models = like.program.codes if like else [None for _ in circuits]
        codes = tuple(
            PhaseCode.of_phase(self.game, of_phase, self.layout, self.phases.fluents, model, circuit.exclusive)
            for of_phase, model in zip(circuits, models, strict=True)
        )
        program = Program.of(self.phases, codes, self.words, self._native, like.program.patience if like else None)
        player = Player(program, self.layout, self._goals, self.game.role_start, like.groups if like else None)
        player.sees_all_ends = all_ends
        return player

    def improve(self, seconds: float) -> None:
        """Take so many seconds of processor time to simplify the circuit that playouts use; they become faster.

        What is known of states that matches get to goes into it, so afterwards playouts should begin in such states only. Other
        threads may use the network meanwhile: playouts that are being played go on with the old circuit.
        """
        self.use(simplify(self.circuit, self.game, seconds=seconds))

    def use(self, circuit: Circuit, *, same_draws: bool = False) -> None:
        """Play with a circuit that ``simplify`` has made of the network's from now on.

        With ``same_draws`` playouts stay the same, move for move. Otherwise roles with many moves may draw in another order.
        """
        if circuit is not self.circuit:
            exclusive = () if same_draws else circuit.exclusive
            circuit = replace(circuit, goal=circuit.goal[self._goals.order], exclusive=exclusive)
            self.player = self._player_of(circuit, self.player)

    def improve_in_background(self, *seconds: float) -> Improvement:
        """``improve`` in a process of its own that nothing waits for; several numbers are attempts, each used when it is ready."""
        return Improvement(self.circuit, self.game, seconds or IMPROVE, self.use)

    @property
    def lanes(self) -> int:
        """How many playouts run side by side at most; a multiple of it costs least a playout."""
        return self.player.groups * 64 * self.words

    @property
    def schedule(self) -> Schedule:
        """The circuit in evaluation order."""
        return self.general.codes[0].plan

    def terminal(self, states: States) -> NDArray[np.bool_]:
        """bool[k]: whether the match is over in each of the states (uint64[k, words])."""
        answer: NDArray[np.bool_] = self._ask(states, None, TERMINAL, self.layout.terminal, 1)[:, 0]
        return answer

    def legal(self, states: States) -> NDArray[np.bool_]:
        """bool[k, moves]: what the rules call legal in each of the states, terminal ones included."""
        return self._ask(states, None, LEGAL, self.layout.move, self.game.moves)

    def goals(self, states: States) -> IntArray:
        """int32[k, roles]: the score of each role, -1 where the rules give none or several."""
        return self._scores(self._ask(states, None, GOAL, self.layout.goal, self.layout.goals))

    def evaluate(self, states: States) -> tuple[NDArray[np.bool_], NDArray[np.bool_], IntArray]:
        """All there is to know about states before a move: terminal bool[k], legal bool[k, moves], scores int32[k, roles].

        A role to which the rules give no score or several scores 0.
        """
        # Moves, terminal and goals stand one after the other.
        moves = self.game.moves
        answer = self._ask(states, None, GOAL, self.layout.move, moves + 1 + self.layout.goals)
        # Kernels are compiled for each layout of their arguments: all that comes from here lies in one piece.
        terminal, legal = np.ascontiguousarray(answer[:, moves]), np.ascontiguousarray(answer[:, :moves])
        return terminal, legal, np.maximum(self._scores(answer[:, moves + 1 :]), 0)

    def successors(self, states: States, joint: IntArray) -> States:
        """uint64[k, words]: the state after a joint move in each of the states.

        Args:
            states: uint64[k, words].
            joint: int32[k, roles], global move indices. Whether the moves are legal is not asked.

        Raises:
            ValueError: if an index is not that of a move of its role.
        """
        return pack_state(self._ask(states, joint, NEXT, self.layout.next, self.game.fluents))

    def after(self, states: States, joint: IntArray) -> Answers:
        """All about the states after a joint move in each of the states, in one pass; arguments and errors as of ``successors``."""
        states, joint = self._checked(states), self._checked_moves(states, joint)
        parts = []
        with self._pool.lend() as workspace:
            for begin in range(0, max(len(states), 1), self._asked):
                lanes = slice(begin, begin + self._asked)
                groups = group_count(len(states[lanes]), self.words)
                put_states(workspace.memory, self.game.fluents, states[lanes])
                self._run(workspace, groups, TERMINAL, LEGAL)
                parts.append(self._after(workspace, joint[lanes]))
        return Answers.joined(parts)

    def expand(self, state: NDArray[np.uint64], *, limit: int = EXPANSION_LIMIT) -> Expansion | None:
        """All joint moves of a state and what there is to know after them, one lane a joint move; None for more than ``limit``.

        Args:
            state: uint64[words]. Where a role has no legal move there is no joint move; whether the match is over is not asked.
            limit: most joint moves to list.
        """
        game = self.game
        state = self._checked(np.asarray(state)[None])
        with self._pool.lend() as workspace:
            spread = np.negative(unpack_state(state, game.fluents)[0], dtype=np.uint64, casting="unsafe")[None, :, None]
            workspace.memory[:1, 1 : 1 + game.fluents] = spread
            self._run(workspace, 1, TERMINAL, LEGAL)
            legal = get_lines(workspace.memory, self.layout.move, game.moves, 1)[0]
            choices = [first + np.flatnonzero(legal[first:last]) for first, last in pairwise(game.role_start.tolist())]
            count = math.prod(len(moves) for moves in choices)
            if count > limit:
                return None
            grid = np.empty((*map(len, choices), len(choices)), np.int32)
            for role, moves in enumerate(choices):
                grid[..., role] = moves.reshape(-1, *[1] * (len(choices) - 1 - role))
            joint = grid.reshape(count, len(choices))
            parts = []
            for begin in range(0, max(count, 1), self._asked):
                here = joint[begin : begin + self._asked]
                if len(here) > 64 * self.words or begin:
                    groups = group_count(len(here), self.words)
                    workspace.memory[:groups, 1 : 1 + game.fluents] = spread
                    self._run(workspace, groups, TERMINAL, LEGAL)
                parts.append(self._after(workspace, here))
        return Expansion(legal, joint, Answers.joined(parts))

    def _after(self, workspace: Workspace, joint: IntArray) -> Answers:
        """Make joint moves in a workspace, whose stages up to LEGAL are computed, and ask about the states that follow."""
        game, layout, memory = self.game, self.layout, workspace.memory
        count, groups = len(joint), group_count(len(joint), self.words)
        put_moves(memory, layout.move, game.moves, joint)
        self._run(workspace, groups, NEXT, NEXT)
        memory[:groups, 1 : 1 + game.fluents] = memory[:groups, layout.next : layout.next + game.fluents]
        self._run(workspace, groups, TERMINAL, GOAL)
        # Moves, terminal, goals and the fluents of the next state stand one after the other.
        answer = get_lines(memory, layout.move, layout.percept - layout.move, count)
        legal, goals, states = np.split(answer, [game.moves, game.moves + 1 + layout.goals], axis=1)
        return Answers(pack_state(states), goals[:, 0], legal, np.maximum(self._scores(goals[:, 1:]), 0))

    def percepts(self, states: States, joint: IntArray) -> NDArray[np.bool_]:
        """bool[k, percepts]: what the joint moves let the roles see; arguments and errors as of ``successors``."""
        return self._ask(states, joint, PERCEPT, self.layout.percept, self.layout.percepts)

    def observe(
        self, states: States, joint: IntArray, percept_hash: NDArray[np.uint64]
    ) -> tuple[States, NDArray[np.uint64]]:
        """The states after joint moves and what each role is shown by them, in one pass; arguments and errors as of ``successors``.

        What a role is shown is told as uint64[k, roles], the sum of ``percept_hash``, uint64[percepts], over what it sees: equal
        sums, equal percepts, as long as the numbers are well scattered.
        """
        states, joint = self._checked(states), self._checked_moves(states, joint)
        game, layout = self.game, self.layout
        after, shown = np.zeros_like(states), np.zeros((len(states), len(game.roles)), np.uint64)
        with self._pool.lend() as workspace:
            memory = workspace.memory
            for begin in range(0, len(states), self._asked):
                lanes = slice(begin, begin + self._asked)
                groups = group_count(len(states[lanes]), self.words)
                put_states(memory, game.fluents, states[lanes])
                self._run(workspace, groups, TERMINAL, LEGAL)
                put_moves(memory, layout.move, game.moves, joint[lanes])
                self._run(workspace, groups, NEXT, PERCEPT)
                read_out(
                    memory,
                    layout.next,
                    game.fluents,
                    layout.percept,
                    game.percept_role,
                    percept_hash,
                    after[lanes],
                    shown[lanes],
                )
        return after, shown

    def playouts(
        self,
        states: States,
        *,
        lanes_per_state: int = 64,
        playouts_per_state: int | None = None,
        seed: int | np.random.Generator = 0,
        max_depth: int = DEPTH_LIMIT,
        seconds: float | None = None,
        interrupted: Callable[[], bool] | None = None,
        threads: int = 1,
        count_moves: bool = False,
    ) -> PlayoutResult:
        """Uniformly random playouts from each of the states.

        Exactly the first ``playouts_per_state`` playouts that are begun count, however long they take, so means are unbiased. Only
        if ``seconds`` run out, or at an interruption, are those not yet ended lost, which favours short ones: ``complete`` is False
        then.

        Args:
            states: uint64[k, words].
            lanes_per_state: how many playouts of a state run side by side; rounded up to whole words of 64. What does not fit into
                the lane groups of one call runs afterwards.
            playouts_per_state: how many to play; by default one a lane.
            seed: seed or generator of all random numbers; the same one and the same number of threads give the same result.
            max_depth: number of moves after which a playout is cut off and counts as truncated.
            seconds: wall-clock time to use at most.
            interrupted: asked about every millisecond whether to end now.
            threads: how many threads share the playouts; each has a random generator and lanes of its own.
            count_moves: whether to find out what became of the playouts in which each move was drawn; for one thread, and one
                playout a lane.

        Raises:
            ValueError: if there is less than one lane, playout, move or thread to play, or moves cannot be counted.
        """
        words = -(-lanes_per_state // 64)
        playouts = 64 * words if playouts_per_state is None else playouts_per_state
        if min(words, playouts, max_depth, threads) < 1:
            raise ValueError("playouts need at least one lane, one playout, one move and one thread")
        if count_moves and (playouts > 64 * words or threads > 1):
            raise ValueError("moves are counted where a lane plays one playout, in one thread")
        generator = np.random.default_rng(seed)
        deadline = math.inf if seconds is None else time.perf_counter() + seconds

        def expired() -> bool:
            return time.perf_counter() >= deadline or (interrupted is not None and interrupted())

        states = self._checked(states)
        drawn = DrawnMoves.none(len(states), self.game.moves) if count_moves else None
        shares = [share for share in (playouts // threads + (i < playouts % threads) for i in range(threads)) if share]
        if len(shares) == 1:
            parts = [self._play(states, words, playouts, generator, max_depth, expired, drawn)]
        else:
            with ThreadPoolExecutor(len(shares)) as pool:
                jobs = [
                    pool.submit(self._play, states, words, share, stream, max_depth, expired)
                    for share, stream in zip(shares, generator.spawn(len(shares)), strict=True)
                ]
                parts = [job.result() for job in jobs]
        totals = np.sum([part for part, _ in parts], axis=0)
        return self._goals.collect(totals, all(complete for _, complete in parts), drawn)

    def _play(
        self,
        states: States,
        words: int,
        playouts: int,
        generator: np.random.Generator,
        max_depth: int,
        expired: Callable[[], bool],
        drawn: DrawnMoves | None = None,
    ) -> tuple[NDArray[np.int64], bool]:
        """int64[Totals.GOALS + goals, states], and whether all playouts came to an end; one thread. Fills ``drawn``."""
        words = min(words, playouts)
        owner, quota = deal(len(states), words, playouts)
        totals = np.zeros((Totals.GOALS + self.layout.goals, len(owner)), np.int64)
        main_player = self.player
        phase = self.phases.of(states, self.game.fluents)
        if not main_player.sees_all_ends:
            phase[self.terminal(states)] = -1
        complete, first = True, True
        of_word = phase[owner]
        # States that are in no phase of the game, or in which it is over, are played by code that does not know phases.
        for player, mine in ((main_player, np.flatnonzero(of_word >= 0)), (self.general_player, np.flatnonzero(of_word < 0))):
            size = player.groups * self.words
            for begin in range(0, len(mine), size):
                if not first and expired():
                    complete = False
                    break
                some = mine[begin : begin + size]
                here = np.maximum(of_word[some], 0)
                counts, done = player.run(states[owner[some]], here, quota[some], generator, max_depth, expired, drawn, owner[some])
                totals[:, some] = counts
                complete &= done
                first = False
        return totals.reshape(len(totals), len(states), words).sum(axis=2), complete

    def _checked(self, states: States) -> States:
        states = np.ascontiguousarray(states, dtype=np.uint64)
        if states.ndim != 2 or states.shape[1] != self.game.state_words:
            raise ValueError(f"states must have the shape (k, {self.game.state_words}), not {states.shape}")
        if self.game.fluents % 64 and (states[:, -1] >> np.uint64(self.game.fluents % 64)).any():
            raise ValueError("a state has bits beyond the last fluent")
        return states

    def _checked_moves(self, states: States, joint: IntArray) -> IntArray:
        joint = np.ascontiguousarray(joint, dtype=np.int32)
        bounds = self.game.role_start
        if joint.shape != (len(states), len(bounds) - 1) or ((joint < bounds[:-1]) | (joint >= bounds[1:])).any():
            raise ValueError("every joint move needs one move index of each role")
        return joint

    def _ask(self, states: States, joint: IntArray | None, last: int, line: int, count: int) -> NDArray[np.bool_]:
        """bool[k, count]: lines from ``line`` on once all stages up to ``last`` are computed (without GOAL if moves are given)."""
        states = self._checked(states)
        if joint is not None:
            joint = self._checked_moves(states, joint)
        result = np.empty((len(states), count), np.bool_)
        size = self._asked
        with self._pool.lend() as workspace:
            for begin in range(0, len(states), size):
                lanes = slice(begin, begin + size)
                here = states[lanes]
                groups = group_count(len(here), self.words)
                put_states(workspace.memory, self.game.fluents, here)
                if joint is None:
                    self._run(workspace, groups, TERMINAL, last)
                else:
                    self._run(workspace, groups, TERMINAL, LEGAL)
                    put_moves(workspace.memory, self.layout.move, self.game.moves, joint[lanes])
                    self._run(workspace, groups, NEXT, last)
                result[lanes] = get_lines(workspace.memory, line, count, len(here))
        return result

    def _run(self, workspace: Workspace, groups: int, first: int, last: int) -> None:
        """Compute the stages from ``first`` to ``last``."""
        if not groups:
            return
        memory = workspace.memory
        entries = self.general.entries.ctypes.data
        kernels(self.words).run(memory.ctypes.data, groups, memory.strides[0], entries, *self.general.stage_range(first, last))

    def _scores(self, holds: NDArray[np.bool_]) -> IntArray:
        """int32[k, roles] from bool[k, goals], goals sorted by role."""
        scores = np.full((len(holds), len(self.game.roles)), -1, np.int32)
        for role in range(len(self.game.roles)):
            of_role = slice(self._goals.start[role], self._goals.start[role + 1])
            unique = holds[:, of_role].sum(axis=1) == 1
            scores[unique, role] = holds[unique][:, of_role] @ self._goals.value[of_role]
        return scores
