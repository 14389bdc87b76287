"""Backward induction over a ``StateSpace``: what best play is worth, as intervals that are right whatever is not known.

With one player, or two and a constant sum of scores, there is one value, and the interval closes on it (mixed moves included)
unless matches can go on for ever. In other games equilibria may differ; the interval of a role holds its expected scores in all
equilibria that are equilibria in every later state as well (subgame-perfect ones).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.search import backward_kernels
from scsp_player.search.state_space import StateSpace


@dataclass(frozen=True)
class Values:
    """What is known of the states of a space.

    Attributes:
        low, high: float64[n, roles], bounds of each role's score under best play.
        settled: whether further work would not narrow them.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    settled: bool

    def value(self, number: int, role: int) -> float | None:
        """The score of a role under best play from a state, None if it is not certain."""
        low, high = float(self.low[number, role]), float(self.high[number, role])
        return low if low == high else None


def backward_induction(space: StateSpace, deadline: float, *, clock: Callable[[], float] = time.monotonic) -> Values:
    """Bounds of the scores under best play, for all states of a space, complete or not.

    Matches without end count as the lowest score of all. Intervals are sound at any time; the deadline only keeps them wide.
    """
    game, count = space.game, space.count
    roles = len(game.roles)
    players = [role for role in range(roles) if role != game.random_role]
    # A role without a goal, or with several, scores 0.
    low, high = np.zeros((count, roles)), np.zeros((count, roles))
    for role in range(roles):
        goals = game.goal_value[game.goal_role == role]
        low[:, role], high[:, role] = min(0, goals.min(initial=0)), goals.max(initial=0)
    ends = np.flatnonzero(space.terminal[:count])
    low[ends] = high[ends] = space.scores[ends]
    fixed_sum = math.nan
    if space.complete and len(players) == 2:
        sums = np.unique(space.scores[ends][:, players].sum(axis=1))
        fixed_sum = float(sums[0]) if len(sums) == 1 else math.nan
    order = np.zeros(space.expanded, np.int32)
    backward_kernels.children_first(space.first, space.child, space.expanded, order)
    several = (space.width[: space.expanded, players] > 1).sum(axis=1) > 1
    sweep = backward_kernels.sweep_all if several.any() else backward_kernels.sweep_turns
    settled = False
    while not settled and clock() < deadline:
        settled = sweep(space.first, space.child, space.width, order, game.random_role, fixed_sum, low, high) == 0
    if settled and space.complete and len(players) == 1 and game.random_role < 0:
        high = np.maximum(low, np.where(space.terminal[:count, None], high, low))
    return Values(low, high, settled)
