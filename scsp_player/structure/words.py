"""Hashes of 64 bits, by whole arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def scramble(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finishing step of splitmix64, for arrays."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = words ^ (words >> np.uint64(31))
    return result
