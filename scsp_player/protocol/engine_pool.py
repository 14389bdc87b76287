"""Engines in waiting: starting one takes a second of imports, which should not come out of a match's clock."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Coroutine

from scsp_player.protocol.engine_limits import EngineLimits
from scsp_player.protocol.engine_process import GUARD, EngineProcess, EngineSpec

GENERATIONS = 4
"""How often engines that are gone before they were prepared are waited for again."""


class EnginePool:
    """Keeps engines for the matches to come.

    Args:
        specs: which engines a match needs.
        matches: how many matches may be played at a time.
        limits: on each engine.
    """

    def __init__(self, *specs: EngineSpec, matches: int = 1, limits: EngineLimits | None = None) -> None:
        self._specs = specs
        self._matches = matches
        self._limits = limits or EngineLimits()
        self._waiting: dict[EngineSpec, list[EngineProcess]] = defaultdict(list)
        self._resetting: dict[EngineSpec, set[asyncio.Task[None]]] = defaultdict(set)
        self._taken: dict[EngineSpec, set[EngineProcess]] = defaultdict(set)
        self._places: dict[EngineProcess, int] = {}
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def fill(self) -> None:
        """Start what is missing."""
        async with self._lock:
            for spec in self._specs:
                waiting = self._running(spec)
                while not self._closed and len(waiting) + len(self._resetting[spec]) + len(self._taken[spec]) < self._matches:
                    waiting.append(await self._launch(spec))

    async def prepared(self) -> None:
        """Wait until all engines have imported and compiled everything, those included that take the place of others meanwhile."""
        known: set[EngineProcess] = set()
        for _ in range(GENERATIONS):
            await self.fill()
            engines = {engine for group in (*self._waiting.values(), *self._taken.values()) for engine in group} - known
            if not engines:
                return
            known |= engines
            await asyncio.gather(*(engine.prepared() for engine in engines))

    def fill_later(self) -> None:
        """Start what is missing, in the background."""
        self._in_background(self.fill())

    async def take(self, spec: EngineSpec) -> EngineProcess:
        """An engine for a match: one in waiting, or a new one."""
        async with self._lock:
            if not self._running(spec) and self._resetting[spec]:
                await asyncio.wait(self._resetting[spec], return_when=asyncio.FIRST_COMPLETED)
            waiting = self._running(spec)
            engine = waiting.pop(0) if waiting else await self._launch(spec)
            self._taken[spec].add(engine)
            return engine

    def retire(self, engine: EngineProcess, *, at_once: bool = False) -> None:
        """End an engine's match; it waits for the next one if it is fit for that, and is ended otherwise or ``at_once``."""
        spec = engine.spec
        engine.listener = None
        self._taken[spec].discard(engine)
        spare = len(self._waiting[spec]) + len(self._resetting[spec]) >= self._matches
        if at_once or self._closed or spare:
            self._places.pop(engine, None)
            self._in_background(engine.close())
        else:
            self._resetting[spec].add(self._in_background(self._reset(engine)))

    async def close(self) -> None:
        """End all engines."""
        self._closed = True
        async with self._lock:
            for engines in self._waiting.values():
                for engine in engines:
                    self._in_background(engine.close())
            self._waiting.clear()
        while self._tasks:
            await asyncio.gather(*self._tasks)

    async def _launch(self, spec: EngineSpec) -> EngineProcess:
        """A new engine, on cores that no other has if there are such."""
        taken = {place for other, place in self._places.items() if other.spec == spec}
        place = next(number for number in range(len(taken) + 1) if number not in taken)
        cores = () if spec == GUARD else self._limits.cores_of(place)
        engine = await EngineProcess.launch(spec, self._limits, cores)
        self._places[engine] = place
        return engine

    def _running(self, spec: EngineSpec) -> list[EngineProcess]:
        """The engines in waiting that are still there."""
        waiting = self._waiting[spec]
        for engine in [engine for engine in waiting if not engine.running]:
            waiting.remove(engine)
            self._places.pop(engine, None)
            self._in_background(engine.close())
        return waiting

    async def _reset(self, engine: EngineProcess) -> None:
        fit = await engine.reset() and not self._closed
        task = asyncio.current_task()
        assert task is not None
        self._resetting[engine.spec].discard(task)
        if fit:
            self._waiting[engine.spec].append(engine)
        else:
            self._places.pop(engine, None)
            await engine.close()
            self.fill_later()  # somebody who holds the lock may be waiting for this task

    def _in_background(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
