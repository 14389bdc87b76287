"""What the player answers to each message."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import time
from dataclasses import dataclass, field

from scsp_player.agents.registry import agent_kind
from scsp_player.protocol.engine_process import GUARD, EnginePool, EngineSpec
from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.match import Match, Timing
from scsp_player.protocol.messages import Abort, Info, Message, Play, Preview, Start, parse_message

LOG = logging.getLogger("scsp_player.protocol")

LONG_MESSAGE = 20_000
"""Characters from which a message is read in a thread, so that others are answered meanwhile."""


@dataclass(frozen=True, slots=True)
class PlayerSettings:
    """What a player is.

    Attributes:
        agent: name of the agent that plays.
        name: name told to managers that ask.
        seed: the same seed, matches and clocks give the same moves as far as time allows; None for a new seed each time.
        timing: how answers are timed.
    """

    agent: str = "mac-ucb"
    name: str = "scsp-player"
    seed: int | None = None
    timing: Timing = field(default_factory=Timing)


class Player:
    """Plays one match at a time; to all others it is busy.

    Raises:
        ProtocolError: if there is no such agent.
    """

    def __init__(self, settings: PlayerSettings) -> None:
        try:
            agent_kind(settings.agent)
        except LookupError as error:
            raise ProtocolError(str(error.args[0])) from None
        self.settings = settings
        self.match: Match | None = None
        self._pool = EnginePool(EngineSpec(settings.agent), GUARD)
        self._matches = 0
        self._expiry: asyncio.TimerHandle | None = None

    async def open(self) -> None:
        """Start the engines that wait for a match."""
        await self._pool.fill()

    async def prepared(self) -> None:
        """Wait until the engines can use a clock to the full: the first time on a machine, kernels have to be compiled."""
        await self._pool.prepared()

    async def close(self) -> None:
        """End the match and all engines; pending questions are answered with the best move known."""
        self._end_match()
        await self._pool.close()

    async def answer(self, text: str, received: float) -> str:
        """The reply to a message that came at a time (``time.monotonic``).

        Raises:
            ProtocolError: if the text is no message, or does not fit the game; nothing has changed then.
        """
        if len(text) > LONG_MESSAGE:
            message = await asyncio.to_thread(parse_message, text)
        else:
            message = parse_message(text)
        if isinstance(message, Info):
            return self._info(message)
        if isinstance(message, Preview):
            return "busy" if self._current() else "ready"
        if isinstance(message, Start):
            return await self._start(message, text, received)
        match = self._current()
        if match is None or match.name != message.match.lower():
            LOG.info("%s for a match that is not played here: %s", type(message).__name__, message.match)
            return "busy"
        return await self._in_match(match, message, text, received)

    def _info(self, message: Info) -> str:
        status = "busy" if self._current() else "available"
        return status if message.bare else f"((name {self.settings.name}) (status {status}))"

    async def _start(self, start: Start, text: str, received: float) -> str:
        match = self._current()
        if match is None:
            LOG.info("match %s: role %s, clocks %g and %g", start.match, start.role, start.start_clock, start.play_clock)
            settings = self.settings
            match = self.match = Match(
                start, text, received, agent=settings.agent, pool=self._pool, timing=settings.timing, seed=self._next_seed()
            )
            self._expire_later(match)
        elif match.message != text:
            return "busy"
        if await match.ready():
            return "ready"
        if match is self.match:
            self._end_match()
        return "busy"

    async def _in_match(self, match: Match, message: Message, text: str, received: float) -> str:
        if isinstance(message, Play) and not message.last:
            try:
                return await match.play(message, text, received)
            finally:
                self._expire_later(match)
        LOG.info("match %s: %s", match.name, "aborted" if isinstance(message, Abort) else "over")
        self._end_match()
        return "aborted" if isinstance(message, Abort) else "done"

    def _next_seed(self) -> int:
        self._matches += 1
        if self.settings.seed is None:
            return int.from_bytes(os.urandom(4), "big")
        return random.Random(f"{self.settings.seed}/{self._matches}").getrandbits(32)

    def _current(self) -> Match | None:
        """The match, unless its manager is to be given up."""
        if self.match is not None and time.monotonic() >= self.match.expires:
            LOG.warning("match %s: its manager is silent, giving it up", self.match.name)
            self._end_match()
        return self.match

    def _expire_later(self, match: Match) -> None:
        if match is self.match:
            if self._expiry is not None:
                self._expiry.cancel()
            self._expiry = asyncio.get_running_loop().call_at(match.expires + 0.01, self._current)

    def _end_match(self) -> None:
        if self.match is None:
            return
        self.match.close()
        self.match = None
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        # Only now, so that the imports of new engines take no time from a match.
        self._pool.fill_later()
