"""Formulas put together as small functions; what grows too large becomes an auxiliary variable with a table of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from heapq import heapify, heapreplace

import numpy as np

from scsp_player.network.boxes import Blocks, blocks, boxes
from scsp_player.network.cases import Cases, Outputs
from scsp_player.network.combining import Combiner
from scsp_player.network.functions import FALSE, TRUE, Function, Partition, Rules, cells, common_axes
from scsp_player.network.naming import Name
from scsp_player.network.tables import MOVE_KINDS, TableBuilder

MAX_CELLS = 1024
"""Largest dense table of an auxiliary function."""

MAX_COLUMNS = 5
"""Most variables of an auxiliary function …"""

MAX_FLAT_COLUMNS = 10
"""… and of conditions on single variables in disjunction, beside common ones ("occupied, and one neighbour is reached")."""

PAIR_CELLS = 16_384
"""Largest dense table of a function of two variables."""

LARGE_CELLS = 4096
"""A larger relation of two variables is cut into blocks if that halves its table."""

MOST_BOXES = 32
"""… and one of more than two into at most that many boxes."""

LEAST_SHARED = 3
"""Conditions that so many rules share are taken out of them, if these are most rules or then have one condition left each."""

CASE_ROWS = 256
CASE_COLUMNS = 24
"""An auxiliary function over more variables is kept whole if that few rows, found by cases of the moves, define it."""


class Circuit:
    """Builds functions from functions, within the bounds above."""

    def __init__(self, builder: TableBuilder) -> None:
        self.builder = builder
        self.cases = Cases(builder)
        self.combiner = Combiner(builder.partitions)
        self._max_cells = min(MAX_CELLS, builder.tuple_limit)
        self._max_pairs = min(PAIR_CELLS, builder.tuple_limit)
        self._booleans: dict[tuple[tuple[int, ...], bytes], Function] = {}

    def boolean(self, function: Function, name: Name, note: str = "") -> Function:
        """The function as a variable of its own (the same one for equal functions), as a function of that variable."""
        if function.constant or self._is_boolean(function):
            return function
        found = self._booleans.get(function.key)
        if found is None:
            variable = self.builder.variable(f"aux_{name}", 2, "auxiliary", note)
            cut = blocks(function.table) if len(function.axes) == 2 and cells(function.axes) > LARGE_CELLS else None
            if cut is not None and 2 * cut.cost < 3 * cells(function.axes):
                self._by_blocks(variable, function.axes, cut, name)
            else:
                self.builder.define(variable, function.axes, function.table.astype(np.int32), "auxiliary")
            found = self.builder.truth(variable)
            self._booleans[function.key] = found
            self._booleans[(~function).key] = ~found
        return found

    def boxes(self, function: Function) -> list[list[Function]] | None:
        """The function as rules with a condition for each variable; None if it takes more than a few."""
        found = boxes(function.table, MOST_BOXES)
        if found is None:
            return None
        return [
            [
                self.builder.one_of(axis.variable, np.flatnonzero(mask[axis.labels]).astype(np.int32))
                for axis, mask in zip(function.axes, box, strict=True)
                if not mask.all()
            ]
            for box in found
        ]

    def _by_blocks(self, variable: int, axes: Sequence[Partition], cut: Blocks, name: Name) -> None:
        """Define ``variable`` by the kinds of blocks, and by the places in blocks that have no single value."""
        kind = self.builder.variable(f"aux_{name}_block", len(cut.look), "auxiliary")
        hold = self.builder.partitions.of
        block = [hold(axis.variable, numbers[axis.labels]) for axis, numbers in zip(axes, cut.block, strict=True)]
        place = [hold(axis.variable, numbers[axis.labels]) for axis, numbers in zip(axes, cut.place, strict=True)]
        # Classes are numbered by first appearance among the values.
        first = [numbers[axis.labels][own.first] for axis, numbers, own in zip(axes, cut.block, block, strict=True)]
        self.builder.define(kind, block, cut.kind[np.ix_(*first)], "auxiliary")
        first = [numbers[axis.labels][own.first] for axis, numbers, own in zip(axes, cut.place, place, strict=True)]
        look = cut.look[np.ix_(np.arange(len(cut.look)), *first)]
        self.builder.define(variable, [*place, self.builder.identity(kind)], np.moveaxis(look, 0, -1), "auxiliary")

    def rules(self, rules: Rules, name: Name, note: str = "") -> Function:
        """The function "all conditions of one of the rules hold"."""
        cleaned = _clean(rules)
        if cleaned is None:
            return TRUE
        if not cleaned:
            return FALSE
        conditions = _distinct(f for rule in cleaned for f in rule)
        axes = common_axes(self.builder.partitions, conditions)
        shared, rest = _factored(cleaned)
        flat = all(len(f.axes) == 1 for f in conditions) and all(len(rule) <= 1 for rule in rest)
        if self._fits(axes, flat):
            return self.combiner.disjunction(cleaned, axes)
        if len(cleaned) > 1 and len(axes) <= CASE_COLUMNS and self._has_moves(axes):
            rows = self.cases.rows(Outputs(((1, cleaned),), default=0), axes, max_rows=min(CASE_ROWS, self._max_cells))
            if rows is not None:
                variable = self.builder.variable(f"aux_{name}", 2, "auxiliary", note)
                self.builder.define_rows(variable, axes, rows, "auxiliary")
                return self.builder.truth(variable)
        if shared:
            return self.all_of([*shared, self._remaining(rest, name)], name)
        return self.any_of(self._alternatives(cleaned, name), name)

    def _remaining(self, rules: list[list[Function]], name: Name) -> Function:
        """What rules with common conditions say beside these."""
        axes = common_axes(self.builder.partitions, [f for rule in rules for f in rule])
        if self._fits(axes, False):
            return self.combiner.disjunction(rules, axes)
        return self.any_of([self.all_of(rule, name) for rule in rules], name)

    def _alternatives(self, rules: list[list[Function]], name: Name) -> list[Function]:
        """Functions of which one holds if one of the rules does; rules that share a condition go together."""
        keys = [[f.key for f in rule] for rule in rules]
        parts: list[Function] = []
        left = len(rules)
        shared = _MostShared(keys)
        while left:
            numbers = shared.next()
            simple = all(len(rules[number]) == 2 for number in numbers)
            if len(numbers) < LEAST_SHARED or not (simple or 2 * len(numbers) > left):
                return parts + [self.all_of(rules[number], name) for number in shared.left()]
            parts.append(self.rules([rules[number] for number in numbers], name))
            shared.remove(numbers)
            left -= len(numbers)
        return parts

    def all_of(self, functions: Sequence[Function], name: Name) -> Function:
        """The function "all of these hold"."""
        return ~self.any_of([~f for f in functions], name)

    def any_of(self, functions: Sequence[Function], name: Name) -> Function:
        """The function "one of these holds"."""
        parts = _distinct(f for f in functions if not (f.constant and not f.table))
        while True:
            if any(f.constant for f in parts):
                return TRUE
            if not parts:
                return FALSE
            axes = common_axes(self.builder.partitions, parts)
            if self._fits(axes, all(len(f.axes) == 1 for f in parts)):
                return self.combiner.disjunction([[f] for f in parts], axes)
            parts = self._reduce(parts, name)

    def _reduce(self, parts: list[Function], name: Name) -> list[Function]:
        """An equivalent, shorter or simpler, list of alternatives."""
        by_scope: dict[tuple[int, ...], list[Function]] = defaultdict(list)
        for function in parts:
            by_scope[function.variables].append(function)
        if len(by_scope) < len(parts):
            merged = [self._merge_scope(group) for group in by_scope.values()]
            return _distinct(f for group in merged for f in group)
        wide = [f for f in parts if len(f.axes) > 1]
        if wide:
            return _distinct(self.boolean(f, name) if len(f.axes) > 1 else f for f in parts)
        # Conditions on single variables: a tree of disjunctions, neighbours together.
        parts = sorted(parts, key=lambda f: f.variables)
        size = MAX_FLAT_COLUMNS
        while size > 2 and 2**size > self._max_cells:
            size -= 1
        chunks = [parts[k : k + size] for k in range(0, len(parts), size)]
        return _distinct(self.boolean(self._direct(chunk), name) if len(chunk) > 1 else chunk[0] for chunk in chunks)

    def _merge_scope(self, group: list[Function]) -> list[Function]:
        if len(group) == 1:
            return group
        axes = common_axes(self.builder.partitions, group)
        if self._fits(axes, False):
            return [self.combiner.disjunction([[f] for f in group], axes)]
        return [self.boolean(f, "part") for f in group]

    def _direct(self, functions: list[Function]) -> Function:
        axes = common_axes(self.builder.partitions, functions)
        return self.combiner.disjunction([[f] for f in functions], axes)

    def _fits(self, axes: Sequence[Partition], flat: bool) -> bool:
        if len(axes) <= 1:
            return True
        if len(axes) == 2:
            return cells(axes) <= self._max_pairs
        return len(axes) <= (MAX_FLAT_COLUMNS if flat else MAX_COLUMNS) and cells(axes) <= self._max_cells

    def _has_moves(self, axes: Sequence[Partition]) -> bool:
        return any(self.builder.variables[axis.variable].kind in MOVE_KINDS for axis in axes)

    def _is_boolean(self, function: Function) -> bool:
        return len(function.axes) == 1 and self.builder.variables[function.axes[0].variable].size == 2


class _MostShared:
    """The condition that most rules share, again and again while rules are taken away; in time proportional to their conditions.

    Args:
        keys: for each rule the keys of its conditions, which differ.
    """

    def __init__(self, keys: Sequence[Sequence[Hashable]]) -> None:
        self._keys = keys
        self._there = [True] * len(keys)
        self._rules: dict[Hashable, list[int]] = defaultdict(list)
        for number, rule in enumerate(keys):
            for key in rule:
                self._rules[key].append(number)
        self._count = {key: len(numbers) for key, numbers in self._rules.items()}
        self._place = {key: place for place, key in enumerate(self._rules)}
        self._by_place = list(self._rules)
        # Counts only shrink: what comes first in the heap is right, or too large and put back.
        self._heap = [(-count, self._place[key]) for key, count in self._count.items()]
        heapify(self._heap)

    def next(self) -> list[int]:
        """The rules, ascending, with the condition that most of those left have; of several conditions that which came first."""
        while True:
            count, place = self._heap[0]
            key = self._by_place[place]
            if self._count[key] == -count:
                return [number for number in self._rules[key] if self._there[number]]
            heapreplace(self._heap, (-self._count[key], place))

    def remove(self, numbers: Iterable[int]) -> None:
        """Take rules away."""
        for number in numbers:
            self._there[number] = False
            for key in self._keys[number]:
                self._count[key] -= 1

    def left(self) -> list[int]:
        """The rules that are left, ascending."""
        return [number for number, there in enumerate(self._there) if there]


def _clean(rules: Rules) -> list[list[Function]] | None:
    """Rules without constant conditions; None if one of them always applies."""
    cleaned: list[list[Function]] = []
    for rule in rules:
        if any(f.constant and not f.table for f in rule):
            continue
        conditions = _distinct(f for f in rule if not f.constant)
        if not conditions:
            return None
        cleaned.append(conditions)
    return cleaned


def _factored(rules: list[list[Function]]) -> tuple[list[Function], list[list[Function]]]:
    """The conditions that all rules share, and what is left of the rules (one without conditions, if any has none left).

    A single rule is all shared.
    """
    in_all = set.intersection(*({f.key for f in rule} for rule in rules))
    rest = [[f for f in rule if f.key not in in_all] for rule in rules]
    return [f for f in rules[0] if f.key in in_all], rest if all(rest) else [[]]


def _distinct(functions: Iterable[Function]) -> list[Function]:
    """The functions without repetitions, in order."""
    return list({f.key: f for f in functions}.values())
