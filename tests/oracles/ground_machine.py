"""A ``StateMachine`` over any ``GroundGame``, through the lane evaluator: the oracle of the engines that read ground games."""

from __future__ import annotations

import numpy as np

from tests.oracles.lane_machine import LaneMachine


class GroundMachine:
    """States are tuples of Booleans, one a fluent."""

    def __init__(self, game):
        self.game = game
        self.lanes = LaneMachine(game)

    @property
    def roles(self):
        return self.game.roles

    def initial_state(self):
        return tuple(self.game.initial.tolist())

    def state(self, fluents):
        wanted = set(fluents)
        unknown = [f for f in wanted if f not in self.game.fluent_index]
        if unknown:
            raise ValueError(f"{unknown[0]} can never be true")
        return tuple(self.game.fluent(i) in wanted for i in range(self.game.fluents))

    def fluents(self, state):
        return frozenset(self.game.fluent(i) for i, held in enumerate(state) if held)

    def is_terminal(self, state):
        return bool(self.lanes.evaluate(np.array([state]))[0][0])

    def legal_moves(self, state):
        g = self.game
        legal = self.lanes.evaluate(np.array([state]))[1][0]
        return tuple(
            tuple(g.move(i) for i in range(g.role_start[r], g.role_start[r + 1]) if legal[i]) for r in range(len(g.roles))
        )

    def goals(self, state):
        return tuple(None if v < 0 else int(v) for v in self.lanes.evaluate(np.array([state]))[2][0])

    def _joint(self, joint_move):
        try:
            return np.array([[self.game.move_index[r][m] for r, m in enumerate(joint_move)]])
        except KeyError as unknown:
            raise ValueError(f"{unknown} is not a move") from None

    def successor(self, state, joint_move):
        return tuple(self.lanes.successors(np.array([state]), self._joint(joint_move))[0].tolist())

    def percepts(self, state, joint_move):
        g = self.game
        held = self.lanes.percepts(np.array([state]), self._joint(joint_move))[0]
        return tuple(
            frozenset(g.terms.term(int(g.percept_term[i])) for i in np.flatnonzero(held) if g.percept_role[i] == r)
            for r in range(len(g.roles))
        )
