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
from scsp_player.search.reduction import Reduction
from scsp_player.solver import Solver

SOLUTION_LIMIT = 512
"""States with more joint moves than this (chance included) are expanded by the propnet: their solutions are a mere product."""


@dataclass(frozen=True)
class Expansion:
    """What is known about some states after their expansion.

    Attributes:
        legal: bool[k, moves], the legal moves of all roles.
        owner: int64[n], for every joint move whose successor is known the number of its state, 0 … k - 1; may be empty.
        joint_moves: int32[n, roles], global move indices.
        successors: uint64[n, words].
        turns: int32[n], the symmetries that made the successors what they are, 0 for none.
    """

    legal: NDArray[np.bool_]
    owner: NDArray[np.int64]
    joint_moves: NDArray[np.int32]
    successors: NDArray[np.uint64]
    turns: NDArray[np.int32]


class Expander(Protocol):
    """Finds the legal moves of non-terminal states.

    Attributes:
        name: what reports call it.
        eager: whether evaluating a state tells its legal moves anyway, so that they are listed at once.
    """

    name: str
    eager: bool

    def expand(self, states: NDArray[np.uint64]) -> Expansion:
        """The expansion of states uint64[k, words]."""
        ...


class PropnetExpander:
    """Legal moves from one bit-parallel pass; successors are computed when they are first visited."""

    name = "propnet"
    eager = True

    def __init__(self, propnet: Propnet) -> None:
        self._propnet = propnet
        game = propnet.game
        self._nothing = (
            np.zeros(0, np.int64),
            np.zeros((0, len(game.roles)), np.int32),
            np.zeros((0, game.state_words), np.uint64),
            np.zeros(0, np.int32),
        )

    def expand(self, states: NDArray[np.uint64]) -> Expansion:
        """See ``Expander``."""
        return Expansion(self._propnet.legal(states), *self._nothing)


class NetworkExpander:
    """All solutions of the states' micro-SCSPs by MAC: their legal joint moves together with their successors.

    Joint moves whose legality is a product of independent choices can be far too many to list; past ``SOLUTION_LIMIT`` a state
    is left to the propnet.
    """

    name = "network"
    eager = False

    def __init__(self, micro: MicroSCSP, game: GroundGame, fallback: PropnetExpander) -> None:
        self._micro = micro
        self._game = game
        self._fallback = fallback
        self._solver = Solver(micro.instance)
        self._project = np.concatenate([micro.action_variable, micro.next])

    def expand(self, states: NDArray[np.uint64]) -> Expansion:
        """See ``Expander``."""
        plain = self._fallback.expand(states[:0])
        parts: list[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint64]]] = [
            (plain.owner, plain.joint_moves, plain.successors)
        ]
        legal = np.zeros((len(states), self._game.moves), dtype=np.bool_)
        for number, state in enumerate(states):
            assumptions = inject(self._micro, state)
            values = self._solver.solutions(assumptions, project=self._project, limit=SOLUTION_LIMIT + 1).values
            if not len(values) or len(values) > SOLUTION_LIMIT:
                legal[number] = self._fallback.expand(state[None]).legal[0]
                continue
            joint_moves = (values[:, : len(self._game.roles)] + self._game.role_start[:-1]).astype(np.int32)
            legal[number, joint_moves.ravel()] = True
            parts.append(
                (np.full(len(values), number, np.int64), joint_moves, successor_states(self._micro, values, self._project))
            )
        owner, joint_moves, successors = (np.concatenate(list(arrays)) for arrays in zip(*parts, strict=True))
        return Expansion(legal, owner, joint_moves, successors, np.zeros(len(owner), np.int32))


def reduced(expansion: Expansion, states: NDArray[np.uint64], reduction: Reduction) -> Expansion:
    """An expansion of states uint64[k, words], but of moves that are the same by symmetry one; successors as nodes have them."""
    legal = reduction.thin(states, expansion.legal)
    kept = legal[expansion.owner[:, None], expansion.joint_moves].all(axis=1)
    return Expansion(legal, expansion.owner[kept], expansion.joint_moves[kept], *reduction.turned(expansion.successors[kept]))


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
