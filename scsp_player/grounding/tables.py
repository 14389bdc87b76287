"""Arrays that grow at their end, for the kernels to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray


class GrowingRecords:
    """Records of one type.

    >>> table = GrowingRecords(np.dtype([("x", np.int64)]))
    >>> table.append()["x"] = 5
    >>> int(table.array["x"][0]), table.count
    (5, 1)
    """

    def __init__(self, dtype: np.dtype[np.void]) -> None:
        self.array: NDArray[np.void] = np.zeros(64, dtype=dtype)
        self.count = 0

    def append(self) -> Any:
        """A new record, all zero, to be filled in place; invalid after the next ``append``."""
        if self.count == len(self.array):
            self.array = np.concatenate([self.array, np.zeros_like(self.array)])
        self.count += 1
        return self.array[self.count - 1]


class GrowingWords:
    """A list of int32.

    >>> words = GrowingWords()
    >>> words.extend([1, 2]), words.extend([3]), words.array.tolist()
    (0, 2, [1, 2, 3])
    """

    def __init__(self) -> None:
        self._new: list[int] = []
        self._array = np.zeros(64, dtype=np.int32)
        self._count = 0  # entries of the array in use

    def extend(self, entries: Iterable[int]) -> int:
        """Append; returns the position of the first entry."""
        start = self._count + len(self._new)
        self._new.extend(entries)
        return start

    @property
    def array(self) -> NDArray[np.int32]:
        """All entries so far; a window on an array that is left behind when the list grows."""
        if self._new:
            count = self._count + len(self._new)
            if count > len(self._array):
                self._array = np.concatenate([self._array[: self._count], np.zeros(2 * count - self._count, dtype=np.int32)])
            self._array[self._count : count] = self._new
            self._count = count
            self._new.clear()
        return self._array[: self._count]
