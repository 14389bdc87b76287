"""The one error that a document or an instance can cause."""

from __future__ import annotations


class XcspError(Exception):
    """A document cannot be read, or an instance cannot be written.

    Attributes:
        message: what is wrong, without the place.
        source: name of the document; empty when there is none (an instance in memory).
        line: line in the document, counted from 1; 0 when no single line can be named.
        remedy: what to write or do instead; may be empty.

    >>> print(XcspError("unknown variable y", "nim.xml", 7, "declare it in <variables>"))
    nim.xml:7: unknown variable y (declare it in <variables>)
    """

    def __init__(self, message: str, source: str = "", line: int = 0, remedy: str = "") -> None:
        self.message = message
        self.source = source
        self.line = line
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.source or '<document>'}:{self.line}: " if self.line else f"{self.source}: " if self.source else ""
        return f"{place}{self.message}" + (f" ({self.remedy})" if self.remedy else "")
