"""Constraints that are no tables, written out as tables by trying the assignments of their variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

_CHUNK = 1 << 17

Predicate = Callable[[list[NDArray[np.int64]]], NDArray[np.bool_]]
"""Which rows of the columns satisfy a constraint."""


class TooLargeError(ValueError):
    """A constraint has too many assignments or tuples to be written out."""


@dataclass(frozen=True, eq=False)
class Tabulated:
    """A table over variables that are told elsewhere: int32[n, arity], supports or conflicts, whichever are fewer."""

    tuples: NDArray[np.int32]
    positive: bool


def at_most(sizes: Iterable[int], most: int) -> bool:
    """Whether the product of ``sizes``, none of them 0, is at most ``most``; it is not computed if it is not.

    >>> at_most([2] * 1_000_000, 1000)
    False
    """
    product = 1
    for size in sizes:
        product *= size
        if product > most:
            return False
    return True


def tabulate(domains: Sequence[NDArray[np.int32]], predicate: Predicate, most: int, weight: int = 1) -> Tabulated:
    """The table of a predicate, its tuples in lexicographic order.

    >>> tabulate([np.arange(3, dtype=np.int32)] * 2, lambda c: c[0] + c[1] > 3, 100).tuples.tolist()
    [[2, 2]]

    Args:
        domains: of the variables, ascending, at least one.
        predicate: called for blocks of assignments.
        most: number of assignments that may be tried.
        weight: how many of them each one counts for: how much work, and memory, ``predicate`` takes.

    Raises:
        TooLargeError: if there are more assignments.
    """
    sizes = [len(domain) for domain in domains]
    if not at_most([weight, *sizes], most):
        raise TooLargeError(f"more work than {most} assignments")
    total = prod(sizes)
    chunk = max(1, _CHUNK // weight)
    supports, conflicts = [], []
    for begin in range(0, total, chunk):
        places = np.unravel_index(np.arange(begin, min(total, begin + chunk)), sizes)
        columns = [domain[place] for domain, place in zip(domains, places, strict=True)]
        holds = np.broadcast_to(predicate([column.astype(np.int64) for column in columns]), columns[0].shape)
        rows = np.stack(columns, axis=1)
        supports.append(rows[holds])
        conflicts.append(rows[~holds])
    allowed = sum(map(len, supports))
    positive = 2 * allowed <= total
    return Tabulated(np.concatenate(supports if positive else conflicts).astype(np.int32), positive)


def weighted_sums(
    domains: Sequence[NDArray[np.int32]], weights: Sequence[int], least: int, greatest: int, most: int
) -> NDArray[np.int32]:
    """All assignments whose weighted sum lies between two bounds, in lexicographic order.

    >>> weighted_sums([np.arange(3, dtype=np.int32)] * 2, [1, 2], 5, 6, 100).tolist()
    [[1, 2], [2, 2]]

    Args:
        domains: of the variables, ascending, at least one.
        weights: one for each.
        least: bound from below.
        greatest: bound from above.
        most: how many beginnings of assignments, that could still be completed, may come up.

    Raises:
        TooLargeError: if more come up.
    """
    terms = [domain.astype(np.int64) * weight for domain, weight in zip(domains, weights, strict=True)]
    low = np.cumsum([0, *(int(term.min()) for term in terms[::-1])])[::-1]
    high = np.cumsum([0, *(int(term.max()) for term in terms[::-1])])[::-1]
    rows = np.zeros((1, 0), dtype=np.int32)
    sums = np.zeros(1, dtype=np.int64)
    for place, (domain, term) in enumerate(zip(domains, terms, strict=True)):
        if len(rows) * len(domain) > most:
            raise TooLargeError(f"more than {most} tuples")
        sums = (sums[:, None] + term).ravel()
        kept = np.flatnonzero((sums + low[place + 1] <= greatest) & (sums + high[place + 1] >= least))
        sums = sums[kept]
        rows = np.column_stack([rows[kept // len(domain)], domain[kept % len(domain)]])
    return rows.astype(np.int32)
