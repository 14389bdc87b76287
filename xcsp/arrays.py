"""Which variables of an instance can be declared together as one array."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import prod

from xcsp.identifiers import split_cell


@dataclass(frozen=True)
class Run:
    """Consecutive variables that are declared by one element.

    Attributes:
        name: of the variable, or of the array.
        first: index of the first variable.
        sizes: sizes of the array; empty for a single variable.
    """

    name: str
    first: int
    sizes: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """Number of variables."""
        return prod(self.sizes)


def runs(names: Sequence[str], treatments: Sequence[Hashable]) -> list[Run]:
    """Partition the variables, in order, into arrays and single variables.

    An array needs all its cells, in row-major order, next to each other and with equal treatment (type, class and note), and no
    other variable with its name; other cells stand alone.

    >>> [run.name for run in runs(["p", "c[0]", "c[1]", "d[1]"], [0, 0, 0, 0])]
    ['p', 'c', 'd[1]']

    Args:
        names: of the variables.
        treatments: what must be equal within an array, one entry a variable.
    """
    cells = [split_cell(name) for name in names]
    taken = Counter(cell[0] if cell else name for cell, name in zip(cells, names, strict=True))
    found: list[Run] = []
    index = 0
    while index < len(names):
        cell = cells[index]
        end = index + 1
        if cell is None:
            found.append(Run(names[index], index))
        else:
            base, last = cell
            while end < len(names) and (other := cells[end]) is not None and other[0] == base and len(other[1]) == len(last):
                last = other[1]
                end += 1
            sizes = tuple(i + 1 for i in last)
            together = (
                prod(sizes) == end - index == taken[base]
                and all(treatments[i] == treatments[index] for i in range(index, end))
                and _row_major([c[1] for c in cells[index:end] if c], sizes)
            )
            found.extend([Run(base, index, sizes)] if together else [Run(names[i], i) for i in range(index, end)])
        index = end
    return found


def _row_major(cells: Sequence[tuple[int, ...]], sizes: tuple[int, ...]) -> bool:
    expected = [0] * len(sizes)
    for cell in cells:
        if cell != tuple(expected):
            return False
        for axis in range(len(sizes) - 1, -1, -1):
            expected[axis] += 1
            if expected[axis] < sizes[axis]:
                break
            expected[axis] = 0
    return True
