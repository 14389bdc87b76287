"""What a belief asks of others: a model of the other roles, and histories that fit where its own entries do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.history_tree import HistoryTree, Past
from scsp_player.belief.samples import States, Weights
from scsp_player.belief.views import ViewArray


class Model(Protocol):
    """How others are likely to move. It keeps in step with the entries of a belief, of which there are k."""

    def policy(self, role: int, views: ViewArray, legal: NDArray[np.bool_], probabilities: Weights) -> Weights:
        """float64[k, moves of the role]: the probability of each of its moves; rows with legal moves sum to 1.

        Args:
            role: another role than our own, and not chance.
            views: uint64[k], what it has gone through.
            legal: bool[k, moves of the role].
            probabilities: float64[k].
        """

    def credit(self, ratio: float) -> None:
        """What was seen is so many times as likely by this model as if all others moved uniformly."""

    def follow(
        self, parent: NDArray[np.int64], moves: NDArray[np.int32], seen: ViewArray, states: States, views: ViewArray
    ) -> None:
        """The entries are new: each came from an earlier one, int64[k], by int32[k, roles], which showed the roles what ``seen``
        says, uint64[k, roles] (see ``Views.observe``).

        ``states`` is uint64[k, words], ``views`` uint64[k, roles].
        """

    def renew(self, kept: NDArray[np.int64], states: States, views: ViewArray) -> None:
        """The entries are now these, uint64[k, words] and uint64[k, roles], in the same turn.

        ``kept`` int64[k] says which earlier entry each is; nobody knows where those with -1 came from.
        """


class Found(NamedTuple):
    """Histories that fit: nodes int64[k] in the deepest layer of a tree, weights float64[k], and whether these are all."""

    nodes: NDArray[np.int64]
    weights: Weights
    complete: bool


Resampler = Callable[[Past, HistoryTree], Found | None]
"""Finds other histories that fit: gets own moves and percept rows of all turns, and what is known to fit; None if it finds none."""
