"""Reading HTTP as game managers and players really send it, and writing answers that all of them understand.

Strict HTTP libraries turn away what this protocol's peers are known to send: no ``Content-Length`` and a half-closed connection, a
length counted in characters instead of bytes, bare line feeds, blanks before the colon of a header, messages in dribs and drabs.
Here the message itself decides: it is complete when its parentheses are, whatever the header says.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import unquote_plus

HEAD_BYTES = 64 * 1024
"""Longest start line and headers."""

BODY_BYTES = 16 * 1024 * 1024
"""Longest message; the largest rule sheets known are a tenth of this."""

PAUSE_SECONDS = 0.25
"""Silence after which a message whose parentheses are complete is taken to be the whole message."""

_COMMENT = re.compile(rb";[^\r\n]*")
_HEAD_END = re.compile(rb"\r?\n\r?\n")


class HttpError(Exception):
    """A peer's HTTP cannot be answered as asked; ``status`` and a text say why."""

    def __init__(self, status: int, text: str) -> None:
        self.status = status
        self.text = text
        super().__init__(f"{status} {text}")


@dataclass(frozen=True, slots=True)
class Request:
    """A request: ``method`` in upper case, the message, and when its first byte came (``time.monotonic``)."""

    method: str
    message: str
    received: float


@dataclass(slots=True)
class _Input:
    """Bytes of one connection, with what was read too far kept for the next step."""

    reader: asyncio.StreamReader
    deadline: float
    on_bytes: Callable[[int], None]
    buffer: bytearray = field(default_factory=bytearray)
    ended: bool = False
    first_byte: float = 0.0

    async def more(self, seconds: float | None = None) -> bool:
        """Wait for more bytes; False when there will be none (the peer has closed, or ``seconds`` have passed).

        Raises:
            HttpError: 408 when the deadline has passed.
        """
        if self.ended:
            return False
        left = self.deadline - time.monotonic()
        try:
            chunk = await asyncio.wait_for(self.reader.read(65536), left if seconds is None else min(left, seconds))
        except TimeoutError:
            if time.monotonic() >= self.deadline:
                raise HttpError(408, "the request took too long") from None
            return False
        if not chunk:
            self.ended = True
            return False
        if not self.first_byte:
            self.first_byte = time.monotonic()
        self.on_bytes(len(chunk))
        self.buffer += chunk
        return True


class Balance:
    r"""Counts the parentheses of a text that grows, comments aside; each byte is looked at once.

    >>> balance = Balance()
    >>> balance.take(b"(a ; )"), balance.complete
    (None, False)
    >>> balance.take(b"(a ; ) ))\n)"), balance.complete
    (None, True)
    """

    def __init__(self) -> None:
        self.opened = 0
        self._closed = 0
        self._seen = 0
        self._in_comment = False

    @property
    def complete(self) -> bool:
        """Whether there is a message with all its parentheses."""
        return 0 < self.opened == self._closed

    def take(self, text: bytes | bytearray) -> None:
        """Look at what has been added."""
        added = bytes(text[self._seen :])
        self._seen = len(text)
        if self._in_comment:
            added = b";" + added
        if b";" in added:
            start = max(added.rfind(b"\r"), added.rfind(b"\n")) + 1
            self._in_comment = b";" in added[start:]
            added = _COMMENT.sub(b"", added)
        self.opened += added.count(b"(")
        self._closed += added.count(b")")


async def read_request(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    *,
    idle_seconds: float = 60.0,
    request_seconds: float = 30.0,
    body_bytes: int = BODY_BYTES,
    on_bytes: Callable[[int], None] = lambda count: None,
) -> Request | None:
    """The next request of a connection; None if the peer closes it, or stays silent, without having sent anything.

    Args:
        reader: the connection.
        writer: its other direction, for "100 Continue".
        idle_seconds: how long to wait for the first byte.
        request_seconds: how long the whole request may take from then on.
        body_bytes: longest message accepted.
        on_bytes: told of every chunk that comes in; may raise to refuse it.

    Raises:
        HttpError: if the request is too long, too slow, or no request.
    """
    source = _Input(reader, time.monotonic() + idle_seconds, on_bytes)
    try:
        if not await source.more():
            return None
    except HttpError:
        return None
    source.deadline = source.first_byte + request_seconds
    start_line, headers = await _read_head(source)
    method, target = _split_start_line(start_line)
    if method == "POST":
        if headers.get("expect", "").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await _read_body(source, headers, body_bytes)
        return Request(method, body.decode("utf-8", errors="replace"), source.first_byte)
    # A browser has no body: the message stands in the address.
    return Request(method, unquote_plus(target.removeprefix("/")), source.first_byte)


