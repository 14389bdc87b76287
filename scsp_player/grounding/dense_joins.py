"""Clauses that ask for "some u that goes with x", where nearly every u goes with every x, by way of covers.

    H(x, y) <- D(x, u), Q(u, y), R(x, y)        u not in H; D static and dense

has an instance for every x, u and y. With the cover of D (see ``covers``), L(n, y) says that Q(u, y) holds for some u below node n:

    L(n, y) <- up(u, n), Q(u, y)                H(x, y) <- over(x, n), L(n, y), R(x, y)
    L(n, y) <- parent(m, n), L(m, y)            H(x, y) <- single(x, u), Q(u, y), R(x, y)

These have the same consequences in every state, since D(x, u) holds exactly if u is below a node for x.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scsp_player.grounding.clauses import Clause, Kind, Part, Schema, variables_in
from scsp_player.grounding.covers import Cover, IntArray, cover
from scsp_player.grounding.splitting import canonical, ranks

GAIN: Final = 12
"""How many times smaller than a relation its cover must be."""

FEWEST_ROWS: Final = 500
"""Rows of a relation from which on a cover may be worth it."""


@dataclass(frozen=True, slots=True)
class CoverRelations:
    """Numbers of the relations that hold a cover's tables."""

    single: int
    over: int
    up: int
    parent: int


class DenseJoins:
    """Rewrites clauses; a throw-away object.

    Attributes:
        static: the relations that hold covers. What they bind, they bind to anything.
        dynamic: the relations of nodes, which depend on the state.
    """

    def __init__(self, schema: Schema, dynamic: Collection[int]) -> None:
        self.schema = schema
        self.dynamic = set(dynamic)
        self.static: set[int] = set()
        self._covers: dict[tuple[int, tuple[int, ...]], CoverRelations | None] = {}
        self._nodes: dict[tuple[CoverRelations, tuple[Part, ...], tuple[int, ...]], int] = {}

    def rewritten(self, clauses: Sequence[Clause]) -> list[Clause]:
        """The clauses, those with a dense join replaced; static relations must be complete and marked as not recorded."""
        done: list[Clause] = []
        for clause in clauses:
            for part in clause.body:
                new = self._split_at(clause, part)
                if new is not None:
                    done += new
                    break
            else:
                done.append(clause)
        return done

    def _split_at(self, clause: Clause, dense: Part) -> list[Clause] | None:
        """The clauses that take the place of ``clause`` if ``dense`` is its D."""
        free = dense.variables - variables_in(clause.tokens)
        plain = len(dense.variables) == len(dense.tokens)
        if dense.kind is not Kind.POSITIVE or dense.relation in self.dynamic or not plain or not free or free == dense.variables:
            return None
        inner = [p for p in clause.body if p is not dense and p.variables & free]
        outer = [p for p in clause.body if p is not dense and not p.variables & free]
        around = variables_in(clause.tokens).union(*(p.variables for p in outer))
        mentioned = frozenset[int]().union(*(p.variables for p in inner))
        bound = free.union(*(p.variables for p in inner if p.kind is Kind.POSITIVE))
        if not free <= mentioned or mentioned & (dense.variables - free) or not mentioned <= bound:
            return None
        if not any(p.recorded for p in inner):
            return None
        relations = self._cover(dense, free)
        if relations is None:
            return None
        return self._by_cover(clause, dense, relations, inner, outer, sorted(mentioned & around))

    def _by_cover(
        self, clause: Clause, dense: Part, relations: CoverRelations, inner: list[Part], outer: list[Part], shared: list[int]
    ) -> list[Clause]:
        xs = tuple(t for t in dense.tokens if t in variables_in(clause.tokens))
        us = tuple(t for t in dense.tokens if t not in xs)
        node = clause.variables
        size = clause.variables + 2

        def static(relation: int, tokens: tuple[int, ...]) -> Part:
            return Part(Kind.POSITIVE, relation, tokens, recorded=False)

        body, order = canonical([*inner, static(relations.up, (*us, node))])
        columns = tuple(v for v in order if v in shared)
        key = (relations, body, ranks(order, columns))
        made: list[Clause] = []
        joined = self._nodes.get(key)
        if joined is None:
            joined = self._nodes[key] = self.schema.auxiliary(1 + len(columns))
            self.dynamic.add(joined)
            made.append(Clause(joined, ranks(order, (node, *columns)), body, len(order), clause.rule))
            child = Part(Kind.POSITIVE, joined, (node + 1, *columns))
            step = (static(relations.parent, (node + 1, node)), child)
            made.append(Clause(joined, (node, *columns), step, size, clause.rule))
        above = (static(relations.over, (*xs, node)), Part(Kind.POSITIVE, joined, (node, *columns)), *outer)
        direct = tuple(static(relations.single, (*xs, *us)) if p is dense else p for p in clause.body)
        return [*made, replace(clause, body=above, variables=size), replace(clause, body=direct)]

    def _cover(self, dense: Part, free: frozenset[int]) -> CoverRelations | None:
        """The cover of a part's relation, whose columns of ``free`` variables are covered; None if it is not worth it."""
        store = self.schema.store
        xs = tuple(c for c, token in enumerate(dense.tokens) if token not in free)
        key = (dense.relation, xs)
        if key not in self._covers:
            self._covers[key] = None
            count = store.count(dense.relation)
            if count >= FEWEST_ROWS:
                us = [c for c in range(len(dense.tokens)) if c not in xs]
                found = cover(store.rows(dense.relation)[:, [*xs, *us]], len(xs))
                if found is not None and GAIN * found.size <= count:
                    self._covers[key] = self._load(found)
        return self._covers[key]

    def _load(self, found: Cover) -> CoverRelations:
        nodes = 1 + int(max((t[:, -1].max(initial=-1) for t in (found.over, found.up, found.parent)), default=-1))
        symbols = np.array([self.schema.fresh_symbol() for _ in range(nodes)], dtype=np.int32)

        def named(table: IntArray, columns: int) -> IntArray:
            return np.column_stack([table[:, :-columns], symbols[table[:, -columns:]]]).astype(np.int32)

        tables = found.single, named(found.over, 1), named(found.up, 1), named(found.parent, 2)
        relations: list[int] = []
        for table in tables:
            relation = self.schema.auxiliary(table.shape[1])
            self.schema.store.fill(relation, table)
            self.schema.store.finish(relation)
            relations.append(relation)
        self.static.update(relations)
        return CoverRelations(*relations)
