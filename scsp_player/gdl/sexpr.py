"""Nested lists of words as in KIF and in game messages, read in one pass without recursion.

The grammar has two rules (an expression is a word or a parenthesised sequence of expressions), so one regular expression and a
stack read it; lark's LALR parser with the same grammar takes seven times as long and would miss the time for large sheets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count

from scsp_player.gdl.characters import STRAY, stray_character
from scsp_player.gdl.collector import paused_collector
from scsp_player.gdl.errors import GdlError, Position
from scsp_player.gdl.source_text import SourceText


class Word:
    """A token that is neither a parenthesis nor blank: ``text`` as written."""

    __slots__ = ("offset", "origin", "text")

    def __init__(self, text: str, origin: SourceText, offset: int) -> None:
        self.text = text
        self.origin = origin
        self.offset = offset

    @property
    def position(self) -> Position:
        """Where the word starts."""
        return self.origin.position(self.offset)

    def __str__(self) -> str:
        return self.text


class Group:
    """A parenthesised sequence of expressions."""

    __slots__ = ("items", "offset", "origin")

    def __init__(self, items: list[Expression], origin: SourceText, offset: int) -> None:
        self.items = items
        self.origin = origin
        self.offset = offset

    @property
    def position(self) -> Position:
        """Where the opening parenthesis stands."""
        return self.origin.position(self.offset)

    def __str__(self) -> str:
        return format_expression(self)


Expression = Word | Group

_TOKEN = re.compile(rf"(?:[ \t\r\n\f\v]+|;[^\r\n]*)*+(?:(\()|(\))|([^\s();{STRAY}]+)|\Z|(.))", re.DOTALL)
_OPEN, _CLOSE, _WORD = 1, 2, 3


def read_expressions(text: str, source: str = "<text>") -> list[Expression]:
    r"""The expressions of a text in prefix notation, one after the other; ``;`` starts a comment that ends with its line.

    >>> [str(e) for e in read_expressions("(role r) ; the player\n terminal")]
    ['(role r)', 'terminal']

    Args:
        text: the text; a byte order mark at its start is dropped.
        source: name for positions, usually that of the file.

    Raises:
        GdlError: for a parenthesis without partner (at the opening one, if that is what stands alone) or a character that is
            neither blank, parenthesis nor part of a word, such as a no-break space or a control character.
    """
    with paused_collector():
        return _read(SourceText(source, text.removeprefix("\ufeff")))


def _read(origin: SourceText) -> list[Expression]:
    current: list[Expression] = []
    enclosing: list[tuple[list[Expression], int]] = []
    for match in _TOKEN.finditer(origin.text):
        kind = match.lastindex
        if kind == _WORD:
            current.append(Word(match[3], origin, match.start(3)))
        elif kind == _OPEN:
            enclosing.append((current, match.start(1)))
            current = []
        elif kind == _CLOSE:
            if not enclosing:
                raise GdlError(
                    "closing parenthesis without an opening one",
                    origin.position(match.start(2)),
                    "delete it, or add the opening parenthesis before it",
                )
            items = current
            current, offset = enclosing.pop()
            current.append(Group(items, origin, offset))
        elif kind is not None:
            raise stray_character(origin, match.start(4))
    if enclosing:
        raise GdlError(
            "opening parenthesis without a closing one",
            origin.position(enclosing[-1][1]),
            "add the closing parenthesis where this list should end",
        )
    return current


def format_expression(expression: Expression) -> str:
    """An expression in one line, with single spaces; does not recurse."""
    pieces: list[str] = []
    stack: list[Expression | str] = [expression]
    while stack:
        item = stack.pop()
        if isinstance(item, Group):
            pieces.append("(")
            stack.append(")")
            for position in range(len(item.items) - 1, -1, -1):
                stack.append(item.items[position])
                if position:
                    stack.append(" ")
        else:
            pieces.append(item if isinstance(item, str) else item.text)
    return "".join(pieces)


def words(expression: Expression) -> Iterator[Word]:
    """All words of an expression, left to right."""
    stack = [expression]
    while stack:
        item = stack.pop()
        if isinstance(item, Word):
            yield item
        else:
            stack.extend(reversed(item.items))


def unused_names(expressions: Sequence[Expression], prefix: str) -> Iterator[str]:
    """Names ``prefix_1``, ``prefix_2`` … for relations to be made up, without those that occur in a sheet in any spelling."""
    used = {word.text.lower() for expression in expressions for word in words(expression)}
    return (name for name in (f"{prefix}_{number}" for number in count(1)) if name not in used)
