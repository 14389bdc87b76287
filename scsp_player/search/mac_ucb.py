"""MAC-UCB: upper confidence bounds over the solution policies of micro-SCSPs, fed by bit-parallel playouts.

After WoodStock (Koriche, Lagrue, Piette, Tabary), with the search as a graph with backup instead of one global list, one UCB a
role, chance below the joint moves, and proven values. The same class with one playout a leaf and no proofs is classical UCT
(Kocsis, Szepesvári 2006).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network import template
from scsp_player.propnet import Propnet
from scsp_player.search import batch_kernels, descent_kernels, proof_kernels
from scsp_player.search.batch import Pace, make_rows, take_back
from scsp_player.search.constants import (
    EXPANDED,
    KIND_DROPPED,
    KIND_EXPAND,
    KIND_NEW,
    KIND_STUCK,
    PLAYING,
    SUM,
    SUM_VARIES,
    TERMINAL,
    UNEVALUATED,
)
from scsp_player.search.evaluation import Evaluator
from scsp_player.search.expansion import Expander, NetworkExpander, PropnetExpander, reduced
from scsp_player.search.graph import SearchGraph
from scsp_player.search.reduction import Reduction
from scsp_player.search.rehearsal import REHEARSAL
from scsp_player.search.root_moves import ranked, statistics_at
from scsp_player.search.settings import MoveStatistics, SearchSettings
from scsp_player.search.shared_moves import SharedMoves

ROOT_LIMIT = 256
"""Most states of a belief that become roots; of a larger belief, this many are drawn."""

EAGER_MOVES = 128
"""Nodes with at most so many legal moves in all get them listed when they are first evaluated, if that is free."""

HORIZON = 0.2
"""Seconds that count as left where the end is not known."""

Clock = Callable[[], float]


class _Expected(NamedTuple):
    """A joint move int32[roles] that is taken for granted, and the states uint64[1, words] before it."""

    before: NDArray[np.uint64]
    joint_move: NDArray[np.int32]


class MacUcb:
    """A search for one role; ``set_roots`` or ``advance``, then ``think``, then ``best_move``.

    Attributes:
        graph: what is known of the game.
        leaves: leaves evaluated so far.
        depth: the sum of the lengths of all paths walked so far.
        clock: the clock that deadlines refer to.
        expander: finds the legal moves of nodes.
    """

    def __init__(
        self,
        game: GroundGame,
        propnet: Propnet,
        expander: Expander,
        role: int,
        *,
        settings: SearchSettings | None = None,
        seed: int = 0,
        clock: Clock = time.monotonic,
    ) -> None:
        self.game = game
        self.role = role
        self.settings = settings or SearchSettings()
        self.clock = clock
        self.leaves = 0
        self.depth = 0
        self._sum_varies = False
        self.expander = expander
        self._generator = np.random.default_rng(seed)
        self._kernel_generator = self._generator.integers(0, 2**63, size=1, dtype=np.uint64)
        self._evaluator = Evaluator(propnet, self.settings, self._generator)
        self._rows = make_rows(self.settings.batch, len(game.roles))
        self._fresh = np.zeros(self.settings.batch, np.int64)
        self._no_states = np.zeros((0, game.state_words), np.uint64), np.zeros(0, np.int32)
        self.graph = self._empty_graph()
        self._expected: _Expected | None = None
        self.set_roots(game.initial_state[None], np.ones(1))

    @classmethod
    def rehearse(cls) -> None:
        """Search a tiny game with either expander, and prune its graph, so that everything is compiled."""
        game = ground(parse_program(REHEARSAL, "<rehearsal>"))
        propnet = Propnet(game)
        # How far a search looks ahead depends on the length of matches; this one does in any case.
        settings = SearchSettings(lookahead=1e6)
        plain = PropnetExpander(propnet)
        for expander in (NetworkExpander(template(game), game, plain), plain):
            search = cls(game, propnet, expander, 0, settings=settings)
            search.merge(Reduction.rehearsal(game))
            search.think(math.inf, leaves=2)
            search.graph.prune(search._roots)

    def _empty_graph(self) -> SearchGraph:
        graph = SearchGraph(self.game, self.settings.memory_bytes, prove=self.settings.prove)
        if self._sum_varies:
            graph.arrays.fact[SUM] = SUM_VARIES
        return graph

    @property
    def states(self) -> NDArray[np.uint64]:
        """uint64[k, words]: the states that the search starts from."""
        return self._states

    def merge(self, reduction: Reduction | None) -> None:
        """From now on states that symmetries take to each other are one; what is known is forgotten.

        Not for several possible states: what moves are worth in them is added up, and symmetries differ from state to state.
        """
        self._evaluator.reduction = reduction
        self.graph = self._empty_graph()
        self.set_roots(self._states, np.diff(self._cumulative, prepend=0.0))

    @property
    def decided(self) -> bool:
        """Whether the value of the position is proven, so that there is nothing left to search."""
        return len(self._roots) == 1 and bool(self.graph.arrays.node["proven"][self._roots[0]])

    @property
    def value(self) -> float | None:
        """Our score under best play if it is proven."""
        return float(self.graph.arrays.exact[self._roots[0], self.role]) if self.decided else None

    def set_roots(self, states: NDArray[np.uint64], probabilities: NDArray[np.float64]) -> None:
        """Search from a belief: uint64[k, words] and float64[k] summing to 1. What is known of the states is kept."""
        if len(states) > ROOT_LIMIT:
            picked = self._generator.choice(len(states), size=ROOT_LIMIT, p=probabilities)
            numbers, counts = np.unique(picked, return_counts=True)
            states, probabilities = states[numbers], counts / ROOT_LIMIT
        reduction = self._evaluator.reduction
        if reduction is not None and len(states) > 1:
            self._evaluator.reduction = reduction = None
            self.graph = self._empty_graph()
        self._states, self._turn = states, None
        if reduction is not None:
            self._turn, states = reduction.turn(states[0]), reduction.canonical(states)
        nodes = self.graph.obtain(states)
        if (nodes < 0).any():
            # Not even the roots have room: forget everything.
            self.graph = self._empty_graph()
            nodes = self.graph.obtain(states)
            probabilities = probabilities[nodes >= 0] / probabilities[nodes >= 0].sum()
            self._states = self._states[nodes >= 0]
            nodes = nodes[nodes >= 0]
        self._use_roots(nodes, probabilities)

    def expect(self, move: int) -> None:
        """We are going to make a move (global index): go on from the state that follows if nobody else has a choice.

        Should it come to another state, ``advance`` and ``set_roots`` see to that.
        """
        root, joint_move = int(self._roots[0]), np.zeros(self.graph.roles, np.int32)
        if len(self._roots) != 1 or self.graph.arrays.node["status"][root] != EXPANDED:
            return
        for role in range(self.graph.roles):
            moves = self.graph.moves_of(root, role)
            if role != self.role and len(moves) != 1:
                return
            joint_move[role] = move if role == self.role else self._as_played(int(moves[0]))
        before = self.states
        self.advance(joint_move)
        self._expected = _Expected(before, joint_move)

    def _use_roots(self, roots: NDArray[np.int64], probabilities: NDArray[np.float64]) -> None:
        self._roots = roots
        self._cumulative = np.cumsum(probabilities)
        self._expected = None
        g = self.graph.arrays
        fresh = roots[g.node["status"][roots] == UNEVALUATED]
        if len(fresh):
            self._evaluator.record(self.graph, fresh, EAGER_MOVES if self.expander.eager else 0)
        self._expand(np.unique(roots[(g.node["status"][roots] != EXPANDED) & (g.node["status"][roots] != TERMINAL)]))
        self._shared = SharedMoves(self.graph, roots, self.role)

    def advance(self, joint_move: NDArray[np.int32]) -> None:
        """All roles have moved (global indices int32[roles]) and the state was known: go on from the state that follows.

        Raises:
            ValueError: if there are several possible states.
        """
        if len(self._roots) != 1:
            raise ValueError("the state is not known: give the new belief to set_roots")
        if self._expected is not None:
            expected, self._expected = self._expected, None
            if (expected.joint_move == joint_move).all():
                return
            self.set_roots(expected.before, np.ones(1))
        self.set_roots(self._evaluator.successors(self.states, joint_move[None]), np.ones(1))

    def ponder(self, interrupted: Callable[[], bool]) -> None:
        """Search on until ``interrupted`` says to stop, which is asked every few milliseconds, or until nothing is open.

        It ends as well when the graph is full: making room takes longer than whoever interrupts may have to wait. Where a number of
        leaves bounds the work, so that runs can be repeated, nothing is done.
        """
        if len(self._roots) == 1 and self.settings.leaves is None:
            self.think(math.inf, interrupted=interrupted)

    def think(
        self,
        deadline: float,
        report: Callable[[int], None] | None = None,
        *,
        leaves: int | None = None,
        interrupted: Callable[[], bool] | None = None,
    ) -> None:
        """Search until ``deadline``, until ``leaves`` more leaves are evaluated, or until nothing is open.

        Args:
            deadline: when to stop at the latest, by ``clock``; the last batch is planned to end before it.
            report: called now and then with the best move so far (global index).
            leaves: a bound on work instead of time, for reproducible runs; by default that of the settings.
            interrupted: for ``ponder``.
        """
        if len(self._shared.moves) == 0:
            return
        if self.settings.prove and self._evaluator.plies < 0 and not self._evaluator.survey(self.graph):
            self._sum_varies = True
        bound = self.settings.leaves if leaves is None else leaves
        target = None if bound is None else self.leaves + bound
        pace = Pace(self.settings.batch)
        next_report = self.clock()
        while not self.decided and (target is None or self.leaves < target):
            start = self.clock()
            if interrupted is not None:
                if interrupted() or self.graph.full:
                    break
                self._run_batch(pace.leaves, None, interrupted)
                deadline = self.clock() + HORIZON
            elif target is None:
                self._run_batch(pace.leaves, deadline - start)
            else:
                self._run_batch(min(pace.leaves, target - self.leaves), None)
            end = self.clock()
            if report is not None and end >= next_report:
                report(self.best_move())
                next_report = end + 0.05
            if interrupted is None and end + 1.5 * (end - start) >= deadline:
                break
            pace.note(end - start, deadline - end)
        if report is not None:
            report(self.best_move())

    def _run_batch(self, rows: int, seconds: float | None, interrupted: Callable[[], bool] | None = None) -> None:
        if self.graph.full:
            self._roots = self.graph.prune(self._roots)
        self.graph.reserve(rows, rows)
        r = self._rows
        if self._descend(rows, False):
            waiting = np.flatnonzero(r.row["kind"][:rows] == KIND_EXPAND)
            self._expand(np.unique(self._last_nodes(waiting).astype(np.int64)))
            self.graph.reserve(rows, rows)
            self._descend(rows, True)
        fresh, g = self._attach(rows), self.graph.arrays
        values = np.zeros((len(fresh), self.graph.roles))
        if len(fresh):
            self._evaluator.record(self.graph, fresh, EAGER_MOVES if self.expander.eager else 0)
            if self.settings.prove:
                self._evaluator.look_ahead(self.graph, fresh)
                g = self.graph.arrays
        unproven = np.flatnonzero(g.node["proven"][fresh] == 0)
        stuck = np.flatnonzero(r.row["kind"][:rows] == KIND_STUCK)
        if len(unproven) + len(stuck):
            states = np.concatenate([g.state[fresh[unproven]], g.state[self._last_nodes(stuck)]])
            scores = self._evaluator.play_out(states, seconds, interrupted)
            if scores is None:
                take_back(g, r, rows)
                return
            values[unproven] = scores[: len(unproven)]
            r.score[stuck] = scores[len(unproven) :]
        if not self._sum_varies and g.fact[SUM] == SUM_VARIES and g.fact[PLAYING] > 1:
            self._start_over()
            return
        self._evaluator.learn(g, r, rows, fresh[unproven], values[unproven])
        batch_kernels.back_up(g, r, rows, fresh, values, self._shared.role, self._shared.entries)
        proof_kernels.settle(g)
        self.leaves += int((r.row["kind"][:rows] != KIND_DROPPED).sum())
        self.depth += int(r.row["length"][:rows].sum())

    def _start_over(self) -> None:
        """Proofs so far took the sum of all scores to be always the same, and it is not."""
        self._sum_varies = True
        states, probabilities, expected = self.states, np.diff(self._cumulative, prepend=0.0), self._expected
        self.graph = self._empty_graph()
        self.set_roots(states, probabilities)
        self._expected = expected

    def _last_nodes(self, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        """The nodes where the paths of ``rows`` end."""
        nodes: NDArray[np.int32] = self._rows.path["node"][rows, self._rows.row["length"][rows] - 1]
        return nodes

    def _descend(self, rows: int, again: bool) -> bool:
        """Walk the paths; whether some need legal moves before they can go on."""
        waiting: int = descent_kernels.descend(
            self.graph.arrays,
            self._rows,
            rows,
            again,
            self.settings.exploration,
            self.settings.first_play,
            self.settings.amaf,
            self._kernel_generator,
            self._roots,
            self._cumulative,
            self._shared.role,
            self._shared.places,
            self._shared.entries,
        )
        return waiting > 0

    def _attach(self, rows: int) -> NDArray[np.int64]:
        """Make nodes of the new states that the paths lead to; returns those that need an evaluation."""
        r, g = self._rows, self.graph.arrays
        unknown = np.flatnonzero((r.row["kind"][:rows] == KIND_NEW) & (r.row["leaf"][:rows] < 0))
        states, turns = self._no_states
        if len(unknown):
            parents = self._last_nodes(unknown)
            states, turns = self._evaluator.children(g.state[parents], r.moves[unknown])
        number = batch_kernels.attach(g, r, rows, states, turns, self._fresh)
        return self._fresh[:number].copy()

    def _expand(self, nodes: NDArray[np.int64]) -> None:
        """List the legal moves of ``nodes``; successors that the expander knows become unevaluated children."""
        if not len(nodes):
            return
        g = self.graph.arrays
        states = g.state[nodes]
        expansion = self.expander.expand(states)
        if self._evaluator.reduction is not None:
            expansion = reduced(expansion, states, self._evaluator.reduction)
        batch_kernels.expand(g, nodes, expansion.legal, self.game.role_start)
        count = len(expansion.owner)
        if count and not self.graph.full:
            self.graph.reserve(count, count)
            owner = nodes[expansion.owner]
            batch_kernels.link_solutions(self.graph.arrays, owner, expansion.joint_moves, expansion.successors, expansion.turns)

    def statistics(self) -> list[MoveStatistics]:
        """What is known about each of our moves at the root, best first; of moves that symmetries make the same, about one."""
        if self._shared.role >= 0:
            found = self._shared.statistics()
        elif self._shared.root >= 0:
            found = statistics_at(self.graph, int(self._roots[self._shared.root]), self.role)
        else:
            found = []
        if self._turn is not None:
            found = [replace(entry, move=self._as_played(entry.move)) for entry in found]
        return ranked(found, self.settings.serious)

    def _as_played(self, move: int) -> int:
        """What a move at the root is in the state that the match is in; they may be images of each other."""
        return move if self._turn is None else int(np.flatnonzero(self._turn == move)[0])

    def best_move(self) -> int:
        """Global index of our move with the best expectation; -1 if we have none."""
        ranking = self.statistics()
        return ranking[0].move if ranking else -1
