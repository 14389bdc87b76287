"""MAC-UCB and UCT over states, and beliefs about hidden ones."""

from scsp_player.search.belief import Belief
from scsp_player.search.expansion import Expander, Expansion, NetworkExpander, PropnetExpander, choose_expander
from scsp_player.search.mac_ucb import MacUcb
from scsp_player.search.settings import MoveStatistics, SearchSettings

__all__ = [
    "Belief",
    "Expander",
    "Expansion",
    "MacUcb",
    "MoveStatistics",
    "NetworkExpander",
    "PropnetExpander",
    "SearchSettings",
    "choose_expander",
]
