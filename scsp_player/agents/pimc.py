"""Determinised sampling: the yardstick for play with hidden information."""

from __future__ import annotations

from scsp_player.agents.searching import SearchingAgent
from scsp_player.search.settings import SearchSettings


class PimcAgent(SearchingAgent):
    """Perfect-information Monte Carlo (Ginsberg 2001): states are drawn from the belief and searched as if all saw everything.

    The first moves of all states share their statistics. Below them everybody knows the state, so a move that only gathers
    information is worth nothing, and opponents answer what they have not seen.
    """

    settings = SearchSettings(prove=False)
