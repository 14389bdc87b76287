"""Small instances without compiled code: compact-table on Python's own integers, for the time that loading the compiler takes.

Importing Numba takes longer than a small instance takes to solve. This engine does the same as the compiled one (generalised arc
consistency kept during the search, the same variable orderings) with Python integers as bitsets (Demeulenaere et al.,
"Compact-Table: Efficiently Filtering Table Constraints with Reversible Sparse Bit-Sets", CP 2016). It counts its steps and gives
up when they would take longer than loading the compiled engine, which then begins anew.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from scsp_player.solver.results import Count, Solutions, product
from xcsp.model import STAR, Instance

MOST_CELLS = 250_000
"""Cells of all tables, words of their bitsets, and values of all variables that are looked at; as many take about 0.1 s."""

MOST_ROWS = 16_384
"""Rows of one table: its bitsets are made row by row, each time as long as they are."""

MOST_STEPS = 300_000
"""Meetings of a value with a table that are allowed, about 0.3 s; what else takes time is counted in the same unit."""

_STAR = int(STAR)


class TooMuchWorkError(Exception):
    """The instance is one for the compiled engine."""


class _Table(NamedTuple):
    """A table as bitsets of its rows.

    Attributes:
        scope: its variables.
        masks: for each variable of the scope and each of its values the rows that allow (or forbid) it, stars among them.
        exact: the same without stars.
        positive: supports or conflicts.
    """

    scope: list[int]
    masks: list[list[int]]
    exact: list[list[int]]
    positive: bool


class _State(NamedTuple):
    """Where a branch of the search stands: copied, not restored.

    Attributes:
        domains: for each variable a bitset of its living values.
        living: for each table a bitset of the rows with living values only.
    """

    domains: list[int]
    living: list[int]


class PlainSolver:
    """MAC with compact-table in plain Python on one instance, for as long as it is small.

    >>> from xcsp.model import Instance, Table, Variable
    >>> x, y = (Variable(name, np.arange(3, dtype=np.int32)) for name in "xy")
    >>> less = Table(np.array([0, 1], dtype=np.int32), np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32))
    >>> PlainSolver(Instance("less", (x, y), (less,))).solutions().values.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """

    def __init__(self, instance: Instance, ordering: str = "dom/ddeg", *, most_steps: int = MOST_STEPS) -> None:
        """Turns the tables into bitsets and propagates the root.

        Args:
            instance: the instance, well-formed as the reader makes it.
            ordering: ``dom/ddeg``, ``dom/wdeg``, ``dom`` or ``lex``; values go upwards.
            most_steps: give up after so many steps.

        Raises:
            TooMuchWorkError: if the instance is too large.
        """
        if instance.relations or sum(len(variable.domain) for variable in instance.variables) > MOST_CELLS:
            raise TooMuchWorkError
        self._left = most_steps
        self._ordering = ordering
        self._values = [variable.domain.tolist() for variable in instance.variables]
        self._tables = _tables(instance, self._values)
        self._places: list[list[tuple[int, int]]] = [[] for _ in self._values]
        for t, table in enumerate(self._tables):
            for k, x in enumerate(table.scope):
                self._places[x].append((t, k))
        self._weights = [1] * len(self._tables)
        self._nodes = self._fails = 0
        root = _State([(1 << len(values)) - 1 for values in self._values], [_rows(table) for table in self._tables])
        consistent = all(root.domains) and self._propagate(root, dict.fromkeys(range(len(self._tables))))
        self._root = root if consistent else None

    def solutions(self, *, limit: int | None = None, seconds: float | None = None) -> Solutions:
        """All solutions; arguments and answer as for ``Solver.solutions``.

        Raises:
            TooMuchWorkError: if they are not found within the allowed steps.
        """
        began = time.perf_counter()
        found: list[tuple[int, ...]] = []
        complete = True
        for domains in self._leaves(None if seconds is None else began + seconds):
            if domains is None:
                complete = False
                break
            self._spend(len(domains) // 2 + 1)
            alive = [[values[i] for i in _bits(domain)] for values, domain in zip(self._values, domains, strict=True)]
            for row in itertools.product(*alive):
                self._spend(len(row) // 8 + 1)
                found.append(row)
                if len(found) == limit:
                    break
            if len(found) == limit:
                complete = False
                break
        values = np.array(found, dtype=np.int32).reshape(len(found), len(self._values))
        return Solutions(values, complete, self._nodes, self._fails, time.perf_counter() - began)

    def count(self, *, limit: int | None = None, seconds: float | None = None) -> Count:
        """Number of solutions; arguments and answer as for ``Solver.count``.

        Raises:
            TooMuchWorkError: if they are not counted within the allowed steps.
        """
        began = time.perf_counter()
        number = 0
        complete = True
        for domains in self._leaves(None if seconds is None else began + seconds):
            if domains is None or (limit is not None and number >= limit):
                complete = False
                break
            number += product(domain.bit_count() for domain in domains)
        return Count(number, complete, self._nodes, self._fails, time.perf_counter() - began)

    def _leaves(self, deadline: float | None) -> Iterator[list[int] | None]:
        """Domains of which every combination is a solution; None, as the last one, when the time is up."""
        self._nodes = self._fails = 0
        if self._root is None:
            return
        state = _State(self._root.domains[:], self._root.living[:])
        x = self._choice(state.domains)
        # The path from the root: variable, values still to be tried, and the state in which they are to be tried.
        path: list[tuple[int, int, _State]] = []
        if x is None:
            yield state.domains
        else:
            path.append((x, state.domains[x], state))
        while path:
            if deadline is not None and time.perf_counter() >= deadline:
                yield None
                return
            x, values, before = path.pop()
            value = values & -values
            if values != value:
                path.append((x, values ^ value, before))
                state = _State(before.domains[:], before.living[:])
                # A path holds at most as many copies as were paid for here, so the allowance bounds the memory, too.
                self._spend((len(state.domains) + len(state.living)) // 16)
            else:
                state = before
            self._nodes += 1
            queue: dict[int, None] = {}
            if not (self._narrow(state, x, value, queue) and self._propagate(state, queue)):
                self._fails += 1
                continue
            x = self._choice(state.domains)
            if x is None:
                yield state.domains
            else:
                path.append((x, state.domains[x], state))

    def _narrow(self, state: _State, x: int, kept: int, queue: dict[int, None]) -> bool:
        """Reduces a domain to the values ``kept``; tables that lose rows join ``queue``. False if a table of supports loses all."""
        before = state.domains[x]
        state.domains[x] = kept
        removed = before ^ kept
        by_removal = removed.bit_count() < kept.bit_count()
        chosen = _bits(removed if by_removal else kept)
        living = state.living
        for t, k in self._places[x]:
            table, old = self._tables[t], living[t]
            self._spend((len(chosen) + 1) * (old.bit_length() // 1024 + 1))
            masks = (table.exact if by_removal else table.masks)[k]
            met = 0
            for value in chosen:
                met |= masks[value]
            rows = old & ~met if by_removal else old & met
            if rows == old and table.positive:
                continue
            living[t] = rows
            queue[t] = None
            if not rows and table.positive:
                self._weights[t] += 1
                return False
        return True

    def _propagate(self, state: _State, queue: dict[int, None]) -> bool:
        """Removes values without support until there is none; False after a contradiction."""
        domains = state.domains
        while queue:
            t, _ = queue.popitem()
            table = self._tables[t]
            for x, kept in self._supported(table, domains, state.living[t]):
                if not kept:
                    self._weights[t] += 1
                    return False
                if not self._narrow(state, x, kept, queue):
                    return False
        return True

    def _supported(self, table: _Table, domains: list[int], rows: int) -> list[tuple[int, int]]:
        """The variables of the table that lose values, each with the values that keep a support."""
        changes: list[tuple[int, int]] = []
        sizes = [domains[x].bit_count() for x in table.scope]
        combinations = 1
        for size in sizes:
            combinations *= size
        if not table.positive and rows.bit_count() * max(sizes) < combinations:
            return changes  # too few conflicts for any value to meet all combinations of the others
        for k, x in enumerate(table.scope):
            domain, masks = domains[x], table.masks[k]
            if table.positive:
                if sizes[k] == 1 and rows:
                    continue  # every living row goes with the only value
                gone = [i for i in _bits(domain) if not rows & masks[i]]
            else:
                others = combinations // sizes[k]
                gone = [i for i in _bits(domain) if (rows & masks[i]).bit_count() == others]
            self._spend(sizes[k] * (rows.bit_length() // 1024 + 1))
            if gone:
                for i in gone:
                    domain ^= 1 << i
                changes.append((x, domain))
        return changes

    def _choice(self, domains: list[int]) -> int | None:
        """The variable to decide next; None if no table holds two open variables, so that all combinations are solutions."""
        opened = [x for x, domain in enumerate(domains) if domain & (domain - 1)]
        self._spend(len(domains) // 8 + 1)
        if self._ordering == "lex":
            return opened[0] if opened else None
        sizes = {x: domains[x].bit_count() for x in opened}
        if self._ordering == "dom":
            return min(opened, key=sizes.__getitem__, default=None)
        weights = self._weights if self._ordering == "dom/wdeg" else None
        degrees: dict[int, int] = dict.fromkeys(opened, 0)
        for t in {t for x in opened for t, _ in self._places[x]}:
            self._spend(3)
            tied = [x for x in self._tables[t].scope if x in sizes]
            if len(tied) > 1:
                weight = 1 if weights is None else weights[t]
                for x in tied:
                    degrees[x] += weight
        return min((x for x in opened if degrees[x]), key=lambda x: sizes[x] / degrees[x], default=None)

    def _spend(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise TooMuchWorkError


@lru_cache(maxsize=4096)
def _bits(bitset: int) -> tuple[int, ...]:
    """Places of the set bits, ascending. Few different domains come again and again."""
    places = []
    while bitset:
        lowest = bitset & -bitset
        places.append(lowest.bit_length() - 1)
        bitset ^= lowest
    return tuple(places)


def _tables(instance: Instance, values: Sequence[Sequence[int]]) -> list[_Table]:
    """The tables as bitsets; those that share one array of tuples share the work.

    Raises:
        TooMuchWorkError: if they have too many cells.
    """
    shared: dict[tuple[int, bool], list[dict[int, int]]] = {}
    cells = 0
    tables = []
    for constraint in instance.constraints:
        key = id(constraint.tuples), constraint.positive
        scope = constraint.scope.tolist()
        words = len(constraint.tuples) // 64 + 1
        cells += words * sum(len(values[x]) for x in scope) + (0 if key in shared else constraint.tuples.size)
        if cells > MOST_CELLS or len(constraint.tuples) > MOST_ROWS:
            raise TooMuchWorkError
        columns = shared.get(key)
        if columns is None:
            rows = constraint.tuples.tolist()
            # Conflicts are counted, so each must be there once.
            columns = shared[key] = _columns(rows if constraint.positive else sorted(set(map(tuple, rows))), len(scope))
        exact = [[column.get(value, 0) for value in values[x]] for x, column in zip(scope, columns, strict=True)]
        stars = [column.get(_STAR, 0) for column in columns]
        masks = [[mask | star for mask in one] if star else one for one, star in zip(exact, stars, strict=True)]
        tables.append(_Table(scope, masks, exact, constraint.positive))
    return tables


def _columns(rows: Sequence[Sequence[int]], width: int) -> list[dict[int, int]]:
    """For each column the rows in which a number stands."""
    columns: list[dict[int, int]] = [{} for _ in range(width)]
    for k, column in enumerate(columns):
        bit = 1
        for row in rows:
            column[row[k]] = column.get(row[k], 0) | bit
            bit <<= 1
    return columns


def _rows(table: _Table) -> int:
    """The rows whose values all lie in the domains."""
    rows = -1
    for masks in table.masks:
        met = 0
        for mask in masks:
            met |= mask
        rows &= met
    return rows
