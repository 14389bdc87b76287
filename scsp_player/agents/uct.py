"""Classical UCT on the same propnet: one playout a leaf, no proofs. The yardstick that MAC-UCB is measured with."""

from __future__ import annotations

from scsp_player.agents.searching import SearchingAgent
from scsp_player.search.settings import SearchSettings


class UctAgent(SearchingAgent):
    """UCT (Kocsis and Szepesvári 2006) with the exploration constant 0.4 that players of the field use.

    Sixteen leaves are in flight, each with its one playout: alone, a playout would leave most of the machine's words idle, and the
    yardstick would be seven to ten times slower than it can be.
    """

    settings = SearchSettings(exploration=0.4, playouts=1, batch=16, prove=False, symmetries=False)
