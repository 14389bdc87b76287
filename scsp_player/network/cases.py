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

MAX_WORK = 20_000
"""Functions that need more conditions looked at are given up: they would make unwieldy tables."""

SAMPLE_WORK = 3_000
HOPE = 8
"""After so much work a function is given up if even that many times the part done so far would not be the whole."""


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


class Cases:
    """Writes functions as rows, and remembers the look of those that it gave up: the squares of a board have many alike."""

    def __init__(self, builder: TableBuilder) -> None:
        self._builder = builder
        self._hopeless: set[tuple[int, ...]] = set()

    def rows(self, outputs: Outputs, axes: Sequence[Partition], *, max_rows: int) -> Ints | None:
        """Disjoint rows (classes of ``axes`` or ``ANY``, then the value); None if they are too many, or too much work.

        Moves are split on first, then the variable in most conditions, until what is left is small enough for a dense table.
        """
        look = (max_rows, outputs.size(), *(len(rules) for _, rules in outputs.values), -1, *sorted(axis.size for axis in axes))
        if look in self._hopeless:
            return None
        found = self._split(outputs, axes, max_rows)
        if found is None:
            self._hopeless.add(look)
        return found

    def _split(self, outputs: Outputs, axes: Sequence[Partition], max_rows: int) -> Ints | None:
        builder = self._builder
        finished: list[Ints] = []
        count = work = 0
        # The part of all combinations that is written tells early whether the rest will take too long.
        done = 0.0
        position = {axis.variable: k for k, axis in enumerate(axes)}
        moves = {axis.variable for axis in axes if builder.variables[axis.variable].kind in MOVE_KINDS}
        splitter = _Splitter()
        stack: list[tuple[Outputs, tuple[tuple[int, int], ...], float]] = [(outputs, (), 1.0)]
        while stack:
            current, fixed, share = stack.pop()
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
                done += share
            else:
                frequency = Counter(a.variable for f in conditions for a in f.axes)
                variable = max(frequency, key=lambda v: (v in moves, frequency[v], -v))
                axis = axes[position[variable]]
                for class_, part in enumerate(splitter.split(current, axis)):
                    stack.append((part, (*fixed, (variable, class_)), share / axis.size))
                    work += part.size()
            if count + len(stack) > max_rows or work > MAX_WORK:
                return None
            if work > SAMPLE_WORK and max(work / MAX_WORK, count / max_rows) > HOPE * done:
                return None
        return np.concatenate(finished)


class _Splitter:
    """Takes functions apart by the class of one variable."""

    def __init__(self) -> None:
        # Keyed by identity; the functions are kept so that their identities stay theirs.
        self._known: dict[tuple[int, int], _Parts] = {}

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
        every = (1 << axis.size) - 1
        for rule in rules:
            possible = every
            mixed: list[tuple[Function | None, ...]] = []
            rest: list[Function] = []
            for function in rule:
                parts = self._known.get((id(function), axis.index)) or self._part(function, axis)
                possible &= parts.possible
                if not parts.depends:
                    rest.append(function)
                elif parts.restricted:
                    mixed.append(parts.restricted)
            while possible:
                class_ = (possible & -possible).bit_length() - 1
                possible &= possible - 1
                left = [restricted[class_] for restricted in mixed]
                result[class_].append(rest + [f for f in left if f is not None] if left else rest)
        return [[[]] if not all(rules) else rules for rules in result]

    def _part(self, function: Function, axis: Partition) -> _Parts:
        place = next((k for k, own in enumerate(function.axes) if own.variable == axis.variable), -1)
        if place < 0:
            parts = _Parts(function, (1 << axis.size) - 1, False)
        else:
            labels = function.axes[place].labels[axis.first].tolist()
            of_class = [_restricted(function, place, label) for label in range(function.axes[place].size)]
            possible = sum(1 << k for k, label in enumerate(labels) if not _is_constant(of_class[label], False))
            restricted = tuple(None if f.constant else f for f in (of_class[label] for label in labels))
            parts = _Parts(function, possible, True, restricted if any(restricted) else ())
        self._known[(id(function), axis.index)] = parts
        return parts


@dataclass(frozen=True)
class _Parts:
    """A condition taken apart by the class of a variable.

    Attributes:
        function: the condition.
        possible: set of the classes (bit k: class k) for which it can hold.
        depends: whether it depends on the variable.
        restricted: what is left of it for each class, None where nothing is; empty if nothing is left for any.
    """

    function: Function
    possible: int
    depends: bool
    restricted: tuple[Function | None, ...] = ()


def _restricted(function: Function, place: int, class_: int) -> Function:
    table = np.array(function.table.take(class_, axis=place), order="C")
    axes = function.axes[:place] + function.axes[place + 1 :]
    if (table == table.flat[0]).all():
        return Function((), np.asarray(table.flat[0]))
    return Function(axes, table)


def _is_constant(function: Function, value: bool) -> bool:
    return function.constant and bool(function.table) == value
