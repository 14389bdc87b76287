"""The HTTP server around a player."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from types import TracebackType

from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.http import HttpError, Request, read_request, response
from scsp_player.protocol.player import Player, PlayerSettings

LOG = logging.getLogger("scsp_player.protocol")

WAITING_CONNECTIONS = 400
"""Connections without a complete request that are kept; beyond, the oldest is closed."""

BUFFERED_BYTES = 128 * 1024 * 1024
"""Bytes of incomplete requests that are kept in all; beyond, the one that brings more is refused."""

LINGER_SECONDS = 1.0
"""How long a peer's surplus bytes are read after the answer; closing over unread bytes could cancel the answer on its way."""


class PlayerServer:
    """Answers a game manager over HTTP.

    Use it as an asynchronous context manager; ``port`` is known inside.

    Args:
        settings: what plays.
        host: address to listen on.
        port: port, or 0 for any free one.
        request_seconds: time for a request to come in.

    Raises:
        ProtocolError: if there is no such agent, or the address is in use or not allowed.
    """

    def __init__(
        self, settings: PlayerSettings, host: str = "127.0.0.1", port: int = 9147, *, request_seconds: float = 30.0
    ) -> None:
        self.player = Player(settings)
        self.host = host
        self.port = port
        self._request_seconds = request_seconds
        self._server: asyncio.Server | None = None
        self._waiting: dict[asyncio.Task[None], None] = {}
        self._handlers: set[asyncio.Task[None]] = set()
        self._buffered = 0

    @property
    def url(self) -> str:
        """Address for managers."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    async def __aenter__(self) -> PlayerServer:
        try:
            # No SO_REUSEADDR trickery on Windows, where it would let two servers share a port.
            self._server = await asyncio.start_server(self._connected, self.host, self.port, backlog=512)
        except (OSError, OverflowError, socket.gaierror) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ProtocolError(
                f"cannot listen on {self.host}, port {self.port}: {reason}", None, "choose another one with --host and --port"
            ) from None
        self.port = self._server.sockets[0].getsockname()[1]
        await self.player.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._waiting:
            task.cancel()
        await self.player.close()  # pending questions are answered by this
        if self._handlers:
            _, late = await asyncio.wait(self._handlers, timeout=LINGER_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self._server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        try:
            if (request := await self._receive(task, reader, writer)) is not None:
                status, text = await self._answer(request) if isinstance(request, Request) else (request.status, request.text)
                writer.write(response(status, text))
                await _finish(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        except Exception:
            LOG.exception("a connection failed")
        finally:
            self._handlers.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _receive(
        self, task: asyncio.Task[None], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Request | HttpError | None:
        """The request; the connection counts as waiting until it is in."""
        self._waiting[task] = None
        if len(self._waiting) > WAITING_CONNECTIONS:
            next(iter(self._waiting)).cancel()
        taken = 0

        def on_bytes(count: int) -> None:
            nonlocal taken
            if self._buffered + count > BUFFERED_BYTES:
                raise HttpError(503, "too many messages are coming in at once")
            taken += count
            self._buffered += count

        try:
            return await read_request(reader, writer, request_seconds=self._request_seconds, on_bytes=on_bytes)
        except HttpError as error:
            return error
        finally:
            self._buffered -= taken
            self._waiting.pop(task, None)

    async def _answer(self, request: Request) -> tuple[int, str]:
        """Status and text."""
        if request.method == "OPTIONS":
            return 200, ""
        try:
            return 200, await self.player.answer(request.message, request.received)
        except ProtocolError as error:
            LOG.warning("refused: %s", error)
            return 400, str(error)
        except Exception:
            LOG.exception("a message could not be answered")
            return 500, "internal error"


async def _finish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send the answer out, and let the peer close first if it does so soon."""
    await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()

    async def discard() -> None:
        while await reader.read(65536):
            pass

    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(discard(), LINGER_SECONDS)
