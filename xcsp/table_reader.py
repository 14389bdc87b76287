"""The text of a ``<supports>`` or ``<conflicts>`` element, piece by piece, and the table that it means for given variables."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from xcsp.limits import Limits
from xcsp.model import STAR
from xcsp.tuple_text import TupleTextError, has_symbols, parse_tuples
from xcsp.value_text import integer_values

_CHUNK = 1 << 20
_TUPLE = re.compile(r"[ \t\r\n]*\(([^()]*)\)")
_SYMBOL = re.compile(r"[A-Za-z][A-Za-z0-9_]*|[+-]?[0-9]{1,10}|\*")

Fail = Callable[[str, int, str], NoReturn]
"""Raises the error of a document: message, line, remedy."""


@dataclass(frozen=True)
class RawTable:
    """A table as it is written, before its variables are known.

    Attributes:
        rows: int32[n, arity], values; or, where ``words`` is given, indices into it. Arity 0 for an empty element.
        words: the different entries of a table of symbols (integers and ``*`` among them are words too); None for integers.
        line: where the element begins.
    """

    rows: NDArray[np.int32]
    words: tuple[str, ...] | None
    line: int


class TableText:
    """Collects the text of one table; never holds more of it than ``limits.piece_bytes``.

    Args:
        line: where the element begins.
        fail: raises the error of the document.
        limits: bounds on tables and tuples.
        entries: entries of the tables read before, which count against the limit.
    """

    def __init__(self, line: int, fail: Fail, limits: Limits, entries: int) -> None:
        self._line = line
        self._fail = fail
        self._limits = limits
        self._entries = entries
        self._pieces: list[str] = []
        self._size = 0
        self._marks: list[tuple[int, int]] = []  # where each piece begins in the text at hand, and its line
        self._arity = 0
        self._plain = False  # values without parentheses
        self._parts: list[NDArray[np.int32]] = []
        self._words: dict[str, int] | None = None

    def feed(self, text: str, line: int) -> None:
        """Take the next piece, which begins on ``line``."""
        if not self._pieces and not self._arity and not self._plain:
            if not text.strip():
                return
            self._plain = text.lstrip()[0] != "("
        self._marks.append((self._size, line))
        self._pieces.append(text)
        self._size += len(text)
        if self._plain:
            if self._size > self._limits.values * 12:
                self._fail("the table has too many values", self._line, "raise Limits.values")
        elif self._size >= _CHUNK:
            self._parse(last=False)

    def finish(self) -> RawTable:
        """The whole table."""
        if self._plain:
            self._parse_plain()
        elif self._pieces:
            self._parse(last=True)
        if not self._parts:
            return RawTable(np.empty((0, 0), np.int32), None, self._line)
        rows = np.empty((sum(part.shape[0] for part in self._parts), self._arity), np.int32)
        begin = 0
        self._parts.reverse()
        while self._parts:  # each part is freed as soon as it is copied: the table is in memory once, not twice
            part = self._parts.pop()
            rows[begin : begin + part.shape[0]] = part
            begin += part.shape[0]
        return RawTable(rows, tuple(self._words) if self._words is not None else None, self._line)

    def _line_at(self, offset: int, text: str) -> int:
        begin, line = self._marks[bisect_right(self._marks, offset, key=lambda mark: mark[0]) - 1]
        return line + text.count("\n", begin, offset)

    def _parse(self, last: bool) -> None:
        """Turn all complete tuples at hand into numbers."""
        text = "".join(self._pieces)
        cut = text.rfind(")") + 1
        if last and text[cut:].strip():
            offset = cut + len(text[cut:]) - len(text[cut:].lstrip())
            self._fail(f"the tuple {text[offset : offset + 40]!r} is not closed", self._line_at(offset, text), "close it with ')'")
        if not cut:
            if self._size > self._limits.piece_bytes:
                self._fail("a tuple is too long", self._line, "raise Limits.piece_bytes")
            return
        if not self._arity:
            self._arity = text[: text.find(")")].count(",") + 1
        complete = text[:cut]
        try:
            part = self._parse_tuples(complete)
        except TupleTextError as error:
            self._fail(str(error), self._line_at(error.offset, text), "tuples look like (0,*,2)")
        self._entries += part.size
        if self._entries > self._limits.entries:
            self._fail("the tables have too many entries", self._line_at(0, text), "raise Limits.entries")
        self._parts.append(part)
        self._marks = [(0, self._line_at(cut, text))] + [(begin - cut, line) for begin, line in self._marks if begin > cut]
        self._pieces = [text[cut:]] if cut < len(text) else []
        self._size = len(text) - cut
        if not self._pieces:
            self._marks = []

    def _parse_tuples(self, text: str) -> NDArray[np.int32]:
        if self._words is None:
            try:
                return parse_tuples(text, self._arity)
            except TupleTextError:
                if not has_symbols(text):
                    raise
            self._to_words()
        return self._parse_words(text)

    def _parse_plain(self) -> None:
        text = "".join(self._pieces)
        self._arity = 1
        if has_symbols(text.replace(".", " ")):
            self._words = {}
            numbers = []
            for token in re.finditer(r"\S+", text):
                word = token[0]
                if not _SYMBOL.fullmatch(word) or word == "*":
                    self._fail(f"{word[:40]!r} is no value", self._line_at(token.start(), text), "write integers or symbols")
                numbers.append(self._words.setdefault(word, len(self._words)))
            self._parts = [np.array(numbers, np.int32)[:, None]]
            return
        try:
            self._parts = [integer_values(text, self._limits.values)[:, None]]
        except ValueError as error:
            begin = len(text) - len(text.lstrip())
            self._fail(str(error), self._line_at(begin, text), "a table of one variable looks like 1 3..5 8")

    def _to_words(self) -> None:
        """Go on in words: a symbol has turned up."""
        self._words = {}
        words = self._words
        for index, part in enumerate(self._parts):
            values, inverse = np.unique(part, return_inverse=True)
            names = ["*" if value == STAR else str(value) for value in values.tolist()]
            numbers = np.array([words.setdefault(name, len(words)) for name in names], np.int32)
            self._parts[index] = numbers[inverse.reshape(part.shape)]

    def _parse_words(self, text: str) -> NDArray[np.int32]:
        words = self._words if self._words is not None else {}
        numbers: list[int] = []
        position = 0
        while match := _TUPLE.match(text, position):
            entries = [entry.strip() for entry in match[1].split(",")]
            if len(entries) != self._arity:
                shown = match[0].strip()[:60]
                raise TupleTextError(f"the tuple {shown!r} has {len(entries)} values instead of {self._arity}", match.end() - 1)
            for entry in entries:
                if not _SYMBOL.fullmatch(entry):
                    raise TupleTextError(f"the tuple {match[0].strip()[:60]!r} has {entry[:40]!r} for a value", match.end() - 1)
                numbers.append(words.setdefault(entry, len(words)))
            position = match.end()
        if text[position:].strip():
            raise TupleTextError(f"a tuple must begin with '(', not with {text[position:].strip()[:20]!r}", position)
        return np.array(numbers, np.int32).reshape(-1, self._arity)


def values_of(table: RawTable, column: int, symbols: tuple[str, ...] | None, domain: NDArray[np.int32]) -> NDArray[np.int32]:
    """One column of a table as domain values of its variable; what is no value of it becomes a number outside its domain.

    Args:
        table: as written.
        column: index.
        symbols: of the variable, if it is symbolic.
        domain: values of the variable.
    """
    rows = table.rows[:, column]
    if table.words is None and symbols is None:
        return rows
    outside = np.int32(domain[-1]) + 1
    if symbols is None:
        known = {str(value): value for value in domain.tolist()}
    else:
        known = dict(zip(symbols, domain.tolist(), strict=True))
    known["*"] = int(STAR)
    if table.words is None:
        values, inverse = np.unique(rows, return_inverse=True)
        words = ["*" if value == STAR else str(value) for value in values.tolist()]
        return np.array([known.get(word, outside) for word in words], np.int32)[inverse.reshape(rows.shape)]
    return np.array([known.get(word, outside) for word in table.words], np.int32)[rows]
