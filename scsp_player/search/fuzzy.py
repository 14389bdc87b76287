"""How near a state is to good goals: the fuzzy evaluation of goal conditions (after Fluxplayer, Schiffel and Thielscher 2007)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.search.fuzzy_kernels import truth


class GoalNearness:
    """Degrees to which the goals of a role are satisfied, from the ground rules alone.

    A conjunction counts the share of its conditions that hold, a disjunction its best alternative; so every condition of the goal
    that is met shows, which a score of 0 before the end does not tell.
    """

    def __init__(self, game: GroundGame, role: int) -> None:
        mine = np.flatnonzero(game.goal_role == role)
        self._game = game
        self._literals = game.goal_literal[mine].astype(np.int32)
        self._values = game.goal_value[mine].astype(np.float32)
        self._order = _needed(game, self._literals)
        self._scratch = np.zeros(game.atoms, np.float32)

    def __call__(self, states: NDArray[np.uint64]) -> NDArray[np.float32]:
        """float32[k], larger is nearer: the best goal's degree of truth, and the highest score weighed by its goal's degree."""
        degrees = np.zeros((len(states), len(self._literals)), np.float32)
        if not len(self._literals):
            return np.zeros(len(states), np.float32)
        game = self._game
        truth(
            np.ascontiguousarray(states),
            game.fluent_atom,
            self._order,
            game.head_start,
            game.rule_start,
            game.rule_body,
            self._literals,
            self._scratch,
            degrees,
        )
        best = degrees[:, self._values == self._values.max()].max(axis=1)
        nearness: NDArray[np.float32] = best + (degrees * self._values).max(axis=1) / np.float32(100.0)
        return nearness


def _needed(game: GroundGame, literals: NDArray[np.int32]) -> NDArray[np.int32]:
    """The atoms with rules that literals depend on, in an order of evaluation."""
    needed = np.zeros(game.atoms, np.bool_)
    waiting = [int(literal) >> 1 for literal in literals]
    while waiting:
        atom = waiting.pop()
        if needed[atom]:
            continue
        needed[atom] = True
        first, last = int(game.head_start[atom]), int(game.head_start[atom + 1])
        waiting.extend((game.rule_body[game.rule_start[first] : game.rule_start[last]] >> 1).tolist())
    atoms: NDArray[np.int32] = game.component_atoms[needed[game.component_atoms]]
    return atoms
