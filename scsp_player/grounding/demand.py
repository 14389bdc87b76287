"""Relations are computed only for the arguments that somebody asks for (magic sets).

A rule sheet written for a top-down prover may define a relation for far more arguments than its rules ever use: a counter that is
called with zero, but works for any number. Bottom up, all of that would be computed. So every relation R gets a *demand* relation
over those of its columns that are bound wherever R is read; for each place where R is read, a clause derives the demand from the
parts of that body that are known before; and every clause of R is restricted to what is demanded.

The parts of a body are taken in an order: first those over ``true``, ``does`` and other complete relations, then one after the
other of those that are restricted, so that no demand waits for itself. A static part counts as known where it gives few values for
what is bound already; a table of all pairs of cells binds nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from scsp_player.grounding.clauses import Clause, Kind, Part, Schema, variables_in
from scsp_player.grounding.join_order import Matches
from scsp_player.grounding.store import FUNCTOR, Tokens

FEW = 64.0
"""Values that the static parts of a body may give together for what is bound, and still count as known."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which relation lists the wanted values of some columns of another relation."""

    relation: int
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Restricted:
    """Clauses restricted to what is demanded, the clauses of the demand itself, and for each restricted relation its demand."""

    clauses: list[Clause]
    demand_clauses: list[Clause]
    wanted: dict[int, Wanted]


