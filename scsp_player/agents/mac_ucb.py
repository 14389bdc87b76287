"""The player of the project: MAC-UCB over micro-SCSPs with bit-parallel playouts."""

from __future__ import annotations

import contextlib

from scsp_player import belief
from scsp_player.agents.searching import SearchingAgent
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network import MicroSCSP, NetworkTooLargeError, template
from scsp_player.propnet import Propnet
from scsp_player.search.expansion import Expander, PropnetExpander, choose_expander
from scsp_player.search.puzzle import PuzzleSearch
from scsp_player.search.settings import SearchSettings

RULE_LIMIT = 50_000
"""Games with more ground rules than this are played on the propnet alone: building their template would eat the start clock."""

TEMPLATE_SHARE = 0.4
"""Share of what is left of the start clock that building the template may take; the propnet's expander needs none."""


class MacUcbAgent(SearchingAgent):
    """Expands states by solving their micro-SCSP wherever that is cheap enough, and evaluates 64 playouts a leaf."""

    settings = SearchSettings(exploration=0.02, amaf=1.0)
    puzzles = True
    information_sets = True

    @classmethod
    def prepare(cls) -> None:
        """See ``Agent``; the searches for games with one player and with hidden information as well."""
        super().prepare()
        PuzzleSearch.rehearse()
        belief.rehearse()

    def make_expander(self, game: GroundGame, propnet: Propnet, deadline: float) -> Expander:
        """The network's expander, or the propnet's where the template is too big or solving is the slower part."""
        micro: MicroSCSP | None = None
        if len(game.roles) == 1:
            return PropnetExpander(propnet)
        if game.rules <= RULE_LIMIT and self.clock() < deadline:
            with contextlib.suppress(NetworkTooLargeError):
                micro = template(game, seconds=TEMPLATE_SHARE * (deadline - self.clock()))
        return choose_expander(game, propnet, micro, game.initial_state[None])
