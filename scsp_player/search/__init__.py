"""MAC-UCB and UCT over states."""

from scsp_player.search.expansion import Expander, Expansion, NetworkExpander, PropnetExpander, choose_expander
from scsp_player.search.mac_ucb import MacUcb
from scsp_player.search.settings import MoveStatistics, SearchSettings

__all__ = [
    "Expander",
    "Expansion",
    "MacUcb",
    "MoveStatistics",
    "NetworkExpander",
    "PropnetExpander",
    "SearchSettings",
    "choose_expander",
]
