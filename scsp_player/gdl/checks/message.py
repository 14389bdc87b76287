"""What a check reports, and how serious each check is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from scsp_player.gdl.errors import Position

Level = OneOf["error", "warning"]

LEVELS: dict[str, Level] = {
    # The sheet cannot be played, or not with one meaning.
    "syntax": "error",
    "missing-relation": "error",
    "keyword-arity": "error",
    "keyword-head": "error",
    "unsafe-rule": "error",
    "fact-with-variable": "error",
    "unbounded-recursion": "error",
    "unstratified": "error",
    "depends-on-moves": "error",
    "depends-on-state": "error",
    "reads-next": "error",
    "goal-no-number": "error",
    "unplayable": "error",
    "no-legal-move": "error",
    "goal-not-unique": "error",
    # The sheet can be played, but something in it is probably not meant, or not understood by every program.
    "missing-role-goal": "warning",
    "missing-start": "warning",
    "own-keyword": "warning",
    "condition-without-effect": "warning",
    "unsafe-hint": "warning",
    "arity": "warning",
    "goal-value": "warning",
    "keyword-in-body": "warning",
    "keyword-in-term": "warning",
    "hint-depends-on-state": "warning",
    "name-twice": "warning",
    "repeated-rule": "warning",
    "repeated-condition": "warning",
    "negative-cycle": "warning",
    "unused": "warning",
    "unproduced": "warning",
    "capitalisation": "warning",
    "connective-in-term": "warning",
    "double-negation": "warning",
    "empty-body": "warning",
    "negated-distinct": "warning",
    "odd-connective": "warning",
    "parenthesised-constant": "warning",
    "unusual-character": "warning",
    "no-end": "warning",
    "over-at-start": "warning",
    "hint-incomplete": "warning",
}
"""Level of every kind of message; nothing else decides what is an error."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check has found, before it has a level.

    Attributes:
        kind: a key of ``LEVELS``.
        position: where, or None for the sheet as a whole.
        text: what is wrong and what to write instead.
    """

    kind: str
    position: Position | None
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """A finding with its level.

    Attributes:
        level: ``error`` if the sheet cannot be played as it is, else ``warning``.
        check: the kind of message, a key of ``LEVELS``.
        position: where; the first line for the sheet as a whole.
        text: what is wrong and what to write instead.
    """

    level: Level
    check: str
    position: Position
    text: str

    def __str__(self) -> str:
        return f"{self.position}: {self.level}: {self.text} [{self.check}]"
