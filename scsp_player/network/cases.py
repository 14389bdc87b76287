"""Functions of many variables as few rows, found case by case of the moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.network.cover import ANY, FORBIDDEN
from scsp_player.network.functions import Array, Function, Partition, Rules, cells, disjunction
from scsp_player.network.tables import MOVE_KINDS, TableBuilder

Ints = NDArray[np.int32]

DENSE_CELLS = 512
"""A case is written as a dense table once it has at most that many cells."""


@dataclass(frozen=True)
class Outputs:
    """A function with named values: value v where the rules of v, and no others, apply.

    Attributes:
        values: pairs of a value and its rules.
        default: the value where no rule applies (``FORBIDDEN``: that never happens).
        several: the value where rules of two values apply.
    """

    values: tuple[tuple[int, Rules], ...]
    default: int = FORBIDDEN
    several: int = FORBIDDEN

    def conditions(self) -> list[Function]:
        """All functions in the rules."""
        return [f for _, rules in self.values for rule in rules for f in rule]

    def certain(self) -> int | None:
        """The value if one of its rules has no condition left and no other value can apply as well."""
        if self.several != FORBIDDEN:
            return None
        return next((value for value, rules in self.values if any(not rule for rule in rules)), None)

    def table(self, axes: Sequence[Partition]) -> Array:
        """The function as a dense integer table."""
        shape = [axis.size for axis in axes]
        count = np.zeros(shape, dtype=np.int32)
        result = np.full(shape, self.default, dtype=np.int32)
        for value, rules in self.values:
            holds = disjunction(rules, axes)
            count += holds
            result[holds] = value
        result[count > 1] = self.several
        return result


def case_rows(builder: TableBuilder, outputs: Outputs, axes: Sequence[Partition], *, max_rows: int) -> Ints | None:
    """Disjoint rows (classes of ``axes`` or ``ANY``, then the value), or None if there are more than ``max_rows``.

    Moves are split on first, then the variable in most conditions, until what is left is small enough for a dense table.
    """
    finished: list[Ints] = []
    count = 0
    position = {axis.variable: k for k, axis in enumerate(axes)}
    moves = {axis.variable for axis in axes if builder.variables[axis.variable].kind in MOVE_KINDS}
    restriction = _Restriction(axes)
    stack: list[tuple[Outputs, tuple[tuple[int, int], ...]]] = [(outputs, ())]
    while stack:
        current, fixed = stack.pop()
        conditions = current.conditions()
        live = [axes[position[v]] for v in sorted({a.variable for f in conditions for a in f.axes})]
        certain = current.certain()
        if certain is not None or cells(live) <= DENSE_CELLS:
            if certain is not None:
                live = []
            rows = np.array([[certain]], dtype=np.int32) if certain is not None else builder.coverer.cover(current.table(live))
            wide = np.full((len(rows), len(axes) + 1), ANY, dtype=np.int32)
            wide[:, -1] = rows[:, -1]
            for k, axis in enumerate(live):
                wide[:, position[axis.variable]] = rows[:, k]
            for variable, class_ in fixed:
                wide[:, position[variable]] = class_
            finished.append(wide)
            count += len(wide)
        else:
            frequency = Counter(a.variable for f in conditions for a in f.axes)
            variable = max(frequency, key=lambda v: (v in moves, frequency[v], -v))
            for class_ in range(axes[position[variable]].size):
                values = tuple((value, restriction.rules(rules, variable, class_)) for value, rules in current.values)
                stack.append((Outputs(values, current.default, current.several), (*fixed, (variable, class_))))
        if count + len(stack) > max_rows:
            return None
    return np.concatenate(finished)


class _Restriction:
    """Functions with the class of one variable given."""

    def __init__(self, axes: Sequence[Partition]) -> None:
        self._representatives = {axis.variable: axis.first for axis in axes}
        # Keyed by identity; the functions are kept so that their identities stay theirs.
        self._known: dict[tuple[int, int, int], tuple[Function, Function]] = {}

    def function(self, function: Function, variable: int, class_: int) -> Function:
        place = next((k for k, axis in enumerate(function.axes) if axis.variable == variable), -1)
        if place < 0:
            return function
        own = int(function.axes[place].labels[self._representatives[variable][class_]])
        key = (id(function), place, own)
        found = self._known.get(key)
        if found is None:
            table = np.array(function.table.take(own, axis=place), order="C")
            axes = function.axes[:place] + function.axes[place + 1 :]
            if (table == table.flat[0]).all():
                table, axes = np.asarray(table.flat[0]), ()
            found = self._known[key] = (function, Function(axes, table))
        return found[1]

    def rules(self, rules: Rules, variable: int, class_: int) -> Rules:
        result: list[list[Function]] = []
        for rule in rules:
            conditions = [self.function(f, variable, class_) for f in rule]
            if any(f.constant and not f.table for f in conditions):
                continue
            left = [f for f in conditions if not f.constant]
            if not left:
                return [[]]
            result.append(left)
        return result
