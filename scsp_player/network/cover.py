"""Tables as few pairwise disjoint rows with ``*``, by splitting on one column after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ANY = -1
"""Entry of a row that stands for every class of its column."""

FORBIDDEN = -1
"""Value of a table cell that never occurs."""

LOOKAHEAD_CELLS = 4096

Array = NDArray[Any]


class Coverer:
    """Finds rows that cover a table; remembers tables, because the cells of a board have many alike."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[int, ...], bytes], NDArray[np.int32]] = {}

    def cover(self, table: Array) -> NDArray[np.int32]:
        """Pairwise disjoint rows, int32[n, dimensions + 1], the last column being the value.

        Every cell with a value ≥ 0 lies in exactly one row, of its value; ``FORBIDDEN`` cells may lie in any row or in none.

        >>> Coverer().cover(np.array([[0, 0], [0, 1]], dtype=np.int32)).tolist()
        [[0, -1, 0], [1, 0, 0], [1, 1, 1]]
        """
        key = (table.shape, table.astype(np.int32).tobytes())
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._split(table)
        return found

    def _split(self, table: Array) -> NDArray[np.int32]:
        dimensions = table.ndim
        highest = int(table.max())
        lowest = np.where(table == FORBIDDEN, highest, table)
        if highest == FORBIDDEN:
            return np.zeros((0, dimensions + 1), dtype=np.int32)
        if int(lowest.min()) == highest:
            return np.array([[ANY] * dimensions + [highest]], dtype=np.int32)
        if dimensions == 1:
            decided = np.flatnonzero(table != FORBIDDEN)
            return np.stack([decided, table[decided]], axis=1).astype(np.int32)
        axis = self._axis(table, lowest)
        parts: list[NDArray[np.int32]] = []
        for value in range(table.shape[axis]):
            rows = self.cover(np.array(table.take(value, axis=axis), order="C"))
            parts.append(np.insert(rows, axis, value, axis=1))
        return np.concatenate(parts)

    def _axis(self, table: Array, lowest: Array) -> int:
        """The column to split on: fewest columns left to look at afterwards, then fewest undecided parts."""
        best, best_key = 0, (np.inf, np.inf, np.inf)
        lookahead = table.size <= LOOKAHEAD_CELLS
        for axis in range(table.ndim):
            others = tuple(a for a in range(table.ndim) if a != axis)
            top = table.max(axis=others)
            undecided = (top != FORBIDDEN) & (lowest.min(axis=others) < top)
            open_parts = np.flatnonzero(undecided)
            effort = 0.0
            if lookahead:
                for part in open_parts:
                    effort += _dependence(table.take(part, axis=axis))
            key = (effort, len(open_parts), table.shape[axis])
            if key < best_key:
                best, best_key = axis, key
        return best


def _dependence(table: Array) -> int:
    """Number of cells of the table without the columns that do not matter, at least 2."""
    product = 1
    for axis in range(table.ndim):
        first = table.take([0], axis=axis)
        if not (table == first).all():
            product *= table.shape[axis]
    return max(2, product)
