"""Helpers for sequences of sequences kept as one flat array and an array of starts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]


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


def concatenate(parts: Sequence[tuple[Offsets, Ints]]) -> tuple[Offsets, Ints]:
    """One CSR structure of several, rows in order."""
    starts, base = [np.zeros(1, dtype=np.int64)], 0
    for start, _ in parts:
        starts.append(start[1:].astype(np.int64) - int(start[0]) + base)
        base += int(start[-1] - start[0])
    flat = np.concatenate([np.zeros(0, dtype=np.int32), *(values for _, values in parts)]).astype(np.int32)
    return np.concatenate(starts), flat


def stack_rows(rows: Sequence[Ints]) -> tuple[Offsets, Ints]:
    """The CSR structure with these rows."""
    start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return start, np.concatenate([np.zeros(0, dtype=np.int32), *rows]).astype(np.int32)


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
