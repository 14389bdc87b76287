"""MAC-UCB and UCT over states, and beliefs about hidden ones."""

from scsp_player.search.belief import Belief
from scsp_player.search.expansion import Expander, NetworkExpander, PropnetExpander, choose_expander
from scsp_player.search.mac_ucb import MacUcb, MoveStatistics, SearchSettings

__all__ = [
    "Belief",
    "Expander",
    "MacUcb",
    "MoveStatistics",
    "NetworkExpander",
    "PropnetExpander",
    "SearchSettings",
    "choose_expander",
]
