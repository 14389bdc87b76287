"""Functions of finite-domain variables as small dense tables over classes of values.

A variable enters a function through a *partition* of its values: values that the function treats alike share a class. A move
variable with hundreds of values thus takes two or three positions of a table, one for each of its effects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scsp_player.network.partition_kernels import number_labels

Array = NDArray[Any]

MOST_SMALL = 127
"""Labels of so many classes are kept in bytes."""

DIGEST_BYTES = 20


@dataclass(frozen=True, eq=False)
class Partition:
    """Classes of the values of one variable; made only by :class:`Partitions`, so that equal ones are the same object.

    Attributes:
        variable: index of the variable.
        labels: int8 or int32[domain], the class of every value; classes are numbered in order of first appearance.
        first: the first value of every class.
        size: number of classes.
        look: identifies the labels: partitions of two variables with the same look have equal labels.
        index: identifies the partition.
    """

    variable: int
    labels: Array
    first: Array
    size: int
    look: int
    index: int

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Number of values in each class."""
        if self.size == 2:
            second = int(np.count_nonzero(self.labels))
            return np.array([len(self.labels) - second, second], dtype=np.int64)
        return np.bincount(self.labels, minlength=self.size)

    @property
    def identity(self) -> bool:
        """Whether every value is a class of its own."""
        return self.size == len(self.labels)


class Partitions:
    """All partitions in use, and their common refinements."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Partition] = {}
        self._look_of: dict[bytes, int] = {}
        self._looks: list[tuple[Array, Array]] = []
        self._refined: dict[tuple[int, int], int] = {}
        self._identities: dict[int, int] = {}

    def of(self, variable: int, labels: Array) -> Partition:
        """The partition of a variable's values by equal labels (bool or non-negative int, [domain])."""
        if labels.dtype == np.bool_:
            return self._of_two(variable, labels)
        if int(labels.max(initial=0)) > 4 * len(labels) + 64:
            labels = np.unique(labels, return_inverse=True)[1]
        highest = int(labels.max(initial=0))
        rank = np.full(highest + 1, -1, dtype=np.int32)
        canonical = np.empty(len(labels), dtype=np.int32)
        first = np.empty(min(highest + 1, len(labels)), dtype=np.int64)
        count = number_labels(np.ascontiguousarray(labels, dtype=np.int64), rank, canonical, first)
        return self.with_look(variable, self._look(canonical, first[:count].copy()))

    def identity(self, variable: int, size: int) -> Partition:
        """The partition of a variable with a class for each of its ``size`` values."""
        look = self._identities.get(size)
        if look is None:
            every = np.arange(size, dtype=np.int64)
            look = self._identities[size] = self._look(every.astype(np.int32), every)
        return self.with_look(variable, look)

    def with_look(self, variable: int, look: int) -> Partition:
        """The partition of a variable's values that looks like known ones (of variables with as many values)."""
        found = self._known.get((variable, look))
        if found is None:
            labels, first = self._looks[look]
            found = self._known[variable, look] = Partition(variable, labels, first, len(first), look, len(self._known))
        return found

    def _of_two(self, variable: int, labels: Array) -> Partition:
        """The same for truth values, the most frequent labels by far."""
        canonical = (labels ^ labels[0]).view(np.int8)
        second = int(canonical.argmax())
        first = np.array([0, second] if second else [0], dtype=np.int64)
        return self.with_look(variable, self._look(canonical, first))

    def _look(self, canonical: Array, first: Array) -> int:
        if len(first) <= MOST_SMALL:
            canonical = canonical.astype(np.int8, copy=False)
        # There may be thousands of partitions of as many thousands of values: digests are kept instead of long labels.
        key = canonical.tobytes()
        if len(key) >= DIGEST_BYTES:
            key = blake2b(key, digest_size=DIGEST_BYTES).digest()
        found = self._look_of.get(key)
        if found is None:
            found = self._look_of[key] = len(self._looks)
            self._looks.append((canonical, first))
        return found

    def refine(self, left: Partition, right: Partition) -> Partition:
        """The coarsest partition that refines both."""
        key = (left.look, right.look)
        look = self._refined.get(key)
        if look is None:
            both = self.of(left.variable, left.labels.astype(np.int64) * right.size + right.labels)
            self._refined[key] = both.look
            return both
        return self.with_look(left.variable, look)

    def common(self, partitions: Sequence[Partition]) -> Partition:
        """The coarsest partition that refines several."""
        common = partitions[0]
        for other in partitions[1:]:
            if other is not common:
                common = self.refine(common, other)
        return common


