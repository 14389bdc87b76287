"""A program's clauses, which of their relations depend on the state, and in which order they are evaluated."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from scsp_player.gdl.errors import GdlError, Position
from scsp_player.gdl.hints import unread_hints
from scsp_player.gdl.program import Program, Rule
from scsp_player.gdl.scores import score_of
from scsp_player.gdl.terms import Compound, Symbol, Term, Variable, signature
from scsp_player.grounding.budget import BudgetExceeded
from scsp_player.grounding.clauses import Clause, Kind, Part, Schema, arguments_of, prefix_order
from scsp_player.grounding.components import evaluation_order
from scsp_player.grounding.demand import Demand, Wanted
from scsp_player.grounding.dense_joins import DenseJoins
from scsp_player.grounding.factoring import factored
from scsp_player.grounding.join_order import Matches
from scsp_player.grounding.splitting import Splitter
from scsp_player.grounding.store import FUNCTOR, Store, Tokens
from scsp_player.grounding.store_kernels import HOLE

TRUE = ("true", 1)
DOES = ("does", 2)
NEXT = ("next", 1)
INIT = ("init", 1)
LEGAL = ("legal", 2)
GOAL = ("goal", 2)
SEES = ("sees", 2)
ROLE = ("role", 1)
TERMINAL = ("terminal", 0)

OUTPUTS = (INIT, NEXT, LEGAL, GOAL, TERMINAL, SEES)
"""What a game is asked for; everything that none of them needs is left out."""


@dataclass(frozen=True, slots=True)
class Component:
    """Mutually recursive relations with their clauses; ``negative`` if one of them depends on its own negation."""

    relations: tuple[int, ...]
    clauses: tuple[Clause, ...]
    negative: bool


class Rulebase:
    """The clauses of a program in a store. Facts are loaded as rows; ``base`` and ``input`` count only where something reads them.

    Attributes:
        clauses: the relevant clauses of state-dependent relations; once they are split, static parts are marked as not recorded.
        static: the relevant clauses of the other relations.
        demand_clauses: clauses that say which arguments of derived relations are asked for, if that restricts them.
        demand_relations: the relations of these clauses; no atoms of the game.
        wanted: for each restricted relation the demand of it.
        cover_relations: static relations that hold covers of dense ones.
        dynamic: numbers of the relations that depend on ``true`` or ``does``.
        roles: number of a relation that lists the roles.
    """

    def __init__(self, program: Program, store: Store) -> None:
        self.program = program
        self.store = store
        self.schema = Schema(store)
        found: list[list[Clause]] = []
        hints = unread_hints(program.rules)
        effective = [rule for rule in program.rules if signature(rule.head) not in hints]
        for rules in _rules_of_the_sheet(effective):
            numbers: dict[Variable, int] = {}
            alternatives = [self.schema.clause(rule, numbers) for rule in rules]
            found.append([c for c in alternatives if c is not None])
        _refuse_odd_goals(effective)
        facts = [rule for rule in effective if not rule.body]
        facts_as_clauses = self._load_facts(facts, {c.relation for alternatives in found for c in alternatives})
        clauses = [*facts_as_clauses, *(c for alternatives in found for c in factored(self.schema, alternatives))]
        self.roles = store.relation(1, keyed=False)
        roles = [[store.symbol(r)] for r in dict.fromkeys(program.roles)]
        store.fill(self.roles, np.array(roles, dtype=np.int32).reshape(-1, 1))
        negative = {r for c in components(clauses) if c.negative for r in c.relations}
        clauses = _needed(clauses, negative | {self.relation(name) for name in OUTPUTS})
        self.dynamic = _dependent(clauses, {self.relation(TRUE), self.relation(DOES)})
        for name in (INIT, ROLE):
            if self.relation(name) in self.dynamic:
                rule = next(r for r in program.rules if signature(r.head) == name and r.body)
                raise GdlError(f"{name[0]} depends on the state of the game", rule.position, "define it by static relations only")
        self.clauses = [c for c in clauses if c.relation in self.dynamic]
        self.static = [c for c in clauses if c.relation not in self.dynamic]
        self.demand_clauses: list[Clause] = []
        self.demand_relations: frozenset[int] = frozenset()
        self.wanted: dict[int, Wanted] = {}
        self.cover_relations: frozenset[int] = frozenset()

    def split_static(self, matches: Matches) -> None:
        """Split the static clauses."""
        self.static = Splitter(self.schema, None, matches).split(self.static)

    def postpone(self, relations: Collection[int]) -> None:
        """Treat static relations, and all that read them, as if they depended on the state.

        Raises:
            BudgetExceeded: if the initial state or the roles are among them.
        """
        postponed = _dependent(self.static, relations)
        if not postponed.isdisjoint({self.relation(INIT), self.relation(ROLE)}):
            raise BudgetExceeded("the initial state takes too many steps to compute")
        self.clauses += [c for c in self.static if c.relation in postponed]
        self.static = [c for c in self.static if c.relation not in postponed]
        self.dynamic |= postponed

    def split_dynamic(self, matches: Matches) -> list[Clause]:
        """Split the state-dependent clauses; returns clauses of new static relations. The static ones must be complete."""
        splitter = Splitter(self.schema, self.dynamic, matches)
        clauses = splitter.split(self.clauses)
        assert splitter.dynamic is not None
        self.dynamic = frozenset(splitter.dynamic)
        self.clauses = [self._marked(c) for c in clauses if c.relation in self.dynamic]
        return [self._marked(c) for c in clauses if c.relation not in self.dynamic]

    def relation(self, name: tuple[str, int]) -> int:
        """Number of the relation with this name and arity."""
        return self.schema.relation(name)

    def name_of(self, relation: int) -> tuple[str, int]:
        """Name and arity of a relation."""
        return self.schema.names[relation]

    def cover_dense_joins(self) -> None:
        """Put covers of dense static relations in the place of joins with them (see ``dense_joins``); after splitting."""
        joins = DenseJoins(self.schema, self.dynamic)
        self.clauses = joins.rewritten(self.clauses)
        self.dynamic = frozenset(joins.dynamic)
        self.cover_relations = frozenset(joins.static)

    def restrict(
        self, matches: Matches, *, positive: bool, relaxed: Mapping[int, frozenset[int]] = MappingProxyType({})
    ) -> None:
        """Restrict derived relations to the arguments that are asked for (see ``demand``); after splitting."""
        outputs = {self.relation(name) for name in OUTPUTS}
        demand_of = Demand(
            self.schema, self.clauses, outputs, self.dynamic, matches,
            positive=positive, unbinding=self.cover_relations, relaxed=relaxed,
        )  # fmt: skip
        found = demand_of.restricted()
        self.clauses = found.clauses
        demand = Splitter(self.schema, None, matches).split([_marked_all(c, True) for c in found.demand_clauses])
        self.demand_clauses = [_marked_all(c, False) for c in demand]
        self.wanted = found.wanted
        self.demand_relations = frozenset(w.relation for w in found.wanted.values()).union(c.relation for c in self.demand_clauses)
        self.dynamic |= self.demand_relations

    def _marked(self, clause: Clause) -> Clause:
        body = tuple(replace(p, recorded=p.recorded and p.relation in self.dynamic) for p in clause.body)
        return replace(clause, body=body)

    def _load_facts(self, facts: Iterable[Rule], with_rules: set[int]) -> list[Clause]:
        """Load facts by their shape, one table a shape.

        Relations that have nothing but facts without functions are complete then; of the others a clause reads each table.
        """
        shapes: dict[tuple[int, Tokens], list[tuple[int, ...]]] = {}
        symbol = self.store.symbol
        facts = list(facts)
        holes = (HOLE,) * max((len(arguments_of(rule.head)) for rule in facts), default=0)
        for rule in facts:
            relation = self.schema.relation(signature(rule.head))
            arguments = arguments_of(rule.head)
            if set(map(type, arguments)) <= {Symbol}:  # the usual case; facts come in hundreds of thousands
                plain_names = tuple([symbol(term.name) for term in arguments])  # type: ignore[attr-defined]
                shapes.setdefault((relation, holes[: len(arguments)]), []).append(plain_names)
                continue
            shape: list[int] = []
            names: list[int] = []
            for term in prefix_order(arguments):
                if isinstance(term, Symbol):
                    shape.append(HOLE)
                    names.append(self.store.symbol(term.name))
                elif isinstance(term, Compound):
                    shape.append(FUNCTOR + self.store.functor(term.functor, len(term.arguments)))
                else:
                    assert isinstance(term, Variable)
                    raise GdlError(f"unsafe fact: variable {term} in {rule.head}", rule.position, "facts have no variables")
            shapes.setdefault((relation, tuple(shape)), []).append(tuple(names))
        clauses: list[Clause] = []
        plain = {relation for relation, tokens in shapes if set(tokens) <= {HOLE}} - with_rules
        plain -= {relation for relation, tokens in shapes if not set(tokens) <= {HOLE}}
        for (relation, tokens), symbols in shapes.items():
            rows = list(dict.fromkeys(symbols))
            table = np.array(rows, dtype=np.int32).reshape(len(rows), -1)
            if relation in plain:
                self.store.fill(relation, table)
                continue
            width = table.shape[1]
            source = self.store.relation(width, keyed=False)
            self.store.fill(source, table)
            numbers = iter(range(width))
            head = tuple(next(numbers) if token == HOLE else token for token in tokens)
            clauses.append(Clause(relation, head, (Part(Kind.POSITIVE, source, tuple(range(width))),), width))
        return clauses


def _rules_of_the_sheet(all_rules: Iterable[Rule]) -> list[list[Rule]]:
    """The rules that have a body, those that come from the same rule of the sheet together."""
    together: dict[tuple[Position, Term], list[Rule]] = {}
    for rule in all_rules:
        _refuse_reserved(rule)
        if rule.body:
            together.setdefault((rule.position, rule.head), []).append(rule)
    return list(together.values())


def _marked_all(clause: Clause, recorded: bool) -> Clause:
    return replace(clause, body=tuple(replace(p, recorded=recorded) for p in clause.body))


def _refuse_reserved(rule: Rule) -> None:
    name = signature(rule.head)
    if name in (TRUE, DOES, ("distinct", 2)):
        raise GdlError(f"{name[0]} cannot be defined by the rules", rule.position, "use next, init or legal")


def _refuse_odd_goals(rules: Iterable[Rule]) -> None:
    """Refuse goal values that are written in the sheet and are no numbers; of those that come by a variable, such are no scores."""
    for rule in rules:
        if signature(rule.head) == GOAL:
            assert isinstance(rule.head, Compound)
            value = rule.head.arguments[1]
            if not isinstance(value, Variable) and score_of(value) is None:
                raise GdlError(f"{value} is no score", rule.position, "goals are integers from 0 to 100")


def components(clauses: Sequence[Clause], negation: bool = True) -> list[Component]:
    """The strongly connected components of the relations that have clauses, each after those that it reads.

    Without ``negation``, negative parts count for nothing.
    """
    clauses = sorted(clauses, key=lambda c: c.relation)
    bodies = [
        [p.relation for p in c.body if p.kind is Kind.POSITIVE or (negation and p.kind is Kind.NEGATIVE)] for c in clauses
    ]
    size = 1 + max((r for c, body in zip(clauses, bodies, strict=True) for r in (c.relation, *body)), default=0)
    heads = np.array([c.relation for c in clauses], dtype=np.int32)
    start, atoms, _, _ = evaluation_order(
        np.searchsorted(heads, np.arange(size + 1)).astype(np.int64),
        heads,
        np.cumsum([0, *map(len, bodies)]).astype(np.int64),
        np.array([2 * r for body in bodies for r in body], dtype=np.int32),
    )
    by_head: dict[int, list[Clause]] = {}
    for clause in clauses:
        by_head.setdefault(clause.relation, []).append(clause)
    result: list[Component] = []
    for a, b in itertools.pairwise(start):
        relations = tuple(int(r) for r in atoms[a:b])
        own = tuple(c for r in relations for c in by_head[r])
        negative = any(p.kind is Kind.NEGATIVE and p.relation in relations for c in own for p in c.body)
        result.append(Component(relations, own, negative))
    return result


def _needed(clauses: Sequence[Clause], roots: set[int]) -> list[Clause]:
    """The clauses that the roots depend on."""
    by_head: dict[int, list[Clause]] = {}
    for clause in clauses:
        by_head.setdefault(clause.relation, []).append(clause)
    seen = set(roots)
    stack = list(roots)
    while stack:
        for clause in by_head.get(stack.pop(), ()):
            for part in clause.body:
                if part.kind is not Kind.DIFFER and part.relation not in seen:
                    seen.add(part.relation)
                    stack.append(part.relation)
    return [c for c in clauses if c.relation in seen]


def _dependent(clauses: Sequence[Clause], inputs: Collection[int]) -> frozenset[int]:
    """The inputs and all relations that depend on them."""
    readers: dict[int, list[int]] = {}
    for clause in clauses:
        for part in clause.body:
            if part.kind is not Kind.DIFFER:
                readers.setdefault(part.relation, []).append(clause.relation)
    seen = set(inputs)
    stack = list(inputs)
    while stack:
        for head in readers.get(stack.pop(), ()):
            if head not in seen:
                seen.add(head)
                stack.append(head)
    return frozenset(seen)
