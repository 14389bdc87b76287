"""A normalised rule sheet: rules and literals with their source positions."""

from __future__ import annotations

from dataclasses import dataclass, field

from scsp_player.gdl.errors import Position
from scsp_player.gdl.remarks import Remark
from scsp_player.gdl.terms import Term

KEYWORDS = frozenset(
    {"role", "init", "true", "does", "legal", "next", "terminal", "goal", "base", "input", "sees", "distinct"}
)
"""Relations with a meaning fixed by the language; ``<=``, ``not`` and ``or`` are connectives."""


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom of a rule body, or its negation.

    The atom is a relation application. ``distinct`` is an ordinary atom here; a negative ``distinct`` literal is an equality.
    """

    atom: Term
    positive: bool
    position: Position

    def __str__(self) -> str:
        return str(self.atom) if self.positive else f"(not {self.atom})"


@dataclass(frozen=True, slots=True)
class Rule:
    """``head <= body``; a fact when the body is empty. Disjunctions are gone (one rule for each branch)."""

    head: Term
    body: tuple[Literal, ...]
    position: Position

    def __str__(self) -> str:
        return f"(<= {self.head} {' '.join(map(str, self.body))})" if self.body else str(self.head)


@dataclass(frozen=True, slots=True)
class Program:
    """A rule sheet after normalisation.

    Attributes:
        source: name of the file, or of the message, that it came from.
        rules: all rules and facts in the order of the sheet.
        roles: names of the roles in the order of the sheet.
        spelling: case-folded symbol to the first spelling met in the sheet, for symbols whose two forms differ.
        remarks: oddities of the text that the normal form no longer shows; programs that differ in them only are equal.
    """

    source: str
    rules: tuple[Rule, ...]
    roles: tuple[str, ...]
    spelling: dict[str, str] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = field(default=(), compare=False)