async def read_response(reader: asyncio.StreamReader, deadline: float) -> str:
    """The message in a peer's answer.

    Raises:
        HttpError: if the answer is not in by the deadline (408), is too long, is no HTTP or reports an error.
        ConnectionError: if the connection breaks.
    """
    source = _Input(reader, deadline, lambda count: None)
    start_line, headers = await _read_head(source)
    words = start_line.split()
    if len(words) < 2 or not words[0].startswith("HTTP/") or not words[1].isdecimal():
        raise HttpError(502, f"no HTTP answer: {start_line[:80]!r}")
    body = await _read_body(source, headers, BODY_BYTES)
    text = body.decode("utf-8", errors="replace").strip()
    if not words[1].startswith("2"):
        raise HttpError(int(words[1]), text[:400] or "the peer reports an error")
    return text


async def _read_head(source: _Input) -> tuple[str, dict[str, str]]:
    """Start line and headers (names in lower case)."""
    while (end := _HEAD_END.search(source.buffer)) is None:
        if len(source.buffer) > HEAD_BYTES:
            raise HttpError(431, "the headers are too long")
        if not await source.more():
            break
    # A request without a blank line before the connection ends is a head alone.
    head = bytes(source.buffer[: end.start()] if end else source.buffer)
    del source.buffer[: end.end() if end else len(source.buffer)]
    if len(head) > HEAD_BYTES:
        raise HttpError(431, "the headers are too long")
    lines = head.decode("latin-1").splitlines()
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return lines[0] if lines else "", headers


def _split_start_line(line: str) -> tuple[str, str]:
    method, _, rest = line.strip().partition(" ")
    target = rest.rpartition(" HTTP/")[0] or rest
    if not method.isalpha() or not target:
        raise HttpError(400, "this is not an HTTP request")
    if method.upper() not in ("POST", "GET", "OPTIONS"):
        raise HttpError(405, f"{method[:20]} is not supported; use POST, GET or OPTIONS")
    return method.upper(), target.strip()


async def _read_body(source: _Input, headers: dict[str, str], limit: int) -> bytes:
    """The body: as long as its header says, unless its parentheses or the end of the connection tell otherwise."""
    if headers.get("transfer-encoding", "").lower().endswith("chunked"):
        return await _read_chunks(source, limit)
    balance = Balance()
    text = headers.get("content-length", "")
    length = int(text) if text.isdecimal() else None
    if length is not None and length > limit:
        raise HttpError(413, f"the message is longer than {limit} bytes")
    while length != 0:
        if len(source.buffer) > limit:
            raise HttpError(413, f"the message is longer than {limit} bytes")
        # The length may have been counted in characters, so it only says where the message can end.
        reached = length is not None and len(source.buffer) >= length
        balance.take(source.buffer)
        if reached and (not balance.opened or balance.complete):
            break
        if not await source.more(PAUSE_SECONDS) and (source.ended or reached or balance.complete):
            break
    return bytes(source.buffer)


async def _read_chunks(source: _Input, limit: int) -> bytes:
    body = bytearray()
    while True:
        while b"\n" not in source.buffer:
            if not await source.more():
                return bytes(body)
        line, _, rest = bytes(source.buffer).partition(b"\n")
        try:
            size = int(line.split(b";")[0].strip() or b"0", 16)
        except ValueError:
            raise HttpError(400, "a chunk of the body has no size") from None
        if size < 0 or len(body) + size > limit:
            raise HttpError(413, f"the message is longer than {limit} bytes")
        source.buffer[:] = rest
        if size == 0:
            return bytes(body)
        while len(source.buffer) < size:
            if not await source.more():
                return bytes(body + source.buffer)
        body += source.buffer[:size]
        del source.buffer[:size]
        while len(source.buffer) < 2 and not source.buffer.startswith(b"\n"):
            if not await source.more():
                return bytes(body)
        del source.buffer[: 1 if source.buffer.startswith(b"\n") else 2]


_REASONS = {
    200: "OK",
    400: "Bad Request",
    405: "Method Not Allowed",
    408: "Request Timeout",
    413: "Content Too Large",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


def response(status: int, text: str) -> bytes:
    """An answer that closes the connection; pages from anywhere may read it (CORS), as browser-based managers need."""
    body = text.encode("utf-8")
    head = (
        f"HTTP/1.0 {status} {_REASONS.get(status, 'Error')}\r\n"
        f"Content-Type: {'text/acl' if status == 200 else 'text/plain; charset=utf-8'}\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Access-Control-Allow-Origin: *\r\n"
        "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
        "Access-Control-Allow-Headers: Content-Type\r\n"
        "Access-Control-Max-Age: 86400\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + body


def request(host: str, message: str) -> bytes:
    """A ``POST`` with a message, in the form that every known player accepts."""
    body = message.encode("utf-8")
    head = (
        "POST / HTTP/1.0\r\n"
        f"Host: {host}\r\n"
        "Accept: text/delim\r\n"
        "Sender: GAMEMASTER\r\n"
        "Receiver: GAMEPLAYER\r\n"
        "Content-Type: text/acl\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode("ascii") + body
