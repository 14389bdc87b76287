"""An agent that plays at random."""

from __future__ import annotations

import time

import numpy as np

from scsp_player.agents.base import Agent, Turn
from scsp_player.agents.believing import BeliefTracker
from scsp_player.agents.rehearsal import rehearse
from scsp_player.agents.tracking import MatchTracker
from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.program import Program
from scsp_player.gdl.terms import Term
from scsp_player.grounding import Reasoner

FOLLOWING_SHARE, LEGAL_SHARE = 0.5, 0.8
"""Shares of a turn's time after which no more is tried to explain what was seen, and no more states are asked for moves."""


class RandomAgent(Agent):
    """Plays a legal move, every one with the same chance.

    It evaluates the rules on the current state only, so it is ready at once in any game; it also stands in for an agent that
    has crashed or is late. Where it does not see everything, it grounds the rules, if that is quick, and keeps a belief.

    Attributes:
        grounds: whether it does.
        legal: the own legal moves in the last turn, sorted; certain with perfect information, likely otherwise.
    """

    grounds = True
    legal: tuple[Term, ...] = ()

    @classmethod
    def prepare(cls) -> None:
        """Compile all kernels, or load them from the cache, by a tiny match."""
        rehearse(cls())
        if cls.grounds:
            BeliefTracker.prepare()

    def start(self, program: Program, role: str, *, play_seconds: float, deadline: float, seed: int) -> None:
        """See ``Agent.start``."""
        self._seed = seed
        self._tracker = MatchTracker(Reasoner(program), role, np.random.default_rng(seed))
        self._believing = BeliefTracker.of(program, role, deadline=deadline, seed=seed) if self.grounds else None

    def play(self, turn: Turn, deadline: float) -> Term:
        """See ``Agent.play``."""
        begin = time.monotonic()
        tracker = self._tracker_of(turn)
        tracker.advance(turn, begin + FOLLOWING_SHARE * (deadline - begin))
        self.legal = tracker.legal_moves(begin + LEGAL_SHARE * (deadline - begin))
        if not self.legal:
            raise GdlError(f"the rules give {self._tracker.machine.roles[self._tracker.role]} no legal move in turn {turn.number}")
        return self.choose(self.legal, turn)

    def observe(self, turn: Turn) -> None:
        """See ``Agent.observe``."""
        self._tracker_of(turn).advance(turn)

    def _tracker_of(self, turn: Turn) -> MatchTracker | BeliefTracker:
        """What follows the match: with percepts a belief if there is one."""
        return self._tracker if turn.percepts is None or self._believing is None else self._believing

    def choose(self, moves: tuple[Term, ...], turn: Turn) -> Term:
        """One of the legal moves, which come sorted."""
        # A generator for each turn: the choice depends on nothing but the seed, the turn and the legal moves.
        return moves[np.random.default_rng((self._seed, turn.number)).integers(len(moves))]
