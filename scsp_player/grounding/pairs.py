"""Pairs and longer rows of identifiers as single integers, to sort and search them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pairs(rows: NDArray[np.int32]) -> NDArray[np.int64]:
    """int32[n, 2] with entries >= 0 → int64[n], in the same order.

    >>> pairs(np.array([[1, 2], [0, 7]], dtype=np.int32)).tolist()
    [4294967298, 7]
    """
    return rows[:, 0].astype(np.int64) << 32 | rows[:, 1]


def position_in(known: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.intp]:
    """For each wanted value its position in ``known`` (no repetitions), or -1.

    >>> position_in(np.array([30, 10]), np.array([10, 20, 30])).tolist()
    [1, -1, 0]
    """
    if not len(known):
        return np.full(len(wanted), -1, dtype=np.intp)
    order = np.argsort(known)
    place = np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)
    return np.where(known[order[place]] == wanted, order[place], -1)


def numbered_rows(rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """The different rows of int32[n, k] with entries >= 0, sorted, and for each row its place among them.

    >>> [a.tolist() for a in numbered_rows(np.array([[2, 1], [1, 7], [2, 1]], dtype=np.int32))]
    [[[1, 7], [2, 1]], [1, 0, 1]]
    """
    numbers = np.zeros(len(rows), dtype=np.intp)
    for column in rows.T:
        numbers = np.unique(numbers << 32 | column, return_inverse=True)[1]
    first = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.intp)
    first[numbers] = np.arange(len(rows))
    return rows[first], numbers
