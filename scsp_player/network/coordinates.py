"""Coordinates of a variable with very many values: "where the move begins, where it ends, what is shot at".

Tables ask for classes of moves, for each square others: the moves that begin there, those that end there. Sets of moves of which
no two overlap are the values of one coordinate; what it has to say about a square is then a table with a row for each square,
instead of each move.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.network.csr import distinct_counts
from scsp_player.network.functions import Partition

Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]

LEAST_MEMBERS = 8
"""A coordinate has at least so many values beside "none of them" …"""

MOST_COORDINATES = 8
"""… and no variable has more coordinates."""

MOST_SETS = 4000
MOST_OVERLAPS = 64
"""With more sets of values, or more that share one value, coordinates are not looked for."""


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A partition told by coordinates: a value lies in the class that one of its coordinates names, else in the class ``rest``.

    Attributes:
        coordinates: numbers of the coordinates.
        named: for each int32[its values], a class or -1.
        rest: class of the values of which no coordinate says anything.
    """

    coordinates: tuple[int, ...]
    named: tuple[Ints, ...]
    rest: int

    @property
    def rows(self) -> int:
        """Rows of the tables that say this, about."""
        return sum(map(len, self.named)) + math.prod(len(set(named.tolist())) for named in self.named)


def coordinates(partitions: list[Partition]) -> list[Ints]:
    """Labels (0: none of its sets) of a variable's values, one array a coordinate, found in the classes of these partitions."""
    size = len(partitions[0].labels)
    values, numbers, count = _sets(partitions)
    if count > MOST_SETS:
        return []
    overlap = _overlaps(values, numbers, count)
    if overlap is None:
        return []
    alive = np.ones(count, dtype=np.bool_)
    found: list[Ints] = []
    while len(found) < MOST_COORDINATES:
        members = _apart(overlap, alive)
        if len(members) < LEAST_MEMBERS:
            break
        alive[members] = False
        label = np.zeros(count, dtype=np.int32)
        label[members] = np.arange(1, len(members) + 1, dtype=np.int32)
        chosen = label[numbers] > 0
        coordinate = np.zeros(size, dtype=np.int32)
        coordinate[values[chosen]] = label[numbers[chosen]]
        found.append(coordinate)
    return found


def decomposed(partition: Partition, found: list[Ints]) -> Decomposition | None:
    """The partition by coordinates; None if they do not tell its classes."""
    rest = int(partition.counts.argmax())
    named = [np.full(int(coordinate.max()) + 1, -1, dtype=np.int32) for coordinate in found]
    total = [np.bincount(coordinate) for coordinate in found]
    used: set[int] = set()
    for class_ in range(partition.size):
        if class_ == rest:
            continue
        inside = np.flatnonzero(partition.labels == class_)
        left = np.ones(len(inside), dtype=np.bool_)
        while left.any():
            best, best_gain, best_sets = -1, 0, np.zeros(0, dtype=np.bool_)
            for k, coordinate in enumerate(found):
                own = coordinate[inside]
                whole = np.bincount(own, minlength=len(total[k])) == total[k]
                whole[0] = False
                gain = int((whole[own] & left).sum())
                if gain > best_gain:
                    best, best_gain, best_sets = k, gain, whole
            if best < 0:
                return None
            left &= ~best_sets[found[best][inside]]
            named[best][best_sets & (total[best] > 0)] = class_
            used.add(best)
    order = tuple(sorted(used))
    result = Decomposition(order, tuple(named[k] for k in order), rest)
    return result if result.rows < len(partition.labels) else None


def _sets(partitions: list[Partition]) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """All classes but the largest of each partition, each different set once: values, the set of each, number of sets."""
    codes = np.random.default_rng(3).integers(0, 2**64, size=len(partitions[0].labels), dtype=np.uint64)
    known: set[int] = set()
    values: list[NDArray[np.int64]] = []
    for partition in partitions:
        rest = int(partition.counts.argmax())
        outside = np.flatnonzero(partition.labels != rest)
        outside = outside[np.argsort(partition.labels[outside], kind="stable")]
        for inside in np.split(outside, np.flatnonzero(np.diff(partition.labels[outside])) + 1):
            code = int(codes[inside].sum())
            if len(inside) and code not in known:
                known.add(code)
                values.append(inside)
    numbers = np.repeat(np.arange(len(values)), [len(inside) for inside in values])
    return np.concatenate([np.zeros(0, dtype=np.int64), *values]), numbers, len(values)


def _overlaps(values: NDArray[np.int64], numbers: NDArray[np.int64], count: int) -> Bools | None:
    """bool[sets, sets]: whether two sets share a value; None if too many share one."""
    order = np.argsort(values, kind="stable")
    values, numbers = values[order], numbers[order]
    if int(distinct_counts(values)[1].max(initial=0)) > MOST_OVERLAPS:
        return None
    overlap = np.eye(count, dtype=np.bool_)
    for step in range(1, MOST_OVERLAPS):
        same = values[step:] == values[:-step]
        if not same.any():
            break
        first, second = numbers[:-step][same], numbers[step:][same]
        overlap[first, second] = True
        overlap[second, first] = True
    return overlap


def _apart(overlap: Bools, alive: Bools) -> NDArray[np.int64]:
    """Sets of which no two overlap; again and again the one that leaves most of the others to choose from."""
    left = alive.copy()
    apart = (~overlap[:, left]).sum(axis=1)
    chosen: list[int] = []
    while left.any():
        best = int(np.where(left, apart, -1).argmax())
        chosen.append(best)
        gone = left & overlap[best]
        apart -= (~overlap[:, gone]).sum(axis=1)
        left &= ~gone
    return np.array(chosen, dtype=np.int64)
