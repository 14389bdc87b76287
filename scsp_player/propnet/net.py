"""The propositional network of a game: questions about many states at once, answered one lane a state."""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame, IntArray, pack_state
from scsp_player.propnet.circuit import Circuit, build_circuit
from scsp_player.propnet.evaluate_kernels import evaluate
from scsp_player.propnet.lanes import get_literals, put_moves, put_states
from scsp_player.propnet.playout_kernels import GOALS
from scsp_player.propnet.playouts import PlayoutProgram, PlayoutResult, deal
from scsp_player.propnet.rows import ROW_LANES, ROW_WORDS
from scsp_player.propnet.schedule import GOAL, LEGAL, NEXT, PERCEPT, TERMINAL, Schedule, schedule
from scsp_player.propnet.workspace import Workspace, WorkspacePool

States = NDArray[np.uint64]

DEPTH_LIMIT = 1000
"""Moves after which a playout is given up if nothing else is said."""


class Propnet:
    """A game compiled to a circuit. States, moves and percepts are indices of the ``GroundGame``.

    All methods may be called from several threads at once; the kernels release the GIL.

    Attributes:
        game: the ground game.
        circuit: its simplified circuit.
        schedule: the circuit in evaluation order.
    """

    def __init__(self, game: GroundGame) -> None:
        """Compile a game.

        Raises:
            ValueError: if ``terminal``, a legal move or a goal depends on the moves of the same turn.
        """
        self.game = game
        self.circuit: Circuit = build_circuit(game)
        self.schedule: Schedule = schedule(self.circuit)
        self._program = PlayoutProgram.of(game, self.schedule)
        self._pool = WorkspacePool(self.schedule, int(np.diff(game.role_start).max(initial=1)))

    def terminal(self, states: States) -> NDArray[np.bool_]:
        """bool[k]: whether the match is over in each of the states (uint64[k, words])."""
        literal = np.array([self.schedule.terminal], np.int32)
        answer: NDArray[np.bool_] = self._ask(states, None, TERMINAL, literal)[:, 0]
        return answer

    def legal(self, states: States) -> NDArray[np.bool_]:
        """bool[k, moves]: what the rules call legal in each of the states, terminal ones included."""
        return self._ask(states, None, LEGAL, self.schedule.legal)

    def goals(self, states: States) -> IntArray:
        """int32[k, roles]: the score of each role, -1 where the rules give none or several."""
        return self._scores(self._ask(states, None, GOAL, self.schedule.goal))

    def evaluate(self, states: States) -> tuple[NDArray[np.bool_], NDArray[np.bool_], IntArray]:
        """All there is to know about states before a move: terminal bool[k], legal bool[k, moves], scores int32[k, roles].

        A role to which the rules give no score or several scores 0.
        """
        literals = np.concatenate([np.array([self.schedule.terminal], np.int32), self.schedule.legal, self.schedule.goal])
        answer = self._ask(states, None, GOAL, literals)
        return answer[:, 0], answer[:, 1 : 1 + self.game.moves], np.maximum(self._scores(answer[:, 1 + self.game.moves :]), 0)

    def successors(self, states: States, joint: IntArray) -> States:
        """uint64[k, words]: the state after a joint move in each of the states.

        Args:
            states: uint64[k, words].
            joint: int32[k, roles], global move indices. Whether the moves are legal is not asked.

        Raises:
            ValueError: if an index is not that of a move of its role.
        """
        return pack_state(self._ask(states, joint, NEXT, self.schedule.next))

    def percepts(self, states: States, joint: IntArray) -> NDArray[np.bool_]:
        """bool[k, percepts]: what the joint moves let the roles see; arguments and errors as of ``successors``."""
        return self._ask(states, joint, PERCEPT, self.schedule.percept)

    def playouts(
        self,
        states: States,
        *,
        lanes_per_state: int = 64,
        playouts_per_state: int | None = None,
        seed: int | np.random.Generator = 0,
        max_depth: int = DEPTH_LIMIT,
        seconds: float | None = None,
    ) -> PlayoutResult:
        """Uniformly random playouts from each of the states.

        Exactly the first ``playouts_per_state`` playouts that are begun count, however long they take, so means are unbiased. Only
        if ``seconds`` run out are those not yet ended lost, which favours short ones: ``complete`` is False then.

        Args:
            states: uint64[k, words].
            lanes_per_state: how many playouts of a state run side by side; rounded up to whole words of 64. Rows of 1,024 lanes run
                one after the other.
            playouts_per_state: how many to play; by default one a lane.
            seed: seed or generator of all random numbers; the same one gives the same result.
            max_depth: number of moves after which a playout is cut off and counts as truncated.
            seconds: wall-clock time to use at most.

        Raises:
            ValueError: if there is less than one lane, playout or move to play.
        """
        words = -(-lanes_per_state // 64)
        playouts = 64 * words if playouts_per_state is None else playouts_per_state
        if min(words, playouts, max_depth) < 1:
            raise ValueError("playouts need at least one lane, one playout and one move")
        generator = np.random.default_rng(seed)
        deadline = math.inf if seconds is None else time.perf_counter() + seconds
        states = self._checked(states)
        words = min(words, playouts)
        owner, quota = deal(len(states), words, playouts)
        totals = np.zeros((GOALS + len(self.game.goal_role), owner.size), np.int64)
        complete = True
        for row in range(len(owner)):
            if row and time.perf_counter() >= deadline:
                complete = False
                break
            with self._pool.lend() as workspace:
                counts, done = self._program.run(workspace, states[owner[row]], quota[row], generator, max_depth, deadline)
            totals[:, row * ROW_WORDS : (row + 1) * ROW_WORDS] = counts
            complete &= done
        by_state = totals[:, : len(states) * words].reshape(len(totals), len(states), words).sum(axis=2)
        return self._program.collect(by_state, complete)

    def _checked(self, states: States) -> States:
        states = np.ascontiguousarray(states, dtype=np.uint64)
        if states.ndim != 2 or states.shape[1] != self.game.state_words:
            raise ValueError(f"states must have the shape (k, {self.game.state_words}), not {states.shape}")
        if self.game.fluents % 64 and (states[:, -1] >> np.uint64(self.game.fluents % 64)).any():
            raise ValueError("a state has bits beyond the last fluent")
        return states

    def _ask(self, states: States, joint: IntArray | None, last: int, literals: IntArray) -> NDArray[np.bool_]:
        """bool[k, n]: the values of literals once all stages up to ``last`` are computed (without GOAL if moves are given)."""
        states = self._checked(states)
        if joint is not None:
            joint = np.ascontiguousarray(joint, dtype=np.int32)
            bounds = self.game.role_start
            if joint.shape != (len(states), len(bounds) - 1) or ((joint < bounds[:-1]) | (joint >= bounds[1:])).any():
                raise ValueError("every joint move needs one move index of each role")
        result = np.empty((len(states), len(literals)), np.bool_)
        ranges = [(TERMINAL, last)] if joint is None else [(TERMINAL, LEGAL), (NEXT, last)]
        with self._pool.lend() as workspace:
            for begin in range(0, len(states), ROW_LANES):
                lanes = slice(begin, begin + ROW_LANES)
                put_states(workspace.values, self.game.fluents, states[lanes])
                if joint is not None:
                    put_moves(workspace.values, 1 + self.game.fluents, self.game.moves, joint[lanes])
                for first, final in ranges:
                    self._run(workspace, first, final)
                result[lanes] = get_literals(workspace.values, literals, len(states[lanes]))
        return result

    def _run(self, workspace: Workspace, first: int, last: int) -> None:
        """Compute the stages from ``first`` to ``last``."""
        plan = self.schedule
        begin, end = plan.stage_segment[first], plan.stage_segment[last + 1]
        evaluate(workspace.values, plan.first_gate, plan.code_start, plan.code, plan.segment, begin, end)

    def _scores(self, holds: NDArray[np.bool_]) -> IntArray:
        """int32[k, roles] from bool[k, goals]."""
        scores = np.full((len(holds), len(self.game.roles)), -1, np.int32)
        for role in range(len(self.game.roles)):
            of_role = np.flatnonzero(self.game.goal_role == role)
            unique = holds[:, of_role].sum(axis=1) == 1
            scores[unique, role] = holds[unique][:, of_role] @ self.game.goal_value[of_role]
        return scores
