"""Dense static relations as unions of blocks, so that "some u that goes with x" needs few conditions.

A relation such as "x and u are different cells" goes with nearly all u for every x. Over a binary tree whose leaves are the u in
order, what goes with one x is a union of few subtrees: all but one of 64 leaves are six subtrees. A disjunction over the u becomes
one over those subtrees, each of which is a disjunction over its two halves, made once for all x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.pairs import numbered_rows

IntArray = NDArray[np.int32]

LARGEST_MATRIX: Final = 1 << 24
"""Pairs (x, u) up to which a relation is looked at."""


@dataclass(frozen=True, slots=True)
class Cover:
    """A relation D over (x, u) by way of nodes, which are numbered from 0.

    D holds exactly for the pairs in ``single``, and for those x and u such that ``over`` has a node for x that is the one of ``up``
    for u or above it (``parent``).

    Attributes:
        single: int32[n, xs + us], rows of D.
        over: int32[n, xs + 1], values of x, then a node.
        up: int32[n, us + 1], values of u, then the node of two leaves above it.
        parent: int32[n, 2], a node and the one above it.
    """

    single: IntArray
    over: IntArray
    up: IntArray
    parent: IntArray

    @property
    def size(self) -> int:
        """Rows of all tables together."""
        return len(self.single) + len(self.over) + len(self.up) + len(self.parent)


def cover(rows: IntArray, xs: int) -> Cover | None:
    """The cover of a relation, int32[n, xs + us] without repetitions; None if its two sides are too large or u is always the same.

    >>> different = np.array([[x, u] for x in range(8) for u in range(8) if x != u], dtype=np.int32)
    >>> found = cover(different, 1)
    >>> len(found.single), len(found.over), len(found.up), len(found.parent)
    (8, 16, 8, 4)
    """
    x_values, x = numbered_rows(rows[:, :xs])
    u_values, u = numbered_rows(rows[:, xs:])
    leaves = 1 << max(0, len(u_values) - 1).bit_length()
    if leaves < 2 or len(x_values) * leaves > LARGEST_MATRIX:
        return None
    full = np.ones((len(x_values), leaves), dtype=np.bool_)  # leaves that stand for nothing do no harm where they are
    full[:, : len(u_values)] = False
    full[x, u] = True
    used = len(u_values)
    levels: list[tuple[NDArray[np.intp], ...]] = []  # for each level from the leaves on: x and topmost nodes
    counts: list[int] = []
    while True:
        above = full[:, 0::2] & full[:, 1::2] if full.shape[1] > 1 else np.zeros((len(full), 1), dtype=np.bool_)
        levels.append(np.nonzero((full & ~np.repeat(above, 2, axis=1)[:, : full.shape[1]])[:, :used]))
        counts.append(used)
        if full.shape[1] == 1:
            break
        full, used = above, (used + 1) // 2
    first = np.cumsum([0, *counts[1:]])  # number of the first node of each level above the leaves
    useful = np.zeros(1, dtype=np.bool_)
    parent = [np.zeros((0, 2), dtype=np.intp)]
    for level in range(len(counts) - 1, 0, -1):
        number = np.arange(counts[level])
        wanted = useful[number // 2]
        if level < len(counts) - 1:
            parent.append(np.column_stack([first[level - 1] + number, first[level] + number // 2])[wanted])
        useful = wanted
        useful[levels[level][1]] = True
    number = np.arange(len(u_values))
    up = np.column_stack([u_values, number // 2])[useful[number // 2]]
    over = [np.column_stack([x_values[at], first[level] + node]) for level, (at, node) in enumerate(levels[1:])]
    single = np.column_stack([x_values[levels[0][0]], u_values[levels[0][1]]])
    tables = single, np.concatenate(over), up, np.concatenate(parent)
    return Cover(*(np.ascontiguousarray(table, dtype=np.int32) for table in tables))
