"""Rules whose variables are not bound by what the body asserts."""

from __future__ import annotations

from collections.abc import Iterator

from scsp_player.gdl.checks.message import Finding
from scsp_player.gdl.checks.sheet import Sheet
from scsp_player.gdl.errors import Position
from scsp_player.gdl.hints import unread_hints
from scsp_player.gdl.program import Rule
from scsp_player.gdl.terms import Compound, Symbol, Term, Variable, signature, variables


class UnsafeRules:
    """Every variable of the head and of a negative or ``distinct`` literal must occur in a positive literal of the body.

    Unsafe rules for ``base`` and ``input`` get a warning only: these two are hints, which the engines pass over.
    """

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each unbound variable of each rule as written."""
        hints = unread_hints(sheet.program.rules)
        reported: set[tuple[Position, Variable]] = set()
        for rule in sheet.program.rules:
            for variable, position, atom in _unbound(rule):
                if (rule.position, variable) not in reported:
                    reported.add((rule.position, variable))
                    text = f"unsafe rule, no positive literal binds variable {variable} of {sheet.show(atom)}; add one that does"
                    yield Finding("unsafe-hint" if signature(rule.head) in hints else "unsafe-rule", position, text)


class FactsWithVariables:
    """A fact with a variable says something about every term there is."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each such fact, a warning for ``base`` and ``input``."""
        hints = unread_hints(sheet.program.rules)
        for rule in sheet.program.rules:
            if rule.body or not isinstance(rule.head, Compound) or all(isinstance(a, Symbol) for a in rule.head.arguments):
                continue
            unbound = " ".join(map(str, dict.fromkeys(variables(rule.head))))
            if unbound:
                text = f"fact {sheet.show(rule.head)} with variables {unbound}; write a rule whose body says what they can be"
                yield Finding("unsafe-hint" if signature(rule.head) in hints else "fact-with-variable", rule.position, text)


def _unbound(rule: Rule) -> Iterator[tuple[Variable, Position, Term]]:
    """Unbound variables of a rule with a body, each with a place and the atom there."""
    bound: set[Variable] = set()
    testing = [(rule.head, rule.position)] if rule.body else []
    for literal in rule.body:
        if literal.positive and signature(literal.atom)[0] != "distinct":
            bound.update(variables(literal.atom))
        else:
            testing.append((literal.atom, literal.position))
    for atom, position in testing:
        for variable in variables(atom):
            if variable not in bound:
                yield variable, position, atom
