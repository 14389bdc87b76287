"""Partitions of small numbers that grow coarser, and sets of blocks that cross each other."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

MOST_SETS = 700
"""Sets whose crossings are looked for; of more, all are taken to cross."""


class Partition:
    """A partition of 0 … n-1; blocks are merged and never split (union-find)."""

    def __init__(self, size: int) -> None:
        self._above = list(range(size))

    def copy(self) -> Partition:
        """A partition that changes without this one."""
        other = Partition(0)
        other._above = list(self._above)
        return other

    def block(self, item: int) -> int:
        """The name of an item's block: one of its items."""
        root = item
        while self._above[root] != root:
            root = self._above[root]
        while self._above[item] != root:
            self._above[item], item = root, self._above[item]
        return root

    def merge(self, items: Iterable[int]) -> bool:
        """All items are in one block from now on; whether they were not."""
        roots = {self.block(item) for item in items}
        first = min(roots, default=0)
        for root in roots:
            self._above[root] = first
        return len(roots) > 1

    def labels(self) -> NDArray[np.int64]:
        """int64[n]: the block of each item."""
        return np.array([self.block(item) for item in range(len(self._above))], np.int64)


def crossing(sets: Iterable[int]) -> list[int]:
    """Unions of sets that cross: they meet, and neither contains the other. Sets are the bits of integers; no two unions meet.

    >>> [bin(s) for s in crossing([0b000011, 0b000110, 0b111000, 0b110000])]
    ['0b111']
    """
    different = sorted(s for s in set(sets) if s & (s - 1))
    if len(different) > MOST_SETS:
        union = 0
        for one in different:
            union |= one
        return [union]
    found: list[int] = []
    for number, one in enumerate(different):
        for other in different[:number]:
            both = one & other
            if both and both not in (one, other):
                union = one | other
                if any(union | group == group for group in found):
                    continue
                for group in [g for g in found if g & union]:
                    found.remove(group)
                    union |= group
                found.append(union)
    return found


def members(bits: int) -> list[int]:
    """The elements of a set that is the bits of an integer.

    >>> members(0b1101)
    [0, 2, 3]
    """
    return [k for k in range(bits.bit_length()) if bits >> k & 1]
