"""Players that answer from a script, to see what the referee makes of them."""

from __future__ import annotations

import asyncio
import contextlib
import inspect

from scsp_player.arena.players import Player
from scsp_player.protocol.client import Address
from scsp_player.protocol.http import read_request, response


@contextlib.asynccontextmanager
async def stub_player(reply, label="stub"):
    """A player that answers each message with ``reply(message)``: text, raw bytes, or None to hang up without a word.

    Its ``messages`` are what it was told.
    """
    messages = []

    async def serve(reader, writer):
        try:
            request = await read_request(reader, writer)
            if request is not None:
                messages.append(request.message)
                answer = reply(request.message)
                if inspect.isawaitable(answer):
                    answer = await answer
                if answer is not None:
                    writer.write(answer if isinstance(answer, bytes) else response(200, answer))
                    await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    player = Player(label, Address("127.0.0.1", server.sockets[0].getsockname()[1]))
    try:
        yield player, messages
    finally:
        server.close()
        await server.wait_closed()


def verb(message):
    return message.strip("( ").split()[0].upper()


def says(move, *, start="ready"):
    """A reply function: ``start`` to START, ``move`` to every question."""
    return lambda message: {"START": start, "PLAY": move, "SEES": move}.get(verb(message), "done")
