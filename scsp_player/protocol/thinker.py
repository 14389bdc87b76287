"""One agent's part in one match: an engine process that is replaced by a new one when it dies or hangs."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scsp_player.protocol.engine_pool import EnginePool
from scsp_player.protocol.engine_process import GUARD, EngineProcess, EngineSpec

LOG = logging.getLogger("scsp_player.protocol")

RESTARTS = 8
"""How often an engine is replaced during one match. One that dies that often dies of the game."""

FALSE_STARTS = 2
"""How often an engine may end before it was ready to play."""

OVERRUN = 15.0
"""Seconds that an agent may be busy with a turn after its answer was due. The guard may be busy for ever: it is slow, not lost."""

START_OVERRUN = 10.0
"""Seconds after its deadline, and after each sign of life, at which an engine that is still preparing is asked for one."""


@dataclass(frozen=True, slots=True)
class Question:
    """A turn as an engine needs it; see ``scsp_player.protocol.engine``."""

    turn: int
    message: str
    replied: str | None
    deadline: float

    def order(self, verb: str) -> dict[str, Any]:
        """As an order to ``play`` or to ``observe``."""
        return {"do": verb, "turn": self.turn, "message": self.message, "replied": self.replied, "deadline": self.deadline}


class Thinker:
    """An agent in a match, with its latest answers.

    Attributes:
        started: whether the agent is ready to play.
        unusable: why the rules cannot be played, as far as this agent is concerned.
        move: the move chosen for the turn at hand, or None.
        legal: all legal moves in the turn at hand, if this agent tells them.
        view: what the agent makes of the move that it was last seen to prefer, see ``Agent.view``.
        rejected: why the message of the turn at hand does not fit the game, or None.
    """

    def __init__(
        self,
        spec: EngineSpec,
        pool: EnginePool,
        message: str,
        *,
        deadline: float,
        seed: int,
        news: Callable[[], None],
        history: Sequence[Question] = (),
    ) -> None:
        self.spec = spec
        self.started = False
        self.unusable: str | None = None
        self._pool = pool
        self._message = message
        self._deadline = deadline
        self._seed = seed
        self._news = news
        # Questions before the one at hand, all answered, come from a match that an earlier server began.
        self._history: list[Question] = list(history)
        self._past = len(self._history)
        self._restarts_left = RESTARTS
        self._false_starts_left = FALSE_STARTS
        self._engine: EngineProcess | None = None
        self._closed = False
        self._start_timer: asyncio.TimerHandle | None = None
        self._watch_timer: asyncio.TimerHandle | None = None
        self._alive = False
        self._overdue_since: float | None = None
        self._forget_answers()
        self._begun = asyncio.create_task(self._begin())

    @property
    def pid(self) -> int | None:
        """Process number of the engine at work."""
        return self._engine.pid if self._engine else None

    @property
    def lost(self) -> bool:
        """Whether nothing more will come from this agent in this match."""
        return self.unusable is not None or self._restarts_left < 0 or self._false_starts_left <= 0

    @property
    def answered(self) -> bool:
        """Whether the agent is through with the turn at hand."""
        return self.move is not None or self.rejected is not None

    @property
    def best(self) -> str | None:
        """The move chosen for the turn at hand, or else the best so far, or None."""
        if self.move is None:
            self._look()
        return self.move or self._best

    def ask(self, question: Question) -> None:
        """Go on to the next turn."""
        self._forget_answers()
        self._history.append(question)
        if self._engine is not None:
            self._engine.order(**question.order("play"))

    def take_back(self) -> None:
        """The last question was none; an engine that took it for one starts afresh."""
        taken = self.rejected is None
        self._history.pop()
        self._forget_answers()
        if taken:
            self.replace("the message that it was given is void")

    def replace(self, reason: str) -> None:
        """Kill the engine and let a new one catch up with the match."""
        self._false_starts_left -= not self.started
        self.started = False
        self._look()
        if self._engine is not None:
            LOG.warning("replacing engine %d of %s: %s", self._engine.pid, self.spec.agent, reason)
            self._pool.retire(self._engine, at_once=True)
            self._engine = None
        self._restarts_left -= 1
        if not self.lost and not self._closed:
            self._begun = asyncio.create_task(self._begin())
        self._news()

    def watch(self, patience: float) -> None:
        """The answer is due: replace an engine that gives no sign of life for ``patience`` seconds, or that never comes back."""
        if not self.answered and self._watch_timer is None:
            self._overdue_since = time.monotonic()
            self._call_out(patience)

    def close(self) -> None:
        """End the engine."""
        self._look()
        self._closed = True
        if self._watch_timer is not None:
            self._watch_timer.cancel()
        self._watch_start(None)
        if self._engine is not None:
            self._pool.retire(self._engine)
            self._engine = None

    def _forget_answers(self) -> None:
        self._best: str | None = None
        self.view: Mapping[str, float] = {}
        self.move: str | None = None
        self.legal: frozenset[str] | None = None
        self.rejected: str | None = None

    def _look(self) -> None:
        """Take in what the engine has shared."""
        shared = self._engine.best() if self._engine is not None and self._history else None
        if shared is not None and shared.turn == self._history[-1].turn:
            self._best, self.view = shared.move, shared.view

    async def _begin(self) -> None:
        engine = await self._pool.take(self.spec)
        if self._closed:
            self._pool.retire(engine)
            return
        engine.listener = self._hear
        self._engine = engine
        # One that catches up has the time of the turn at hand to prepare.
        deadline = max([self._deadline, time.monotonic(), *(question.deadline for question in self._history[-1:])])
        engine.order(do="start", message=self._message, deadline=deadline, seed=self._seed)
        self._watch_start(asyncio.get_running_loop().call_at(deadline + START_OVERRUN, self._check_start, engine, False))
        for question in self._history[:-1]:
            engine.order(**question.order("observe"))
        for question in self._history[-1:]:
            done = self.answered or len(self._history) <= self._past
            engine.order(**question.order("observe" if done else "play"))

    def _call_out(self, patience: float) -> None:
        self._alive = False
        if self._engine is not None:
            self._engine.order(do="ping")
        self._watch_timer = asyncio.get_running_loop().call_later(patience, self._judge, patience)

    def _judge(self, patience: float) -> None:
        self._watch_timer = None
        if self._engine is None or not self.started or self._overdue_since is None:
            return
        if not self._alive:
            self.replace("it hangs")
        elif self.spec != GUARD and time.monotonic() > self._overdue_since + OVERRUN:
            self.replace("it does not come back")
        else:
            self._call_out(patience)

    def _watch_start(self, timer: asyncio.TimerHandle | None) -> None:
        if self._start_timer is not None:
            self._start_timer.cancel()
        self._start_timer = timer

    def _check_start(self, engine: EngineProcess, asked: bool) -> None:
        if engine is not self._engine or self.started:
            return
        if asked and not self._alive:
            self.replace("it hangs before it is ready")
            return
        self._alive = False
        engine.order(do="ping")
        self._watch_start(asyncio.get_running_loop().call_later(START_OVERRUN, self._check_start, engine, True))

    def _hear(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        self._alive = True
        current = bool(self._history) and event.get("turn") == self._history[-1].turn
        if kind == "started":
            self.started = True
            self._watch_start(None)
        elif kind == "unusable":
            self.unusable = event["text"]
            LOG.warning("%s cannot play: %s", self.spec.agent, self.unusable)
        elif kind == "failed":
            LOG.error("engine of %s failed:\n%s", self.spec.agent, event["text"])
        elif kind in ("move", "rejected"):
            self._overdue_since = None
        if kind == "move" and current:
            self.move, self.view = event["move"], event.get("view", {})
            if "legal" in event:
                self.legal = frozenset(event["legal"])
        elif kind == "rejected" and current:
            self.rejected = event["text"]
        elif kind == "ended" and self.unusable is None:
            self.replace("it has ended")
        self._news()
