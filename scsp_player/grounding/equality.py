"""Equalities, ``(not (distinct s t))``, are solved by unification before a rule is compiled; so is every hopeless ``distinct``."""

from __future__ import annotations

from scsp_player.gdl.program import Literal, Rule
from scsp_player.gdl.terms import Compound, Symbol, Term, Variable, signature

Bindings = dict[Variable, Term]


def substitute(term: Term, bindings: Bindings) -> Term:
    """``term`` with variables replaced, again and again until none of them is bound."""
    if not bindings:
        return term
    stack: list[Term | tuple[str, int]] = [term]
    done: list[Term] = []
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            name, arity = item
            arguments = tuple(done[-arity:])
            del done[-arity:]
            done.append(Compound(name, arguments))
        elif isinstance(item, Variable) and item in bindings:
            stack.append(bindings[item])
        elif isinstance(item, Compound):
            stack.append((item.functor, len(item.arguments)))
            stack.extend(reversed(item.arguments))
        else:
            done.append(item)
    return done[0]


def occurs(variable: Variable, term: Term, bindings: Bindings) -> bool:
    """Whether the variable is in the term once the bindings are applied."""
    stack = [term]
    while stack:
        item = stack.pop()
        if item == variable:
            return True
        if isinstance(item, Variable) and item in bindings:
            stack.append(bindings[item])
        elif isinstance(item, Compound):
            stack.extend(item.arguments)
    return False


def unify(left: Term, right: Term, bindings: Bindings) -> bool:
    """Extend ``bindings`` so that both terms become equal; False if that is impossible."""
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        while isinstance(a, Variable) and a in bindings:
            a = bindings[a]
        while isinstance(b, Variable) and b in bindings:
            b = bindings[b]
        if a == b:
            continue
        if isinstance(b, Variable):
            a, b = b, a
        if isinstance(a, Variable):
            if occurs(a, b, bindings):
                return False
            bindings[a] = b
        elif isinstance(a, Symbol) or isinstance(b, Symbol) or signature(a) != signature(b):
            return False
        else:
            assert isinstance(a, Compound)
            assert isinstance(b, Compound)
            stack.extend(zip(a.arguments, b.arguments, strict=True))
    return True


def solve_equalities(rule: Rule) -> tuple[Term, list[Literal]] | None:
    """Head and body of the rule without equalities and without ``distinct`` that always hold; None if the body never holds."""
    bindings: Bindings = {}
    for literal in rule.body:
        if not literal.positive and signature(literal.atom) == ("distinct", 2):
            assert isinstance(literal.atom, Compound)
            left, right = literal.atom.arguments
            if not unify(left, right, bindings):
                return None
    body: list[Literal] = []
    for literal in rule.body:
        if signature(literal.atom) == ("distinct", 2):
            if not literal.positive:
                continue
            atom = substitute(literal.atom, bindings)
            assert isinstance(atom, Compound)
            left, right = atom.arguments
            if left == right:
                return None
            if not unify(left, right, {}):
                continue
            body.append(Literal(atom, True, literal.position))
        else:
            body.append(Literal(substitute(literal.atom, bindings), literal.positive, literal.position))
    return substitute(rule.head, bindings), body
