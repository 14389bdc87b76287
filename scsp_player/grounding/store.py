"""The relation store: interned terms, relations, views and indexes in one heap of integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.terms import Compound, Symbol, Term
from scsp_player.grounding import join_kernels as join
from scsp_player.grounding import store_kernels as kernels
from scsp_player.grounding.budget import Budget, BudgetExceeded, EndlessTerms
from scsp_player.grounding.term_table import TermTable

FUNCTOR: Final = 1 << 40
"""Tokens of patterns: ``FUNCTOR + f`` is the functor relation f, a smaller token >= 0 a variable, ``~t`` the ground term t."""

Tokens = tuple[int, ...]
"""A list of terms in prefix order, e.g. the columns of a literal; flat, so that nesting costs no recursion."""

STEPS_BETWEEN_CHECKS: Final = 2_000_000


class GrowingTable:
    """int64[n, fields] that grows by doubling; ``array`` is the part in use."""

    def __init__(self, fields: int) -> None:
        self._all = np.zeros((64, fields), dtype=np.int64)
        self.count = 0

    def append(self) -> int:
        """A new zero line; returns its number."""
        if self.count == len(self._all):
            self._all = np.vstack([self._all, np.zeros_like(self._all)])
        self.count += 1
        return self.count - 1

    @property
    def array(self) -> NDArray[np.int64]:
        """The whole table, unused lines included (contiguous, as the kernels want it)."""
        return self._all


class Store:
    """Relations of interned terms, and the machine that evaluates compiled blocks over them (see ``join_kernels``).

    Relation numbers, functor numbers (functors are relations of their arguments) and view numbers share one range.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget(float("inf"), 1 << 40)
        self.heap = np.zeros(1 << 16, dtype=np.int32)
        self.heap[0] = -1
        self.meta = np.zeros(kernels.META_SIZE, dtype=np.int64)
        self.meta[kernels.TOP] = 1
        self.meta[kernels.DEPTH_LIMIT] = 1 << 30
        self.meta[join.ENTER] = -1
        self._rel = GrowingTable(kernels.REL_FIELDS)
        self._idx = GrowingTable(kernels.IDX_FIELDS)
        self._code: list[int] = []
        self._code_array = np.zeros(0, dtype=np.int32)
        self._registers = np.zeros(64, dtype=np.int32)
        self._scratch = (np.zeros(64, dtype=np.int32), np.zeros(64, dtype=np.int32), np.zeros(64, dtype=np.int32))
        self.names: list[str] = []
        self.symbol_of: dict[str, int] = {}
        self.functor_of: dict[tuple[str, int], int] = {}
        self._functor_name: dict[int, str] = {}
        self._views: dict[tuple[int, Tokens], int] = {}
        self._indexes: dict[tuple[int, tuple[int, ...]], int] = {}
        self._stale: set[int] = set()
        self.relation(3, keyed=False)  # the list of terms

    # -- structure -------------------------------------------------------------------------------------------------

    @property
    def rel(self) -> NDArray[np.int64]:
        """Descriptors of relations, ``rel[r, field]``."""
        return self._rel.array

    @property
    def idx(self) -> NDArray[np.int64]:
        """Descriptors of indexes, ``idx[i, field]``."""
        return self._idx.array

    def emit_code(self, entries: Iterable[int]) -> int:
        """Append to the code; returns where it starts."""
        start = len(self._code)
        self._code.extend(entries)
        return start

    @property
    def code(self) -> NDArray[np.int32]:
        """All code so far."""
        if len(self._code_array) != len(self._code):
            fresh = np.array(self._code[len(self._code_array) :], dtype=np.int32)
            self._code_array = np.concatenate([self._code_array, fresh])
        return self._code_array

    def relation(self, width: int, *, key: int | None = None, keyed: bool = True) -> int:
        """A new relation of ``width`` columns; rows are identified by the first ``key`` columns (all by default) or not at all."""
        r = self._rel.append()
        line = self.rel[r]
        line[kernels.WIDTH] = width
        line[kernels.KEY] = width if key is None else key
        line[[kernels.FIRST_INDEX, kernels.FIRST_VIEW, kernels.NEXT_VIEW, kernels.SOURCE]] = -1
        if keyed:
            line[kernels.TABLE] = self._block(3)
            line[kernels.MASK] = 7
            self.heap[line[kernels.TABLE] : line[kernels.TABLE] + 8] = -1
        self._need_scratch(width + 1)
        return r

    def functor(self, name: str, arity: int) -> int:
        """The relation that holds the arguments of all terms ``name(…)`` of this arity."""
        found = self.functor_of.get((name, arity))
        if found is None:
            found = self.functor_of[name, arity] = self.relation(arity + 1, key=arity)
            self._functor_name[found] = name
        return found

    def arity(self, functor: int) -> int:
        """Number of arguments of a functor relation's terms."""
        return int(self.rel[functor, kernels.KEY])

    def view(self, source: int, skeleton: Tokens) -> int:
        """The relation of the terms that stand in the holes of ``skeleton`` over the rows of ``source``, last the source row."""
        found = self._views.get((source, skeleton))
        if found is None:
            holes = sum(token == kernels.HOLE for token in skeleton)
            found = self._views[source, skeleton] = self.relation(holes + 1, keyed=False)
            code = [kernels.HOLE if token == kernels.HOLE else token - FUNCTOR for token in skeleton]
            self._need_scratch(len(code) + int(self.rel[source, kernels.WIDTH]) + 1)
            line = self.rel[found]
            line[kernels.SOURCE] = source
            line[kernels.SKELETON] = self.emit_code([len(code), *code])
            line[kernels.NEXT_VIEW] = self.rel[source, kernels.FIRST_VIEW]
            self.rel[source, kernels.FIRST_VIEW] = found
            self._stale.add(source)
        return found

    def access(self, source: int, tokens: Tokens) -> tuple[int, Tokens]:
        """Where to match a pattern: the relation, or the view on it that the functors ask for, and the tokens of its columns."""
        holes = tuple(token for token in tokens if token < FUNCTOR)
        if len(holes) == len(tokens):
            return source, holes
        return self.view(source, tuple(token if token >= FUNCTOR else kernels.HOLE for token in tokens)), holes

    def views_of(self, source: int) -> list[int]:
        """The views of a relation."""
        views: list[int] = []
        view = int(self.rel[source, kernels.FIRST_VIEW])
        while view >= 0:
            views.append(view)
            view = int(self.rel[view, kernels.NEXT_VIEW])
        return views

    def index(self, r: int, columns: tuple[int, ...]) -> int:
        """An index of the rows of ``r`` by these columns."""
        found = self._indexes.get((r, columns))
        if found is None:
            found = self._indexes[r, columns] = self._idx.append()
            line = self.idx[found]
            line[kernels.OWNER] = r
            line[kernels.COLUMNS] = self.emit_code(columns)
            line[kernels.COLUMN_COUNT] = len(columns)
            line[kernels.NEXT_INDEX] = self.rel[r, kernels.FIRST_INDEX]
            self.rel[r, kernels.FIRST_INDEX] = found
            self._stale.add(r if self.rel[r, kernels.SOURCE] < 0 else int(self.rel[r, kernels.SOURCE]))
            self._need_scratch(len(columns) + 1)
        return found

    def _need_scratch(self, size: int) -> None:
        if size > len(self._scratch[0]):
            self._scratch = tuple(np.zeros(2 * size, dtype=np.int32) for _ in range(3))  # type: ignore[assignment]

    def need_registers(self, size: int) -> None:
        """Make sure that plans may use registers 0 … size - 1 and as many steps."""
        if size > len(self._registers):
            self._registers = np.zeros(2 * size, dtype=np.int32)
        self._need_scratch(size)

    # -- memory ----------------------------------------------------------------------------------------------------

    def _grow(self, wanted: int) -> None:
        size = max(len(self.heap) + wanted, len(self.heap) * 3 // 2)
        if size >= 1 << 31:
            raise BudgetExceeded("grounding needs more than 8 GiB")
        self.budget.check_bytes(4 * size)
        self.heap.resize(size, refcheck=False)

    def _block(self, bits: int) -> int:
        start = int(kernels.allocate(self.heap, self.meta, bits))
        if start == 0:
            self._grow(1 << bits)
            start = int(kernels.allocate(self.heap, self.meta, bits))
        return start

    # -- contents --------------------------------------------------------------------------------------------------

    def symbol(self, name: str) -> int:
        """Identifier of a symbol, interned."""
        found = self.symbol_of.get(name)
        if found is None:
            row = np.array([-1, len(self.names), 0], dtype=np.int32)
            self.names.append(name)
            found = self.symbol_of[name] = self.add_row(kernels.TERMS, row)
        return found

    def add_row(self, r: int, row: NDArray[np.int32]) -> int:
        """Add one row unless it is there; returns its number."""
        number = int(kernels.insert(self.heap, self.meta, self.rel, r, row))
        while number == kernels.NO_ROOM:
            self._grow(int(self.meta[kernels.NEED]))
            number = int(kernels.insert(self.heap, self.meta, self.rel, r, row))
        return number

    def add_rows(self, r: int, rows: NDArray[np.int32]) -> None:
        """Add rows, int32[n, width]."""
        done = 0
        while (done := int(kernels.insert_rows(self.heap, self.meta, self.rel, r, rows, done))) < len(rows):
            self._grow(int(self.meta[kernels.NEED]))

    def compound(self, functor: int, arguments: Sequence[int]) -> int:
        """Identifier of the term functor(arguments), interned."""
        row = np.array([*arguments, 0], dtype=np.int32)
        found = int(kernels.intern(self.heap, self.meta, self.rel, functor, row))
        while found == kernels.NO_ROOM:
            self._grow(int(self.meta[kernels.NEED]))
            found = int(kernels.intern(self.heap, self.meta, self.rel, functor, row))
        return found

    def compounds(self, functor: int, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Identifiers of the terms functor(row) for int32[n, arity] rows, interned."""
        found = np.zeros(len(rows), dtype=np.int32)
        padded = np.ascontiguousarray(np.hstack([rows, np.zeros((len(rows), 1), dtype=np.int32)]))
        done = 0
        while (done := int(kernels.intern_rows(self.heap, self.meta, self.rel, functor, padded, found, done))) < len(rows):
            self._grow(int(self.meta[kernels.NEED]))
        return found

    def term(self, term: Term) -> int:
        """Identifier of a ground term, interned."""
        if isinstance(term, Symbol):
            return self.symbol(term.name)
        stack: list[Term | tuple[str, int]] = [term]
        values: list[int] = []
        while stack:
            item = stack.pop()
            if isinstance(item, tuple):
                name, arity = item
                arguments = values[-arity:]
                del values[-arity:]
                values.append(self.compound(self.functor(name, arity), arguments))
            elif isinstance(item, Compound):
                stack.append((item.functor, len(item.arguments)))
                stack.extend(reversed(item.arguments))
            elif isinstance(item, Symbol):
                values.append(self.symbol(item.name))
            else:
                raise ValueError(f"not a ground term: {term}")
        return values[0]

    def count(self, r: int) -> int:
        """Number of rows of a relation."""
        return int(self.rel[r, kernels.COUNT])

    def rows(self, r: int) -> NDArray[np.int32]:
        """A copy of the rows of a relation, int32[count, width]. (A window on the heap would dangle when the heap moves.)"""
        line = self.rel[r]
        count, width, base = int(line[kernels.COUNT]), int(line[kernels.WIDTH]), int(line[kernels.BASE])
        return self.heap[base : base + count * width].reshape(count, width).copy()

    # -- evaluation ------------------------------------------------------------------------------------------------

    def reset(self, r: int) -> None:
        """Take all rows out of a relation, its views and indexes."""
        for relation in (r, *self.views_of(r)):
            line = self.rel[relation]
            line[[kernels.COUNT, kernels.PROCESSED, kernels.FED]] = 0
            if line[kernels.TABLE]:
                self.heap[line[kernels.TABLE] : line[kernels.TABLE] + line[kernels.MASK] + 1] = -1
            i = int(line[kernels.FIRST_INDEX])
            while i >= 0:
                index = self.idx[i]
                index[[kernels.ROWS, kernels.DISTINCT]] = 0
                if index[kernels.SLOTS]:
                    self.heap[index[kernels.SLOTS] : index[kernels.SLOTS] + index[kernels.SLOT_MASK] + 1] = -1
                i = int(index[kernels.NEXT_INDEX])

    def finish(self, r: int) -> None:
        """Declare a relation complete: all its rows are processed, and enter views and indexes."""
        self.rel[r, kernels.PROCESSED] = self.rel[r, kernels.COUNT]
        self._stale.add(r)

    def _catch_up(self) -> None:
        """Bring the views and indexes that were made after their relation was filled up to date."""
        for r in sorted(self._stale):
            self._absorb(r)
            for view in self.views_of(r):
                self.rel[view, kernels.PROCESSED] = self.rel[view, kernels.COUNT]
                self._absorb(view)
        self._stale.clear()

    def refresh(self, r: int) -> None:
        """Bring the views of a complete relation up to date now, to see their sizes."""
        if r in self._stale:
            self._catch_up()

    def _absorb(self, r: int) -> None:
        limit = int(self.rel[r, kernels.PROCESSED])
        while not kernels.absorb(self.heap, self.meta, self.rel, self.idx, self.code, r, limit, *self._scratch[:2]):
            self._grow(int(self.meta[kernels.NEED]))

    def run(self, blocks: Sequence[int]) -> None:
        """Evaluate blocks of code (see ``join_kernels``) one after the other.

        Raises:
            BudgetExceeded: if time, memory or depth of terms pass their bounds. The store is of no further use then.
        """
        self._catch_up()
        task = np.array(blocks, dtype=np.int32)
        code = self.code
        while True:
            self.meta[join.STEPS_LEFT] = STEPS_BETWEEN_CHECKS
            status = join.run(self.heap, self.meta, self.rel, self.idx, code, task, self._registers, *self._scratch)
            if status == join.DONE:
                return
            if status == join.FULL:
                self._grow(int(self.meta[kernels.NEED]))
            elif status == join.DEEP:
                raise EndlessTerms("terms grow without end")
            self.budget.check()

    def table(self) -> TermTable:
        """All terms as a table; identifiers stay the same."""
        terms = self.rows(kernels.TERMS)
        functors = list(self._functor_name)
        names = [*self.names, *(self._functor_name[f] for f in functors)]
        place = np.zeros(self._rel.count, dtype=np.int32)
        place[functors] = len(self.names) + np.arange(len(functors), dtype=np.int32)
        arity = np.zeros(self._rel.count + 1, dtype=np.int64)
        arity[functors] = self.rel[functors, kernels.KEY]
        functor = np.where(terms[:, 0] < 0, terms[:, 1], place[terms[:, 0]]).astype(np.int32)
        start = np.zeros(len(terms) + 1, dtype=np.int64)
        np.cumsum(arity[terms[:, 0]], out=start[1:])
        arguments = np.zeros(int(start[-1]), dtype=np.int32)
        for f in functors:
            rows = self.rows(f)
            n = int(arity[f])
            arguments[start[rows[:, n]][:, None] + np.arange(n)] = rows[:, :n]
        return TermTable(tuple(names), functor, start, arguments)
