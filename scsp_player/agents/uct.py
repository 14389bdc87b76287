"""Classical UCT on the same propnet: one playout a leaf, no proofs. The yardstick that MAC-UCB is measured with."""

from __future__ import annotations

from scsp_player.agents.searching import SearchingAgent
from scsp_player.search.settings import SearchSettings


class UctAgent(SearchingAgent):
    """UCT (Kocsis and Szepesvári 2006) with the exploration constant 0.4 that players of the field use."""

    settings = SearchSettings(exploration=0.4, playouts=1, batch=1, prove=False)
