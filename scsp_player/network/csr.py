"""Helpers for sequences of sequences kept as one flat array and an array of starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]
Rows: TypeAlias = tuple[Offsets, Ints]
"""Rows of integers: starts int64[n + 1] and the flat array int32[total]."""

NO_ROWS: Rows = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))


def ranges(first: Offsets, last: Offsets) -> Offsets:
    """The concatenation of ``arange(first[i], last[i])`` over all i.

    >>> ranges(np.array([4, 0]), np.array([6, 3])).tolist()
    [4, 5, 0, 1, 2]
    """
    count = last - first
    total = int(count.sum())
    if not total:
        return np.zeros(0, dtype=np.int64)
    begin = np.cumsum(count) - count
    positions: Offsets = np.arange(total, dtype=np.int64) + np.repeat(first - begin, count)
    return positions


def concatenate(parts: Sequence[Rows]) -> Rows:
    """One CSR structure of several, rows in order."""
    starts, base = [np.zeros(1, dtype=np.int64)], 0
    for start, _ in parts:
        starts.append(start[1:].astype(np.int64) - int(start[0]) + base)
        base += int(start[-1] - start[0])
    flat = np.concatenate([np.zeros(0, dtype=np.int32), *(values for _, values in parts)]).astype(np.int32)
    return np.concatenate(starts), flat


def stack_rows(rows: Sequence[Ints]) -> Rows:
    """The CSR structure with these rows."""
    start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return start, np.concatenate([np.zeros(0, dtype=np.int32), *rows]).astype(np.int32)


def rows_by_owner(owner: Offsets, values: Ints, count: int) -> Rows:
    """The CSR structure in which row i has the values of owner i, in their order.

    >>> [a.tolist() for a in rows_by_owner(np.array([1, 0, 1]), np.array([7, 8, 9], dtype=np.int32), 3)]
    [[0, 1, 3, 3], [8, 7, 9]]
    """
    order = np.argsort(owner, kind="stable")
    return np.searchsorted(owner[order], np.arange(count + 1)).astype(np.int64), values[order]


def take_rows(rows: Rows, chosen: Offsets) -> Rows:
    """The chosen rows, in the order of ``chosen``."""
    start, flat = rows
    first, last = start[chosen], start[chosen + 1]
    return np.concatenate([[0], np.cumsum(last - first)]).astype(np.int64), flat[ranges(first, last)]


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The different values, ascending (``numpy.unique`` goes through a hash table, which takes twice as long here)."""
    ordered = np.sort(values)
    return ordered[_begins(ordered)]


def distinct_counts(values: NDArray[Any]) -> tuple[NDArray[Any], Offsets]:
    """The different values, ascending, and how often each occurs.

    >>> [a.tolist() for a in distinct_counts(np.array([3, 1, 3]))]
    [[1, 3], [1, 2]]
    """
    ordered = np.sort(values)
    begin = np.flatnonzero(_begins(ordered))
    return ordered[begin], np.diff(begin, append=len(ordered))


def _begins(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each value differs from the one before."""
    begins = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return begins


def reachable(roots: Ints, head_start: Offsets, rule_start: Offsets, rule_body: Ints) -> NDArray[np.bool_]:
    """bool[atoms]: the atoms on which ``roots`` (atoms) depend through rules, the roots included."""
    found = np.zeros(len(head_start) - 1, dtype=np.bool_)
    frontier = np.unique(roots)
    while len(frontier):
        found[frontier] = True
        # Rules of an atom are consecutive and so are their bodies.
        first, last = rule_start[head_start[frontier]], rule_start[head_start[frontier + 1]]
        below = np.unique(rule_body[ranges(first, last)] >> 1)
        frontier = below[~found[below]]
    return found
