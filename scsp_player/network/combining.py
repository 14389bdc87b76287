"""Disjunctions of conjunctions of functions, simplified; those that differ only in their variables are worked out once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from scsp_player.network.functions import Array, Function, Partition, Partitions, Rules, disjunction, simplify

Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]


class Combiner:
    """Combines functions, and remembers how: the squares of a board ask the same of their neighbours.

    Args:
        partitions: those of the functions.
    """

    def __init__(self, partitions: Partitions) -> None:
        self._partitions = partitions
        self._known: dict[Hashable, tuple[tuple[tuple[int, int], ...], Array]] = {}

    def disjunction(self, rules: Rules, axes: Sequence[Partition]) -> Function:
        """The function "in one of the rules all functions hold"; ``axes`` are the common axes of the functions."""
        place = {axis.variable: k for k, axis in enumerate(axes)}
        terms = [tuple([(f.shape, tuple([place[axis.variable] for axis in f.axes])) for f in rule]) for rule in rules]
        key = (tuple([axis.look for axis in axes]), tuple(terms))
        return self._as_known(axes, key) or self._remember(axes, key, disjunction(rules, axes))

    def listed(self, axes: Sequence[Partition], rows: Ints) -> Function:
        """The function "the classes of the axes are one of these rows" (int32[n, axes])."""
        key = (tuple([axis.look for axis in axes]), rows.shape, rows.tobytes())
        found = self._as_known(axes, key)
        if found is None:
            table = np.zeros([axis.size for axis in axes], dtype=np.bool_)
            table[tuple(rows.T)] = True
            found = self._remember(axes, key, table)
        return found

    def _as_known(self, axes: Sequence[Partition], key: Hashable) -> Function | None:
        known = self._known.get(key)
        if known is None:
            return None
        kept, table = known
        return Function(tuple([self._partitions.with_look(axes[k].variable, look) for k, look in kept]), table)

    def _remember(self, axes: Sequence[Partition], key: Hashable, table: Bools) -> Function:
        function = simplify(self._partitions, axes, table)
        place = {axis.variable: k for k, axis in enumerate(axes)}
        self._known[key] = tuple((place[axis.variable], axis.look) for axis in function.axes), function.table
        return function
