"""A text with a name, and the way from a character offset to a line and a column."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from scsp_player.gdl.errors import Position

_LINE_END = re.compile(r"\r\n|\r|\n")


class SourceText:
    r"""The text of a rule sheet or message; offsets count characters from 0.

    >>> str(SourceText("nim.kif", "(role r)\n(init x)").position(10))
    'nim.kif:2:2'
    """

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> Position:
        """Line and column of a character. Lines end with LF, CR or CR LF."""
        line = bisect_right(self._line_starts, offset)
        return Position(self.name, line, offset - self._line_starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """The text of a line (counted from 1) without its end; empty if there is no such line."""
        starts = self._line_starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")
