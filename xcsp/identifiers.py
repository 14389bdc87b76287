"""Names that every XCSP3 tool accepts, and a way to make one from any text."""

from __future__ import annotations

import re

from xcsp.errors import XcspError

KEYWORDS = frozenset(
    """
    neg abs add sub mul div mod sqr pow min max dist lt le ge gt ne eq set in not and or xor iff imp if card union inter diff sdiff
    hull djoint subset subseq supseq supset convex PI E fdiv fmod sqrt nroot exp ln log sin cos tan asin acos atan sinh cosh tanh
    others
    """.split()  # noqa: SIM905 - sixty words read better as text
)
"""Words that the official parser reserves for operators; no variable, array or constraint may be called so."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_CELL = re.compile(r"([A-Za-z][A-Za-z0-9_]*)((?:\[(?:0|[1-9][0-9]{0,8})\])+)")


def split_cell(name: str) -> tuple[str, tuple[int, ...]] | None:
    """Array and indices of a cell's name, or None if the name is not a cell's.

    >>> split_cell("cell[0][2]")
    ('cell', (0, 2))
    >>> split_cell("cell") is None
    True
    """
    match = _CELL.fullmatch(name)
    if match is None:
        return None
    return match[1], tuple(int(index) for index in match[2][1:-1].split("]["))


def check_identifier(name: str) -> None:
    """Accept a plain identifier (``x_1``) or the name of an array cell (``cell[0][2]``).

    Raises:
        XcspError: if an official tool would refuse the name.
    """
    cell = _CELL.fullmatch(name)
    base = cell[1] if cell else name
    if not _NAME.fullmatch(base):
        raise XcspError(
            f"{name!r} cannot be an identifier",
            remedy="use a letter, then letters, digits and _, then array indices like [0][2] if any; safe_identifier makes one",
        )
    if base in KEYWORDS:
        raise XcspError(f"{base!r} is a keyword of XCSP3", remedy="put a prefix before it, e.g. with safe_identifier")


def check_symbol(symbol: str) -> None:
    """Accept a symbolic value: a letter, then letters, digits and ``_``; keywords are allowed.

    Raises:
        XcspError: if the symbol could not be told from a number, a star or the punctuation of tuples.
    """
    if not _NAME.fullmatch(symbol):
        raise XcspError(f"{symbol[:40]!r} cannot be a symbol", remedy="use a letter, then letters, digits and _")


def _escape(character: str) -> str:
    if character == "_":
        return "__"
    code = ord(character)
    return f"_{code:02x}" if code < 256 else f"_u{code:x}_"


def safe_identifier(text: str, prefix: str = "v_") -> str:
    """A legal identifier for ``text``; different texts give different identifiers under the same prefix.

    ASCII letters and digits stay; ``_`` becomes ``__`` and any other character its code in hexadecimal (``-`` is ``_2d``).

    Args:
        text: anything, also the empty string.
        prefix: beginning of the identifier: a letter, then letters, digits and ``_``.

    >>> safe_identifier("(mark 1-x)")
    'v__28mark_201_2dx_29'

    Raises:
        XcspError: if the prefix cannot begin an identifier.
    """
    if not _NAME.fullmatch(prefix):
        raise XcspError(f"{prefix!r} cannot begin an identifier", remedy="use a letter, then letters, digits and _")
    body = "".join(c if c.isascii() and c.isalnum() else _escape(c) for c in text)
    name = prefix + body
    # An escape never ends in a single underscore that stands alone, so the mark below collides with no other text.
    return name + "_" if name in KEYWORDS else name
