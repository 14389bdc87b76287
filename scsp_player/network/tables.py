"""The network under construction: variables, and the tables that tie them together."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scsp_player.network.coordinates import Decomposition, coordinates, decomposed
from scsp_player.network.cover import ANY, FORBIDDEN, Coverer
from scsp_player.network.errors import Deadline, NetworkTooLargeError
from scsp_player.network.functions import Function, Partition, Partitions, cells, common_axes, spread
from xcsp.model import STAR, Table

Ints = NDArray[np.int32]
Array = NDArray[Any]

MERGE_CELLS = 1_000_000
"""Constraints over the same variables are put together when a dense table over these has at most this many cells."""

NEW_VARIABLE = 8
"""What another class variable costs, in table entries."""

LEAST_VALUES = 64
MANY_TUPLES = 100_000
"""Coordinates are looked for where a variable has at least that many values, and its classes would take that many tuples."""

FALSE_TRUE = np.array([False, True])

MOVE_KINDS = ("decision", "chance")
"""Kinds of the variables that stand for a role's move."""


@dataclass
class Draft:
    """A variable under construction.

    Attributes:
        name: identifier.
        size: number of values; tables under construction use their indices 0 … size - 1.
        kind: what it stands for; becomes the ``class`` of the variable in XCSP3.
        note: dictionary of the values, for readers.
        domain: the values themselves, ascending; None for 0 … size - 1.
    """

    name: str
    size: int
    kind: str
    note: str = ""
    domain: tuple[int, ...] | None = None


@dataclass(frozen=True)
class _Entry:
    """A finished table: tuples over a scope in ascending order; ``output`` is the variable that it defines, or -1."""

    tuples: Ints
    positive: bool
    kind: str
    output: int = -1


@dataclass(frozen=True)
class Finished:
    """A finished network.

    Attributes:
        variables: the variables in use.
        tables: the constraints over them.
        defines: for each constraint the variables that are functions of the others by it.
        index: int32, the new index of every old variable (-1: left out).
    """

    variables: list[Draft]
    tables: list[Table]
    defines: list[tuple[int, ...]]
    index: Ints


