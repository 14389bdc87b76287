"""HyperPlay: a bag of states that may be the real one, and a search in each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from scsp_player.agents.searching import SearchingAgent
from scsp_player.search.mac_ucb import MacUcb
from scsp_player.search.settings import SearchSettings

BAG = 16
"""Most states in the bag."""


class HyperPlayAgent(SearchingAgent):
    """UCT in each state of the bag; a move counts by its mean over the bag (Schofield, Cerexhe and Thielscher 2012)."""

    settings = SearchSettings(prove=False)

    def search_hidden(self, deadline: float, report: Callable[[int], None]) -> int:
        """Search every state of the bag for the same time."""
        search = self.search
        assert isinstance(search, MacUcb)
        states, probabilities = self._belief.marginal()
        if len(states) > BAG:
            generator = np.random.default_rng((self._seed, len(self._belief.past)))
            picked = np.unique(generator.choice(len(states), BAG, p=probabilities))
            states, probabilities = states[picked], probabilities[picked] / probabilities[picked].sum()
        legal = set(self._belief.legal_moves().tolist())
        merit: dict[int, float] = defaultdict(float)
        for number in range(len(states)):
            now = self.clock()
            search.set_roots(states[number][None], np.ones(1))
            search.think(now + (deadline - now) / (len(states) - number))
            for entry in search.statistics():
                if entry.move in legal:
                    merit[entry.move] += float(probabilities[number]) * entry.mean
            if merit:
                report(max(merit, key=merit.__getitem__))
        return max(merit, key=merit.__getitem__) if merit else next(iter(legal), -1)
