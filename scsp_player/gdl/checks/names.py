"""Names that mean two things."""

from __future__ import annotations

from collections.abc import Iterator

from scsp_player.gdl.checks.message import Finding
from scsp_player.gdl.checks.sheet import Sheet, is_own
from scsp_player.gdl.errors import Position
from scsp_player.gdl.program import KEYWORDS


class KeywordsInTerms:
    """A keyword as a constant or function inside an atom is an ordinary name; other programs may not take it for one."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each keyword used so, at its first place."""
        for (name, arity), position in sheet.names_in_terms.items():
            if name in KEYWORDS:
                kind = "function" if arity else "constant"
                text = f"{sheet.name((name, arity))} inside an atom is an ordinary {kind} here, not the keyword; use another name"
                yield Finding("keyword-in-term", position, text)


class RelationsAsFunctions:
    """One name for a relation and for a function or fluent: the two have nothing to do with each other."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each such name, at its first place as a function."""
        relations: dict[str, Position] = {}
        for relation, rules in sheet.produced.items():
            if relation[0] not in KEYWORDS or is_own(relation):
                relations.setdefault(relation[0], rules[0].position)
        for (name, arity), position in sheet.names_in_terms.items():
            if arity and name in relations:
                shown, line = sheet.name((name, arity)), relations[name].line
                text = f"{shown} is a function here and a relation in line {line}; use two names if that is not meant"
                yield Finding("name-twice", position, text)
