"""Positions in a source text, and the error that a rule sheet can cause."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a rule sheet: name of the source, line and column (both counted from 1)."""

    source: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


class GdlError(Exception):
    """A rule sheet cannot be used.

    Attributes:
        message: what is wrong, without the position.
        position: where, or None when no single place can be named.
        remedy: what to write or do instead; may be empty.
    """

    def __init__(self, message: str, position: Position | None = None, remedy: str = "") -> None:
        self.message = message
        self.position = position
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.position}: " if self.position else ""
        return f"{place}{self.message}" + (f" ({self.remedy})" if self.remedy else "")
