"""Relations that nothing uses, and those that nothing can make true."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from scsp_player.gdl.checks.message import Finding
from scsp_player.gdl.checks.sheet import Relation, Sheet, is_keyword, is_own
from scsp_player.gdl.errors import Position
from scsp_player.gdl.program import KEYWORDS
from scsp_player.gdl.terms import Compound, Term, Variable, signature


class UnusedRelations:
    """A relation that no body mentions has no effect on the game."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each such relation, at its first rule."""
        for relation, rules in sheet.produced.items():
            if relation not in sheet.read and not is_keyword(relation):
                text = f"relation {sheet.name(relation)} is never used; check its spelling or delete it"
                yield Finding("unused", rules[0].position, text)


class UnproducedRelations:
    """A relation without rules and facts is always false."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each such relation, at its first use."""
        for relation, literals in sheet.read.items():
            if relation not in sheet.produced and (relation[0] not in KEYWORDS or is_own(relation)):
                others = {name for name, arity in sheet.produced if arity == relation[1] and name not in KEYWORDS}
                text = f"relation {sheet.name(relation)} is always false, it has no rules; {_remedy(sheet, relation, others)}"
                yield Finding("unproduced", literals[0].position, text)


class UnproducedFluentsAndMoves:
    """A fluent that neither ``init`` nor ``next`` concludes is never true; a move that is not legal is never made."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each name of a fluent or move, at its first use."""
        yield from _never(sheet, ("true", 1), [("init", 1), ("next", 1)], "fluent {} is never true: neither init nor next gives it")
        yield from _never(sheet, ("does", 2), [("legal", 2)], "move {} is never made: no rule makes it legal")


def _never(sheet: Sheet, asked: Relation, sources: list[Relation], text: str) -> Iterator[Finding]:
    heads = [_last_argument(rule.head) for source in sources for rule in sheet.produced.get(source, ())]
    if any(isinstance(term, Variable) for term in heads):
        return
    possible = {signature(term) for term in heads}
    missing: dict[Relation, Position] = {}
    for literal in sheet.read.get(asked, ()):
        term = _last_argument(literal.atom)
        if not isinstance(term, Variable) and signature(term) not in possible:
            missing.setdefault(signature(term), literal.position)
    for relation, position in missing.items():
        others = {name for name, arity in possible if arity == relation[1]}
        yield Finding("unproduced", position, f"{text.format(sheet.name(relation))}; {_remedy(sheet, relation, others)}")


def _last_argument(atom: Term) -> Term:
    return atom.arguments[-1] if isinstance(atom, Compound) else atom


def _remedy(sheet: Sheet, relation: Relation, others: Iterable[str]) -> str:
    """What to do about a name that nothing produces, given names that could be meant."""
    name, arity = relation
    # Short names are alike by chance.
    alike = difflib.get_close_matches(name, sorted(others), 1, cutoff=0.75) if len(name) > 3 else []
    return f"is {sheet.name((alike[0], arity))} meant?" if alike else "check its spelling or add a rule"
