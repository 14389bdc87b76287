"""One match on the server: answers in time, whatever its engines do."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scsp_player.protocol.engine_pool import EnginePool
from scsp_player.protocol.engine_process import GUARD, EngineSpec
from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.events import tell
from scsp_player.protocol.messages import Play, Start
from scsp_player.protocol.thinker import Question, Thinker
from scsp_player.protocol.timing import Margin

LOG = logging.getLogger("scsp_player.protocol")

LAST_MOMENT = 0.08
"""Seconds before the end of the clock at which even an answer without a move leaves."""

SECOND_OPINION = 0.25
"""Seconds for the agent's engine to reject a message too when the guard has; otherwise it has to start afresh."""

SLOW_MANAGER = 5.0
"""Seconds beyond all clocks that a manager may need for itself, to compute the next state."""

LOOK_SECONDS = 0.02
"""How often the engines' shared memory is looked at when a move is wanted badly."""

RESUME_SHARE = 0.5
"""Share of a play clock that an engine gets to prepare when a match is taken up again: the next question may come at once."""


class Reply(NamedTuple):
    """A reply to ``PLAY``.

    Attributes:
        text: the move.
        turn: number of the question.
        source: who chose it: ``agent``, ``agent so far`` (it was not through yet), ``guard``, ``guess`` (neither had a move; one
            that was legal before), ``nobody``, or ``again`` for the answer to a question that was asked twice.
        due: when it was to leave (``time.monotonic``).
        view: what the search makes of it, see ``Agent.view``.
    """

    text: str
    turn: int
    source: str
    due: float
    view: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Past:
    """A question that an earlier server was asked, and its answer if it got that far."""

    message: str
    number: int | None
    reply: str | None


@dataclass
class Setting:
    """What a match is played with.

    Attributes:
        agent: name of the agent.
        pool: where engines come from.
        margin: when answers leave.
        seed: of the agent.
        past: questions so far, for a match that is taken up again.
    """

    agent: str
    pool: EnginePool
    margin: Margin
    seed: int
    past: Sequence[Past] = field(default_factory=tuple)


