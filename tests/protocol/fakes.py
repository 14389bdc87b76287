"""Engines that are scripted instead of run in a process, and small things to talk to a server with."""

from __future__ import annotations

import asyncio
import contextlib
import itertools

from scsp_player.protocol import PlayerServer, PlayerSettings, Timing
from scsp_player.protocol import player as player_module
from scsp_player.protocol.best_move import BestMove

PIDS = itertools.count(1)


def prompt(engine, order):
    """Gets ready at once and plays 'go' at once."""
    if order["do"] == "start":
        engine.say(event="started")
    elif order["do"] == "play":
        engine.say(event="move", turn=order["turn"], move="go")


def slow(engine, order):
    """Gets ready at once, reports 'go' and thinks for ever."""
    if order["do"] == "start":
        engine.say(event="started")
    elif order["do"] == "play":
        engine.say(event="report", turn=order["turn"], move="go")


def silent(engine, order):
    """Says nothing at all."""


class FakeEngine:
    def __init__(self, spec, script):
        self.spec, self.script, self.listener, self.shared = spec, script, None, None
        self.pid, self.orders = next(PIDS), []

    def order(self, **fields):
        self.orders.append(fields)
        asyncio.get_running_loop().call_soon(self.script, self, fields)

    def best(self):
        return self.shared

    def say(self, **event):
        if event["event"] == "report":  # not an event: what the engine writes into shared memory
            self.shared = BestMove(1, event["turn"], event["move"])
        elif self.listener is not None:
            self.listener(event)


class FakePool:
    """Hands out fake engines; ``scripts`` maps an agent's name to a script, or to a list of scripts for one after another."""

    def __init__(self, **scripts):
        self.scripts = scripts
        self.engines = []
        self.retired = []

    async def fill(self):
        pass

    def fill_later(self):
        pass

    async def take(self, spec):
        await asyncio.sleep(0)
        script = self.scripts[spec.agent]
        if isinstance(script, list):
            script = script.pop(0) if len(script) > 1 else script[0]
        self.engines.append(FakeEngine(spec, script))
        return self.engines[-1]

    def retire(self, engine, *, at_once=False):
        engine.listener = None
        self.retired.append(engine)

    async def close(self):
        pass


@contextlib.asynccontextmanager
async def fake_server(
    monkeypatch, *, agent=prompt, guard=prompt, timing=None, matches=1, archive=None, keep=True, resumes=True, **options
):
    """A server whose engines are fake; the pool is its ``player._pool``."""
    monkeypatch.setattr(player_module, "EnginePool", lambda *specs, **options: FakePool(legal=agent, random=guard))
    settings = PlayerSettings("legal", timing=timing or Timing(), matches=matches, archive=archive, keep=keep)
    server = PlayerServer(settings, port=0, **options)
    server.resumes = resumes
    async with server:
        yield server


async def raw(port, *parts, half_close=False, pause=0.0, seconds=5.0):
    """Send bytes as they are, and everything that comes back until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
            if pause:
                await asyncio.sleep(pause)
        if half_close:
            writer.write_eof()
        return await asyncio.wait_for(reader.read(), seconds)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def post_bytes(message, headers=""):
    body = message.encode()
    return f"POST / HTTP/1.0\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


async def post(server, message, **options):
    """The text of the answer to a message."""
    return body_of(await raw(server.port, post_bytes(message), **options))


def only(server):
    """The match that is being played, or None."""
    [match] = server.player.matches.values() or [None]
    return match


def body_of(answer):
    return answer.partition(b"\r\n\r\n")[2].decode()


def status_of(answer):
    return int(answer.split()[1])
