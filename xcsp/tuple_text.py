"""Tuples of integers ↔ text such as ``(0,*,2)(1,5,0)``, a chunk at a time, without a Python loop over tuples."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from xcsp.model import STAR

_BLANK, _DIGIT, _SIGN, _STAR, _OPEN, _COMMA, _CLOSE, _OTHER = range(8)
_CLASS = np.full(256, _OTHER, np.uint8)
for _characters, _kind in (
    (b" \t\r\n", _BLANK),
    (b"0123456789", _DIGIT),
    (b"+-", _SIGN),
    (b"*", _STAR),
    (b"(", _OPEN),
    (b",", _COMMA),
    (b")", _CLOSE),
):
    _CLASS[list(_characters)] = _kind

_BLANKS = re.compile(r"[ \t\r\n]*")
_INTEGER = re.compile(r"\s*(?:[+-]?[0-9]+|\*)\s*")
_WORD = re.compile(r"[+-]?[0-9]+|\*")
_LARGEST = 2**31 - 1
_SHORT = 2048  # below this many characters or values, plain Python takes less time than numpy takes to start its operations


class TupleTextError(ValueError):
    """Text that is no list of tuples.

    Attributes:
        offset: number of characters before the fault.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def has_symbols(text: str) -> bool:
    """Whether characters occur that no tuple of integers has."""
    return bool((_CLASS[np.frombuffer(text.encode("ascii", "replace"), np.uint8)] == _OTHER).any())


@cache
def _short_tuples(arity: int) -> re.Pattern[str]:
    """Any number of tuples whose values have at most nine digits."""
    value = r"[ \t\r\n]*(?:[+-]?[0-9]{1,9}|\*)[ \t\r\n]*"
    return re.compile(r"(?:[ \t\r\n]*\(" + ",".join([value] * arity) + r"\))*[ \t\r\n]*")


def parse_tuples(text: str, arity: int) -> NDArray[np.int32]:
    """Parse whole tuples of integers and stars.

    Args:
        text: tuples ``(v,…,v)``, blanks allowed everywhere but inside a number.
        arity: length of every tuple, at least 1.

    Returns:
        int32[n, arity], with ``STAR`` for ``*``.

    Raises:
        TupleTextError: at the first malformed tuple.
    """
    if len(text) < _SHORT and _short_tuples(arity).fullmatch(text):
        star = int(STAR)
        words = _WORD.findall(text)
        return np.array([star if word == "*" else int(word) for word in words], np.int32).reshape(-1, arity)
    raw = np.frombuffer(text.encode("ascii", "replace"), np.uint8)
    kind = _CLASS[raw]
    marks = np.flatnonzero(kind >= _OPEN)
    if marks.size % (arity + 1):
        raise _fault(text, arity)
    structure = marks.reshape(-1, arity + 1)
    expected = np.array([_OPEN] + [_COMMA] * (arity - 1) + [_CLOSE], np.uint8)
    if not (kind[structure] == expected).all():
        raise _fault(text, arity)
    count = structure.shape[0]
    if count == 0:
        if (kind != _BLANK).any():
            raise _fault(text, arity)
        return np.empty((0, arity), np.int32)

    # Tokens are maximal runs of digits, signs and stars; exactly one must stand between two neighbours of the structure.
    edge = np.zeros(raw.size + 1, np.int8)
    inside = (kind >= _DIGIT) & (kind <= _STAR)
    edge[1:] = inside
    edge[:-1] -= inside
    starts = np.flatnonzero(edge[:-1] < 0)
    ends = np.flatnonzero(edge > 0)
    if starts.size != count * arity:
        raise _fault(text, arity)
    slots = starts.reshape(count, arity)
    if not ((slots > structure[:, :-1]).all() and (ends.reshape(count, arity) <= structure[:, 1:]).all()):
        raise _fault(text, arity)

    first = kind[starts]
    signed = first == _SIGN
    starred = first == _STAR
    length = ends - starts - signed
    digits = int((kind == _DIGIT).sum())
    # Each token has its digits, and besides only one leading sign or one lone star.
    if digits + int(starred.sum()) != int(length.sum()) or (starred & (length != 1)).any() or (length < 1).any():
        raise _fault(text, arity)
    widest = int(length.max())
    if widest > 10:
        raise _fault(text, arity)
    values = (raw[ends - 1] - np.uint8(48)).astype(np.int64)
    for place in range(1, widest):
        longer = length > place
        position = np.where(longer, ends - 1 - place, 0)
        values += np.where(longer, raw[position] - np.uint8(48), np.uint8(0)) * np.int64(10**place)
    values[starred] = 0
    if (values > _LARGEST).any():
        raise _fault(text, arity)
    negative = raw[starts] == ord("-")
    np.negative(values, out=values, where=negative)
    result = values.astype(np.int32)
    result[starred] = STAR
    return result.reshape(count, arity)


