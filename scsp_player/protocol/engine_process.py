"""The server's end of an engine process: orders that never block, events as they come, and an end that leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

LOG = logging.getLogger("scsp_player.protocol")

STOP_SECONDS = 1.0
"""Time for an engine to end a match before it is killed."""

EVENT_BYTES = 16 * 1024 * 1024
"""Longest event; an event may list all legal moves."""

Listener = Callable[[dict[str, Any]], None]


class EngineSpec(NamedTuple):
    """What to run in an engine: an agent, and whether its events tell the legal moves."""

    agent: str
    tell_legal: bool = False


GUARD = EngineSpec("random", tell_legal=True)
"""The engine that always has a legal move at hand, and checks the moves of the other one."""


class EngineProcess:
    """A running engine; made by ``launch``.

    Attributes:
        spec: what runs in it.
        listener: takes each event, and ``{"event": "ended"}`` when the process is gone. None while nobody plays with it.
    """

    def __init__(self, spec: EngineSpec, process: asyncio.subprocess.Process) -> None:
        self.spec = spec
        self.listener: Listener | None = None
        self._process = process
        self._closing = False
        self._matches = 0
        self._prepared = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def launch(cls, spec: EngineSpec) -> EngineProcess:
        """Start an engine; it imports what it needs while nobody waits for it."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "scsp_player.protocol.engine",
            spec.agent,
            *(["--tell-legal"] if spec.tell_legal else []),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=EVENT_BYTES,
            start_new_session=True,  # a group of its own, so that whatever an agent starts can be killed with it
        )
        return cls(spec, process)

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process is there (it may hang)."""
        return self._process.returncode is None

    async def prepared(self) -> None:
        """Wait until everything is imported and compiled, or the process is gone."""
        await self._prepared.wait()

    def order(self, **fields: Any) -> None:
        """Give an order. Returns at once even if the engine does not read: the order waits in memory."""
        stdin = self._process.stdin
        assert stdin is not None
        self._matches += fields["do"] == "start"
        if self.running and not stdin.is_closing():
            stdin.write(json.dumps(fields).encode() + b"\n")

    async def reset(self) -> bool:
        """End the match; True when the engine is ready for another one, False if it is not within a moment."""
        idle = asyncio.get_running_loop().create_future()

        def listen(event: dict[str, Any]) -> None:
            if event["event"] == "ended" or (event["event"] == "idle" and event["matches"] == self._matches):
                self.listener = None
                idle.set_result(event["event"] == "idle")

        self.listener = listen
        self.order(do="stop")
        try:
            return self.running and await asyncio.wait_for(idle, STOP_SECONDS)
        except TimeoutError:
            return False

    async def close(self) -> None:
        """Kill the process, and whatever it has started; returns when it is gone."""
        self._closing = True
        self.listener = None
        self._kill()
        await self._reading

    def _kill(self) -> None:
        if self.running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _read(self) -> None:
        stdout, stdin = self._process.stdout, self._process.stdin
        assert stdout is not None
        assert stdin is not None
        try:
            while line := await stdout.readline():
                event = json.loads(line)
                if event["event"] == "idle":
                    self._prepared.set()
                if self.listener is not None:
                    self.listener(event)
        except ValueError as error:
            LOG.error("engine %d of %s says something unreadable: %s", self.pid, self.spec.agent, error)
        self._prepared.set()
        self._kill()
        status = await self._process.wait()
        stdin.close()
        if not self._closing:
            LOG.warning("engine %d of %s ended, status %d", self.pid, self.spec.agent, status)
        if self.listener is not None:
            self.listener({"event": "ended"})


class EnginePool:
    """Engines in waiting: starting one takes a second of imports, which should not come out of a match's clock.

    Args:
        specs: what to keep one engine each of.
    """

    def __init__(self, *specs: EngineSpec) -> None:
        self._specs = specs
        self._waiting: dict[EngineSpec, EngineProcess] = {}
        self._resetting: dict[EngineSpec, asyncio.Task[None]] = {}
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def fill(self) -> None:
        """Start what is missing."""
        async with self._lock:
            for spec in self._specs:
                if not self._closed and await self._waiting_engine(spec) is None:
                    self._waiting[spec] = await EngineProcess.launch(spec)

    async def prepared(self) -> None:
        """Wait until the engines in waiting have imported and compiled everything."""
        await asyncio.gather(*(engine.prepared() for engine in self._waiting.values()))

    def fill_later(self) -> None:
        """Start what is missing, in the background."""
        self._in_background(self.fill())

    async def take(self, spec: EngineSpec) -> EngineProcess:
        """An engine for a match: the one in waiting, or a new one."""
        async with self._lock:
            waiting = await self._waiting_engine(spec)
            if waiting is None:
                return await EngineProcess.launch(spec)
            return self._waiting.pop(spec)

    def retire(self, engine: EngineProcess, *, at_once: bool = False) -> None:
        """End an engine's match; it waits for the next one if it is fit for that, and is ended otherwise or ``at_once``."""
        spec = engine.spec
        engine.listener = None
        if at_once or self._closed or spec in self._resetting or spec in self._waiting:
            self._in_background(engine.close())
        else:
            self._resetting[spec] = self._in_background(self._reset(engine))

    async def close(self) -> None:
        """End all engines."""
        self._closed = True
        async with self._lock:
            for engine in self._waiting.values():
                self._in_background(engine.close())
            self._waiting.clear()
        while self._tasks:
            await asyncio.gather(*self._tasks)

    async def _waiting_engine(self, spec: EngineSpec) -> EngineProcess | None:
        if spec in self._resetting:
            await asyncio.wait([self._resetting[spec]])
        waiting = self._waiting.get(spec)
        return waiting if waiting is not None and waiting.running else None

    async def _reset(self, engine: EngineProcess) -> None:
        fit = await engine.reset() and not self._closed
        del self._resetting[engine.spec]
        if fit:
            self._waiting[engine.spec] = engine
        else:
            await engine.close()

    def _in_background(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
