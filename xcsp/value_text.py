"""Lists of integers and intervals, such as ``0 2..5 9``."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

_TOKEN = re.compile(r"([+-]?[0-9]{1,10})(?:\.\.([+-]?[0-9]{1,10}))?")
_LEAST, _GREATEST = -(2**31) + 1, 2**31 - 1


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
    for token in text.split():
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise ValueError(f"{token[:40]!r} is neither an integer nor an interval like 1..3")
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        if last < first:
            raise ValueError(f"the interval {token} is empty")
        if first < _LEAST or last > _GREATEST:
            raise ValueError(f"{token} does not fit in 32 bits")
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


def repeated_words(text: str) -> str:
    """Coefficients with their repetitions (``1x5``) written out."""
    words: list[str] = []
    for token in text.split():
        match = re.fullmatch(r"([+-]?[0-9]{1,10})x([0-9]{1,6})", token)
        words += [match[1]] * int(match[2]) if match else [token]
        if len(words) > 10_000_000:
            raise ValueError("too many coefficients")
    return " ".join(words)
