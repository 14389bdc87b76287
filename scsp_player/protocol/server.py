"""The HTTP server around a player."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Sequence
from types import TracebackType

from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.events import tell
from scsp_player.protocol.http import HttpError, Request, read_request, response
from scsp_player.protocol.listening import BACKLOG, listen, port_of
from scsp_player.protocol.memory import resident_bytes
from scsp_player.protocol.player import Answer, Player, PlayerSettings
from scsp_player.protocol.timing import round_trip

LOG = logging.getLogger("scsp_player.protocol")

WAITING_CONNECTIONS = 400
"""Connections without a complete request that are kept; beyond, one is closed: the oldest that has sent nothing, or the oldest."""

BUFFERED_BYTES = 128 * 1024 * 1024
"""Bytes of incomplete requests that are kept in all; beyond, the one that brings more is refused."""

LINGER_SECONDS = 1.0
"""How long a peer's surplus bytes are read after the answer; closing over unread bytes could cancel the answer on its way."""


class PlayerServer:
    """Answers a game manager over HTTP.

    Use it as an asynchronous context manager; ``port`` is known inside.

    Attributes:
        player: who answers.
        host: the address that it listens on.
        port: the port, or 0 as long as any free one is to be taken.
        resumes: whether matches that the last server was playing are taken up again; if not, they are given up.

    Args:
        settings: what plays.
        host: address to listen on.
        port: port, or 0 for any free one.
        listeners: sockets that listen already, instead of a host and a port.
        request_seconds: time for a request to come in.

    Raises:
        ProtocolError: if there is no such agent, or the address is in use or not allowed.
    """

    def __init__(
        self,
        settings: PlayerSettings,
        host: str = "127.0.0.1",
        port: int = 9147,
        *,
        listeners: Sequence[socket.socket] = (),
        request_seconds: float = 30.0,
    ) -> None:
        self.player = Player(settings)
        self.host = listeners[0].getsockname()[0] if listeners else host
        self.port = port_of(listeners[0]) if listeners else port
        self.resumes = True
        self._listeners = list(listeners)
        self._request_seconds = request_seconds
        self._servers: list[asyncio.Server] = []
        self._waiting: dict[asyncio.Task[None], int] = {}  # connection to bytes that have come
        self._handlers: set[asyncio.Task[None]] = set()
        self._buffered = 0

    @property
    def url(self) -> str:
        """Address for managers."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def listen(self) -> None:
        """Open the sockets; ``port`` is known then. Connections wait until the context is entered, which calls this if need be.

        Raises:
            ProtocolError: if the address is in use, not allowed or unknown.
        """
        if not self._listeners:
            self._listeners = listen(self.host, self.port)
            self.port = port_of(self._listeners[0])

    async def __aenter__(self) -> PlayerServer:
        self.listen()
        try:
            self.player.resume(give_up=not self.resumes)  # before anybody can ask for a match
        except ProtocolError:
            for listener in self._listeners:
                listener.close()
            raise
        self._servers = [await asyncio.start_server(self._connected, sock=sock, backlog=BACKLOG) for sock in self._listeners]
        await self.player.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.close()
        for task in self._waiting:
            task.cancel()
        await self.player.close()  # pending questions are answered by this
        if self._handlers:
            _, late = await asyncio.wait(self._handlers, timeout=LINGER_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        for server in self._servers:
            await server.wait_closed()
        await asyncio.to_thread(self.player.close_archive)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        try:
            if (request := await self._receive(task, reader, writer)) is not None:
                status, answer = await self._answer(request) if isinstance(request, Request) else _refusal(request)
                writer.write(response(status, answer.text))
                await writer.drain()
                if answer.due is not None:
                    trip = round_trip(writer.get_extra_info("socket"))
                    self.player.margin.note(time.monotonic() - answer.due + 2 * trip)
                await _finish(reader, writer)
        except (OSError, asyncio.CancelledError):  # the peer is gone
            pass
        except Exception:
            LOG.exception("a connection failed")
        finally:
            self._handlers.discard(task)
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _receive(
        self, task: asyncio.Task[None], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Request | HttpError | None:
        """The request; the connection counts as waiting until it is in."""
        self._waiting[task] = 0
        if len(self._waiting) > WAITING_CONNECTIONS:
            silent = (other for other, count in self._waiting.items() if not count and other is not task)
            next(silent, next(iter(self._waiting))).cancel()
        taken = 0

        def on_bytes(count: int) -> None:
            nonlocal taken
            if self._buffered + count > BUFFERED_BYTES:
                raise HttpError(503, "too many messages are coming in at once")
            taken += count
            self._buffered += count
            self._waiting[task] = taken

        try:
            return await read_request(reader, writer, request_seconds=self._request_seconds, on_bytes=on_bytes)
        except HttpError as error:
            return error
        finally:
            self._buffered -= taken
            self._waiting.pop(task, None)

    async def _answer(self, request: Request) -> tuple[int, Answer]:
        """Status and text."""
        if request.method == "OPTIONS":
            return 200, Answer("")
        if request.method == "GET" and request.message in ("healthz", "metrics"):
            return 200, Answer(self._page(request.message))
        try:
            return 200, await self.player.answer(request.message, request.received)
        except ProtocolError as error:
            tell(LOG, logging.WARNING, "refused", f"refused: {str(error)[:400]}")
            self.player.metrics.count("refused")
            return 400, Answer(str(error))
        except Exception:
            LOG.exception("a message could not be answered")
            self.player.metrics.count("errors")
            return 500, Answer("internal error")

    def _page(self, name: str) -> str:
        """What watches over servers asks for."""
        if name == "healthz":
            return "ok\n"
        gauges = {"connections": len(self._handlers), "resident_bytes": resident_bytes(), **self.player.gauges()}
        return self.player.metrics.text(gauges)


def _refusal(error: HttpError) -> tuple[int, Answer]:
    return error.status, Answer(error.text)


async def _finish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Let the peer close first if it does so soon."""
    if writer.can_write_eof():
        writer.write_eof()

    async def discard() -> None:
        while await reader.read(65536):
            pass

    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(discard(), LINGER_SECONDS)
