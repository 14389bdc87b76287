"""What plays while an agent's ground rules are not there yet."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from scsp_player.agents.base import Agent, Report, Turn
from scsp_player.agents.companion import Companion
from scsp_player.agents.reasoning import ReasonerAgent
from scsp_player.gdl.program import Program
from scsp_player.gdl.terms import Term

LOG = logging.getLogger("scsp_player.agents")

SHARE = 0.1
"""Share of a turn's time in which the stand-in may look for the state where it is hidden, before the agent proper is asked."""


class StandIn(Agent):
    """Plays on the rules themselves, and has the agent proper prepare in the background; hands over to it between two turns.

    The agent proper never comes back if its process dies, and a turn in which it is late or says something illegal is played by the
    stand-in, which follows the match to its end for that.

    Args:
        agent: the agent proper, as ``module:Class``.
        report: takes the moves of both.
    """

    def __init__(self, agent: str, report: Report) -> None:
        super().__init__(report)
        self._agent = agent
        self._reasoner = ReasonerAgent(report)
        self._companion: Companion | None = None
        self.handed_over = False

    def start(self, program: Program, role: str, *, play_seconds: float, deadline: float, seed: int) -> None:
        """Start the agent proper, and wait for it as long as the clock allows."""
        self._companion = Companion(self._agent, program, role, play_seconds=play_seconds, seed=seed)
        self._reasoner.start(program, role, play_seconds=play_seconds, deadline=deadline, seed=seed)
        self._companion.wait(deadline)

    def play(self, turn: Turn, deadline: float) -> Term:
        """A move of the agent proper if it is there, else one of the stand-in."""
        if not self._is_there():
            move = self._reasoner.play(turn, deadline)
            if self._companion is not None:
                self._companion.observe(turn)
            return move
        assert self._companion is not None
        safe = self._reasoner.play_at_once(turn, time.monotonic() + SHARE * (deadline - time.monotonic()))
        chosen = self._companion.play(turn, deadline, lambda move: self._report_legal(turn, move))
        if chosen is None or not self._legal(turn, chosen):
            LOG.warning("turn %d: the agent has no move, %s is played", turn.number, safe)
            return safe
        return chosen

    def observe(self, turn: Turn) -> None:
        """See ``Agent.observe``."""
        self._reasoner.observe(turn)
        if self._companion is not None:
            self._companion.observe(turn)

    def ponder(self, interrupted: Callable[[], bool]) -> None:
        """Have the agent proper think on, until it hears of the next turn; returns at once."""
        if self._companion is not None and self.handed_over and self._companion.ready:
            self._companion.ponder()

    def stop(self) -> None:
        """End the process in the background."""
        if self._companion is not None:
            self._companion.close()
            self._companion = None

    def _is_there(self) -> bool:
        if self._companion is None or self._companion.lost:
            self.stop()
            return False
        ready = self._companion.ready
        if ready and not self.handed_over:
            self.handed_over = True
            LOG.info("ground rules are there, the agent takes over")
        return ready

    def _legal(self, turn: Turn, move: Term) -> bool:
        """Whether a move is legal; where the state is hidden, the agent proper knows that as well as the stand-in."""
        return turn.percepts is not None or move in self._reasoner.legal

    def _report_legal(self, turn: Turn, move: Term) -> None:
        if self._legal(turn, move):
            self.report(move)
