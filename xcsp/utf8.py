"""A document in whatever encoding as UTF-8 with line feeds for line ends, so that lines can be counted before XML is parsed."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NoReturn

_HEAD_BYTES = 4096  # the XML declaration must fit
_DECLARED = re.compile(r"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']""")
_CODECS = {"utf-8": "", "utf-16": "utf-16", "us-ascii": "ascii", "iso-8859-1": "latin-1"}
# What the first bytes of a document in UTF-16 are: a byte order mark or "<".
_WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}

Fail = Callable[[str, int, str], NoReturn]
"""Raises the error of a document: message, line, remedy."""


def utf8_pieces(pieces: Iterator[bytes | str], fail: Fail) -> Iterator[bytes]:
    """Recode a document, piece by piece.

    UTF-8 passes unchecked: the XML parser finds what is wrong in it, and where.

    Args:
        pieces: bytes in UTF-8, UTF-16, ASCII or Latin-1, as the document declares; or text, where no declaration counts.
        fail: raises the error of the document.

    Yields:
        Pieces that may be empty, without byte order mark; a line end of any kind is a line feed (XML 1.0, section 2.11).

    Raises:
        XcspError: through ``fail``, for other encodings and for bytes that are not in the declared one.
    """
    head, is_text = b"", False
    for piece in pieces:
        is_text = isinstance(piece, str)
        head += _encoded(piece)
        if len(head) >= _HEAD_BYTES or (len(head) >= 5 and (b">" in head or head[:5] != b"<?xml")):
            break
    name, codec = _encoding(head, is_text, fail)
    encoded = chain([head], map(_encoded, pieces))
    held = b""  # a carriage return whose line feed may still come
    for data in _decoded(encoded, name, codec, fail) if codec else _without_mark(encoded):
        data = held + data
        held = b"\r" if data.endswith(b"\r") else b""
        if b"\r" in data:
            data = data.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        yield data
    if held:
        yield b"\n"


def _encoded(piece: bytes | str) -> bytes:
    return piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece


def _encoding(head: bytes, is_text: bool, fail: Fail) -> tuple[str, str]:
    """Name of the encoding, and the codec to decode with; empty where the bytes are UTF-8 already."""
    wide = "" if is_text else _WIDE.get(head[:2], "")
    match = _DECLARED.match(head.decode(wide or "latin-1", "ignore").lstrip("\ufeff").removeprefix("ï»¿"))
    name = match[1] if match else "utf-16" if wide else "utf-8"
    if name.lower() not in _CODECS:
        fail(f"the encoding {name[:40]} is not supported", 1, "convert the document to UTF-8")
    if is_text:
        return name, ""
    if bool(wide) != (name.lower() == "utf-16"):
        fail(f"the encoding is not {name}, as declared", 1, "correct the declaration")
    return name, wide or _CODECS[name.lower()]


def _without_mark(pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield next(pieces).removeprefix(codecs.BOM_UTF8)
    yield from pieces


def _decoded(pieces: Iterator[bytes], name: str, codec: str, fail: Fail) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(codec)()
    line, mark = 1, "\ufeff"
    for piece in chain(pieces, [None]):
        try:
            text = decoder.decode(piece or b"", final=piece is None)
        except UnicodeDecodeError as error:
            line += error.object[: error.start].decode(codec, "ignore").count("\n")
            fail(f"not well-formed XML: bytes that are not {name}", line, "correct the bytes or the declared encoding")
        if text:
            text, mark = text.removeprefix(mark) if mark else text, ""
        line += text.count("\n")
        yield text.encode("utf-8", "surrogatepass")
