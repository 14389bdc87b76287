"""An agent whose moves are known beforehand."""

from __future__ import annotations

from scsp_player.agents.base import Turn
from scsp_player.agents.random import RandomAgent
from scsp_player.gdl.terms import Term


class LegalAgent(RandomAgent):
    """Plays the first legal move in alphabetical order; handy as an opponent in tests."""

    def choose(self, moves: tuple[Term, ...], turn: Turn) -> Term:
        """The first move."""
        return moves[0]
