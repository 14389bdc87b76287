"""Play with chance and hidden information: beliefs about the state, and search over what players know."""

from scsp_player.belief.belief_graph import BeliefGraph
from scsp_player.belief.equilibrium import Equilibrium
from scsp_player.belief.histories import HistorySampler
from scsp_player.belief.history_tree import HistoryTree
from scsp_player.belief.information_set import Belief
from scsp_player.belief.information_set_search import InformationSetSearch, WalkSettings
from scsp_player.belief.minds import Minds, MindSettings
from scsp_player.belief.rehearsal import rehearse
from scsp_player.belief.rejuvenation import Rejuvenation
from scsp_player.belief.sequence_game import SequenceGame, sequence_game
from scsp_player.belief.views import Views

__all__ = [
    "Belief",
    "BeliefGraph",
    "Equilibrium",
    "HistorySampler",
    "HistoryTree",
    "InformationSetSearch",
    "MindSettings",
    "Minds",
    "Rejuvenation",
    "SequenceGame",
    "Views",
    "WalkSettings",
    "rehearse",
    "sequence_game",
]
