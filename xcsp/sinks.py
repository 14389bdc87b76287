"""Where a document goes: a path, plain or compressed, or an open file."""

from __future__ import annotations

import io
import lzma
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, Any

_BUFFER = 1 << 18


class Lines:
    """Lines of a document, gathered before they go to the file in larger pieces."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._lines: list[str] = []
        self._size = 0

    def add(self, line: str) -> None:
        """Append a line; the line feed is added."""
        self._lines.append(line)
        self._size += len(line)
        if self._size > _BUFFER:
            self.flush()

    def add_raw(self, data: bytes) -> None:
        """Append bytes as they are."""
        self.flush()
        self._write(data)

    def flush(self) -> None:
        """Pass on everything gathered so far."""
        if self._lines:
            self._lines.append("")
            self._write("\n".join(self._lines).encode())
            self._lines.clear()
            self._size = 0


@contextmanager
def open_sink(file: str | PathLike[str] | IO[Any]) -> Iterator[Callable[[bytes], object]]:
    """A function that takes the bytes of the document (UTF-8, whole characters in each call).

    A path is written beside itself first and replaced at the end, so that a failure leaves an older file as it was. Names that end
    in ``.xz`` or ``.lzma`` are compressed.

    Raises:
        OSError: if the file cannot be written.
    """
    if isinstance(file, io.TextIOBase):
        text = file
        yield lambda data: text.write(data.decode())
        return
    if not isinstance(file, str | PathLike):
        yield file.write
        return
    path = Path(file)
    if path.exists() and not path.is_file():  # a device or a pipe: nothing to replace
        with path.open("wb") as plain:
            yield plain.write
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with _open_new(beside, path.suffix) as stream:
            yield stream.write
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _open_new(path: Path, suffix: str) -> IO[bytes]:
    if suffix == ".xz":
        return lzma.open(path, "wb", format=lzma.FORMAT_XZ)
    if suffix == ".lzma":
        return lzma.open(path, "wb", format=lzma.FORMAT_ALONE)
    return path.open("wb")
