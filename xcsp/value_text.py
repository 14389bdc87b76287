"""Lists of integers and intervals, such as ``0 2..5 9``."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

INTERVAL = re.compile(r"([+-]?[0-9]{1,1000})(?:\.\.([+-]?[0-9]{1,1000}))?")
"""An integer or an interval; also those that are too large, so that they are called so."""

_LEAST, _GREATEST = -(2**31) + 1, 2**31 - 1

Runs = tuple[tuple[int, int], ...]
"""A set of integers: the first and last of each stretch of neighbours, ascending."""


def integer_values(text: str, limit: int) -> NDArray[np.int32]:
    """All values, in the order of the text.

    >>> integer_values("-1 3..5", 100).tolist()
    [-1, 3, 4, 5]

    Args:
        text: integers and intervals between blanks.
        limit: greatest number of values.

    Raises:
        ValueError: at a token that is neither, an empty interval, a value beyond 32 bits, or too many values.
    """
    pieces: list[tuple[int, int]] = []
    count = 0
    for first, last in map(_interval, text.split()):
        count += last - first + 1
        if count > limit:
            raise ValueError(f"there are more than {limit} values")
        pieces.append((first, last))
    values = np.empty(count, np.int32)
    begin = 0
    for first, last in pieces:
        end = begin + last - first + 1
        values[begin:end] = np.arange(first, last + 1)
        begin = end
    return values


def integer_runs(text: str) -> Runs:
    """The set of all values; intervals may be as long as they like.

    >>> integer_runs("5 1..3 4 9")
    ((1, 5), (9, 9))

    Raises:
        ValueError: as ``integer_values``; also if there is no value.
    """
    runs: list[tuple[int, int]] = []
    for first, last in sorted(map(_interval, text.split())):
        if runs and first <= runs[-1][1] + 1:
            runs[-1] = runs[-1][0], max(last, runs[-1][1])
        else:
            runs.append((first, last))
    if not runs:
        raise ValueError("a set without values")
    return tuple(runs)


def _interval(token: str) -> tuple[int, int]:
    """First and last of the values that one integer or interval stands for."""
    match = INTERVAL.fullmatch(token)
    if match is None:
        raise ValueError(f"{token[:40]!r} is neither an integer nor an interval like 1..3")
    first = int(match[1])
    last = int(match[2]) if match[2] else first
    if last < first:
        raise ValueError(f"the interval {token[:40]} is empty")
    if first < _LEAST or last > _GREATEST:
        raise ValueError(f"{token[:40]} does not fit in 32 bits")
    return first, last


def repeated_words(text: str) -> str:
    """Coefficients with their repetitions (``1x5``) written out."""
    words: list[str] = []
    for token in text.split():
        match = re.fullmatch(r"([+-]?[0-9]{1,10})x([0-9]{1,6})", token)
        words += [match[1]] * int(match[2]) if match else [token]
        if len(words) > 10_000_000:
            raise ValueError("too many coefficients")
    return " ".join(words)
