"""An agent that needs no ground rules: random playouts on the rules themselves."""

from __future__ import annotations

import math
import time
from random import Random

from scsp_player.agents.base import Turn
from scsp_player.agents.random import RandomAgent
from scsp_player.gdl.terms import Term
from scsp_player.grounding import BudgetExceeded
from scsp_player.machine import State

EXPLORATION = 0.4
"""Weight of the confidence bound; scores are scaled to [0, 1]."""


class ReasonerAgent(RandomAgent):
    """Flat Monte Carlo: own moves are sampled by upper confidence bounds (UCB1, Auer et al. 2002), everything after at random.

    A step of a playout takes a thousand times longer than on a propositional network, but any game can be played from its first
    second. With hidden information a playout starts from one of the states that the match may be in.
    """

    grounds = False

    def play(self, turn: Turn, deadline: float) -> Term:
        """See ``Agent.play``."""
        chosen = self.play_at_once(turn, deadline)
        if len(self.legal) == 1:
            return chosen
        rng = Random(f"{self._seed}/{turn.number}")
        visits = dict.fromkeys(self.legal, 0)
        totals = dict.fromkeys(self.legal, 0.0)
        playouts = 0
        while time.monotonic() < deadline:
            move = max(self.legal, key=lambda m: _bound(visits[m], totals[m], playouts))
            score = self._playout(move, rng, deadline)
            if score is None:
                break
            playouts += 1
            visits[move] += 1
            totals[move] += score
            best = max(self.legal, key=lambda m: totals[m] / max(visits[m], 1))
            if best != chosen:
                chosen = best
                self.report(chosen)
        return chosen

    def play_at_once(self, turn: Turn, deadline: float) -> Term:
        """Take note of a turn and choose at random; the deadline is for finding out the state where it is hidden."""
        move = super().play(turn, deadline)
        self.report(move)
        return move

    def _playout(self, move: Term, rng: Random, deadline: float) -> float | None:
        """The own score, from 0 to 1, after a move and random play; None if it was not to be had in time."""
        machine, role = self._tracker.machine, self._tracker.role
        state: State = rng.choice(self._tracker.states)
        forced: Term | None = move
        try:
            while not machine.is_terminal(state):
                legal = machine.legal_moves(state)
                if not all(legal) or time.monotonic() >= deadline:
                    return None
                joint = [rng.choice(moves) for moves in legal]
                if forced is not None:
                    joint[role] = forced
                    forced = None
                state = machine.successor(state, joint)
            return (machine.goals(state)[role] or 0) / 100
        except BudgetExceeded:
            return None


def _bound(visits: int, total: float, playouts: int) -> float:
    """Upper confidence bound of a move; moves that were never tried come first."""
    if not visits:
        return math.inf
    return total / visits + EXPLORATION * math.sqrt(math.log(playouts) / visits)
