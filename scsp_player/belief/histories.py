"""Courses of the match that fit all one has done and seen, found by the constraint network of the turns so far.

Blind resampling goes forward and throws away what does not fit in the end; the network propagates what was seen later back to the
moves that were made earlier. Few courses are listed, all of them, and the belief is exact again. Of many some are drawn: moves of
the others are chosen one after the other at random among those that are still consistent, with backtracking (MAC with random
values), and importance weights correct for the choice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.history_tree import HistoryTree, Past
from scsp_player.belief.model import Found
from scsp_player.belief.samples import Weights, distinct
from scsp_player.network import MicroSCSP, NetworkTooLargeError, Unrolled, unroll
from scsp_player.solver import Solver

MAX_ENTRIES = 20_000_000
"""Histories are not looked for when the unrolled tables would have more entries."""

SECONDS_AN_ENTRY = 1e-6
"""What such a network takes for each of them, as long as nothing better is known."""

LONGEST_PAUSE = 16
"""Turns in which listing all histories is not tried after it has failed, at most; twice as many each time."""

SPARE = 8
"""The network is unrolled over a multiple of so many turns, so that it serves several turns."""


class HistorySampler:
    """Finds histories for one role of a game.

    Attributes:
        found: histories found so far.
        dead_ends: choices taken back.
    """

    def __init__(self, micro: MicroSCSP, role: int, *, seed: int = 0) -> None:
        self.found = self.dead_ends = 0
        self._micro = micro
        self._role = role
        self._percepts = _own_percepts(micro, role)
        self._generator = np.random.default_rng((seed, 2))
        self._entries = sum(table.tuples.size for table in micro.instance.constraints)
        self._network: tuple[Unrolled, Solver] | None = None
        self._seconds_an_entry = SECONDS_AN_ENTRY
        self._list_from, self._pause = 0, 1

    def list_all(self, past: Past, tree: HistoryTree, seconds: float, *, most: int = 2000) -> Found | None:
        """All histories; None if there are more than ``most``, or too many for so many seconds of wall time.

        Args:
            past: own moves and percepts of all turns so far.
            tree: histories that are found become part of it.
            seconds: time for it. After a failure it is not tried again at once.
            most: histories up to which they are listed.
        """
        if len(past) < self._list_from or (question := self._question(past, seconds)) is None:
            return None
        solver, told, open_moves = question
        every = solver.solutions(told, project=open_moves, limit=most + 1, seconds=seconds)
        if not every.complete or not len(every):
            self._pause = min(LONGEST_PAUSE, 2 * self._pause)
            self._list_from = len(past) + self._pause
            return None
        self._pause = 1
        self.found += len(every)
        return self._replayed(past, tree, every.values, np.zeros(len(every)), complete=True)

    def draw(
        self, past: Past, tree: HistoryTree, count: int, expired: Callable[[], bool], seconds: float = math.inf
    ) -> Found | None:
        """Up to ``count`` random histories; None if none was found in time.

        Args:
            past: own moves and percepts of all turns so far.
            tree: histories that are found become part of it.
            count: histories to draw.
            expired: whether time is up.
            seconds: no larger network is made if that is expected to take longer.
        """
        if (question := self._question(past, seconds)) is None:
            return None
        drawn: list[list[int]] = []
        proposals: list[float] = []
        while len(drawn) < count and not expired():
            one = self._draw(*question, expired)
            if one is None:
                break
            drawn.append(one[0])
            proposals.append(one[1])
        if not drawn:
            return None
        return self._replayed(past, tree, np.array(drawn, np.int32), np.array(proposals), complete=False)

    def _question(self, past: Past, seconds: float) -> tuple[Solver, tuple[list[int], list[int]], list[int]] | None:
        """The solver, what it is told, and the variables of the others' moves; None if there is no network for that."""
        network = self.unroll(len(past), seconds)
        if network is None:
            return None
        unrolled, solver = network
        told = self._told(unrolled, past)
        if told is None:
            return None
        open_moves = [
            int(unrolled.variable[stage, self._micro.action_variable[role]])
            for stage in range(len(past))
            for role in range(len(self._micro.game.roles))
            if role != self._role
        ]
        return solver, told, open_moves

    def unroll(self, stages: int, seconds: float = math.inf) -> tuple[Unrolled, Solver] | None:
        """The network of at least so many turns, made if there is none yet; None if it is too large, or would take too long."""
        if self._network is None or self._network[0].stages < stages:
            stages = -(-stages // SPARE) * SPARE
            size = self._entries * stages
            if size > MAX_ENTRIES or size * self._seconds_an_entry > seconds:
                return None
            begin = time.perf_counter()
            try:
                unrolled = unroll(self._micro, stages, state=self._micro.game.initial_state, histories=True)
            except NetworkTooLargeError:
                return None
            self._network = unrolled, Solver(unrolled.instance)
            self._seconds_an_entry = (time.perf_counter() - begin) / size
        return self._network

    def _told(self, unrolled: Unrolled, past: Past) -> tuple[list[int], list[int]] | None:
        """What is known, as variables and values; None if the network cannot express it."""
        micro, game = self._micro, self._micro.game
        variables, values = [int(unrolled.variable[len(past), micro.terminal_variable])], [0]
        for stage, (move, row) in enumerate(past):
            variables.append(int(unrolled.variable[stage, micro.action_variable[self._role]]))
            values.append(move - int(game.role_start[self._role]))
            there, seen = unrolled.variable[stage].tolist(), row.tolist()
            for own, percepts, otherwise in self._percepts:
                if there[own] < 0:
                    continue
                held = [value for percept, value in percepts if seen[percept]]
                if len(held) > 1 or not (held or otherwise):
                    return None
                if held or len(otherwise) == 1:
                    variables.append(there[own])
                    values.append((held or otherwise)[0])
        return variables, values

    def _draw(
        self, solver: Solver, told: tuple[list[int], list[int]], open_moves: list[int], expired: Callable[[], bool]
    ) -> tuple[list[int], float] | None:
        """Values of ``open_moves`` and the logarithm of the probability of choosing them; None if there are none, or no time."""
        levels: list[tuple[int, list[int]]] = []
        chosen: list[int] = []
        chances: list[float] = []
        while not expired():
            domains = solver.propagate(([*told[0], *(open_moves[at] for at, _ in levels)], [*told[1], *chosen]))
            if domains is not None:
                begin = levels[-1][0] + 1 if levels else 0
                undecided = next((at for at in range(begin, len(open_moves)) if len(domains[open_moves[at]]) > 1), None)
                if undecided is None:
                    self.found += 1
                    return [int(domains[move][0]) for move in open_moves], float(sum(chances))
                options = self._generator.permutation(domains[open_moves[undecided]]).tolist()
                levels.append((undecided, options))
                chances.append(-float(np.log(len(options))))
            else:
                self.dead_ends += 1
                if not levels:
                    return None
                chosen.pop()
            while levels and not levels[-1][1]:
                levels.pop()
                chances.pop()
                if levels:
                    chosen.pop()
            if not levels:
                return None
            chosen.append(levels[-1][1].pop())
        return None

    def _replayed(
        self, past: Past, tree: HistoryTree, drawn: NDArray[np.int32], proposals: Weights, *, complete: bool
    ) -> Found | None:
        """Where the histories lead, equal ones merged; those that the circuit does not confirm are left out."""
        game, roles = self._micro.game, len(self._micro.game.roles)
        moves = np.empty((len(drawn), len(past), roles), np.int32)
        moves[:, :, self._role] = [move for move, _ in past]
        others = [role for role in range(roles) if role != self._role]
        moves[:, :, others] = drawn.reshape(len(drawn), len(past), roles - 1) + game.role_start[others]
        kept, nodes = tree.replay(moves, past)
        if not len(kept):
            return None
        ends = tree.layers[-1].some(nodes)
        weights = ends.chance - proposals[kept]
        first, weights = distinct(ends.states, ends.views, np.exp(weights - weights.max()), self._role)
        return Found(nodes[first], weights, complete)


def _own_percepts(micro: MicroSCSP, role: int) -> list[tuple[int, list[tuple[int, int]], list[int]]]:
    """The variables of what a role sees: number, percepts with their values, and values that stand for none of them."""
    mine = np.flatnonzero(micro.game.percept_role == role)
    result = []
    for own in np.unique(micro.percept_variable[mine]).tolist():
        if own >= 0:
            here = mine[micro.percept_variable[mine] == own]
            named = micro.percept_value[here].tolist()
            otherwise = sorted(set(np.asarray(micro.instance.variables[own].domain).tolist()) - set(named))
            result.append((own, list(zip(here.tolist(), named, strict=True)), otherwise))
    return result
