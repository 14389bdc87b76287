"""Plans for one-player games through the unrolled network.

Three ways, in turn. *Deepening*: is there a plan of at most h moves that scores more, for h = 1, 2, …? Refuting the horizons
below proves that a plan is as short as can be; so does the number of state variables that must change, if a move changes few.
*Goal first*: a last state with the score, found without asking how to get there, and then moves that bring it about variable by
variable; this finds long plans whose order matters little. *Deepening to the end* takes all the time that is left, and goes back to
the horizons that were left open with growing shares of it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.terms import Term
from scsp_player.grounding.ground_game import unpack_state
from scsp_player.network.exclusion import exclusive_pairs, least_moves
from scsp_player.network.micro_scsp import MicroSCSP, state_values
from scsp_player.network.reaching import Reacher
from scsp_player.network.rules import inline_moves, merge_moves
from scsp_player.network.unfolding import unfold
from scsp_player.network.unrolling import Unrolled, unroll
from scsp_player.solver import Solver
from scsp_player.solver.cpsat import CpSatModel

FIRST_HORIZON = 8
"""Horizons that are looked at first."""

MAX_ENTRIES = 60_000_000
"""Horizons are looked at as far as the unrolled tables have no more entries."""

FIRST_SHARE = 0.25
"""Seconds that a horizon may take at first."""

GOAL_SHARE = 0.3
"""Share of the time for the way that begins with the last state."""


@dataclass
class Plan:
    """What is known about the best plan.

    Attributes:
        score: what it scores; None if no plan is known.
        moves: the moves, in order.
        proved_optimal: no plan scores more, and none that scores as much is shorter.
        best_possible: whether no plan scores more.
        horizon: plans of up to that many moves were looked for, and not only found by chance.
        nodes: decisions taken by the solver.
        open: pairs of horizon and score that no search settled.
    """

    score: int | None = None
    moves: list[Term] = field(default_factory=list)
    proved_optimal: bool = False
    best_possible: bool = False
    horizon: int = 0
    nodes: int = 0
    open: list[tuple[int, int]] = field(default_factory=list)


class Planner:
    """Looks for the plan with the best score, and the shortest of these.

    Args:
        micro: the template of a game with one role.
        state: the first state; the initial one if left out.
        cpsat: whether OR-tools CP-SAT answers for the horizons, instead of our solver.

    Raises:
        ValueError: if the game has several roles.
    """

    def __init__(self, micro: MicroSCSP, state: NDArray[np.uint64] | None = None, *, cpsat: bool = False) -> None:
        if len(micro.game.roles) != 1:
            raise ValueError(f"{micro.game.source} has {len(micro.game.roles)} roles")
        self._micro = micro
        self._horizons = _CpSatHorizons if cpsat else _Horizons
        self._state = micro.game.initial_state if state is None else state
        self._merged = merge_moves(micro.game, inline_moves(micro.game, unfold(micro.game)))
        self._exclusive = exclusive_pairs(micro.game, self._merged)
        self._scores: list[int] = micro.instance.variables[int(micro.score_variable[0])].domain.tolist()
        self._entries = sum(table.tuples.size for table in micro.instance.constraints)
        self._least: dict[int, int] = {}
        self._targets: dict[int, tuple[Unrolled, Solver]] = {}
        self.plan = Plan()
        self._settled = 0
        self._ends = False
        self._aimed = False

    def run(self, seconds: float, horizon: int | None = None) -> Plan:
        """The best plan found in about ``seconds``, of at most ``horizon`` moves."""
        begin = time.perf_counter()
        end = begin + seconds
        self._aim()
        if not self._scores:
            return self.conclude()
        most = max(1, MAX_ENTRIES // max(1, self._entries))
        limit = most if horizon is None else min(horizon, most)
        reached = min(FIRST_HORIZON, limit)
        if self._least[self._scores[-1]] <= reached:
            self._deepen(reached, end)
        if not self._satisfied():
            self._goal_first(horizon, time.perf_counter() + GOAL_SHARE * (end - time.perf_counter()))
            if self._satisfied():
                # The rest is a matter of proof, which may take as long as finding did.
                end = min(end, 2 * time.perf_counter() - begin)
                limit = min(limit, len(self.plan.moves) - 1)
        share = FIRST_SHARE
        while time.perf_counter() < end and (self._still_open() or (not self._done() and self._settled < limit)):
            share *= 4
            self._reopen(share, end)
            if not self._done() and self._settled < limit:
                self._deepen(max(reached, self._settled + 1), end)
                reached = min(2 * reached, limit)
        return self.conclude()

    def _satisfied(self) -> bool:
        return self.plan.score is not None and self.plan.score == self._scores[-1]

    def _done(self) -> bool:
        """Whether longer plans are of no interest."""
        if self._ends:
            return True
        needed = max(self._settled + 1, self._least[self._scores[-1]])
        return self._satisfied() and len(self.plan.moves) <= needed

    def _deepen(self, last: int, end: float) -> None:
        """Look at the horizons up to ``last``."""
        if self._done() or time.perf_counter() > end:
            return
        network = self._horizons(self._micro, self._state, last, self._exclusive)
        for h in range(self._settled + 1, last + 1):
            for score in reversed(self._scores):
                if h < self._least[score]:
                    continue
                if self.plan.score is not None and (score, -h) <= (self.plan.score, -len(self.plan.moves)):
                    break
                left = end - time.perf_counter()
                if left <= 0:
                    return
                self._ask(network, h, score, min(FIRST_SHARE, left))
            self._settled = h
            self.plan.horizon = max(self.plan.horizon, h)
            self._ends = network.over_by(h)
            if self._done():
                return

    def _ask(self, network: _Horizons, h: int, score: int, seconds: float) -> None:
        moves, settled, nodes = network.search(h, score, seconds)
        self.plan.nodes += nodes
        if moves is not None:
            self._found(score, moves)
        if (moves is not None or settled) and (h, score) in self.plan.open:
            self.plan.open.remove((h, score))
        elif not settled and (h, score) not in self.plan.open:
            self.plan.open.append((h, score))

    def _found(self, score: int, moves: list[Term]) -> None:
        if self.plan.score is None or (score, -len(moves)) > (self.plan.score, -len(self.plan.moves)):
            self.plan.score, self.plan.moves = score, moves

    def _aim(self) -> None:
        """For each score the network of the last states that bring it, and how many moves it takes at least to change what must."""
        micro, game = self._micro, self._micro.game
        values = state_values(micro, self._state)
        for score in self._scores:
            target = unroll(micro, 0, goal=(0, score), exclusive=self._exclusive)
            solver = Solver(target.instance)
            domains = solver.propagate()
            if domains is None:
                continue
            must = [
                micro.groups[g]
                for g, (x, value) in enumerate(zip(target.variable[0, micro.now].tolist(), values.tolist(), strict=True))
                if value not in domains[x]
            ]
            self._least[score] = least_moves(game, self._merged, must, unpack_state(self._state, game.fluents))
            self._targets[score] = (target, solver)
        self._scores = sorted(self._targets)
        self._aimed = True

    def _goal_first(self, horizon: int | None, end: float) -> None:
        reacher = Reacher(self._micro)
        for score in reversed(self._scores):
            if self.plan.score is not None and score <= self.plan.score:
                return
            target, solver = self._targets[score]
            for values in solver.stream(project=target.variable[0, self._micro.now], seconds=end - time.perf_counter()):
                for row in values:
                    if time.perf_counter() > end:
                        return
                    moves = reacher.moves(self._state, row, end)
                    if moves is not None and (horizon is None or len(moves) <= horizon):
                        self._found(score, moves)
                        return

    def _reopen(self, share: float, end: float) -> None:
        """Go back to what was left open, with so many seconds for each question."""
        waiting = self._still_open()
        if not waiting:
            return
        # Each stays open until it is answered: whoever runs out of time may interrupt this at any point.
        network = self._horizons(self._micro, self._state, max(h for h, _ in waiting), self._exclusive)
        for h, score in waiting:
            left = end - time.perf_counter()
            if left <= 0:
                return
            if self._matters(h, score):
                self._ask(network, h, score, min(share, left))

    def _matters(self, h: int, score: int) -> bool:
        return self.plan.score is None or (score, -h) > (self.plan.score, -len(self.plan.moves))

    def _still_open(self) -> list[tuple[int, int]]:
        return sorted(pair for pair in self.plan.open if self._matters(*pair))

    def conclude(self) -> Plan:
        """The plan, with what is proved about it; also after an exception interrupted ``run``."""
        plan = self.plan
        if not self._aimed:
            return plan
        if not self._scores:
            plan.best_possible = True
            return plan
        plan.open = self._still_open()
        higher = any(plan.score is None or score > plan.score for _, score in plan.open)
        plan.best_possible = self._satisfied() or (self._ends and not higher)
        needed = max(self._settled + 1, 0 if plan.score is None else self._least[plan.score])
        plan.proved_optimal = plan.best_possible and not plan.open and len(plan.moves) <= needed
        return plan


class _Horizons:
    """The network of the longest horizon, which answers for the shorter ones too: matches that are over stay as they are."""

    def __init__(self, micro: MicroSCSP, state: NDArray[np.uint64], last: int, exclusive: NDArray[np.bool_]) -> None:
        self._unrolled: Unrolled = unroll(micro, last, state=state, exclusive=exclusive)
        self._terminal = self._unrolled.variable[:, micro.terminal_variable]
        self._score = self._unrolled.variable[last, micro.score_variable[0]]
        self._actions = self._unrolled.variable[:last, micro.action_variable[0]]
        self._solver = Solver(self._unrolled.instance)
        self._forward: Solver | None = None
        domains = self._solver.propagate()
        self._over = [domains is None or domains[x].tolist() == [1] for x in self._terminal]
        self._possible = [domains is not None and 1 in domains[x] for x in self._terminal]

    def over_by(self, h: int) -> bool:
        """Whether every match is over after h moves."""
        return self._over[h]

    def search(self, h: int, score: int, seconds: float) -> tuple[list[Term] | None, bool, int]:
        """Moves of a plan of at most h moves with that score, or None; whether the question is settled; decisions taken."""
        if not self._possible[h]:
            return None, True, 0
        goal = ([self._terminal[h], self._score], [1, score])
        nodes = 0
        # Whatever is most constrained, the moves before all else, or the moves in their order: each is far better at times.
        for solver, project in ((self._solver, None), (self._solver, self._actions[:h]), (None, self._actions[:h])):
            if solver is None:
                solver = self._forward = self._forward or Solver(self._unrolled.instance, "project")
            answer = solver.solutions(goal, project=project, limit=1, seconds=seconds / 3)
            nodes += answer.nodes
            if len(answer):
                values = answer.values[0]
                if project is not None:
                    exact = (np.concatenate([goal[0], project]), np.concatenate([goal[1], values]))
                    values = self._solver.solutions(exact, limit=1).values[0]
                return [move for (move,) in self._unrolled.moves(values) if move is not None], True, nodes
            if answer.complete:
                return None, True, nodes
        return None, False, nodes


class _CpSatHorizons(_Horizons):
    """The same, asked of CP-SAT."""

    def __init__(self, micro: MicroSCSP, state: NDArray[np.uint64], last: int, exclusive: NDArray[np.bool_]) -> None:
        super().__init__(micro, state, last, exclusive)
        self._model = CpSatModel(self._unrolled.instance)

    def search(self, h: int, score: int, seconds: float) -> tuple[list[Term] | None, bool, int]:
        if not self._possible[h]:
            return None, True, 0
        answer, values, nodes = self._model.solve(seconds, [self._terminal[h], self._score], [1, score])
        moves = self._unrolled.moves(np.array(values, dtype=np.int32)) if values else []
        return [move for (move,) in moves if move is not None] if values else None, answer != "UNKNOWN", nodes