class Match:
    """A running match.

    Two engines follow it: the agent's, and a guard that plays at random. The guard's move is at hand soon after the question; it is
    played if the agent has nothing to say in time, or says something illegal.

    Args:
        start: the message that started it.
        message: the same as text.
        received: when it came (``time.monotonic``), or now for a match that is taken up again.
        setting: what it is played with.

    Attributes:
        name: the manager's name for it, in lower case.
        message: the text that started it.
        expires: when the manager is given up, if it stays silent (``time.monotonic``).
        overdue: when its next message should have come; from then on, the match gives way to a new one.
        resumed: whether it was taken up again, and its manager has not been heard of since.
    """

    def __init__(self, start: Start, message: str, received: float, setting: Setting) -> None:
        self.name = start.match.lower()
        self.message = message
        self.seed = setting.seed
        self.resumed = bool(setting.past)
        self._margin = setting.margin
        self._expect(received + start.start_clock + start.play_clock)
        self._clock = start.play_clock
        self._news = asyncio.Event()
        self._closed = False
        self._turns = len(setting.past)
        self._last: tuple[str, asyncio.Future[Reply]] | None = None
        self._last_number = setting.past[-1].number if setting.past else None
        self._last_message = setting.past[-1].message if setting.past else None
        self._replied = setting.past[-1].reply if setting.past else None
        # What was legal, and played, two turns ago and in the last turn.
        self._recent: deque[tuple[frozenset[str] | None, str | None]] = deque(maxlen=2)
        self._ready_by = received + start.start_clock - self._margin.of(start.start_clock)
        prepared_by = received + RESUME_SHARE * start.play_clock if setting.past else self._ready_by
        replies = [None, *(question.reply for question in setting.past)]
        history = [Question(i, past.message, replies[i], prepared_by) for i, past in enumerate(setting.past)]

        def thinker(spec: EngineSpec) -> Thinker:
            return Thinker(
                spec, setting.pool, message, deadline=prepared_by, seed=setting.seed, news=self._news.set, history=history
            )

        self.agent, self.guard = thinker(EngineSpec(setting.agent)), thinker(GUARD)

    @property
    def turns(self) -> int:
        """How many questions have been asked."""
        return self._turns

    @property
    def clock(self) -> float:
        """The play clock."""
        return self._clock

    async def ready(self) -> bool:
        """Wait until both engines are prepared, or until the start clock runs out; False if the rules cannot be played."""
        agent, guard = self.agent, self.guard
        await self._wait(self._ready_by, lambda: guard.lost or (guard.started and (agent.started or agent.lost)))
        return guard.unusable is None and not self._closed

    async def play(self, play: Play, message: str, received: float) -> Reply:
        """The reply to a ``PLAY``; leaves before the play clock runs out.

        A question that is repeated while it is being answered, or that has the number of the last one, gets the same answer. So
        does one that has the last one's text and does not fit as another turn.

        Raises:
            ProtocolError: if the message does not fit the game; nothing has changed then.
        """
        self.resumed = False
        self._expect(received + 2 * self._clock)
        same_number = play.turn is not None and play.turn == self._last_number
        if self._last is not None:
            text, pending = self._last
            if (not pending.done() and text == message) or same_number:
                return (await asyncio.shield(pending))._replace(source="again", due=time.monotonic())
        if same_number and self._replied is not None:  # an earlier server has answered it
            return Reply(self._replied, self._turns - 1, "again", time.monotonic())
        answer = asyncio.get_running_loop().create_future()
        before = self._last, self._last_number, self._last_message
        self._last, self._last_number, self._last_message = (message, answer), play.turn, message
        try:
            reply = await self._answer(message, received)
        except ProtocolError as error:
            self._last, self._last_number, self._last_message = before
            answer.set_exception(error)
            answer.exception()  # read here, so that nobody needs to wait for it
            if message == self._last_message and self._replied is not None:
                return Reply(self._replied, self._turns - 1, "again", time.monotonic())
            raise
        answer.set_result(reply)
        return reply

    def _expect(self, latest: float) -> None:
        """The manager's next message ought to come by a time."""
        grace = self._margin.timing.grace
        self.overdue, self.expires = latest + min(grace, SLOW_MANAGER), latest + grace

    async def _answer(self, message: str, received: float) -> Reply:
        turn = self._turns
        self._turns += 1
        leave_by = received + self._clock - self._margin.of(self._clock)
        # The engine's last words need a moment to get here.
        question = Question(turn, message, self._replied, leave_by - min(0.1, self._clock / 20))
        self._recent.append((self.guard.legal, self._replied))
        self.agent.ask(question)
        self.guard.ask(question)

        def over() -> bool:
            return self._turns != turn + 1 or self.guard.rejected is not None

        await self._wait(leave_by, lambda: over() or self._choice(hurry=False) is not None)
        last_moment = received + self._clock - LAST_MOMENT
        while not over() and self._choice(hurry=True) is None and time.monotonic() < last_moment and not self._closed:
            await self._wait(min(last_moment, time.monotonic() + LOOK_SECONDS), over)
        if self._turns != turn + 1:
            # The manager has moved on already; this goes nowhere.
            return Reply(self._replied or "nil", turn, "nobody", time.monotonic())
        if self.guard.rejected is not None:
            reason = self.guard.rejected
            await self._wait(time.monotonic() + SECOND_OPINION, lambda: self.agent.answered)
            self._turns -= 1
            self._recent.pop()
            self.agent.take_back()
            self.guard.take_back()
            raise ProtocolError(reason)
        return self._decide(turn, received, leave_by)

    def _decide(self, turn: int, received: float, leave_by: float) -> Reply:
        """Settle on the move of a turn."""
        text = self._choice(hurry=True)
        best, now = self.agent.best, time.monotonic()
        if self.guard.legal is not None and best not in (None, *self.guard.legal):
            tell(LOG, logging.ERROR, "illegal", f"match {self.name} turn {turn}: {best} is not legal", match=self.name, turn=turn)
        if text is None:
            tell(LOG, logging.ERROR, "no move", f"match {self.name} turn {turn}: no move in time", match=self.name, turn=turn)
            text = self._guess()
            source = "guess" if text is not None else "nobody"
        elif text == best:
            source = "agent" if self.agent.move is not None else "agent so far"
        else:
            source = "guard"
        reply = Reply(text or "nil", turn, source, min(now, leave_by), self.agent.view if source.startswith("agent") else {})
        self._replied = reply.text
        if self.agent.rejected is not None:
            self.agent.replace("it rejects a message that fits the game")
        self.agent.watch(self._margin.timing.hang_seconds)
        self.guard.watch(self._margin.timing.hang_seconds)
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

    def _guess(self) -> str | None:
        """A move that may well be legal: one that was legal two turns ago, as in games in which players take turns; or None."""
        legal, played = self._recent[0]
        if not legal:
            return None
        return min(legal - {played} if played is not None else legal, default=played)

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
