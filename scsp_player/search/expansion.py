"""How a node gets its legal moves: by solving its micro-SCSP, or by one pass of the propnet."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network import MicroSCSP, inject, successor_states
from scsp_player.propnet import Propnet
from scsp_player.solver import Solver

SOLUTION_LIMIT = 512
"""States with more joint moves than this (chance included) are expanded by the propnet: their solutions are a mere product."""


@dataclass(frozen=True)
class Expansion:
    """What is known about one state after its expansion.

    Attributes:
        legal: bool[moves], the legal moves of all roles.
        joint_moves: int32[n, roles], global move indices of every joint move whose successor is known; may be empty.
        successors: uint64[n, words].
    """

    legal: NDArray[np.bool_]
    joint_moves: NDArray[np.int32]
    successors: NDArray[np.uint64]


class Expander(Protocol):
    """Finds the legal moves of non-terminal states."""

    name: str

    def expand(self, states: NDArray[np.uint64]) -> list[Expansion]:
        """One expansion for each state, uint64[k, words]."""
        ...


class PropnetExpander:
    """Legal moves from one bit-parallel pass; successors are computed when they are first visited."""

    name = "propnet"

    def __init__(self, propnet: Propnet) -> None:
        self._propnet = propnet
        game = propnet.game
        self._no_moves = np.zeros((0, len(game.roles)), dtype=np.int32)
        self._no_states = np.zeros((0, game.state_words), dtype=np.uint64)

    def expand(self, states: NDArray[np.uint64]) -> list[Expansion]:
        """See ``Expander``."""
        _, legal, _ = self._propnet.evaluate(states)
        return [Expansion(row, self._no_moves, self._no_states) for row in legal]


class NetworkExpander:
    """All solutions of the state's micro-SCSP by MAC: its legal joint moves together with their successors.

    Joint moves whose legality is a product of independent choices can be far too many to list; past ``SOLUTION_LIMIT`` the state
    is left to the propnet.
    """

    name = "network"

    def __init__(self, micro: MicroSCSP, game: GroundGame, fallback: PropnetExpander) -> None:
        self._micro = micro
        self._game = game
        self._fallback = fallback
        self._solver = Solver(micro.instance)
        self._project = np.concatenate([micro.action_variable, micro.next])

    def expand(self, states: NDArray[np.uint64]) -> list[Expansion]:
        """See ``Expander``."""
        return [self._expand_one(state) for state in states]

    def _expand_one(self, state: NDArray[np.uint64]) -> Expansion:
        assumptions = inject(self._micro, state)
        values = self._solver.solutions(assumptions, project=self._project, limit=SOLUTION_LIMIT + 1).values
        if not len(values) or len(values) > SOLUTION_LIMIT:
            return self._fallback.expand(state[None])[0]
        joint_moves = (values[:, : len(self._game.roles)] + self._game.role_start[:-1]).astype(np.int32)
        legal = np.zeros(self._game.moves, dtype=np.bool_)
        legal[joint_moves.ravel()] = True
        return Expansion(legal, joint_moves, successor_states(self._micro, values, self._project))


def choose_expander(
    game: GroundGame, propnet: Propnet, micro: MicroSCSP | None, states: NDArray[np.uint64], share: float = 0.5
) -> Expander:
    """The network's expander if solving ``states`` costs at most ``share`` of what evaluating them by playouts costs.

    Args:
        game: the game.
        propnet: its circuit.
        micro: its template, or None if there is none.
        states: non-terminal states to try, uint64[k, words].
        share: what one expansion may cost, as a share of one batch of playouts.
    """
    fallback = PropnetExpander(propnet)
    if micro is None:
        return fallback
    expander = NetworkExpander(micro, game, fallback)
    expander.expand(states[:1])
    propnet.playouts(states[:1])
    start = time.thread_time()
    expander.expand(states)
    middle = time.thread_time()
    propnet.playouts(states)
    playouts = time.thread_time() - middle
    return expander if middle - start <= share * playouts else fallback
