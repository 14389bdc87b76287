"""Which constraints of an instance say the same of different variables, so that one ``<group>`` holds their table once."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from xcsp.model import Instance, Table, Variable


class _Numbers:
    """Small integers for equal things, in order of appearance."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def __call__(self, thing: object) -> int:
        return self._numbers.setdefault(thing, len(self._numbers))


def domain_numbers(variables: tuple[Variable, ...]) -> NDArray[np.int32]:
    """int32[variables]: equal numbers for variables with equal values and symbols."""
    number = _Numbers()
    by_array: dict[tuple[int, object], int] = {}
    result = np.empty(len(variables), np.int32)
    for index, variable in enumerate(variables):
        shared = (id(variable.domain), variable.symbols)
        if shared not in by_array:
            by_array[shared] = number((variable.domain.tobytes(), variable.symbols))
        result[index] = by_array[shared]
    return result


def groups(instance: Instance, numbers: NDArray[np.int32], alone: Callable[[Table], bool]) -> list[list[int]]:
    """Partition the constraints into groups with the same table, in the order of their first members.

    Equal domains column by column are asked for too: the tools then filter the tuples once for the whole group.

    Args:
        instance: its tables are compared by content as it stands, not by meaning.
        numbers: from ``domain_numbers``.
        alone: whether a constraint must not be in a group with others.

    Returns:
        Indices of constraints, ascending within a group.
    """
    number = _Numbers()
    contents: dict[int, int] = {}  # by identity, so that an array shared by many tables is hashed once
    members: dict[object, list[int]] = {}
    for index, table in enumerate(instance.constraints):
        if alone(table):
            members[index] = [index]
            continue
        content = contents.get(id(table.tuples))
        if content is None:
            data = np.ascontiguousarray(table.tuples)
            content = contents[id(table.tuples)] = number((data.shape, blake2b(data.data, digest_size=16).digest()))
        key = (content, number((table.positive, table.classes, table.note)), number(numbers[table.scope].tobytes()))
        members.setdefault(key, []).append(index)
    return list(members.values())
