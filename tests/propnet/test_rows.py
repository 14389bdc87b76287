"""Rows against numpy."""

from __future__ import annotations

import numpy as np
from numba import njit

from scsp_player.propnet.rows import ROW_WORDS, literal_row, load, population, populations, spread, store, union


@njit
def _exercise(lines, numbers):
    a = load(lines, 0)
    b = load(lines, np.int32(1))
    store(lines, 2, a & b)
    store(lines, 3, a | b)
    store(lines, 4, a ^ b)
    store(lines, 5, ~a)
    store(lines, 6, a + b)
    store(lines, 7, (a << 24) | (a >> 40))
    store(lines, 8, spread(-1))
    store(lines, 9, spread(numbers[0]))
    store(lines, 10, literal_row(lines, np.int32(2)))
    store(lines, 11, literal_row(lines, 3))
    store(lines, 12, populations(a))
    numbers[1] = population(a)
    numbers[2] = np.int64(union(a) == 0)
    numbers[3] = np.int64(union(a & ~a) == 0)
    numbers[4] = np.int64(union(load(lines, 13)) == 0)


def test_operations():
    lines = np.random.default_rng(1).integers(0, 2**64, (14, ROW_WORDS), dtype=np.uint64)
    lines[13] = 0
    lines[13, -1] = 1 << 63
    a, b = lines[0].copy(), lines[1].copy()
    numbers = np.array([12345, 0, 0, 0, 0])
    _exercise(lines, numbers)
    ones = np.bitwise_count(a)
    expected = [
        *(a & b, a | b, a ^ b, ~a, a + b, (a << np.uint64(24)) | (a >> np.uint64(40)), np.full(ROW_WORDS, 2**64 - 1, np.uint64)),
        *(np.full(ROW_WORDS, 12345, np.uint64), b, ~b, ones.astype(np.uint64)),
    ]
    for line, row in zip(lines[2:13], expected, strict=True):
        np.testing.assert_array_equal(line, row)
    assert numbers[1:].tolist() == [ones.sum(), 0, 1, 0]
