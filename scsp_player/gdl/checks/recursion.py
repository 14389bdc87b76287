"""Recursion that could build ever larger terms."""

from __future__ import annotations

from collections.abc import Iterator

from scsp_player.gdl.checks.message import Finding
from scsp_player.gdl.checks.sheet import Sheet
from scsp_player.gdl.program import Literal, Rule
from scsp_player.gdl.terms import Compound, Term, Variable, signature, variables


class UnboundedRecursion:
    """The recursion restriction of GDL, as far as it keeps terms finite.

    In a rule of a recursive relation, each argument of a recursive literal must be ground, an argument of the head, or an argument
    of a literal outside the recursion. A rule that violates this is reported only if it also wraps a variable deeper than the
    recursive literals do: all others stay finite, and sheets in use contain them.
    """

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each relation that could grow, at the first rule that makes it grow."""
        reported: set[str] = set()
        for rule in sheet.program.rules:
            name, arity = signature(rule.head)
            if name in reported or not arity or not rule.body:
                continue
            inside = [x for x in rule.body if x.positive and sheet.recursive((name, arity), signature(x.atom))]
            if not inside:
                continue
            outside = [x for x in rule.body if x.positive and x not in inside and signature(x.atom)[0] != "distinct"]
            literal = _violation(rule, inside, outside)
            if literal is not None and _grows(rule, inside, outside):
                reported.add(name)
                shown = sheet.name((name, arity))
                text = (
                    f"recursion restriction violated at {shown}: from {sheet.show(literal.atom)} follows {sheet.show(rule.head)}, "
                    "a larger term, without end; bound it by a literal with all terms that are meant"
                )
                yield Finding("unbounded-recursion", rule.position, text)


def _arguments(atom: Term) -> tuple[Term, ...]:
    return atom.arguments if isinstance(atom, Compound) else ()


def _violation(rule: Rule, inside: list[Literal], outside: list[Literal]) -> Literal | None:
    """The first recursive literal with an argument that nothing bounds."""
    bounded = set(_arguments(rule.head)).union(*(_arguments(literal.atom) for literal in outside))
    for literal in inside:
        for argument in _arguments(literal.atom):
            if argument not in bounded and next(variables(argument), None) is not None:
                return literal
    return None


def _grows(rule: Rule, inside: list[Literal], outside: list[Literal]) -> bool:
    """Whether a variable that only recursive literals bind stands deeper in the head than in any of them."""
    finite = {variable for literal in outside for variable in variables(literal.atom)}
    depth_inside: dict[Variable, int] = {}
    for literal in inside:
        for variable, depth in _depths(literal.atom):
            depth_inside[variable] = max(depth, depth_inside.get(variable, 0))
    return any(
        variable not in finite and variable in depth_inside and depth > depth_inside[variable]
        for variable, depth in _depths(rule.head)
    )


def _depths(term: Term) -> Iterator[tuple[Variable, int]]:
    stack = [(term, 0)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, Variable):
            yield item, depth
        elif isinstance(item, Compound):
            stack.extend((argument, depth + 1) for argument in item.arguments)
