"""Where a document comes from: a path or an open file, plain or compressed."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

from xcsp.errors import XcspError
from xcsp.limits import Limits

_CHUNK = 1 << 18
_DICTIONARY_BYTES = 1 << 29  # memory that the decompressor may take


def source_name(file: str | PathLike[str] | IO[Any]) -> str:
    """Name of the document for messages."""
    if isinstance(file, str | PathLike):
        return fspath(file)
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else "<document>"


def chunks(file: str | PathLike[str] | IO[Any], limits: Limits) -> Iterator[bytes | str]:
    """The text of the document in pieces, decompressed if its first bytes are those of an ``.xz`` or ``.lzma`` file.

    Raises:
        XcspError: if the file cannot be read or decompressed, or is larger than the limit.
    """
    name = source_name(file)
    try:
        if isinstance(file, str | PathLike):
            with Path(file).open("rb") as stream:
                yield from _decompressed(stream, name, limits)
        else:
            yield from _decompressed(file, name, limits)
    except (OSError, UnicodeDecodeError) as error:
        raise XcspError(f"cannot be read: {getattr(error, 'strerror', None) or error}", name) from error


def _decompressed(stream: IO[Any], name: str, limits: Limits) -> Iterator[bytes | str]:
    chunk = stream.read(_CHUNK)
    total = 0
    # XML begins with "<", a blank or a byte order mark, never like one of these.
    if isinstance(chunk, bytes) and chunk.startswith((b"\xfd7zXZ\0", b"]\0\0")):
        pieces: Iterator[bytes | str] = _unpack(stream, chunk, name)
    else:
        pieces = _plain(stream, chunk)
    for piece in pieces:
        total += len(piece)
        if total > limits.document_bytes:
            raise XcspError(f"the document has more than {limits.document_bytes} bytes", name, remedy="raise Limits.document_bytes")
        yield piece


def _plain(stream: IO[Any], chunk: bytes | str) -> Iterator[bytes | str]:
    while chunk:
        yield chunk
        chunk = stream.read(_CHUNK)


def _unpack(stream: IO[Any], chunk: bytes, name: str) -> Iterator[bytes]:
    unpacker: lzma.LZMADecompressor | None = None
    try:
        while chunk:
            if unpacker is None:
                chunk = chunk.lstrip(b"\0")  # padding between compressed streams
                unpacker = lzma.LZMADecompressor(memlimit=_DICTIONARY_BYTES) if chunk else None
            if unpacker is not None:
                yield unpacker.decompress(chunk, _CHUNK)
                while not (unpacker.needs_input or unpacker.eof):
                    yield unpacker.decompress(b"", _CHUNK)
                if unpacker.eof:
                    chunk, unpacker = unpacker.unused_data, None
                    if chunk:
                        continue
            chunk = stream.read(_CHUNK)
    except lzma.LZMAError as error:
        raise XcspError(f"damaged compressed data: {error}", name, remedy="fetch or compress the file again") from error
    if unpacker is not None:
        raise XcspError("the compressed data ends too early", name, remedy="the file is truncated: fetch or compress it again")