class Demand:
    """Restricts the derived relations of a set of clauses; a throw-away object."""

    def __init__(
        self, schema: Schema, clauses: Sequence[Clause], complete: Collection[int], dynamic: Collection[int], matches: Matches,
        *, positive: bool, unbinding: Collection[int] = (),
        relaxed: Mapping[int, frozenset[int]] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        """Find out what can be restricted.

        Args:
            schema: where relations are made.
            clauses: the clauses of all relations that may be restricted.
            complete: relations that are wanted completely.
            dynamic: relations that depend on the state; the others are complete.
            matches: estimates for the latter.
            positive: no demand may depend on a negation, so that no relation depends on its own negation because of what it is
                asked for. Otherwise the demand is as narrow as the order of the parts allows.
            unbinding: static relations that never count as known.
            relaxed: columns of derived relations that are not asked for by value (see ``wide_demands``).
        """
        self.schema = schema
        self.dynamic = dynamic
        self.matches = matches
        self.unbinding = unbinding
        self.derived = {c.relation for c in clauses} - set(complete)
        self.clauses = [self._without_filters(c) for c in clauses]
        self._negating = self._negating_relations() if positive else frozenset()
        self._names: dict[int, int] = {}
        self.bound = {c.relation: frozenset(range(len(self._columns(c.tokens)))) for c in clauses if c.relation in self.derived}
        for relation, columns in relaxed.items():
            if relation in self.bound:
                self.bound[relation] -= columns
        self._find_bound_columns()

    def _without_filters(self, clause: Clause) -> Clause:
        """Leave out the parts that only narrow the join; demand does that better, and each of them would have to be asked for."""
        body = [p for p in clause.body if p.recorded or p.kind is not Kind.POSITIVE or p.relation not in self.derived]
        bound = frozenset[int]().union(*(p.variables for p in body if p.kind is Kind.POSITIVE))
        needed = variables_in(clause.tokens).union(*(p.variables for p in body))
        return replace(clause, body=tuple(body)) if bound >= needed else clause

    def restricted(self) -> Restricted:
        """The rewritten clauses."""
        demand: dict[Clause, None] = {}
        restricted: list[Clause] = []
        for clause in self.clauses:
            asked = self._demand_part(clause.relation, clause.tokens)
            own = [asked] if asked is not None else []
            for part, context in self._places(clause):
                wanted = self._demand_part(part.relation, part.tokens)
                if wanted is None:
                    continue
                near = [p for p in (*own, *context) if p.variables & wanted.variables or not p.variables]
                if wanted in near:
                    continue
                body = tuple(dict.fromkeys(replace(p, recorded=False) for p in near))
                demand[Clause(wanted.relation, wanted.tokens, body, clause.variables)] = None
            restricted.append(replace(clause, body=(*clause.body, *own)))
        lists = {relation: Wanted(name, tuple(sorted(self.bound[relation]))) for relation, name in self._names.items()}
        return Restricted(restricted, list(demand), lists)

    def _places(self, clause: Clause) -> Iterable[tuple[Part, list[Part]]]:
        """Every part over a derived relation, with the positive parts that come before it."""
        base = [p for p in clause.body if p.kind is Kind.POSITIVE and p.relation not in self.derived]
        static = [p for p in base if p.relation not in self.dynamic and p.relation not in self.unbinding]
        known = [p for p in base if p.relation in self.dynamic]
        bound = set(self._asked_variables(clause)).union(*(p.variables for p in known))
        waiting = [p for p in clause.body if p.kind is not Kind.DIFFER and p.relation in self.derived]
        room = FEW
        while waiting:
            room = self._bind_static(static, known, bound, room)
            best = min(waiting, key=lambda p: (p.kind, _is_open(p, bound), len(p.variables - bound), len(p.variables), -p.relation))
            waiting.remove(best)
            yield best, [p for p in known if p.relation not in self._negating]
            if best.kind is Kind.POSITIVE:
                known.append(best)
                bound |= best.variables

    def _bind_static(self, static: list[Part], known: list[Part], bound: set[int], room: float) -> float:
        """Move static parts to the known ones as long as they give few values for what is bound; returns the room that is left."""
        while static:
            costs = [self._values(part, bound) for part in static]
            best = costs.index(min(costs))
            if costs[best] > room:
                break
            room /= max(costs[best], 1.0)
            known.append(static[best])
            bound |= static.pop(best).variables
        return room

    def _values(self, part: Part, bound: set[int]) -> float:
        relation, holes = self.schema.store.access(part.relation, part.tokens)
        return self.matches(relation, tuple(c for c, t in enumerate(holes) if t < 0 or t in bound))

    def _asked_variables(self, clause: Clause) -> frozenset[int]:
        if clause.relation not in self.derived:
            return frozenset()
        columns = self._columns(clause.tokens)
        return frozenset[int]().union(*(variables_in(columns[c]) for c in self.bound[clause.relation]))

    def _find_bound_columns(self) -> None:
        """Keep of every derived relation's columns those that are bound at each place where it is read."""
        changed = True
        while changed:
            changed = False
            for clause in self.clauses:
                asked = self._asked_variables(clause)
                for part, context in self._places(clause):
                    known = asked.union(*(p.variables for p in context))
                    columns = self._columns(part.tokens)
                    free = {c for c in self.bound[part.relation] if not variables_in(columns[c]) <= known}
                    if free:
                        self.bound[part.relation] -= free
                        changed = True

    def _demand_part(self, relation: int, tokens: Tokens) -> Part | None:
        """The part "these arguments are demanded"; None for a relation that is not restricted."""
        bound = self.bound.get(relation)
        if not bound:
            return None
        name = self._names.get(relation)
        if name is None:
            name = self._names[relation] = self.schema.auxiliary(len(bound))
        columns = self._columns(tokens)
        return Part(Kind.POSITIVE, name, tuple(t for c in sorted(bound) for t in columns[c]), recorded=False)

    def _columns(self, tokens: Tokens) -> list[Tokens]:
        """The tokens of each argument."""
        columns: list[Tokens] = []
        start = 0
        missing = 1
        for at, token in enumerate(tokens):
            missing += (self.schema.store.arity(token - FUNCTOR) if token >= FUNCTOR else 0) - 1
            if missing == 0:
                columns.append(tokens[start : at + 1])
                start = at + 1
                missing = 1
        return columns

    def _negating_relations(self) -> frozenset[int]:
        """The relations that depend on the negation of a state-dependent one."""
        readers: dict[int, set[int]] = {}
        for clause in self.clauses:
            for part in clause.body:
                readers.setdefault(part.relation, set()).add(clause.relation)
        negated = (p.kind is Kind.NEGATIVE and p.relation in self.dynamic for c in self.clauses for p in c.body)
        heads = [c.relation for c in self.clauses for _ in c.body]
        stack = [head for head, is_negated in zip(heads, negated, strict=True) if is_negated]
        seen = set(stack)
        while stack:
            for reader in readers.get(stack.pop(), ()):
                if reader not in seen:
                    seen.add(reader)
                    stack.append(reader)
        return frozenset(seen)


def _is_open(part: Part, bound: Collection[int]) -> bool:
    """Whether nothing is known of a part, so that all of its relation would be asked for."""
    return bool(part.variables) and part.variables.isdisjoint(bound) and len(part.variables) == len(part.tokens)