def _fault(text: str, arity: int) -> TupleTextError:
    """Find the first fault of a text that ``parse_tuples`` refused; slow, but only run once."""
    position = 0
    while True:
        start = _BLANKS.match(text, position).end()  # type: ignore[union-attr]
        if start == len(text):
            return TupleTextError("malformed tuples", 0)
        if text[start] != "(":
            return TupleTextError(f"a tuple must begin with '(', not with {text[start : start + 20]!r}", start)
        end = text.find(")", start)
        if end < 0:
            return TupleTextError(f"the tuple {text[start : start + 40]!r} is not closed", start)
        entries = text[start + 1 : end].split(",")
        shown = text[start : min(end + 1, start + 60)]
        if "(" in text[start + 1 : end]:
            return TupleTextError(f"the tuple {shown!r} is not closed", start)
        if len(entries) != arity:
            return TupleTextError(f"the tuple {shown!r} has {len(entries)} values instead of {arity}", start)
        for entry in entries:
            if not _INTEGER.fullmatch(entry):
                return TupleTextError(f"the tuple {shown!r} has {entry.strip()[:40]!r} where an integer or * must stand", start)
            digits = entry.strip().lstrip("+-")
            if digits != "*" and (len(digits) > 10 or int(digits) > _LARGEST):
                return TupleTextError(f"the value {entry.strip()[:40]} does not fit in 32 bits", start)
        position = end + 1


def tuples_text(tuples: NDArray[np.int32], per_line: int) -> bytes:
    r"""Text of tuples, ``per_line`` of them on a line; every line ends with a line feed.

    >>> tuples_text(np.array([[0, -1], [12, STAR], [3, 4]], np.int32), 2)
    b'(0,-1)(12,*)\n(3,4)\n'

    Args:
        tuples: int32[n, arity], n ≥ 1; ``STAR`` becomes ``*``.
        per_line: at least 1.
    """
    count, arity = tuples.shape
    if tuples.size < _SHORT // 4:
        star = int(STAR)
        rows = ["(" + ",".join(["*" if v == star else str(v) for v in row]) + ")" for row in tuples.tolist()]
        return "".join(["".join(rows[i : i + per_line]) + "\n" for i in range(0, count, per_line)]).encode()
    values = tuples.astype(np.int64)
    starred = tuples == STAR
    values[starred] = 0
    negative = values < 0
    np.abs(values, out=values)
    width = len(str(int(values.max())))
    # A row is "(", then per value one place for the sign, ``width`` for the digits and one for "," or ")", then one for the line
    # feed. Places that stay 0 are squeezed out at the end.
    row = np.zeros((count, arity * (width + 2) + 2), np.uint8)
    row[:, 0] = ord("(")
    cells = row[:, 1:-1].reshape(count, arity, width + 2)
    cells[:, :, 0] = np.where(negative, ord("-"), 0)
    for place in range(width):
        shown = (values > 0) if place else True
        cells[:, :, width - place] = np.where(shown, values % 10 + 48, 0)
        values //= 10
    cells[:, :, width][starred] = ord("*")
    cells[:, :, -1] = ord(",")
    cells[:, -1, -1] = ord(")")
    row[per_line - 1 :: per_line, -1] = ord("\n")
    row[-1, -1] = ord("\n")
    flat = row.reshape(-1)
    return bytes(flat[flat != 0].tobytes())
