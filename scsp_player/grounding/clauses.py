"""Rules as the join machine sees them: numbered variables, interned constants, flat patterns."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from scsp_player.gdl.errors import GdlError, Position
from scsp_player.gdl.program import Rule
from scsp_player.gdl.terms import Compound, Symbol, Term, Variable, signature
from scsp_player.grounding.equality import solve_equalities
from scsp_player.grounding.store import FUNCTOR, Store, Tokens

Signature = tuple[str, int]


class Kind(enum.IntEnum):
    """What a part of a body asks for."""

    POSITIVE = 0
    NEGATIVE = 1
    DIFFER = 2


@dataclass(frozen=True, slots=True)
class Part:
    """A literal of a body; of ``DIFFER`` the tokens are the two terms, one after the other, and the relation is -1.

    ``recorded`` is False for a part that does not become a literal of the ground rule: one that is known to hold, or that only
    narrows the join.
    """

    kind: Kind
    relation: int
    tokens: Tokens
    recorded: bool = True
    variables: frozenset[int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", variables_in(self.tokens))


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule over relation numbers. ``variables`` bounds the variable numbers in use; ``rule`` is where it came from."""

    relation: int
    tokens: Tokens
    body: tuple[Part, ...]
    variables: int
    rule: Rule | None = None


def variables_in(tokens: Iterable[int]) -> frozenset[int]:
    """The variables of a pattern."""
    return frozenset([token for token in tokens if 0 <= token < FUNCTOR])


def prefix_order(terms: Iterable[Term]) -> Iterator[Term]:
    """All subterms of ``terms`` in prefix order."""
    stack = list(terms)[::-1]
    while stack:
        term = stack.pop()
        yield term
        if isinstance(term, Compound):
            stack.extend(reversed(term.arguments))


def arguments_of(atom: Term) -> tuple[Term, ...]:
    """The arguments of a relation application."""
    return atom.arguments if isinstance(atom, Compound) else ()


class Schema:
    """Names of relations to relation numbers, and patterns to tokens."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.relations: dict[Signature, int] = {}
        self.names: dict[int, Signature] = {}
        self._auxiliaries = 0
        self._prefix = ""

    def relation(self, name: Signature) -> int:
        """Number of the relation with this name and arity, made if new."""
        found = self.relations.get(name)
        if found is None:
            found = self.relations[name] = self.store.relation(name[1])
            self.names[found] = name
        return found

    def auxiliary(self, arity: int) -> int:
        """A new relation whose name occurs nowhere in the sheet, which must be loaded completely."""
        return self.relation((self._fresh_name(), arity))

    def fresh_symbol(self) -> int:
        """A new symbol whose name occurs nowhere in the sheet, which must be loaded completely."""
        return self.store.symbol(self._fresh_name())

    def _fresh_name(self) -> str:
        if not self._prefix:
            names = {name for name, _ in (*self.relations, *self.store.functor_of)} | self.store.symbol_of.keys()
            self._prefix = "part"
            while any(name.startswith(self._prefix) for name in names):
                self._prefix += "_"
        self._auxiliaries += 1
        return f"{self._prefix}{self._auxiliaries}"

    def tokens(self, terms: Sequence[Term], numbers: dict[Variable, int]) -> Tokens:
        """The terms in prefix order; numbers new variables as they come."""
        tokens: list[int] = []
        for term in prefix_order(terms):
            if isinstance(term, Variable):
                tokens.append(numbers.setdefault(term, len(numbers)))
            elif isinstance(term, Compound):
                tokens.append(FUNCTOR + self.store.functor(term.functor, len(term.arguments)))
            else:
                assert isinstance(term, Symbol)
                tokens.append(~self.store.symbol(term.name))
        return tuple(tokens)

    def clause(self, rule: Rule, numbers: dict[Variable, int]) -> Clause | None:
        """The clause of a rule with a body; None if an equality or ``distinct`` in it can never hold.

        Variables that ``numbers`` does not know yet are entered there.

        Raises:
            GdlError: if the rule is unsafe.
        """
        solved = solve_equalities(rule)
        if solved is None:
            return None
        head, literals = solved
        parts: list[Part] = []
        for literal in literals:
            name = signature(literal.atom)
            tokens = self.tokens(arguments_of(literal.atom), numbers)
            if name == ("distinct", 2):
                parts.append(Part(Kind.DIFFER, -1, tokens))
            else:
                kind = Kind.POSITIVE if literal.positive else Kind.NEGATIVE
                parts.append(Part(kind, self.relation(name), tokens))
        head_tokens = self.tokens(arguments_of(head), numbers)
        bound = frozenset[int]().union(*(p.variables for p in parts if p.kind is Kind.POSITIVE))
        loose = sorted(variables_in(head_tokens).union(*(p.variables for p in parts)) - bound)
        if loose:
            variable = list(numbers)[loose[0]]
            raise GdlError(
                f"unsafe rule: variable {variable} of {head} occurs in no positive condition",
                _place_of(rule, variable),
                "bind it by a relation that lists its values",
            )
        return Clause(self.relation(signature(head)), head_tokens, tuple(dict.fromkeys(parts)), len(numbers), rule)


def _place_of(rule: Rule, variable: Variable) -> Position:
    """Where the variable first shows up: the literal that mentions it, or the rule."""
    for literal in rule.body:
        if any(term == variable for term in prefix_order([literal.atom])):
            return literal.position
    return rule.position
