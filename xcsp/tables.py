"""The normal form of tables: tuples within the domains, in lexicographic order, without duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from xcsp.model import STAR

_KEY_LIMIT = 2**62
_BLOCK = 1 << 20
_SHORT = 512  # below this many values, plain Python takes less time than numpy takes to start its operations


def _within(column: NDArray[np.int32], domain: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[n]: which entries are stars or values of the domain (ascending, not empty)."""
    inside: NDArray[np.bool_] = (column >= domain[0]) & (column <= domain[-1])
    if int(domain[-1]) - int(domain[0]) + 1 != domain.size:
        place = np.searchsorted(domain, column)
        inside &= domain[np.minimum(place, domain.size - 1)] == column
    inside |= column == STAR
    return inside


def _surely_within(column: list[int], domain: NDArray[np.int32]) -> bool:
    """Quick yes for a short column without stars and a domain without gaps."""
    first, last = int(domain[0]), int(domain[-1])
    return last - first + 1 == domain.size and (not column or (first <= min(column) and max(column) <= last))


def within_domains(tuples: NDArray[np.int32], domains: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Tuples all of whose entries are possible; the array itself if nothing has to go.

    Every tool drops the others silently, as supports and as conflicts.

    Args:
        tuples: int32[n, arity].
        domains: arity arrays, each ascending and not empty.
    """
    if tuples.size < _SHORT and all(map(_surely_within, tuples.T.tolist(), domains)):
        return tuples
    keep: NDArray[np.bool_] | None = None
    for index, domain in enumerate(domains):
        inside = _within(tuples[:, index], domain)
        if not inside.all():
            keep = inside if keep is None else keep & inside
    return tuples if keep is None else tuples[keep]


def without_repetitions(tuples: NDArray[np.int32], scope: NDArray[np.int32]) -> tuple[NDArray[np.int32], list[int]]:
    """The same table with one column for each variable: tuples that give a variable two values never apply.

    >>> without_repetitions(np.array([[0, 1, 0], [0, 1, 1], [2, 0, STAR]], np.int32), np.array([7, 8, 7], np.int32))
    (array([[0, 1],
           [2, 0]], dtype=int32), [0, 1])

    Args:
        tuples: int32[n, arity], with or without stars.
        scope: int32[arity], a number for the variable of each column.

    Returns:
        int32[m, k], m ≤ n, the array itself if there are no repetitions; and the first column of each variable.
    """
    first = sorted({index: column for column, index in reversed(list(enumerate(scope.tolist())))}.values())
    if len(first) == len(scope):
        return tuples, first
    tuples = tuples.copy()
    keep = np.ones(tuples.shape[0], np.bool_)
    for column in range(len(scope)):
        place = first[int(np.flatnonzero(scope[first] == scope[column])[0])]
        if place != column:
            one, other = tuples[:, place], tuples[:, column]
            keep &= (one == other) | (one == STAR) | (other == STAR)
            tuples[:, place] = np.where(one == STAR, other, one)
    return tuples[keep][:, first], first


def without_idle_stars(tuples: NDArray[np.int32], domains: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """The same supports without the stars that make ACE count wrongly.

    A star for a constant becomes its value. And a table with one tuple less than there are assignments is written out: ACE takes it
    for a table that lacks one assignment, without looking at the stars.

    Args:
        tuples: int32[n, arity], in normal form.
        domains: arity arrays, each ascending and not empty.

    Returns:
        int32[m, arity] in normal form, m ≤ n + 1; the array itself if it is fine.
    """
    star = tuples == STAR
    idle = star & (np.array([domain.size for domain in domains]) == 1)
    if idle.any():
        constants = np.array([domain[0] for domain in domains], np.int32)
        tuples = in_order(np.where(idle, constants, tuples))
        star = tuples == STAR
    sizes = [domain.size for domain in domains]
    if not star.any() or tuples.shape[0] != prod(sizes) - 1:
        return tuples
    places = np.stack([np.searchsorted(domain, column) for domain, column in zip(domains, tuples.T, strict=True)], axis=1)
    covered = np.zeros(sizes, np.bool_)
    starred = star.any(axis=1)
    covered[tuple(places[~starred].T)] = True
    for row, free in zip(places[starred].tolist(), star[starred].tolist(), strict=True):
        covered[tuple(slice(None) if any_value else place for place, any_value in zip(row, free, strict=True))] = True
    return np.stack([domain[place] for domain, place in zip(domains, np.nonzero(covered), strict=True)], axis=1)


def _ascending(tuples: NDArray[np.int32]) -> bool:
    """Whether each row is lexicographically greater than the one before."""
    for begin in range(0, tuples.shape[0] - 1, _BLOCK):
        block = tuples[begin : begin + _BLOCK + 1]
        equal = np.ones(block.shape[0] - 1, np.bool_)
        for column in block.T:
            if (equal & (column[1:] < column[:-1])).any():
                return False
            equal &= column[1:] == column[:-1]
        if equal.any():
            return False
    return True


def in_order(tuples: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same set of tuples in lexicographic order (``*`` first), each once; the array itself if it is so already.

    >>> in_order(np.array([[1, 0], [0, 2], [1, 0]], np.int32)).tolist()
    [[0, 2], [1, 0]]
    """
    count = tuples.shape[0]
    if count < 2:
        return tuples
    if tuples.size < _SHORT:
        rows = [tuple(row) for row in tuples.tolist()]
        unique = sorted(set(rows))
        return tuples if unique == rows else np.array(unique, np.int32)
    if _ascending(tuples):
        return tuples
    keys = np.zeros(count, np.int64)
    size = 1
    for column in tuples.T:
        star = column == STAR
        plain = column[~star]
        low = int(plain.min()) if plain.size else 0
        span = (int(plain.max()) - low + 2) if plain.size else 1
        size *= span
        if size >= _KEY_LIMIT:
            break
        keys *= span
        keys += np.where(star, 0, column.astype(np.int64) - (low - 1))
    if size < _KEY_LIMIT:
        _, first = np.unique(keys, return_index=True)
        return tuples[first]
    ordered = tuples[np.lexsort(tuples.T[::-1])]
    fresh = np.ones(count, np.bool_)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[fresh]
