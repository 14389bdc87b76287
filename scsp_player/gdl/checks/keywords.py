"""Keywords in places where they have no meaning, and game rules that look at more than they may."""

from __future__ import annotations

from collections.abc import Iterator

from scsp_player.gdl.checks.message import Finding
from scsp_player.gdl.checks.sheet import Relation, Sheet

_DOES, _TRUE, _NEXT = ("does", 2), ("true", 1), ("next", 1)


class KeywordHeads:
    """``true``, ``does`` and ``distinct`` are given by the game's progress; no rule may conclude them."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each rule with such a head."""
        instead = {"true": "next (or init)", "does": "legal", "distinct": "a relation of another name"}
        for name, other in instead.items():
            for relation, rules in sheet.produced.items():
                if relation[0] == name:
                    for rule in rules:
                        yield Finding("keyword-head", rule.position, f"{name} at the head of a rule; write {other} instead")


class KeywordsInBodies:
    """``init``, ``next``, ``sees``, ``base`` and ``input`` are conclusions; other programs may refuse them in bodies."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each of them that stands in a body, at its first place."""
        for relation in (("init", 1), _NEXT, ("sees", 2), ("base", 1), ("input", 2)):
            literals = sheet.read.get(relation)
            if literals:
                text = f"{relation[0]} in the body of a rule; other programs may refuse it, use a relation of your own"
                yield Finding("keyword-in-body", literals[0].position, text)


class Dependencies:
    """What may look at the state, at the moves, and at the next state."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each keyword that depends on what is not known when it is needed."""
        for head in (("legal", 2), ("terminal", 0), ("goal", 2)):
            yield from _forbidden(sheet, head, [_DOES], "depends-on-moves", "is needed before the moves are known")
            yield from _forbidden(sheet, head, [_NEXT], "reads-next", "is needed before the next state is known")
        for head in (("init", 1), ("role", 1)):
            yield from _forbidden(sheet, head, [_TRUE, _DOES, _NEXT], "depends-on-state", "is fixed before the game starts")


class HintDependencies:
    """``base`` and ``input`` list what can be true and be done at all, not what is in some state; this program reads past them."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each of the two that looks at the state or at the moves."""
        for head in (("base", 1), ("input", 2)):
            yield from _forbidden(sheet, head, [_TRUE, _DOES, _NEXT], "hint-depends-on-state", "holds in every state")


def _forbidden(sheet: Sheet, head: Relation, targets: list[Relation], kind: str, reason: str) -> Iterator[Finding]:
    path = sheet.path(head, targets)
    if path:
        chain = " → ".join(sheet.name(relation) for relation in path)
        literal = sheet.literal_between(path[-2], path[-1])
        text = f"{head[0]} depends on {path[-1][0]} ({chain}), but {reason}; leave {path[-1][0]} out"
        yield Finding(kind, literal.position, text)
