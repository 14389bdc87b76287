"""Labels of values numbered in the order in which they appear."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import kernel


@kernel
def number_labels(
    labels: NDArray[np.int64], rank: NDArray[np.int32], numbered: NDArray[np.int32], first: NDArray[np.int64]
) -> int:
    """Fill ``numbered`` (int32[values]) and ``first`` (int64, room for all labels), the value where each number appears first.

    ``rank`` (int32[highest label + 1]) is -1 everywhere. Returns how many different labels there are.
    """
    count = 0
    for value in range(len(labels)):
        label = labels[value]
        if rank[label] < 0:
            rank[label] = count
            first[count] = value
            count += 1
        numbered[value] = rank[label]
    return count
