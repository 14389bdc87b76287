"""The relation store: interned terms, relations, views and indexes in one heap of integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.terms import Compound, Symbol, Term
from scsp_player.grounding import join_kernels as join
from scsp_player.grounding import store_kernels as kernels
from scsp_player.grounding.budget import Budget, BudgetExceeded, EndlessTerms
from scsp_player.grounding.store_kernels import HOLE, TERMS
from scsp_player.grounding.tables import GrowingRecords, GrowingWords
from scsp_player.grounding.term_table import TermTable

FUNCTOR: Final = 1 << 40
"""Tokens of patterns: ``FUNCTOR + f`` is the functor relation f, a smaller token >= 0 a variable, ``~t`` the ground term t."""

Tokens = tuple[int, ...]
"""A list of terms in prefix order, e.g. the columns of a literal; flat, so that nesting costs no recursion."""

TICKS_BETWEEN_CHECKS: Final = 1_000_000
FREE_LISTS: Final = 64
"""Start of the heap that holds free lists; entry 0 is the -1 that an empty index finds."""


class Store:
    """Relations of interned terms, and the machine that evaluates compiled blocks over them (see ``join_kernels``).

    Relation numbers, functor numbers (functors are relations of their arguments) and view numbers share one range.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget(float("inf"), 1 << 40)
        self.heap = np.zeros(1 << 16, dtype=np.int32)
        self.heap[0] = -1
        self._meta = np.zeros(1, dtype=kernels.META)
        self._meta["top"] = FREE_LISTS
        self._meta["deepest"] = 1 << 30
        self._meta["enter"] = -1
        self._rel = GrowingRecords(kernels.RELATION)
        self._idx = GrowingRecords(kernels.INDEX)
        self._steps = GrowingWords()
        self._code = GrowingWords()
        self._registers = np.zeros(64, dtype=np.int32)
        self._scratch = tuple(np.zeros(64, dtype=np.int32) for _ in range(4))
        self.names: list[str] = []
        self.symbol_of: dict[str, int] = {}
        self._new_symbols = 0
        self.functor_of: dict[tuple[str, int], int] = {}
        self._functor_name: dict[int, str] = {}
        self._views: dict[tuple[int, Tokens], int] = {}
        self._indexes: dict[tuple[int, tuple[int, ...]], int] = {}
        self._stale: set[int] = set()
        self._decoded: dict[int, Term] = {}
        self._width: list[int] = []
        self.source_of: dict[int, int] = {}
        self.relation(3, keyed=False)  # the list of terms

    # -- structure -------------------------------------------------------------------------------------------------

    def _line(self, r: int) -> Any:
        return self._rel.array[r]

    def _index_line(self, i: int) -> Any:
        return self._idx.array[i]

    def field(self, r: int, name: str) -> int:
        """A field of a relation's record (see ``store_kernels.RELATION``)."""
        return int(self._rel.array[name][r])

    def emit_code(self, entries: Iterable[int]) -> int:
        """Append to the code; returns where it starts."""
        return self._code.extend(entries)

    def emit_plan(self, steps: Sequence[Sequence[int]]) -> int:
        """Append a plan, steps as rows of ``join_kernels.STEP``; returns the number of its first step."""
        return self._steps.extend(word for step in steps for word in step) // len(join.STEP.names or ())

    def relation(self, width: int, *, key: int | None = None, keyed: bool = True) -> int:
        """A new relation of ``width`` columns; rows are identified by the first ``key`` columns (all by default) or not at all."""
        line = self._rel.append()
        r = self._rel.count - 1
        line["width"] = width
        self._width.append(width)
        line["first_index"] = line["first_view"] = line["next_view"] = line["source"] = line["unique"] = -1
        self._need_scratch(width + 1)
        if keyed:
            columns = tuple(range(width if key is None else key))
            line["unique"] = self._indexes[r, columns] = self._new_index(r, columns, linked=False)
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
        return self._width[functor] - 1

    def view(self, source: int, skeleton: Tokens) -> int:
        """The relation of the terms that stand in the holes of ``skeleton`` over the rows of ``source``, last the source row."""
        found = self._views.get((source, skeleton))
        if found is None:
            holes = sum(token == HOLE for token in skeleton)
            found = self._views[source, skeleton] = self.relation(holes + 1, keyed=False)
            code = [HOLE if token == HOLE else token - FUNCTOR for token in skeleton]
            self._need_scratch(len(code) + self.field(source, "width") + 1)
            line = self._line(found)
            line["source"] = self.source_of[found] = source
            line["skeleton"] = self.emit_code([len(code), *code])
            line["next_view"] = self.field(source, "first_view")
            self._line(source)["first_view"] = found
            self._stale.add(source)
        return found

    def access(self, source: int, tokens: Tokens) -> tuple[int, Tokens]:
        """Where to match a pattern: the relation, or the view on it that the functors ask for, and the tokens of its columns."""
        holes = tuple(token for token in tokens if token < FUNCTOR)
        if len(holes) == len(tokens):
            return source, holes
        return self.view(source, tuple(token if token >= FUNCTOR else HOLE for token in tokens)), holes

    def columns(self, r: int) -> int:
        """Columns of a relation, or of a view without its last one, the source row."""
        return self._width[r] - (r in self.source_of)

    def views_of(self, source: int) -> list[int]:
        """The views of a relation."""
        views: list[int] = []
        view = self.field(source, "first_view")
        while view >= 0:
            views.append(view)
            view = self.field(view, "next_view")
        return views

    def index(self, r: int, columns: tuple[int, ...]) -> int:
        """An index of the rows of ``r`` by these columns."""
        found = self._indexes.get((r, columns))
        if found is None:
            found = self._indexes[r, columns] = self._new_index(r, columns, linked=True)
            self._index_line(found)["next_index"] = self.field(r, "first_index")
            self._line(r)["first_index"] = found
            self._stale.add(self.source_of.get(r, r))
        return found

    def _new_index(self, r: int, columns: tuple[int, ...], *, linked: bool) -> int:
        line = self._idx.append()
        line["owner"] = r
        line["columns"] = self.emit_code(columns)
        line["arity"] = len(columns)
        line["linked"] = linked
        self._need_scratch(len(columns) + 1)
        return self._idx.count - 1

    def _need_scratch(self, size: int) -> None:
        if size > len(self._scratch[0]):
            self._scratch = tuple(np.zeros(2 * size, dtype=np.int32) for _ in range(4))

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

    def _append(self, r: int, rows: NDArray[np.int32]) -> None:
        """Write rows behind those of a relation that is not keyed."""
        line = self._line(r)
        count, width, base = int(line["count"]), int(line["width"]), int(line["base"])
        total = count + len(rows)
        if total > line["capacity"]:
            bits = max(2, (2 * total * max(width, 1) - 1).bit_length())
            top = int(self._meta["top"][0])
            if top + (1 << bits) > len(self.heap):
                self._grow(1 << bits)
            self._meta["top"] = top + (1 << bits)
            self.heap[top : top + count * width] = self.heap[base : base + count * width]
            if base:
                self.heap[base] = self.heap[1 + line["bits"]]
                self.heap[1 + line["bits"]] = base
            line["base"], line["bits"], line["capacity"] = top, bits, (1 << bits) // max(width, 1)
            base = top
        self.heap[base + count * width : base + total * width] = rows.reshape(-1)
        line["count"] = total

    # -- contents --------------------------------------------------------------------------------------------------

    def symbol(self, name: str) -> int:
        """Identifier of a symbol, interned."""
        found = self.symbol_of.get(name)
        if found is None:
            found = self.symbol_of[name] = self.count(TERMS) + self._new_symbols
            self.names.append(name)
            self._new_symbols += 1
        return found

    def _enter_symbols(self) -> None:
        if self._new_symbols:
            rows = np.zeros((self._new_symbols, 3), dtype=np.int32)
            rows[:, 0] = -1
            rows[:, 1] = np.arange(len(self.names) - self._new_symbols, len(self.names))
            self._new_symbols = 0
            self._append(TERMS, rows)

    def fill(self, r: int, rows: NDArray[np.int32]) -> None:
        """Give an empty relation all the rows, int32[n, width] without repetitions, that it will have."""
        if self.field(r, "unique") >= 0:
            self._line(r)["unique"] = -1
            self._indexes.pop((r, tuple(range(self.field(r, "width")))), None)
        self._append(r, rows)

    def compounds(self, functor: int, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Identifiers of the terms functor(row) for int32[n, arity] rows, interned."""
        arity = rows.shape[1]
        source, target = self.relation(arity, keyed=False), self.relation(1, keyed=False)
        self._append(source, rows)
        self.finish(source)
        self.need_registers(arity + 4)
        sources = self.emit_code([*range(arity), arity])
        binds = self.emit_code([arity, *(x for c in range(arity) for x in (c, c)), 0])
        plan = self.emit_plan(
            [
                (join.SCAN, -1, -1, source, 0, 0, binds, 0),
                (join.BUILD, 0, 0, functor, arity, sources, 0, arity),
                (join.EMIT, 0, 0, target, 1, sources + arity, 0, 0),
            ]
        )
        self.run([self.emit_code([1, plan, 0])])
        return self.rows(target)[:, 0]

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
                arguments = np.array([values[-arity:]], dtype=np.int32)
                del values[-arity:]
                values.append(int(self.compounds(self.functor(name, arity), arguments)[0]))
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
        return self.field(r, "count")

    def terms(self) -> int:
        """Number of terms."""
        return self.count(TERMS) + self._new_symbols

    def bound_depth(self, deeper: int) -> None:
        """Refuse terms that are nested deeper than those of now by more than ``deeper``."""
        self._enter_symbols()
        self._meta["deepest"] = deeper + int(self.rows(TERMS)[:, 2].max(initial=0))

    def rows(self, r: int) -> NDArray[np.int32]:
        """A copy of the rows of a relation, int32[count, width]. (A window on the heap would dangle when the heap moves.)"""
        line = self._line(r)
        count, width, base = int(line["count"]), int(line["width"]), int(line["base"])
        return self.heap[base : base + count * width].reshape(count, width).copy()

    def decoded(self, identifier: int) -> Term:
        """The term with this identifier, decoded on first use and kept."""
        found = self._decoded.get(identifier)
        if found is not None:
            return found
        self._enter_symbols()
        terms = self.field(TERMS, "base")
        stack = [identifier]
        while stack:
            current = stack[-1]
            functor, row = self.heap[terms + 3 * current], int(self.heap[terms + 3 * current + 1])
            if functor < 0:
                self._decoded[stack.pop()] = Symbol(self.names[row])
                continue
            width = self.field(functor, "width")
            start = self.field(functor, "base") + row * width
            arguments = self.heap[start : start + width - 1].tolist()
            missing = [a for a in arguments if a not in self._decoded]
            stack.extend(missing)
            if not missing:
                name = self._functor_name[int(functor)]
                self._decoded[stack.pop()] = Compound(name, tuple(self._decoded[a] for a in arguments))
        return self._decoded[identifier]

    def number_atoms(self, r: int, first: int) -> None:
        """Say which atom number the first row of a relation has; the others follow."""
        self._line(r)["atom_base"] = first

    # -- evaluation ------------------------------------------------------------------------------------------------

    def with_views(self, relations: Iterable[int]) -> NDArray[np.int32]:
        """The relations and their views, int32[n]."""
        return np.array([v for r in relations for v in (r, *self.views_of(r))], dtype=np.int32)

    def clear(self, relations: NDArray[np.int32]) -> None:
        """Take all rows out of relations, whose views must be listed too."""
        kernels.clear(self.heap, self._rel.array, self._idx.array, relations)

    def abandon(self) -> None:
        """Forget a run that was broken off."""
        self._meta["enter"] = -1
        self._meta["position"] = self._meta["phase"] = self._meta["item"] = 0

    def finish(self, r: int) -> None:
        """Declare a relation complete: all its rows are processed, and enter views and indexes before the next run."""
        line = self._line(r)
        line["processed"] = line["count"]
        self._stale.add(r)

    def refresh(self, r: int) -> None:
        """Bring the views of a complete relation up to date now, to see their sizes."""
        if r in self._stale:
            self.run([])

    def run(self, blocks: Sequence[int]) -> None:
        """Evaluate blocks of code (see ``join_kernels``) one after the other.

        Raises:
            BudgetExceeded: if time, memory or depth of terms pass their bounds. The store is of no further use then.
        """
        self._enter_symbols()
        stale = [r for r in sorted(self._stale) if self.field(r, "processed") > 0]
        self._stale.clear()
        if stale:
            entries = [self.emit_code([r, 0]) for base in stale for r in (base, *self.views_of(base))]
            blocks = [self.emit_code([0, len(entries), *entries]), *blocks]
        task = np.array(blocks, dtype=np.int32)
        steps, code = self._steps.array.view(join.STEP), self._code.array
        while True:
            self._meta["ticks"] = TICKS_BETWEEN_CHECKS
            status = join.run(
                self.heap, self._meta, self._rel.array, self._idx.array, steps, code, task, self._registers, *self._scratch
            )
            self.budget.spent += TICKS_BETWEEN_CHECKS - int(self._meta["ticks"][0])
            if status == join.DONE:
                return
            if status == join.FULL:
                self._grow(int(self._meta["need"][0]))
            elif status == join.DEEP:
                raise EndlessTerms("terms grow without end")
            self.budget.check()

    def table(self) -> TermTable:
        """All terms as a table; identifiers stay the same."""
        self._enter_symbols()
        terms = self.rows(TERMS)
        functors = list(self._functor_name)
        names = [*self.names, *(self._functor_name[f] for f in functors)]
        place = np.zeros(self._rel.count, dtype=np.int32)
        place[functors] = len(self.names) + np.arange(len(functors), dtype=np.int32)
        arity = np.zeros(self._rel.count + 1, dtype=np.int64)
        arity[functors] = self._rel.array["width"][functors] - 1
        functor = np.where(terms[:, 0] < 0, terms[:, 1], place[terms[:, 0]]).astype(np.int32)
        start = np.zeros(len(terms) + 1, dtype=np.int64)
        np.cumsum(arity[terms[:, 0]], out=start[1:])
        arguments = np.zeros(int(start[-1]), dtype=np.int32)
        for f in functors:
            rows = self.rows(f)
            n = int(arity[f])
            arguments[start[rows[:, n]][:, None] + np.arange(n)] = rows[:, :n]
        return TermTable(tuple(names), functor, start, arguments)
