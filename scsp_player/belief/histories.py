"""Courses of the match that fit all one has done and seen, found by the constraint network of the turns so far.

Blind resampling goes forward and throws away what does not fit in the end; the network propagates what was seen later back to the
moves that were made earlier. Few courses are listed, all of them, and the belief is exact again. Of many some are drawn: moves of
the others are chosen one after the other at random among those that are still consistent, with backtracking (MAC with random
values), and importance weights correct for the choice.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.model import Found
from scsp_player.belief.samples import Weights, merge
from scsp_player.belief.views import Views
from scsp_player.network import MicroSCSP, NetworkTooLargeError, Unrolled, unroll
from scsp_player.propnet import Propnet
from scsp_player.solver import Solver

Past = list[tuple[int, NDArray[np.bool_]]]

MAX_ENTRIES = 20_000_000
"""Histories are not looked for when the unrolled tables would have more entries."""

SPARE = 8
"""The network is unrolled over a multiple of so many turns, so that it serves several turns."""


class HistorySampler:
    """Finds histories for one role of a game.

    Attributes:
        found: histories found so far.
        dead_ends: choices taken back.
    """

    def __init__(self, micro: MicroSCSP, propnet: Propnet, role: int, *, seed: int = 0) -> None:
        self.found = self.dead_ends = 0
        self._micro = micro
        self._propnet = propnet
        self._role = role
        self._views = Views(micro.game)
        self._generator = np.random.default_rng((seed, 2))
        self._entries = sum(table.tuples.size for table in micro.instance.constraints)
        self._network: tuple[Unrolled, Solver] | None = None

    def sample(
        self, past: Past, count: int, expired: Callable[[], bool], *, seconds: float = 0.0, most: int = 2000
    ) -> Found | None:
        """All histories if they can be listed, else up to ``count`` drawn ones; None if none was found in time.

        Args:
            past: own moves (global indices) and percepts (bool[percepts]) of all turns so far.
            count: histories to draw.
            expired: whether time is up.
            seconds: wall time for listing all of them; what is left until ``expired`` is for drawing.
            most: histories up to which they are listed.
        """
        network = self.unroll(len(past))
        if network is None or expired():
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
        if seconds > 0:
            every = solver.solutions(told, project=open_moves, limit=most + 1, seconds=seconds)
            if every.complete:
                self.found += len(every)
                return self._replayed(past, every.values, np.zeros(len(every)), complete=True) if len(every) else None
        drawn: list[list[int]] = []
        proposals: list[float] = []
        while len(drawn) < count and not expired():
            one = self._draw(solver, told, open_moves, expired)
            if one is None:
                break
            drawn.append(one[0])
            proposals.append(one[1])
        if not drawn:
            return None
        return self._replayed(past, np.array(drawn, np.int32), np.array(proposals), complete=False)

    def unroll(self, stages: int) -> tuple[Unrolled, Solver] | None:
        """The network of at least so many turns, made if there is none yet; None if it is too large."""
        if self._network is None or self._network[0].stages < stages:
            stages = -(-stages // SPARE) * SPARE
            if self._entries * stages > MAX_ENTRIES:
                return None
            try:
                unrolled = unroll(self._micro, stages, state=self._micro.game.initial_state, histories=True)
            except NetworkTooLargeError:
                return None
            self._network = unrolled, Solver(unrolled.instance)
        return self._network

    def _told(self, unrolled: Unrolled, past: Past) -> tuple[list[int], list[int]] | None:
        """What is known, as variables and values; None if the network cannot express it."""
        micro, game = self._micro, self._micro.game
        variables, values = [int(unrolled.variable[len(past), micro.terminal_variable])], [0]
        mine = np.flatnonzero(game.percept_role == self._role)
        for stage, (move, row) in enumerate(past):
            variables.append(int(unrolled.variable[stage, micro.action_variable[self._role]]))
            values.append(move - int(game.role_start[self._role]))
            for own in np.unique(micro.percept_variable[mine]).tolist():
                if own < 0 or unrolled.variable[stage, own] < 0:
                    continue
                here = mine[micro.percept_variable[mine] == own]
                held = micro.percept_value[here[row[here]]].tolist()
                if not held:
                    held = np.setdiff1d(micro.instance.variables[own].domain, micro.percept_value[here]).tolist()
                if (len(held) > 1 and row[here].any()) or not held:
                    return None
                if len(held) == 1:
                    variables.append(int(unrolled.variable[stage, own]))
                    values.append(int(held[0]))
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

    def _replayed(self, past: Past, drawn: NDArray[np.int32], proposals: Weights, *, complete: bool) -> Found | None:
        """Where the histories lead, equal ones merged; those that the circuit does not confirm are left out."""
        game, roles = self._micro.game, len(self._micro.game.roles)
        states = np.repeat(game.initial_state[None], len(drawn), axis=0)
        views, log_weight = self._views.first(len(drawn)), -proposals
        fits = np.ones(len(drawn), np.bool_)
        mine = game.percept_role == self._role
        others = [role for role in range(roles) if role != self._role]
        for stage, (move, row) in enumerate(past):
            moves = np.full((len(drawn), roles), move, np.int32)
            moves[:, others] = drawn[:, stage * (roles - 1) : (stage + 1) * (roles - 1)] + game.role_start[others]
            legal = self._propnet.legal(states)
            for role in others:
                log_weight = log_weight - np.log(
                    np.maximum(1, legal[:, game.role_start[role] : game.role_start[role + 1]].sum(axis=1))
                )
                fits &= legal[np.arange(len(drawn)), moves[:, role]]
            seen = self._propnet.percepts(states, moves)
            fits &= (seen[:, mine] == row[mine]).all(axis=1)
            views = self._views.after(views, moves, seen)
            states = self._propnet.successors(states, moves)
        if not fits.any():
            return None
        weights = np.exp(log_weight[fits] - log_weight[fits].max())
        return Found(*merge(states[fits], views[fits], weights, self._role), complete)