FunctionKey: TypeAlias = tuple[tuple[int, ...], bytes]


@dataclass(eq=False)
class Function:
    """A table of values over classes of variables; never changed (and not declared so, because hundreds of thousands are made).

    Attributes:
        axes: one partition for each variable that matters, by ascending variable.
        table: bool or integer array with one dimension an axis.
    """

    axes: tuple[Partition, ...]
    table: Array
    _key: FunctionKey | None = field(default=None, init=False, repr=False)
    _shape: FunctionKey | None = field(default=None, init=False, repr=False)

    @property
    def variables(self) -> tuple[int, ...]:
        """The variables that matter."""
        return tuple(axis.variable for axis in self.axes)

    @property
    def constant(self) -> bool:
        """Whether no variable matters."""
        return not self.axes

    @property
    def key(self) -> FunctionKey:
        """Equal for equal functions (both simplified)."""
        if self._key is None:
            self._key = (tuple([axis.index for axis in self.axes]), self.table.tobytes())
        return self._key

    @property
    def shape(self) -> FunctionKey:
        """Equal for functions that differ in nothing but the variables."""
        if self._shape is None:
            self._shape = (tuple([axis.look for axis in self.axes]), self.table.tobytes())
        return self._shape

    def __invert__(self) -> Function:
        return Function(self.axes, ~self.table)


Rules: TypeAlias = Sequence[Sequence[Function]]
"""A formula in disjunctive form: in one of the rules all functions (truth values) hold."""

TRUE = Function((), np.array(True))
FALSE = Function((), np.array(False))


def cells(axes: Iterable[Partition]) -> int:
    """Size of a table over these axes."""
    product = 1
    for axis in axes:
        product *= axis.size
    return product


def common_axes(partitions: Partitions, functions: Iterable[Function]) -> tuple[Partition, ...]:
    """The axes over which all the functions can be written."""
    by_variable: dict[int, dict[int, Partition]] = {}
    for function in functions:
        for axis in function.axes:
            by_variable.setdefault(axis.variable, {})[axis.index] = axis
    return tuple(partitions.common(list(by_variable[v].values())) for v in sorted(by_variable))


def spread(function: Function, axes: Sequence[Partition]) -> Array:
    """The function's table with one dimension for each of ``axes`` (finer than its own), ready to broadcast."""
    table = function.table
    shape = [1] * len(axes)
    position = 0
    for dimension, axis in enumerate(axes):
        if position < len(function.axes) and function.axes[position].variable == axis.variable:
            own = function.axes[position]
            if own is not axis:
                table = table.take(own.labels[axis.first], axis=position)
            shape[dimension] = axis.size
            position += 1
    return table.reshape(shape)


def disjunction(rules: Rules, axes: Sequence[Partition]) -> Array:
    """Table over ``axes`` of the truth of "in one of the rules all functions hold"."""
    result = np.zeros([axis.size for axis in axes], dtype=np.bool_)
    known: dict[int, Array] = {}
    for rule in rules:
        term: Array | None = None
        for function in rule:
            table = known.get(id(function))
            if table is None:
                table = known[id(function)] = spread(function, axes)
            term = table if term is None else term & table
        result |= True if term is None else term
    return result


def simplify(partitions: Partitions, axes: Sequence[Partition], table: Array) -> Function:
    """The same function with classes merged where the table treats them alike, and without variables that do not matter."""
    kept: list[Partition] = []
    for axis in axes:
        dimension = len(kept)
        # The table seen by each class, in bytes.
        seen = table.swapaxes(0, dimension).tobytes()
        width = len(seen) // axis.size
        if axis.size == 2:
            # Two classes differ or do not.
            if seen[:width] == seen[width:]:
                table = table.take(0, axis=dimension)
            else:
                kept.append(axis)
            continue
        first: dict[bytes, int] = {}
        numbers = [first.setdefault(seen[k : k + width], len(first)) for k in range(0, len(seen), width)]
        if len(first) == 1:
            table = table.take(0, axis=dimension)
            continue
        if len(first) < axis.size:
            numbering = np.array(numbers)
            axis = partitions.of(axis.variable, numbering[axis.labels])
            # Classes of the coarser partition are numbered by first appearance among values, hence among old classes.
            table = table.take(np.unique(numbering, return_index=True)[1], axis=dimension)
        kept.append(axis)
    return Function(tuple(kept), np.array(table, order="C"))
