"""Long bodies become chains of short ones, so that a ground program stays small.

A variable that does not occur in the head is eliminated: the parts of the body that mention it move to an auxiliary relation over
their other variables. A body over n variables has as many instances as there are values for n variables at once; after the split,
as many as for the variables of one cluster. Variables are eliminated in the order of the smallest cluster (min-width); clusters
that are the same up to names share their relation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from scsp_player.grounding.clauses import Clause, Kind, Part, Schema, variables_in
from scsp_player.grounding.join_order import Matches
from scsp_player.grounding.store import FUNCTOR, Tokens

FEW = 4
"""Values up to which a variable hardly enlarges a relation, e.g. the roles."""

WIDE = 7
"""Columns of an auxiliary relation beyond which its cluster must leave out three of the rule's variables, to be worth it."""

LARGEST_STATIC_JOIN = 300_000.0
"""Estimated matches up to which a static cluster is computed."""


class Splitter:
    """Splits clauses; remembers the auxiliary relations that it has made.

    Attributes:
        dynamic: the relations that depend on the state, auxiliary ones included, or None.
    """

    def __init__(self, schema: Schema, dynamic: Iterable[int] | None, matches: Matches) -> None:
        """Split clauses over the relations of a schema.

        Args:
            schema: where auxiliary relations are made.
            dynamic: the relations that depend on the state; the others are complete, and clusters of them are left where they are
                if computing them costs too much. None if all relations of the clauses are of one kind.
            matches: estimates for complete relations.
        """
        self.schema = schema
        self.dynamic = None if dynamic is None else set(dynamic)
        self.matches = matches
        self._known: dict[tuple[tuple[Part, ...], Tokens], int] = {}

    def split(self, clauses: Sequence[Clause]) -> list[Clause]:
        """The clauses after splitting, those of auxiliary relations included."""
        done: list[Clause] = []
        stack = list(reversed(clauses))
        while stack:
            clause = stack.pop()
            while (cluster := self._narrow_cluster(clause)) is not None:
                clause, auxiliary = self._extract(clause, cluster)
                if auxiliary is not None:
                    stack.append(auxiliary)
            done.append(clause)
        return done

    def _narrow_cluster(self, clause: Clause) -> frozenset[Part] | None:
        """The parts to move out: those around the variable whose cluster has the fewest variables; None if nothing narrows."""
        head = variables_in(clause.tokens)
        places: dict[int, list[Part]] = defaultdict(list)
        for part in clause.body:
            for variable in part.variables if part.recorded else ():
                places[variable].append(part)
        best: tuple[int, int, int] | None = None
        found: frozenset[Part] | None = None
        for variable in sorted(places.keys() - head):
            cluster = places[variable]
            inside = Counter(v for p in cluster for v in p.variables)
            rank = (len(inside), -len(cluster), variable)
            # Most clusters are ruled out by their rank, without the questions that take time.
            if len(inside) == len(places) or (best is not None and rank >= best):
                continue
            shared = sum(v in head or len(places[v]) > times for v, times in inside.items())
            wide = shared > WIDE and len(inside) > len(places) - 3
            parts = frozenset(cluster)
            if not wide and self._is_bound(parts, clause.body) and self._is_affordable(parts):
                best, found = rank, parts
        return found

    def _is_static(self, part: Part) -> bool:
        return self.dynamic is not None and part.relation not in self.dynamic

    def _is_bound(self, cluster: frozenset[Part], body: Iterable[Part]) -> bool:
        """Whether static parts bind every variable of a static cluster, so that its relation can be static too."""
        if self.dynamic is None or not all(map(self._is_static, cluster)):
            return True
        binders = [p for p in body if p.kind is Kind.POSITIVE and self._is_static(p)]
        return frozenset[int]().union(*(p.variables for p in cluster)) <= frozenset[int]().union(*(p.variables for p in binders))

    def _is_affordable(self, cluster: frozenset[Part]) -> bool:
        """Whether a static cluster may be computed completely: what the join is estimated to find is not too much."""
        if self.dynamic is None or not all(map(self._is_static, cluster)):
            return True
        waiting = [(p, *self.schema.store.access(p.relation, p.tokens)) for p in cluster if p.kind is Kind.POSITIVE]
        bound: set[int] = set()
        rows = 1.0
        while waiting:
            costs = [self.matches(r, tuple(c for c, t in enumerate(holes) if t < 0 or t in bound)) for _, r, holes in waiting]
            best = costs.index(min(costs))
            rows *= costs[best]
            bound |= waiting.pop(best)[0].variables
        return rows <= LARGEST_STATIC_JOIN

    def _extract(self, clause: Clause, cluster: frozenset[Part]) -> tuple[Clause, Clause | None]:
        """The clause with ``cluster`` replaced by one part, and the clause of a new auxiliary relation (None if it exists)."""
        inner = [p for p in clause.body if p in cluster]
        outer = [p for p in clause.body if p not in cluster]
        mentioned = variables_in(clause.tokens).union(*(p.variables for p in outer if p.recorded))
        shared = mentioned & frozenset[int]().union(*(p.variables for p in inner))
        filters = self._filters(inner, outer, shared)
        body, order = canonical([*inner, *filters])
        columns = tuple(v for v in order if v in shared)
        key = (body, ranks(order, columns))
        relation = self._known.get(key)
        auxiliary = None
        if relation is None:
            relation = self._known[key] = self.schema.auxiliary(len(columns))
            if self.dynamic is not None and not all(map(self._is_static, inner)):
                self.dynamic.add(relation)
            auxiliary = Clause(relation, ranks(order, columns), body, len(order), clause.rule)
        kept = [p for p in outer if not (self._is_static(p) and p.variables and p.variables <= shared)]
        part = Part(Kind.POSITIVE, relation, columns)
        return replace(clause, body=(*kept, part)), auxiliary

    def _filters(self, inner: Sequence[Part], outer: Sequence[Part], shared: frozenset[int]) -> list[Part]:
        """Parts that stay outside, or may, but keep the auxiliary relation small and its variables bound.

        Static parts over shared variables only cost nothing. If no single part of the cluster mentions all shared variables, the
        auxiliary relation could be larger than what the outside can use: then positive parts over shared variables only join in,
        and if none of them mentions all either, those that mention some (for their existence). Last, variables that only tests
        mention need parts that bind them.
        """
        if self.dynamic is not None and all(map(self._is_static, inner)):
            outer = [p for p in outer if self._is_static(p)]
        positive = [p for p in outer if p.kind is Kind.POSITIVE and p.variables & shared]
        filters = [p for p in outer if self._is_static(p) and p.variables and p.variables <= shared]
        if not self._covered(inner, shared):
            filters += [p for p in positive if p.variables <= shared]
            if not self._covered(filters, shared):
                filters += positive
        bound = frozenset[int]().union(*(p.variables for p in (*inner, *filters) if p.kind is Kind.POSITIVE))
        loose = frozenset[int]().union(*(p.variables for p in (*inner, *filters))) - bound
        while loose:
            binders = [p for p in outer if p.kind is Kind.POSITIVE and p.variables & loose]
            best = min(binders, key=lambda p: (len(p.variables - bound - loose), not self._is_static(p)))
            filters.append(best)
            bound |= best.variables
            loose -= best.variables
        return [replace(p, recorded=False) for p in dict.fromkeys(filters)]

    def _covered(self, parts: Sequence[Part], shared: frozenset[int]) -> bool:
        """Whether one positive part, but for variables with few values, mentions all shared variables."""
        few = {v for p in parts if self._is_static(p) and p.kind is Kind.POSITIVE for v in p.variables if self._values(p, v) <= FEW}
        return any(shared <= p.variables | few for p in parts if p.kind is Kind.POSITIVE)

    def _values(self, part: Part, variable: int) -> float:
        """How many values a complete relation has for a variable."""
        relation, holes = self.schema.store.access(part.relation, part.tokens)
        column = (holes.index(variable),)
        return self.matches(relation, ()) / max(self.matches(relation, column), 1.0)


def canonical(parts: Sequence[Part]) -> tuple[tuple[Part, ...], list[int]]:
    """The parts in an order that does not depend on names, with variables renumbered; and the old variables in the new order."""
    ordered = sorted(parts, key=lambda p: (p.kind, p.relation, tuple(-1 if 0 <= t < FUNCTOR else t for t in p.tokens), p.recorded))
    number: dict[int, int] = {}
    for part in ordered:
        for token in part.tokens:
            if 0 <= token < FUNCTOR:
                number.setdefault(token, len(number))
    renamed = tuple(replace(p, tokens=tuple(number[t] if 0 <= t < FUNCTOR else t for t in p.tokens)) for p in ordered)
    return renamed, list(number)


def ranks(order: Sequence[int], columns: Sequence[int]) -> Tokens:
    """The places of variables in an order."""
    return tuple(order.index(v) for v in columns)
