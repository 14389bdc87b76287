"""Fluents of which at most one, or exactly one, holds in every state of a match: what a cell can hold, whose turn it is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network import NetworkTooLargeError
from scsp_player.network.errors import Deadline
from scsp_player.network.groups import state_groups
from scsp_player.network.rules import inline_moves, merge_moves
from scsp_player.network.unfolding import unfold

MOST_LITERALS = 2_000_000
"""Rules that are longer than that without cycles are left alone."""

RULES_PER_SECOND = 20_000
"""Ground rules for which something can be proved in a second, on a busy machine."""


class Exclusive(NamedTuple):
    """Groups of fluents that exclude each other: group g is ``atoms[start[g]:start[g + 1]]``.

    Attributes:
        start: int64[groups + 1].
        atoms: int32, the atoms of the fluents.
        exact: bool[groups], whether one of them always holds.
    """

    start: NDArray[np.int64]
    atoms: NDArray[np.int32]
    exact: NDArray[np.bool_]


NOTHING = Exclusive(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.bool_))
"""No groups."""


def exclusive(game: GroundGame, seconds: float) -> Exclusive:
    """The groups that can be proved in a time; none where it does not suffice.

    >>> from scsp_player.gdl.reading import parse_program
    >>> from scsp_player.grounding import ground
    >>> rules = "(role a) (init p) (legal a go) (<= (next q) (true p)) (<= (next p) (true q)) (<= terminal (true r)) (goal a 0)"
    >>> groups = exclusive(ground(parse_program(rules, "rules")), 1.0)
    >>> len(groups.atoms), groups.exact.tolist()
    (2, [True])
    """
    if game.rules > RULES_PER_SECOND * seconds:
        return NOTHING
    deadline = Deadline(seconds)
    try:
        merged = merge_moves(game, inline_moves(game, unfold(game, max_literals=MOST_LITERALS)))
        found = [group for group in state_groups(game, merged, deadline=deadline) if len(group.fluents) > 1]
    except NetworkTooLargeError:
        return NOTHING
    if not found:
        return NOTHING
    start = np.concatenate([[0], np.cumsum([len(group.fluents) for group in found])]).astype(np.int64)
    atoms = game.fluent_atom[np.concatenate([group.fluents for group in found])].astype(np.int32)
    return Exclusive(start, atoms, np.array([group.exact for group in found], np.bool_))
