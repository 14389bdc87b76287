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

MAX_WORK = 50_000
"""Functions that need more conditions looked at are given up: they would make unwieldy tables."""


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

    def size(self) -> int:
        """Number of conditions."""
        return sum(len(rule) for _, rules in self.values for rule in rules)

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
    """Disjoint rows (classes of ``axes`` or ``ANY``, then the value); None if there are more than ``max_rows``, or too much work.

    Moves are split on first, then the variable in most conditions, until what is left is small enough for a dense table.
    """
    finished: list[Ints] = []
    count = work = 0
    position = {axis.variable: k for k, axis in enumerate(axes)}
    moves = {axis.variable for axis in axes if builder.variables[axis.variable].kind in MOVE_KINDS}
    splitter = _Splitter()
    stack: list[tuple[Outputs, tuple[tuple[int, int], ...]]] = [(outputs, ())]
    while stack:
        current, fixed = stack.pop()
        certain = current.certain()
        conditions = current.conditions() if certain is None else []
        live = [axes[position[v]] for v in sorted({a.variable for f in conditions for a in f.axes})]
        if cells(live) <= DENSE_CELLS:
            rows = builder.coverer.cover(current.table(live)) if certain is None else np.array([[certain]], dtype=np.int32)
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
            for class_, part in enumerate(splitter.split(current, axes[position[variable]])):
                stack.append((part, (*fixed, (variable, class_))))
                work += part.size()
        if count + len(stack) > max_rows or work > MAX_WORK:
            return None
    return np.concatenate(finished)


class _Splitter:
    """Takes functions apart by the class of one variable."""

    def __init__(self) -> None:
        # Keyed by identity; the functions are kept so that their identities stay theirs.
        self._known: dict[tuple[int, int, int], tuple[Function, Function]] = {}

    def split(self, outputs: Outputs, axis: Partition) -> list[Outputs]:
        """The function for each class of the variable (``axis`` is at least as fine as the conditions' partitions)."""
        values = [(value, self._split_rules(rules, axis)) for value, rules in outputs.values]
        return [
            Outputs(tuple((value, parts[class_]) for value, parts in values if parts[class_]), outputs.default, outputs.several)
            for class_ in range(axis.size)
        ]

    def _split_rules(self, rules: Rules, axis: Partition) -> list[list[list[Function]]]:
        """For each class the rules that can still apply, without the conditions that are met."""
        result: list[list[list[Function]]] = [[] for _ in range(axis.size)]
        for rule in rules:
            possible = np.ones(axis.size, dtype=np.bool_)
            mixed: list[tuple[Function, int]] = []
            rest: list[Function] = []
            for function in rule:
                place = next((k for k, own in enumerate(function.axes) if own.variable == axis.variable), -1)
                if place < 0:
                    rest.append(function)
                elif len(function.axes) == 1:
                    possible &= function.table[function.axes[0].labels[axis.first]]
                else:
                    mixed.append((function, place))
            for class_ in np.flatnonzero(possible).tolist():
                parts = [self._restrict(f, place, int(f.axes[place].labels[axis.first[class_]])) for f, place in mixed]
                if not any(f.constant and not f.table for f in parts):
                    result[class_].append(rest + [f for f in parts if not f.constant] if parts else rest)
        return [[[]] if any(not rule for rule in rules) else rules for rules in result]

    def _restrict(self, function: Function, place: int, class_: int) -> Function:
        key = (id(function), place, class_)
        found = self._known.get(key)
        if found is None:
            table = np.array(function.table.take(class_, axis=place), order="C")
            axes = function.axes[:place] + function.axes[place + 1 :]
            if (table == table.flat[0]).all():
                table, axes = np.asarray(table.flat[0]), ()
            found = self._known[key] = (function, Function(axes, table))
        return found[1]
