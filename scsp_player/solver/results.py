"""What the solver answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Solutions:
    """Solutions of an instance, told apart by the projection.

    Attributes:
        values: int32[n, k], one row a solution: values (not value indices) of the k projected variables.
        complete: whether the search ended by itself, so that ``values`` holds all solutions. A search stopped by a limit is not
            complete, even if nothing else would have been found.
        nodes: decisions taken.
        fails: contradictions met by propagation.
        seconds: wall time.
    """

    values: NDArray[np.int32]
    complete: bool
    nodes: int
    fails: int
    seconds: float

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Count:
    """Number of solutions, told apart by the projection; attributes as in ``Solutions``.

    Attributes:
        number: exact if ``complete``, else a lower bound.
        complete: whether the search ended by itself.
        nodes: decisions taken.
        fails: contradictions met by propagation.
        seconds: wall time.
    """

    number: int
    complete: bool
    nodes: int
    fails: int
    seconds: float


def product(sizes: Iterable[int]) -> int:
    """The product of very many numbers of which few differ; one factor after the other would take quadratic time.

    >>> product([2, 3, 2, 1])
    12
    """
    return math.prod(size**times for size, times in Counter(sizes).items())
