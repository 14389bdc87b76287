"""Information-set search with several players even where there is time for a few walks only."""

from __future__ import annotations

from scsp_player.agents.mac_ucb import MacUcbAgent


class IsmctsAgent(MacUcbAgent):
    """Multiple-observer information-set search (Cowling, Powley and Whitehouse 2012) wherever nothing exact is possible."""

    walks_each = 0
