"""Information-set search with several players, where the player of the project prefers determinised search."""

from __future__ import annotations

from scsp_player.agents.mac_ucb import MacUcbAgent


class IsmctsAgent(MacUcbAgent):
    """Multiple-observer information-set search (Cowling, Powley and Whitehouse 2012) wherever nothing exact is possible."""

    walks = True
