"""Rule sheets as answer-set programs, for the grounder gringo (the one inside clingo).

The encoding is the plain one: a rule is a rule, ``distinct`` an inequality. What can be true and be done at all is found by
reachability: a fluent that ``init`` or ``next`` gives may be true or not, and a move that ``legal`` gives may be done or not, which
two choice rules say. ``base`` and ``input`` are left out where nothing reads them. Names become numbers, so that no spelling of a
sheet can get in the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scsp_player.gdl import Compound, Literal, Program, Rule, Symbol, Term, Variable, signature
from scsp_player.grounding.budget import Budget
from scsp_player.grounding.clauses import Kind, Part
from scsp_player.grounding.evaluation import Statistics
from scsp_player.grounding.rulebase import DOES, INIT, LEGAL, NEXT, TRUE, Rulebase
from scsp_player.grounding.static import prepared_rules
from scsp_player.grounding.store import FUNCTOR, Store

OUTPUTS = frozenset({"init", "next", "legal", "goal", "terminal", "sees"})


class Names:
    """Numbers for the names of a sheet."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, int], int] = {}

    def predicate(self, relation: tuple[str, int]) -> str:
        """The predicate of a relation."""
        return f"p{self._number(relation)}"

    def function(self, functor: tuple[str, int]) -> str:
        """The function symbol of a functor with its arity."""
        return f"f{self._number(functor)}"

    def term(self, term: Term, variables: dict[Variable, int]) -> str:
        """A term; ``variables`` numbers those of the rule."""
        done: list[str] = []
        stack: list[tuple[Term, bool]] = [(term, False)]
        while stack:
            item, arguments_done = stack.pop()
            if isinstance(item, Variable):
                done.append(f"V{variables.setdefault(item, len(variables))}")
            elif isinstance(item, Symbol):
                done.append(f"c{self._number((item.name, 0))}")
            elif isinstance(item, Compound):
                if arguments_done:
                    first = len(done) - len(item.arguments)
                    done[first:] = [f"{self.function(signature(item))}({','.join(done[first:])})"]
                else:
                    stack.append((item, True))
                    stack.extend((argument, False) for argument in reversed(item.arguments))
        return done[0]

    def atom(self, atom: Term, variables: dict[Variable, int]) -> str:
        """A relation application."""
        arguments = atom.arguments if isinstance(atom, Compound) else ()
        inside = ",".join(self.term(argument, variables) for argument in arguments)
        return self.predicate(signature(atom)) + (f"({inside})" if inside else "")

    def _number(self, key: tuple[str, int]) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


def plain(program: Program) -> str:
    """A sheet as an answer-set program, rule by rule."""
    names = Names()
    lines = [_rule(rule, names) for rule in _needed(program)]
    true, does = names.predicate(("true", 1)), names.predicate(("does", 2))
    return "\n".join([*lines, *_reachability(true, does, *(names.predicate(r) for r in (INIT, NEXT, LEGAL)))])


def _reachability(true: str, does: str, init: str, following: str, legal: str) -> Iterator[str]:
    yield f"{{ {true}(F) }} :- {init}(F)."
    yield f"{{ {true}(F) }} :- {following}(F)."
    yield f"{{ {does}(R,M) }} :- {legal}(R,M)."


def _needed(program: Program) -> Iterator[Rule]:
    """The rules that the outputs of a game depend on."""
    reached = {signature(rule.head) for rule in program.rules if signature(rule.head)[0] in OUTPUTS}
    size = 0
    while size != (size := len(reached)):
        for rule in program.rules:
            if signature(rule.head) in reached:
                reached.update(signature(literal.atom) for literal in rule.body)
    return (rule for rule in program.rules if signature(rule.head) in reached)


def _rule(rule: Rule, names: Names) -> str:
    variables: dict[Variable, int] = {}
    head = names.atom(rule.head, variables)
    body = ", ".join(_literal(literal, names, variables) for literal in rule.body)
    return f"{head} :- {body}." if body else f"{head}."


def _literal(literal: Literal, names: Names, variables: dict[Variable, int]) -> str:
    if signature(literal.atom) == ("distinct", 2) and isinstance(literal.atom, Compound):
        left, right = (names.term(argument, variables) for argument in literal.atom.arguments)
        return f"{left} {'!=' if literal.positive else '='} {right}"
    return ("" if literal.positive else "not ") + names.atom(literal.atom, variables)


def split(program: Program, budget: Budget) -> str:
    """A sheet as an answer-set program after our preparation: static relations as facts, long bodies split.

    Raises:
        BudgetExceeded: if the preparation takes too long.
    """
    store = Store(budget)
    rules = prepared_rules(program, store, Statistics(store), restricted=False)
    return "\n".join(_split_lines(rules))


def _split_lines(rules: Rulebase) -> Iterator[str]:
    store, names = rules.store, Names()
    read = {p.relation for c in rules.clauses for p in c.body if p.kind is not Kind.DIFFER}
    for relation in sorted((read | {rules.relation(name) for name in (INIT, NEXT, LEGAL)}) - set(rules.dynamic)):
        for row in store.rows(relation).tolist():
            inside = ",".join(names.term(store.decoded(identifier), {}) for identifier in row)
            yield f"r{relation}({inside})." if inside else f"r{relation}."
    for clause in rules.clauses:
        body = ", ".join(_part(part, store, names) for part in clause.body)
        yield f"{_pattern(clause.relation, clause.tokens, store, names)} :- {body}."
    yield from _reachability(*(f"r{rules.relation(name)}" for name in (TRUE, DOES, INIT, NEXT, LEGAL)))


def _part(part: Part, store: Store, names: Names) -> str:
    if part.kind is Kind.DIFFER:
        return " != ".join(_terms(part.tokens, store, names))
    return ("not " if part.kind is Kind.NEGATIVE else "") + _pattern(part.relation, part.tokens, store, names)


def _pattern(relation: int, tokens: Iterable[int], store: Store, names: Names) -> str:
    inside = ",".join(_terms(tokens, store, names))
    return f"r{relation}({inside})" if inside else f"r{relation}"


def _terms(tokens: Iterable[int], store: Store, names: Names) -> list[str]:
    """The terms that tokens in prefix order stand for."""
    functors = {number: functor for functor, number in store.functor_of.items()}
    done: list[str] = []
    for token in reversed(list(tokens)):
        if token >= FUNCTOR:
            functor = functors[token - FUNCTOR]
            done.append(f"{names.function(functor)}({','.join(done.pop() for _ in range(functor[1]))})")
        else:
            done.append(f"V{token}" if token >= 0 else names.term(store.decoded(~token), {}))
    return done[::-1]
