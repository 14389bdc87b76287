"""Conditions that say nothing, and rules that say nothing new."""

from __future__ import annotations

from collections.abc import Iterator

from scsp_player.gdl.checks.message import Finding
from scsp_player.gdl.checks.sheet import Sheet
from scsp_player.gdl.errors import Position
from scsp_player.gdl.program import Literal, Rule
from scsp_player.gdl.terms import Compound, Term, Variable, signature


class PointlessConditions:
    """``distinct`` whose result does not depend on the binding, and bodies that assert and deny the same."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each such literal."""
        reported: set[Position] = set()
        for rule in sheet.program.rules:
            signs: dict[Term, bool] = {}
            for literal in rule.body:
                text = _without_effect(sheet, literal)
                if signs.setdefault(literal.atom, literal.positive) != literal.positive:
                    text = f"{sheet.show(literal.atom)} and its negation in one body: the rule never applies; delete one of them"
                if text and literal.position not in reported:
                    reported.add(literal.position)
                    yield Finding("condition-without-effect", literal.position, text)


class RepeatedConditions:
    """The same condition twice in one body: harmless, but perhaps the second was to say something else."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for the whole sheet, at the first place; sheets written by programs have hundreds."""
        found: dict[Position, Literal] = {}
        for rule in sheet.program.rules:
            first: dict[tuple[Term, bool], Literal] = {}
            for literal in rule.body:
                before = first.setdefault((literal.atom, literal.positive), literal)
                if before.position != literal.position:
                    found.setdefault(literal.position, literal)
        for position, literal in list(found.items())[:1]:
            more = f" (and {len(found) - 1} more such conditions)" if len(found) > 1 else ""
            text = f"{sheet.show(literal.atom)} twice in one body{more}; delete it, or correct it"
            yield Finding("repeated-condition", position, text)


class RepeatedRules:
    """A rule that stands in the sheet twice; the second may have been meant to differ."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each rule that comes again, up to the names of variables, at the second place."""
        first: dict[object, Rule] = {}
        reported: set[Position] = set()
        for rule in sheet.program.rules:
            before = first.setdefault(_form(rule) if rule.body else rule.head, rule)
            if before.position != rule.position and before.position not in reported:
                reported.add(before.position)
                text = f"the rule for {sheet.show(rule.head)} in line {before.position.line} again; delete one, or correct it"
                yield Finding("repeated-rule", rule.position, text)


def _without_effect(sheet: Sheet, literal: Literal) -> str:
    """What is odd about a ``distinct`` whose result does not depend on the binding."""
    atom = literal.atom
    if not isinstance(atom, Compound) or signature(atom) != ("distinct", 2):
        return ""
    left, right = atom.arguments
    shown = sheet.show(atom) if literal.positive else f"(not {sheet.show(atom)})"
    if left == right:
        return f"{shown} {'never' if literal.positive else 'always'} holds; compare two different terms"
    if _differ(left, right):
        return f"{shown} {'always' if literal.positive else 'never'} holds; compare variables"
    return ""


def _differ(left: Term, right: Term) -> bool:
    """Whether no binding makes two terms equal (as far as can be told without unification)."""
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if isinstance(a, Variable) or isinstance(b, Variable):
            continue
        if signature(a) != signature(b):
            return True
        if isinstance(a, Compound) and isinstance(b, Compound):
            stack.extend(zip(a.arguments, b.arguments, strict=True))
    return False


def _form(rule: Rule) -> object:
    """A key that two rules share if they differ in the names of variables at most (conditions in the same order)."""
    numbers: dict[Variable, int] = {}

    def form(term: Term) -> object:
        items: list[object] = []
        stack = [term]
        while stack:
            item = stack.pop()
            if isinstance(item, Variable):
                items.append(numbers.setdefault(item, len(numbers)))
            else:
                items.append(signature(item))
                if isinstance(item, Compound):
                    stack.extend(reversed(item.arguments))
        return tuple(items)

    return form(rule.head), tuple((form(literal.atom), literal.positive) for literal in rule.body)
