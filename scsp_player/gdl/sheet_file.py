"""Rule sheets on disk."""

from __future__ import annotations

import re
from pathlib import Path

from scsp_player.gdl.errors import GdlError, Position

_RULE = re.compile(r"\(\s*(?:<=|(?:role|init|legal|next|goal)\s)|:-|\b(?:role|init|legal|next|goal)\(", re.IGNORECASE)


class UnusableFileError(GdlError):
    """A file that cannot be read, or that is anything but a rule sheet."""


def read_sheet(path: str | Path) -> str:
    """The text of a rule sheet: UTF-8, with or without byte order mark; other bytes become U+FFFD.

    Raises:
        UnusableFileError: if the file cannot be read, is binary or empty, or has nothing that looks like a rule.
    """
    remedy = "give the path of a rule sheet in GDL"
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UnusableFileError(f"cannot read {path}: {error.strerror}", None, remedy) from None
    start = Position(str(path), 1, 1)
    if b"\0" in data:
        raise UnusableFileError("not a rule sheet: the file contains NUL bytes", start, remedy)
    text = data.decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise UnusableFileError("not a rule sheet: the file is empty", start, remedy)
    if not _RULE.search(text):
        raise UnusableFileError("not a rule sheet: no rule of a game in it", start, remedy)
    return text
