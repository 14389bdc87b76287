"""The manager's end of the protocol: ask a player, and measure how long it takes."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.sexpr import Group, Word, read_expressions
from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.http import HttpError, read_response, request

CONNECT_SECONDS = 5.0
"""Time for a player to accept a connection; does not come out of its clock."""


class PeerError(Exception):
    """A player did not answer as it should.

    Attributes:
        kind: ``timeout``, ``connection`` (it cannot be reached, or hangs up) or ``http`` (its answer is none).
        text: details.
        seconds: how long it took to find out.
    """

    def __init__(self, kind: str, text: str, seconds: float) -> None:
        self.kind = kind
        self.text = text
        self.seconds = seconds
        super().__init__(f"{kind}: {text}")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a player listens."""

    host: str
    port: int

    @classmethod
    def parse(cls, url: str) -> Address:
        """The address in ``http://host:port``.

        Raises:
            ProtocolError: if the text is no such address.
        """
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if host is None or port is None or not url.startswith("http://"):
            raise ProtocolError(f"{url} is not the address of a player", None, "write http://host:port")
        return cls(host, port)

    def __str__(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a player replied, and how many seconds after the message had left."""

    text: str
    seconds: float


async def ask(address: Address, message: str, seconds: float) -> Answer:
    """Send a message and wait for the answer.

    Args:
        address: the player.
        message: the message.
        seconds: time from the moment the message has left to the moment the answer is in.

    Raises:
        PeerError: if there is no answer.
    """
    begun = time.monotonic()
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(address.host, address.port), CONNECT_SECONDS)
    except TimeoutError:
        raise PeerError("connection", f"{address} does not accept a connection", time.monotonic() - begun) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise PeerError("connection", f"{address} cannot be reached: {reason}", time.monotonic() - begun) from None
    begun = time.monotonic()
    try:
        writer.write(request(f"{address.host}:{address.port}", message))
        await asyncio.wait_for(writer.drain(), seconds)
        begun = time.monotonic()
        text = await read_response(reader, begun + seconds)
    except TimeoutError:
        raise PeerError("timeout", f"{address} does not read", time.monotonic() - begun) from None
    except HttpError as error:
        kind = "timeout" if error.status == 408 else "http"
        raise PeerError(kind, error.text, time.monotonic() - begun) from None
    except OSError as error:
        raise PeerError("connection", f"{address} hangs up: {error}", time.monotonic() - begun) from None
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    return Answer(text, time.monotonic() - begun)


@dataclass(frozen=True, slots=True)
class PlayerInfo:
    """What a player says about itself: its name, if it says one, and whether it is free."""

    name: str
    available: bool


def parse_info(reply: str) -> PlayerInfo:
    """The reply to ``INFO`` in any of its forms: a list of pairs, or a bare word.

    >>> parse_info("( ( name Zip ) ( status BUSY ) )"), parse_info("available")
    (PlayerInfo(name='Zip', available=False), PlayerInfo(name='', available=True))

    Raises:
        ProtocolError: if it is neither.
    """
    try:
        expressions = read_expressions(reply, "<reply>")
    except GdlError as error:
        raise ProtocolError.of(error) from None
    if len(expressions) == 1 and isinstance(expressions[0], Word):
        return PlayerInfo("", expressions[0].text.lower() != "busy")
    items = expressions[0].items if len(expressions) == 1 and isinstance(expressions[0], Group) else expressions
    facts: dict[str, str] = {}
    for item in items:
        if isinstance(item, Group) and len(item.items) >= 2 and isinstance(item.items[0], Word):
            facts[item.items[0].text.lower()] = " ".join(str(value) for value in item.items[1:])
    if "status" not in facts:
        raise ProtocolError(f"this is no status: {reply[:80]}")
    return PlayerInfo(facts.get("name", ""), facts["status"].lower() != "busy")
