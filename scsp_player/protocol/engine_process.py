"""The server's end of an engine process: orders that never block, events as they come, and an end that leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from scsp_player.protocol.best_move import BestMove, BestMoveCell
from scsp_player.protocol.engine_limits import EngineLimits

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

    def __init__(self, spec: EngineSpec, process: asyncio.subprocess.Process, cell: BestMoveCell) -> None:
        self.spec = spec
        self.listener: Listener | None = None
        self._process = process
        self._cell = cell
        self._closing = False
        self._matches = 0
        self._prepared = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def launch(cls, spec: EngineSpec, limits: EngineLimits | None = None, cores: Sequence[int] = ()) -> EngineProcess:
        """Start an engine; it imports what it needs while nobody waits for it.

        Args:
            spec: what runs in it.
            limits: on the process.
            cores: the only processor cores that it may use; empty for all.
        """
        limits = limits or EngineLimits()
        cell = BestMoveCell()
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "scsp_player.protocol.engine", spec.agent, str(cell.descriptor)),
                *(["--tell-legal"] if spec.tell_legal else []),
                *(["--memory", str(limits.memory)] if limits.memory else []),
                *(["--nice", str(limits.nice)] if limits.nice and spec != GUARD else []),
                *(["--ponder"] if limits.ponder else []),
                *(["--cores", *map(str, cores)] if cores else []),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=EVENT_BYTES,
                pass_fds=[cell.descriptor],
                start_new_session=True,  # a group of its own, so that whatever an agent starts can be killed with it
            )
        except BaseException:
            cell.close()
            raise
        return cls(spec, process, cell)

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process is there (it may hang)."""
        return self._process.returncode is None

    def best(self) -> BestMove | None:
        """The best move that it has shared in its latest match, whatever has become of the process; None if there is none."""
        best = self._cell.read() if not self._closing else None
        return best if best is not None and best.match == self._matches else None

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
                if not idle.done():  # it may come when nobody waits for it any more
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
        self._cell.close()

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
