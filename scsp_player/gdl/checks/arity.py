"""Numbers of arguments, and the values that goals may have."""

from __future__ import annotations

from collections.abc import Iterator

from scsp_player.gdl.checks.message import Finding
from scsp_player.gdl.checks.sheet import ARITIES, Sheet, is_own
from scsp_player.gdl.errors import Position
from scsp_player.gdl.program import KEYWORDS
from scsp_player.gdl.scores import score_of
from scsp_player.gdl.terms import Compound, Term, Variable, signature


class KeywordArities:
    """Keywords have a fixed number of arguments; ``base``, ``input`` and ``sees`` may also be relations of the sheet's own.

    A negated literal with a wrong number only gets a warning: it has no effect, and sheets in use contain such.
    """

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each keyword with each wrong number of arguments."""
        for relation in {**sheet.produced, **sheet.read}:
            name, arity = relation
            if name not in KEYWORDS or arity == ARITIES[name]:
                continue
            heads = [rule.position for rule in sheet.produced.get(relation, ())]
            positive = [literal.position for literal in sheet.read.get(relation, ()) if literal.positive]
            negative = [literal.position for literal in sheet.read.get(relation, ()) if not literal.positive]
            position = [*heads, *positive, *negative][0]
            wrong = f"{name} has {_arguments(arity)}, it takes {_arguments(ARITIES[name])}"
            if is_own(relation):
                text = f"{name} with {_arguments(arity)} is an ordinary relation here; rename it, it looks like the keyword"
                yield Finding("own-keyword", position, text)
            elif heads or positive:
                yield Finding("keyword-arity", position, f"{wrong}; write {_pattern(name)}")
            else:
                yield Finding("condition-without-effect", position, f"{wrong}, so (not …) always holds; write {_pattern(name)}")


class Arities:
    """The same name with different numbers of arguments, as relation or as function: the two have nothing to do with each other."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each name and each number of arguments but the first."""
        relations: dict[str, dict[int, Position]] = {}
        functions: dict[str, dict[int, Position]] = {}
        for rule in sheet.program.rules:
            for atom, position in ((rule.head, rule.position), *((literal.atom, literal.position) for literal in rule.body)):
                name, arity = signature(atom)
                if name not in KEYWORDS:
                    relations.setdefault(name, {}).setdefault(arity, position)
                if isinstance(atom, Compound):
                    for function in _functions(atom):
                        functions.setdefault(function.functor, {}).setdefault(len(function.arguments), position)
        for kind, table in (("relation", relations), ("function", functions)):
            for name, uses in table.items():
                (usual, before), *others = uses.items()
                for arity, position in others:
                    shown = sheet.name((name, arity))
                    text = f"{kind} {shown} has {_arguments(arity)}, but {_arguments(usual)} in line {before.line}; use two names"
                    yield Finding("arity", position, text)


class GoalValues:
    """Goal values are whole numbers, and from 0 to 100; a game with other numbers can be played, one with no numbers cannot."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each goal rule with another value."""
        for rule in sheet.produced.get(("goal", 2), ()):
            value = rule.head.arguments[1] if isinstance(rule.head, Compound) else rule.head
            if isinstance(value, Variable):
                continue
            score = score_of(value)
            if score is None:
                text = f"goal value {sheet.show(value)} is not a number of at most nine digits; write one from 0 to 100"
                yield Finding("goal-no-number", rule.position, text)
            elif not 0 <= score <= 100:
                yield Finding("goal-value", rule.position, f"goal value {score} is not from 0 to 100; write one that is")


def _arguments(arity: int) -> str:
    return {0: "no arguments", 1: "1 argument"}.get(arity, f"{arity} arguments")


def _pattern(name: str) -> str:
    return f"({name}{' …' * ARITIES[name]})" if ARITIES[name] else name


def _functions(atom: Compound) -> Iterator[Compound]:
    """The compound terms inside an atom."""
    stack: list[Term] = list(atom.arguments)
    while stack:
        term = stack.pop()
        if isinstance(term, Compound):
            yield term
            stack.extend(term.arguments)
