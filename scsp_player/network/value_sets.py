"""Rules that differ in the value of one state variable become one: "the cell shows one of these"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

Values: TypeAlias = tuple[frozenset[int], ...]
"""For each of some variables the values of which it must have one."""


def merge_values(rows: Iterable[Values]) -> list[Values]:
    """A disjunction of conjunctions over the same variables, with rows put together that differ in one place only.

    >>> a, b, c = frozenset({0}), frozenset({1}), frozenset({2})
    >>> [[sorted(values) for values in row] for row in merge_values([(a, a), (b, a), (c, b), (c, a)])]
    [[[0, 1, 2], [0]], [[2], [1]]]
    """
    current = list(dict.fromkeys(rows))
    for place in range(len(current[0]) if current else 0):
        together: dict[Values, set[int]] = defaultdict(set)
        for row in current:
            together[row[:place] + row[place + 1 :]] |= row[place]
        current = [(*rest[:place], frozenset(values), *rest[place:]) for rest, values in together.items()]
    return current