class TableBuilder:
    """Collects variables and constraints; every table is written in the fewest tuples that it finds.

    Args:
        tuple_limit: no table gets more tuples than this.
        total_limit: bound on the entries of all tables together.
        deadline: looked at whenever a variable or a table is made.
    """

    def __init__(self, tuple_limit: int, total_limit: int = 100_000_000, deadline: Deadline | None = None) -> None:
        self.deadline = deadline or Deadline()
        self.variables: list[Draft] = []
        self.partitions = Partitions()
        self.coverer = Coverer()
        self.tuple_limit = tuple_limit
        self._total_limit = total_limit
        self._entries = 0
        self._tables: dict[tuple[int, ...], list[_Entry]] = defaultdict(list)
        self._relations: dict[tuple[int, ...], list[tuple[tuple[Partition, ...], Array, str]]] = defaultdict(list)
        self._quotients: dict[int, int] = {}
        self._waiting: dict[int, list[tuple[Partition, int]]] = defaultdict(list)
        self._names: dict[str, int] = {}
        self._written: dict[Hashable, _Written] = {}

    def variable(self, name: str, size: int, kind: str, note: str = "", domain: tuple[int, ...] | None = None) -> int:
        """A new variable with ``size`` values; the name gets a number if it is taken."""
        self.deadline.check()
        unique, number = name, self._names.get(name, 0)
        while unique in self._names:
            number += 1
            unique = f"{name}_{number + 1}"
        self._names[name] = number
        self._names.setdefault(unique, 0)
        self.variables.append(Draft(unique, size, kind, note, domain))
        return len(self.variables) - 1

    def identity(self, variable: int) -> Partition:
        """The partition of a variable with a class for every value."""
        return self.partitions.identity(variable, self.variables[variable].size)

    def truth(self, variable: int) -> Function:
        """The function "the variable is 1" of one with two values."""
        return Function((self.identity(variable),), FALSE_TRUE)

    def one_of(self, variable: int, values: Sequence[int] | Ints) -> Function:
        """The function "the variable has one of these values"."""
        mask = np.zeros(self.variables[variable].size, dtype=np.bool_)
        mask[np.asarray(values, dtype=np.int64)] = True
        if mask.all() or not mask.any():
            return Function((), np.array(bool(mask.any())))
        partition = self.partitions.of(variable, mask)
        return Function((partition,), np.array([mask[0], not mask[0]]))

    def define(self, output: int, axes: Sequence[Partition], table: Array, kind: str) -> None:
        """Constrain ``output`` to be the function ``table`` (int, ``FORBIDDEN`` where it does not matter) over ``axes``."""
        self.define_rows(output, axes, self.coverer.cover(table), kind)

    def define_rows(self, output: int, axes: Sequence[Partition], rows: Ints, kind: str) -> None:
        """Add a table of disjoint rows: classes of ``axes`` (or ``ANY``), then the value of ``output``."""
        axes = [*axes, self.identity(output)]
        key = self._look(axes, rows)
        found = self._written.get(key)
        if found is None:
            used = [*np.flatnonzero((rows[:, :-1] != ANY).any(axis=0)).tolist(), len(axes) - 1]
            columns = rows if len(used) == len(axes) else rows[:, used]
            chosen = [axes[k] for k in used]
            found = self._written[key] = self._expanded(chosen, used, self._plan(chosen, columns)[0], columns)
        self._write(axes, found, kind, output)

    def restrict(self, axes: Sequence[Partition], allowed: Array, kind: str) -> None:
        """Allow only the combinations of classes for which ``allowed`` (bool over ``axes``) holds."""
        order = np.argsort([axis.variable for axis in axes])
        ascending = tuple(axes[k] for k in order)
        self._relations[tuple(axis.variable for axis in ascending)].append((ascending, allowed.transpose(order), kind))

    def _quotient(self, partition: Partition, target: str) -> int:
        """The variable whose value is the class of a variable's value; made, with its binary table, when first asked for."""
        found = self._quotients.get(partition.index)
        if found is None:
            source = self.variables[partition.variable]
            prefix = "effect" if source.kind in MOVE_KINDS else "class"
            name = "_".join([prefix, source.name.split("_", 1)[-1], target])
            found = self._quotients[partition.index] = self.variable(name, partition.size, "auxiliary", f"class of {source.name}")
            self._waiting[partition.variable].append((partition, found))
        return found

    def _finish_quotients(self) -> None:
        """Define the class variables: by coordinates where these say with far fewer tuples what many classes ask for."""
        while self._waiting:
            variable, asked = self._waiting.popitem()
            size = self.variables[variable].size
            parts: list[Decomposition | None] = [None] * len(asked)
            if size >= LEAST_VALUES and size * len(asked) >= MANY_TUPLES:
                found = coordinates([p for p, _ in asked])
                parts = [decomposed(partition, found) for partition, _ in asked]
                rows = size * len({k for part in parts if part for k in part.coordinates})
                if 2 * (rows + sum(size if part is None else part.rows for part in parts)) > size * len(asked):
                    parts = [None] * len(asked)
            made: dict[int, int] = {}
            for (partition, quotient), part in zip(asked, parts, strict=True):
                if part is None:
                    self._put_classes(variable, quotient, partition.labels)
                    continue
                for k in part.coordinates:
                    if k not in made:
                        name = f"coordinate_{self.variables[variable].name.split('_', 1)[-1]}"
                        made[k] = self.variable(name, int(found[k].max()) + 1, "auxiliary", f"one of {name}'s sets of values")
                        self._put_classes(variable, made[k], found[k])
                self._define_by(quotient, [made[k] for k in part.coordinates], part)

    def _put_classes(self, variable: int, quotient: int, labels: Ints) -> None:
        rows = np.stack([np.arange(len(labels), dtype=np.int32), labels], axis=1)
        self._put((variable, quotient), rows, _Use(True, "class", quotient))

    def _define_by(self, quotient: int, variables: list[int], part: Decomposition) -> None:
        """Define a class variable by coordinates."""
        axes = [self.partitions.of(v, named + 1) for v, named in zip(variables, part.named, strict=True)]
        says = np.ix_(*(named[axis.first] for named, axis in zip(part.named, axes, strict=True)))
        highest = functools.reduce(np.maximum, says)
        # Two coordinates of a value never name different classes.
        agreed = functools.reduce(np.logical_and, [(s < 0) | (s == highest) for s in says])
        table = np.where(highest < 0, part.rest, np.where(agreed, highest, FORBIDDEN))
        self.define(quotient, axes, table, "class")

    def _plan(self, axes: Sequence[Partition], rows: Ints) -> tuple[list[bool], int]:
        """Which columns to replace by class variables so that fewest table entries are needed, and their number."""
        if all(axis.identity for axis in axes):
            return [False] * len(axes), rows.size
        multiples = np.ones(rows.shape, dtype=np.int64)
        for k, axis in enumerate(axes):
            if not axis.identity:
                multiples[:, k] = _multiples(axis, rows[:, k])
        replaced = [False] * len(axes)
        spent = 0
        while True:
            size = multiples.prod(axis=1)
            total = int(size.sum())
            best, best_gain, best_price = -1, 0, 0
            for k, axis in enumerate(axes):
                if axis.identity or replaced[k]:
                    continue
                price = 0 if axis.index in self._quotients else 2 * len(axis.labels) + NEW_VARIABLE
                saved = total - int((size // multiples[:, k]).sum())
                gain = saved if total > self.tuple_limit else saved * len(axes) - price
                if gain > best_gain:
                    best, best_gain, best_price = k, gain, price
            if best < 0:
                return replaced, total * len(axes) + spent
            replaced[best] = True
            multiples[:, best] = 1
            spent += best_price

    def _look(self, axes: Sequence[Partition], table: Array) -> Hashable:
        """Equal for tables that are written alike over different variables."""
        known = tuple([axis.index in self._quotients for axis in axes])
        return tuple([axis.look for axis in axes]), known, table.shape, table.dtype.char, table.tobytes()

    def _expanded(
        self, axes: Sequence[Partition], places: Sequence[int], plan: list[bool], rows: Ints, positive: bool = True
    ) -> _Written:
        """Rows over classes as tuples, with the columns named by ``plan`` left to class variables."""
        final = [None if replaced or axis.identity else axis for axis, replaced in zip(axes, plan, strict=True)]
        size = np.ones(len(rows), dtype=np.int64)
        for k, axis in enumerate(final):
            if axis is not None:
                size *= _multiples(axis, rows[:, k])
        total = int(size.sum())
        if total > self.tuple_limit:
            names = ", ".join(self.variables[axis.variable].name for axis in axes)
            raise NetworkTooLargeError(f"a table over {names} needs {total} tuples", remedy=f"the limit is {self.tuple_limit}")
        return _Written(tuple(zip(places, plan, strict=True)), _expand(final, rows, size), positive)

    def _write(self, axes: Sequence[Partition], written: _Written, kind: str, output: int = -1) -> None:
        """Add a table over the variables of ``axes``, or their class variables."""
        target = self.variables[output].name.split("_", 1)[-1] if output >= 0 else kind
        scope = [self._quotient(axes[k], target) if replaced else axes[k].variable for k, replaced in written.columns]
        self._put(tuple(scope), written.tuples, _Use(written.positive, kind, output))

    def _put(self, scope: tuple[int, ...], tuples: Ints, use: _Use) -> None:
        self.deadline.check()
        if len(tuples) > self.tuple_limit:
            raise NetworkTooLargeError(
                f"{self.variables[scope[0]].name} has {len(tuples)} values", remedy=f"tables are limited to {self.tuple_limit}"
            )
        self._entries += tuples.size
        if self._entries > self._total_limit:
            raise NetworkTooLargeError(f"the tables have more than {self._total_limit} entries")
        order = sorted(range(len(scope)), key=scope.__getitem__)
        if order != list(range(len(scope))):
            tuples = tuples[:, order]
        self._tables[tuple([scope[k] for k in order])].append(_Entry(tuples, use.positive, use.kind, use.output))

    def _finish_relations(self) -> None:
        for relations in self._relations.values():
            functions = [Function(axes, allowed) for axes, allowed, _ in relations]
            axes = common_axes(self.partitions, functions)
            allowed = np.ones([axis.size for axis in axes], dtype=np.bool_)
            for function in functions:
                allowed &= spread(function, axes)
            self._relate(axes, allowed, relations[0][2])
        self._relations.clear()

    def _relate(self, axes: tuple[Partition, ...], allowed: Array, kind: str) -> None:
        """Add a relation as conflicts or as supports, whichever are fewer."""
        if allowed.all():
            return
        key = self._look(axes, allowed)
        found = self._written.get(key)
        if found is None:
            conflicts = np.argwhere(~allowed).astype(np.int32)
            rows = self.coverer.cover(allowed.astype(np.int32))
            supports = rows[rows[:, -1] == 1, :-1]
            conflict_plan, conflict_cost = self._plan(axes, conflicts)
            support_plan, support_cost = self._plan(axes, supports)
            places = range(len(axes))
            if conflict_cost <= support_cost:
                found = self._expanded(axes, places, conflict_plan, conflicts, positive=False)
            else:
                found = self._expanded(axes, places, support_plan, supports)
            self._written[key] = found
        self._write(axes, found, kind)

    def finish(self, needed: Iterable[int]) -> Finished:
        """The network as it stands.

        Auxiliary variables that nothing depends on are left out, ``needed`` excepted. Constraints over the same variables become
        one where the size allows. They stand in the order of their last variables.
        """
        self._finish_relations()
        self._finish_quotients()
        self._drop_unused(set(needed))
        used = [v for v, draft in enumerate(self.variables) if draft.kind != "dropped"]
        index = np.full(len(self.variables), -1, dtype=np.int32)
        index[used] = np.arange(len(used), dtype=np.int32)
        tables: list[Table] = []
        defines: list[tuple[int, ...]] = []
        for scope, entries in sorted(self._tables.items(), key=lambda item: (item[0][-1], item[0])):
            outputs = [e.output for e in entries]
            merged = self._merge(scope, entries) if len(entries) > 1 else entries
            for k, entry in enumerate(merged):
                tables.append(Table(index[list(scope)], self._values(scope, entry.tuples), entry.positive, (entry.kind,)))
                own = outputs[k : k + 1] if len(merged) == len(entries) else outputs
                defines.append(tuple(int(index[v]) for v in own if v >= 0))
        return Finished([self.variables[v] for v in used], tables, defines, index)

    def _drop_unused(self, needed: set[int]) -> None:
        occurrences = Counter(v for scope, entries in self._tables.items() for v in scope for _ in entries)
        definition = {e.output: scope for scope, entries in self._tables.items() for e in entries if e.output >= 0}
        waiting = list(range(len(self.variables)))
        while waiting:
            variable = waiting.pop()
            draft = self.variables[variable]
            if draft.kind != "auxiliary" or variable in needed or occurrences[variable] != 1 or variable not in definition:
                continue
            scope = definition[variable]
            self._tables[scope] = [e for e in self._tables[scope] if e.output != variable]
            if not self._tables[scope]:
                del self._tables[scope]
            draft.kind = "dropped"
            occurrences.subtract(scope)
            waiting.extend(scope)

    def _values(self, scope: tuple[int, ...], tuples: Ints) -> Ints:
        """Tuples of value indices as tuples of values."""
        if any(self.variables[v].domain is not None for v in scope):
            tuples = tuples.copy()  # Others may be written alike.
        for column, variable in enumerate(scope):
            domain = self.variables[variable].domain
            if domain is not None:
                indices = tuples[:, column]
                mapped = np.array(domain, dtype=np.int32)[np.maximum(indices, 0)]
                tuples[:, column] = np.where(indices == STAR, STAR, mapped)
        return np.ascontiguousarray(tuples)

    def _merge(self, scope: tuple[int, ...], entries: list[_Entry]) -> list[_Entry]:
        axes = tuple(self.identity(v) for v in scope)
        if cells(axes) > MERGE_CELLS:
            return entries
        allowed = np.ones([axis.size for axis in axes], dtype=np.bool_)
        for entry in entries:
            listed = np.zeros_like(allowed)
            for row in entry.tuples:
                listed[tuple(slice(None) if x == STAR else int(x) for x in row)] = True
            allowed &= listed if entry.positive else ~listed
        rows = self.coverer.cover(allowed.astype(np.int32))
        supports = rows[rows[:, -1] == 1, :-1]
        conflicts = np.argwhere(~allowed).astype(np.int32)
        if len(conflicts) < len(supports):
            return [_Entry(conflicts, False, entries[0].kind)]
        return [_Entry(_starred(supports), True, entries[0].kind)]


@dataclass(frozen=True)
class _Use:
    """What a table is for."""

    positive: bool
    kind: str
    output: int = -1


@dataclass(frozen=True)
class _Written:
    """How a table is written.

    Attributes:
        columns: for each column the place of its axis, and whether its entries are classes instead of values.
        tuples: int32[n, columns].
        positive: whether these are supports.
    """

    columns: tuple[tuple[int, bool], ...]
    tuples: Ints
    positive: bool


def _multiples(axis: Partition, column: Ints) -> NDArray[np.int64]:
    """Number of values that each entry of a column of classes stands for; ``ANY`` stays one entry."""
    return np.where(column == ANY, 1, axis.counts[column])


def _expand(axes: Sequence[Partition | None], rows: Ints, size: NDArray[np.int64]) -> Ints:
    """Rows over classes as tuples over values, ``ANY`` as ``STAR``; None for columns that stay as they are."""
    if all(axis is None for axis in axes):
        # A class is a value, too, where each value has its own: classes are numbered in the order of the values.
        return _starred(rows)
    tuples = np.repeat(rows, size, axis=0)
    # The number of a tuple within its row is read as a number with one digit for each class.
    rest = np.arange(len(tuples), dtype=np.int64) - np.repeat(np.cumsum(size) - size, size)
    for k, axis in enumerate(axes):
        column = tuples[:, k]
        if axis is not None:
            chosen = column != ANY
            wanted = np.zeros(axis.size, dtype=np.bool_)
            wanted[column[chosen]] = True
            # The values of the classes that occur, class by class: often all but the one with nearly all values.
            order = np.flatnonzero(wanted[axis.labels])
            order = order[np.argsort(axis.labels[order], kind="stable")]
            counts = axis.counts * wanted
            begin = np.cumsum(counts) - counts
            number = np.where(chosen, counts[column], 1)
            column[chosen] = order[begin[column[chosen]] + rest[chosen] % number[chosen]]
            rest //= number
        tuples[:, k] = np.where(column == ANY, STAR, column)
    return tuples.astype(np.int32)


def _starred(rows: Ints) -> Ints:
    """A copy of rows with ``STAR`` for ``ANY``."""
    tuples = rows.astype(np.int32)
    tuples[tuples == ANY] = STAR
    return tuples
