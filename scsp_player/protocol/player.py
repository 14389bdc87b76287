"""What the player answers to each message."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from scsp_player.agents.registry import agent_kind
from scsp_player.protocol.archive import Archive
from scsp_player.protocol.engine_limits import EngineLimits
from scsp_player.protocol.engine_pool import EnginePool
from scsp_player.protocol.engine_process import GUARD, EngineSpec
from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.events import tell
from scsp_player.protocol.match import Match, Setting
from scsp_player.protocol.messages import Abort, Info, Message, Play, Preview, Start, parse_long_message
from scsp_player.protocol.metrics import Metrics
from scsp_player.protocol.timing import Margin, Timing

LOG = logging.getLogger("scsp_player.protocol")

ARCHIVE_SHARE = 0.2
"""Share of the margin that a reply may wait for the disk."""

FORGOTTEN_SECONDS = 3600.0
"""Silence, beyond its clocks, after which an unfinished match in the archive is not taken up again."""


@dataclass(frozen=True, slots=True)
class PlayerSettings:
    """What a player is.

    Attributes:
        agent: name of the agent that plays.
        name: name told to managers that ask.
        seed: the same seed, matches and clocks give the same moves as far as time allows; None for a new seed each time.
        timing: how answers are timed.
        matches: how many matches are played at a time; to others the player is busy.
        limits: on each engine process.
        archive: folder of the database of matches; None for none.
        keep: whether matches stay in the database once they are over.
    """

    agent: str = "mac-ucb"
    name: str = "scsp-player"
    seed: int | None = None
    timing: Timing = field(default_factory=Timing)
    matches: int = 1
    limits: EngineLimits = field(default_factory=EngineLimits)
    archive: Path | None = None
    keep: bool = True


class Answer(NamedTuple):
    """A reply, and when it was to leave (``time.monotonic``) if that matters."""

    text: str
    due: float | None = None


class Player:
    """Plays as many matches at a time as its settings allow; to others it is busy.

    Raises:
        ProtocolError: if there is no such agent, or the archive cannot be used.
    """

    def __init__(self, settings: PlayerSettings) -> None:
        try:
            agent_kind(settings.agent)
        except LookupError as error:
            raise ProtocolError(str(error.args[0])) from None
        self.settings = settings
        self.matches: dict[str, Match] = {}
        self.margin = Margin(settings.timing)
        self.metrics = Metrics()
        self.archive: Archive | None = None
        self._keys: dict[str, int] = {}
        self._pool = EnginePool(EngineSpec(settings.agent), GUARD, matches=settings.matches, limits=settings.limits)
        self._begun = 0
        self._expiries: dict[str, asyncio.TimerHandle] = {}

    def resume(self, *, give_up: bool = False) -> None:
        """Open the archive, and take up the matches that were being played when the server ended, or give them up."""
        if self.settings.archive is None:
            return
        self.archive = Archive(self.settings.archive, keep=self.settings.keep)
        for unfinished in self.archive.unfinished():
            start = parse_long_message(unfinished.start)
            assert isinstance(start, Start)
            patience = 2 * start.play_clock + start.start_clock * (not unfinished.past) + FORGOTTEN_SECONDS
            if give_up or unfinished.silent > patience or len(self.matches) >= self.settings.matches:
                self.archive.end(unfinished.key, "expired")
                continue
            setting = Setting(unfinished.agent, self._pool, self.margin, unfinished.seed, unfinished.past)
            match = Match(start, unfinished.start, time.monotonic(), setting)
            match.resumed = True
            self.matches[match.name] = match
            self._keys[match.name] = unfinished.key
            self._expire_later(match)
            text = f"match {match.name}: taken up again after {len(unfinished.past)} turns"
            tell(LOG, logging.WARNING, "resumed", text, match=match.name, turns=len(unfinished.past))

    async def open(self) -> None:
        """Start the engines that wait for a match."""
        await self._pool.fill()

    async def prepared(self) -> None:
        """Wait until the engines can use a clock to the full: the first time on a machine, kernels have to be compiled."""
        await self._pool.prepared()

    async def close(self) -> None:
        """End all engines; pending questions are answered with the best move known.

        Matches stay unfinished in the archive: the next server takes them up again.
        """
        for match in list(self.matches.values()):
            self._forget(match)
        await self._pool.close()

    def close_archive(self) -> None:
        """Once the last reply has left."""
        if self.archive is not None:
            self.archive.close()

    async def answer(self, text: str, received: float) -> Answer:
        """The reply to a message that came at a time (``time.monotonic``).

        Raises:
            ProtocolError: if the text is no message, or does not fit the game; nothing has changed then.
        """
        message = await asyncio.to_thread(parse_long_message, text) if len(text) > 20_000 else parse_long_message(text)
        self.metrics.count("messages", verb=type(message).__name__.upper())
        self._expire()
        if isinstance(message, Info):
            return Answer(self._info(message))
        if isinstance(message, Preview):
            return Answer("ready" if self._free else "busy")
        if isinstance(message, Start):
            return Answer(await self._start(message, text, received))
        match = self.matches.get(message.match.lower())
        if match is None:
            verb = type(message).__name__
            tell(LOG, logging.INFO, "unknown match", f"{verb} for a match that is not played here: {message.match[:80]}")
            return Answer("busy")
        return await self._in_match(match, message, text, received)

    def gauges(self) -> Mapping[str, float]:
        """Values of the moment, for ``/metrics``."""
        archive = self.archive
        return {
            "matches": len(self.matches),
            "matches_limit": self.settings.matches,
            "worst_delay_seconds": self.margin.worst,
            "archive_pending": archive.pending if archive else 0,
            "archive_failures": archive.failures if archive else 0,
            "archive_lost": archive.lost if archive else 0,
        }

    @property
    def _free(self) -> bool:
        return len(self.matches) < self.settings.matches

    def _info(self, message: Info) -> str:
        status = "available" if self._free else "busy"
        return status if message.bare else f"((name {self.settings.name}) (status {status}))"

    async def _start(self, start: Start, text: str, received: float) -> str:
        match = self.matches.get(start.match.lower())
        if match is None:
            # A match gives way if its manager should have asked by now, or has not since the match was taken up again.
            silent = next((other for other in self.matches.values() if other.resumed or received >= other.overdue), None)
            if not self._free and silent is not None:
                self._end(silent, "expired")
            if not self._free:
                return "busy"
            match = self._begin(start, text, received)
        elif match.message != text:
            return "busy"
        key = self._keys[match.name]
        ready = await match.ready()
        if not ready and self.matches.get(match.name) is match:
            self._end(match, "refused")
        await self._settle(key, received, start.start_clock, "START", "ready" if ready else "busy")
        return "ready" if ready else "busy"

    def _begin(self, start: Start, text: str, received: float) -> Match:
        settings, seed = self.settings, self._next_seed()
        match = Match(start, text, received, Setting(settings.agent, self._pool, self.margin, seed))
        self.matches[match.name] = match
        clocks = start.start_clock, start.play_clock
        if self.archive is not None:
            self._keys[match.name] = self.archive.begin(start.match, start.role, text, clocks, settings.agent, seed)
        else:
            self._keys[match.name] = self._begun
        facts = {"match": match.name, "role": start.role, "start_clock": clocks[0], "play_clock": clocks[1]}
        tell(LOG, logging.INFO, "start", f"match {start.match}: role {start.role}, clocks {clocks[0]:g} and {clocks[1]:g}", **facts)
        self.metrics.count("matches_begun")
        self._expire_later(match)
        return match

    async def _in_match(self, match: Match, message: Message, text: str, received: float) -> Answer:
        key = self._keys[match.name]
        if isinstance(message, Play) and not message.last:
            try:
                return await self._play(match, key, message, text, received)
            finally:
                self._expire_later(match)
        aborted = isinstance(message, Abort)
        reply = "aborted" if aborted else "done"
        tell(LOG, logging.INFO, "end", f"match {match.name}: {'aborted' if aborted else 'over'}", match=match.name, outcome=reply)
        if self.archive is not None:
            number = message.turn if isinstance(message, Play) else None
            row = self.archive.message(key, "ABORT" if aborted else "STOP", number, match.turns, text)
            self.archive.reply(row, reply, "player", time.monotonic() - received, {})
        self._end(match, reply)
        if self.archive is not None:
            await self.archive.settle(ARCHIVE_SHARE)
        return Answer(reply)

    async def _play(self, match: Match, key: int, play: Play, text: str, received: float) -> Answer:
        archive = self.archive
        row = archive.message(key, "PLAY", play.turn, match.turns, text) if archive is not None else 0
        try:
            reply = await match.play(play, text, received)
        except ProtocolError as error:
            if archive is not None:
                archive.reply(row, str(error), "rejected", time.monotonic() - received, {})
            raise
        seconds = time.monotonic() - received
        tell(
            LOG,
            logging.INFO,
            "reply",
            f"match {match.name} turn {reply.turn}: {reply.text} after {seconds:.3f} s ({reply.source})",
            match=match.name,
            turn=reply.turn,
            move=reply.text,
            seconds=round(seconds, 4),
            source=reply.source,
            view=dict(reply.view),
        )
        self.metrics.count("replies", source=reply.source)
        self.metrics.time("reply", seconds)
        if archive is not None:
            archive.reply(row, reply.text, reply.source, seconds, reply.view)
            await archive.settle(ARCHIVE_SHARE * self.margin.of(match.clock))
        return Answer(reply.text, reply.due)

    async def _settle(self, key: int, received: float, clock: float, verb: str, reply: str) -> None:
        """Put an answer that is no move on record."""
        if self.archive is not None:
            row = self.archive.message(key, verb, None, -1, "")
            self.archive.reply(row, reply, "player", time.monotonic() - received, {})
            await self.archive.settle(ARCHIVE_SHARE * self.margin.of(clock))

    def _next_seed(self) -> int:
        self._begun += 1
        if self.settings.seed is None:
            return int.from_bytes(os.urandom(4), "big")
        return random.Random(f"{self.settings.seed}/{self._begun}").getrandbits(32)

    def _expire(self) -> None:
        """Give up the matches whose managers have been silent for too long."""
        now = time.monotonic()
        for match in [match for match in self.matches.values() if now >= match.expires]:
            tell(LOG, logging.WARNING, "expired", f"match {match.name}: its manager is silent, giving it up", match=match.name)
            self._end(match, "expired")

    def _expire_later(self, match: Match) -> None:
        if self.matches.get(match.name) is match:
            if (timer := self._expiries.pop(match.name, None)) is not None:
                timer.cancel()
            self._expiries[match.name] = asyncio.get_running_loop().call_at(match.expires + 0.01, self._expire)

    def _end(self, match: Match, outcome: str) -> None:
        """A match is over, one way or another."""
        if self.archive is not None:
            self.archive.end(self._keys[match.name], outcome)
        self.metrics.count("matches_ended", outcome=outcome)
        self._forget(match)

    def _forget(self, match: Match) -> None:
        match.close()
        del self.matches[match.name]
        self._keys.pop(match.name, None)
        if (timer := self._expiries.pop(match.name, None)) is not None:
            timer.cancel()
        # Only now, so that the imports of new engines take no time from a match.
        self._pool.fill_later()
