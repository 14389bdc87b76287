"""Weighted samples of states: equal entries as one, drawing by weight, two samples as one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.views import ViewArray

States = NDArray[np.uint64]
Weights = NDArray[np.float64]


class Step(NamedTuple):
    """One turn further: states, views and weights, by which joint moves of which entries, and what these showed to the roles."""

    states: States
    views: ViewArray
    weights: Weights
    owner: NDArray[np.int64]
    moves: NDArray[np.int32]
    shown: ViewArray

    @classmethod
    def joined(cls, parts: list[Step]) -> Step:
        """One after the other."""
        return cls._make(np.concatenate(column) for column in zip(*parts, strict=True))

    def only(self, kept: NDArray[np.int64]) -> Step:
        """Some of them."""
        return Step._make(column[kept] for column in self)


def mixed(one: tuple[States, ViewArray, Weights], other: tuple[States, ViewArray, Weights]) -> tuple[States, ViewArray, Weights]:
    """Two samples of the same distribution as one, in which each counts by its number of entries."""
    weights = [len(part[2]) * part[2] / part[2].sum() for part in (one, other)]
    return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]]), np.concatenate(weights)


def sums(place: NDArray[np.int64], weights: Weights, count: int) -> Weights:
    """float64[count]: the sum of the weights of each place."""
    result: Weights = np.bincount(place.ravel(), weights, count).astype(np.float64)
    return result


def distinct(states: States, views: ViewArray, weights: Weights, ignored: int = -1) -> tuple[NDArray[np.int64], Weights]:
    """One of each kind of equal entries, int64[k], and their weights together; the view of ``ignored`` is the same in all."""
    others = [r for r in range(views.shape[1]) if r != ignored]
    keys = np.ascontiguousarray(np.concatenate([states, views[:, others]], axis=1))
    _, first, place = np.unique(keys.view(f"V{8 * keys.shape[1]}").ravel(), return_index=True, return_inverse=True)
    return first, sums(place, weights, len(first))


def systematic(probabilities: Weights, count: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """int64[count]: systematic resampling (Kitagawa 1996)."""
    places = (np.arange(count) + generator.random()) / count
    drawn: NDArray[np.int64] = np.searchsorted(np.cumsum(probabilities), places, side="right")
    return np.minimum(drawn, len(probabilities) - 1)
