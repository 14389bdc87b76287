"""Which own moves to choose from, where what is legal may hang on what is not seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.knowledge import Signs
from scsp_player.belief.samples import Weights

FEW = 32
"""Entries of a sample that are too few to say by themselves what is legal."""

DOUBTED_TURNS, DOUBT = 12, 0.5
"""For so many turns a move that was refused against expectation counts as legal in that share of the states in which it is."""

SAME = 1e-9
"""Probabilities that differ by less are the same."""


class Doubts:
    """Own moves that were refused although they are legal in all states held possible, so that these cannot all be right.

    >>> doubts = Doubts()
    >>> doubts.add(7, turn=3)
    >>> doubts.weighed(np.array([1.0, 0.9]), first=6, turn=4).tolist()
    [1.0, 0.45]
    >>> doubts.weighed(np.array([1.0, 0.9]), first=6, turn=40).tolist()
    [1.0, 0.9]
    """

    def __init__(self) -> None:
        self._turns: dict[int, int] = {}

    def add(self, move: int, turn: int) -> None:
        """A move, a global index, was refused in a turn."""
        self._turns[move] = turn

    def weighed(self, support: Weights, first: int, turn: int) -> Weights:
        """The probabilities that moves are legal, float64[moves] from the global index ``first`` on, with the doubts of late."""
        recent = [move - first for move, then in self._turns.items() if turn - then < DOUBTED_TURNS]
        weighed = support.copy()
        weighed[recent] *= DOUBT
        return weighed


def widely_legal(support: Weights, certain: Signs, *, doubtful: bool) -> NDArray[np.intp]:
    """The moves that are legal in every possible state, else those that are legal in the most probable part of them.

    Args:
        support: float64[moves], the probability of the states held possible in which each is legal.
        certain: int8[moves], 1 and -1 for what is legal and what is not for certain.
        doubtful: whether these states may not hold the real one; then what is certain goes before everything else.

    >>> support, certain = np.array([1.0, 0.9, 0.8, 1.0]), np.array([0, 0, 1, -1], np.int8)
    >>> widely_legal(support, certain, doubtful=False).tolist()
    [0, 2]
    >>> widely_legal(support, certain, doubtful=True).tolist()
    [2]
    """
    support = np.where(certain > 0, 1.0, np.where(certain < 0, 0.0, support))
    if doubtful and (certain > 0).any():
        return np.flatnonzero(certain > 0)
    return np.flatnonzero((support >= support.max(initial=0.0) - SAME) & (support > 0))
