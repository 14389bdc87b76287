"""One match on the server: answers in time, whatever its engines do."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from scsp_player.protocol.engine_process import GUARD, EnginePool, EngineSpec
from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.messages import Play, Start
from scsp_player.protocol.thinker import Question, Thinker

LOG = logging.getLogger("scsp_player.protocol")

LAST_MOMENT = 0.08
"""Seconds before the end of the clock at which even an answer without a move leaves."""


SECOND_OPINION = 0.25
"""Seconds for the agent's engine to reject a message too when the guard has; otherwise it has to start afresh."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How answers are timed.

    Attributes:
        margin: seconds before the end of a clock at which the answer leaves; less on short clocks (see ``margin_of``).
        hang_seconds: how long an engine whose answer is due may give no sign of life before it is replaced.
        grace: silence of the manager, beyond its own clocks, after which the match is taken to be dead.
    """

    margin: float = 0.5
    hang_seconds: float = 2.0
    grace: float = 60.0

    def margin_of(self, clock: float) -> float:
        """The margin for a clock: never more than a quarter of it.

        >>> Timing(margin=0.5).margin_of(10), Timing(margin=0.5).margin_of(1)
        (0.5, 0.25)
        """
        return min(self.margin, clock / 4)


class Match:
    """A running match.

    Two engines follow it: the agent's, and a guard that plays at random. The guard's move is at hand soon after the question; it is
    played if the agent has nothing to say in time, or says something illegal.

    Attributes:
        name: the manager's name for it, in lower case.
        message: the text that started it.
        expires: when the manager is given up, if it stays silent (``time.monotonic``).
    """

    def __init__(
        self, start: Start, message: str, received: float, *, agent: str, pool: EnginePool, timing: Timing, seed: int
    ) -> None:
        self.name = start.match.lower()
        self.message = message
        self.expires = received + start.start_clock + start.play_clock + timing.grace
        self._clock = start.play_clock
        self._timing = timing
        self._news = asyncio.Event()
        self._closed = False
        self._turns = 0
        self._last: tuple[str, asyncio.Future[str]] | None = None
        self._last_number: int | None = None
        self._replied: str | None = None
        self._received = received
        self._ready_by = received + start.start_clock - timing.margin_of(start.start_clock)

        def thinker(spec: EngineSpec) -> Thinker:
            return Thinker(spec, pool, message, deadline=self._ready_by, seed=seed, news=self._news.set)

        self.agent, self.guard = thinker(EngineSpec(agent)), thinker(GUARD)

    async def ready(self) -> bool:
        """Wait until both engines are prepared, or until the start clock runs out; False if the rules cannot be played."""
        agent, guard = self.agent, self.guard
        await self._wait(self._ready_by, lambda: guard.lost or (guard.started and (agent.started or agent.lost)))
        return guard.unusable is None and not self._closed

    async def play(self, play: Play, message: str, received: float) -> str:
        """The reply to a ``PLAY``; leaves before the play clock runs out.

        A question that is repeated while it is being answered, or that has the number of the last one, gets the same answer.

        Raises:
            ProtocolError: if the message does not fit the game; nothing has changed then.
        """
        self.expires = received + 2 * self._clock + self._timing.grace
        if self._last is not None:
            text, answer = self._last
            if (not answer.done() and text == message) or (play.turn is not None and play.turn == self._last_number):
                return await asyncio.shield(answer)
        answer = asyncio.get_running_loop().create_future()
        self._last, before = (message, answer), (self._last, self._last_number)
        self._last_number = play.turn
        try:
            reply = await self._answer(message, received)
        except ProtocolError as error:
            self._last, self._last_number = before
            answer.set_exception(error)
            answer.exception()  # read here, so that nobody needs to wait for it
            raise
        answer.set_result(reply)
        return reply

    async def _answer(self, message: str, received: float) -> str:
        turn = self._turns
        self._turns += 1
        leave_by = received + self._clock - self._timing.margin_of(self._clock)
        # The engine's last words need a moment to get here.
        question = Question(turn, message, self._replied, leave_by - min(0.1, self._clock / 20))
        self.agent.ask(question)
        self.guard.ask(question)

        def over() -> bool:
            return self._turns != turn + 1 or self.guard.rejected is not None

        await self._wait(leave_by, lambda: over() or self._choice(hurry=False) is not None)
        if self._choice(hurry=True) is None:
            await self._wait(received + self._clock - LAST_MOMENT, lambda: over() or self._choice(hurry=True) is not None)
        if self._turns != turn + 1:
            return self._replied or "nil"  # the manager has moved on already; this goes nowhere
        if self.guard.rejected is not None:
            reason = self.guard.rejected
            await self._wait(time.monotonic() + SECOND_OPINION, lambda: self.agent.answered)
            self._turns -= 1
            self.agent.take_back()
            self.guard.take_back()
            raise ProtocolError(reason)
        reply = self._choice(hurry=True)
        if self.guard.legal is not None and self.agent.best not in (None, *self.guard.legal):
            LOG.error("match %s turn %d: %s is not legal", self.name, turn, self.agent.best)
        if reply is None:
            LOG.error("match %s turn %d: no move in time", self.name, turn)
            reply = "nil"
        LOG.info("match %s turn %d: %s after %.3f s", self.name, turn, reply, time.monotonic() - received)
        self._replied = reply
        if self.agent.rejected is not None:
            self.agent.replace("it rejects a message that fits the game")
        self.agent.watch(self._timing.hang_seconds)
        self.guard.watch(self._timing.hang_seconds)
        return reply

    def _choice(self, *, hurry: bool) -> str | None:
        """The move to play as things stand; without hurry only if nothing better is to come."""
        agent, guard = self.agent, self.guard
        chosen = agent.best if hurry else agent.move
        if chosen is None:
            nothing_to_come = hurry or agent.lost or agent.rejected is not None
            return guard.best if nothing_to_come else None
        if guard.legal is None:
            return chosen if hurry or guard.answered or guard.lost or not guard.started else None
        return chosen if chosen in guard.legal else guard.move

    async def _wait(self, until: float, condition: Callable[[], bool]) -> None:
        """Wait for a condition on what the engines have said, at most until a time; a match that is closed does not wait."""
        while not self._closed and not condition() and (left := until - time.monotonic()) > 0:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), left)
            except TimeoutError:
                return

    def close(self) -> None:
        """Answer what is pending with the best known, and end the engines."""
        self._closed = True
        self._news.set()
        self.agent.close()
        self.guard.close()
