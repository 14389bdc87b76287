"""Characters that cannot stand in a rule sheet, and those that should not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.remarks import Remark
from scsp_player.gdl.source_text import SourceText

STRAY = r"\x00-\x08\x0e-\x1f\x7f\x80-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff"
"""Control characters, blanks other than those of ASCII, and invisible characters, as the inside of a regular expression's set."""

_UNUSUAL = re.compile(r"[^\x00-\x7f]")


def stray_character(origin: SourceText, offset: int) -> GdlError:
    """The error for a character of ``STRAY`` outside a comment."""
    character = origin.text[offset]
    position = origin.position(offset)
    if character == "\0":
        return GdlError("the text contains NUL bytes", position, "this is not a rule sheet but some binary file")
    return GdlError(f"{_described(character)} outside a comment", position, "write an ordinary space, or delete it")


def unusual_characters(origin: SourceText) -> Iterator[Remark]:
    """A remark on the first use of every character that is not ASCII, comments included."""
    seen: set[str] = set()
    for match in _UNUSUAL.finditer(origin.text):
        character = match[0]
        if character in seen:
            continue
        seen.add(character)
        if character == "\ufffd":
            text = "a byte that is not UTF-8 (it reads as U+FFFD); save the sheet as UTF-8"
        else:
            text = f"{_described(character)}; other programs may misread it, use ASCII"
        yield Remark("unusual-character", origin.position(match.start()), text)


def _described(character: str) -> str:
    return f"character U+{ord(character):04X} ({unicodedata.name(character, 'control character').lower()})"
