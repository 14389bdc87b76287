"""Counts what the moves of a class require."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import kernel


@kernel
def count_required(
    moves: NDArray[np.int64],
    class_start: NDArray[np.int64],
    start: NDArray[np.int64],
    required: NDArray[np.int32],
    pair_start: NDArray[np.int64],
    literals: NDArray[np.int64],
    place: NDArray[np.int64],
    times: NDArray[np.int64],
) -> None:
    """Count for each pair of a class and a literal the moves of the class that require the literal.

    The moves of class c are ``moves[class_start[c]:class_start[c + 1]]``, what a move requires is a row of ``start, required``, and
    the literals of class c are ``literals[pair_start[c]:pair_start[c + 1]]``. ``place`` (int64[all literals]) is -1 everywhere,
    before and after; ``times`` (int64[pairs]) is 0 everywhere before.
    """
    for class_ in range(len(class_start) - 1):
        for pair in range(pair_start[class_], pair_start[class_ + 1]):
            place[literals[pair]] = pair
        for k in range(class_start[class_], class_start[class_ + 1]):
            move = moves[k]
            for entry in range(start[move], start[move + 1]):
                pair = place[required[entry]]
                if pair >= 0:
                    times[pair] += 1
        for pair in range(pair_start[class_], pair_start[class_ + 1]):
            place[literals[pair]] = -1
