"""MAC-UCB as WoodStock's authors published it: the baseline that every improvement has to beat."""

from __future__ import annotations

import math

from scsp_player.agents.mac_ucb import MacUcbAgent
from scsp_player.search.best_first import BestFirstUcb
from scsp_player.search.settings import SearchSettings


class WoodstockAgent(MacUcbAgent):
    """Best-first list of micro-SCSPs, UCB with √(2 ln n / n_i), one random game a simulation.

    The two seconds that WoodStock keeps back for the network are the server's ``--margin``, which is smaller on short clocks.
    """

    settings = SearchSettings(exploration=math.sqrt(2.0), playouts=1, batch=16)
    search_class = BestFirstUcb
