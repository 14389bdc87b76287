"""What a role has gone through, as a number: its own moves and percepts, hashed turn by turn.

Two histories in which a role made the same moves and saw the same things look alike to it; the number of such a class is called
its *view*. Views are 64 bits, so that two of a million different ones agree by accident once in ten million games.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

ViewArray = NDArray[np.uint64]

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""What a view is multiplied by before what comes next is added."""


def mix(values: ViewArray) -> ViewArray:
    """Scatter the bits of 64-bit numbers (the finaliser of SplitMix64, Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return values ^ (values >> np.uint64(31))


class Views:
    """Computes the views of all roles of one game.

    Attributes:
        move_hash: uint64[moves].
        percept_hash: uint64[percepts].
    """

    def __init__(self, game: GroundGame) -> None:
        self.game = game
        self.move_hash = mix(np.arange(1, game.moves + 1, dtype=np.uint64) * MULTIPLIER)
        self.percept_hash = mix(np.arange(1, len(game.percept_role) + 1, dtype=np.uint64) * np.uint64(0xD1342543DE82EF95))
        self._named: dict[int, dict[object, int]] = {}
        self._columns = [np.flatnonzero(game.percept_role == role) for role in range(len(game.roles))]

    def first(self, count: int) -> ViewArray:
        """uint64[count, roles]: the views before the first move."""
        return np.tile(mix(np.arange(1, len(self.game.roles) + 1, dtype=np.uint64)), (count, 1))

    def after(self, views: ViewArray, moves: NDArray[np.int32], shown: ViewArray) -> ViewArray:
        """uint64[k, ...]: the views after moves int32[k, ...] at which was seen ``shown``, see ``observe``."""
        with np.errstate(over="ignore"):
            following: ViewArray = mix(views * MULTIPLIER + self.move_hash[moves] + shown)
        return following

    def observe(
        self, propnet: Propnet, states: NDArray[np.uint64], joint: NDArray[np.int32]
    ) -> tuple[NDArray[np.uint64], ViewArray]:
        """The states after joint moves, and uint64[k, roles]: a number for what each role is shown by them."""
        return propnet.observe(states, joint, self.percept_hash)

    def shown(self, role: int, percepts: NDArray[np.bool_]) -> ViewArray:
        """uint64[1]: the number for what a role sees, bool[percepts]."""
        columns = self._columns[role]
        total: ViewArray = self.percept_hash[columns][percepts[columns]].sum(dtype=np.uint64, keepdims=True)
        return total

    def expected(self, role: int, percepts: frozenset[object]) -> NDArray[np.bool_]:
        """bool[percepts]: the percepts of a role as a row; what the game does not know is left out."""
        game = self.game
        if role not in self._named:
            self._named[role] = {game.terms.term(int(game.percept_term[column])): column for column in self._columns[role].tolist()}
        named, row = self._named[role], np.zeros(len(game.percept_role), np.bool_)
        for percept in percepts:
            if percept in named:
                row[named[percept]] = True
        return row
