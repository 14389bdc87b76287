"""All joint moves of many states at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame

Joint = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class JointMoves:
    """The joint moves of k states, state by state.

    Attributes:
        owner: int64[n], the state.
        moves: int32[n, roles], global move indices.
        counts: int64[k, roles], from how many moves each role chooses in each state.
    """

    owner: NDArray[np.int64]
    moves: Joint
    counts: NDArray[np.int64]

    def share(self, roles: list[int]) -> NDArray[np.float64]:
        """float64[n]: the probability of each joint move if ``roles`` choose uniformly and the others make these moves."""
        share: NDArray[np.float64] = 1.0 / np.maximum(1, self.counts[:, roles]).prod(axis=1)
        return share[self.owner]


def number_of_joint_moves(game: GroundGame, legal: NDArray[np.bool_], fixed: dict[int, int] | None = None) -> NDArray[np.float64]:
    """float64[k]: how many joint moves ``joint_moves`` would list for each state."""
    result: NDArray[np.float64] = _counts(game, legal, fixed or {}).astype(np.float64).prod(axis=1)
    return result


def joint_moves(game: GroundGame, legal: NDArray[np.bool_], fixed: dict[int, int] | None = None) -> JointMoves:
    """List them.

    Args:
        game: the game.
        legal: bool[k, moves].
        fixed: role to the move that it makes in every state, whether legal or not.
    """
    fixed = fixed or {}
    counts = _counts(game, legal, fixed)
    sizes = counts.prod(axis=1)
    owner = np.repeat(np.arange(len(legal)), sizes)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    moves = np.empty((len(owner), len(game.roles)), np.int32)
    for role in reversed(range(len(game.roles))):
        if role in fixed:
            moves[:, role] = fixed[role]
            continue
        first, last = game.role_start[role], game.role_start[role + 1]
        listed = np.nonzero(legal[:, first:last])[1] + first
        begin = np.cumsum(counts[:, role]) - counts[:, role]
        count = counts[owner, role]
        moves[:, role] = listed[begin[owner] + number % np.maximum(1, count)] if len(listed) else 0
        number //= np.maximum(1, count)
    return JointMoves(owner, moves, counts)


def draw_joint_moves(
    game: GroundGame, legal: NDArray[np.bool_], generator: np.random.Generator, fixed: dict[int, int] | None = None
) -> Joint:
    """int32[k, roles]: one joint move for each state, every role's drawn uniformly; every role must have a legal move."""
    fixed = fixed or {}
    moves = np.empty((len(legal), len(game.roles)), np.int32)
    for role in range(len(game.roles)):
        if role in fixed:
            moves[:, role] = fixed[role]
            continue
        first, last = game.role_start[role], game.role_start[role + 1]
        priority = np.where(legal[:, first:last], generator.random((len(legal), last - first)), -1.0)
        moves[:, role] = priority.argmax(axis=1) + first
    return moves


def _counts(game: GroundGame, legal: NDArray[np.bool_], fixed: dict[int, int]) -> NDArray[np.int64]:
    counts = np.empty((len(legal), len(game.roles)), np.int64)
    for role in range(len(game.roles)):
        of_role = legal[:, game.role_start[role] : game.role_start[role + 1]]
        counts[:, role] = 1 if role in fixed else of_role.sum(axis=1)
    return counts
