"""From a program to integer-coded ground rules, and the reasoner that needs no grounding."""

from scsp_player.grounding.budget import BudgetExceeded
from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame
from scsp_player.grounding.ground_sheet import format_ground
from scsp_player.grounding.grounder import ground
from scsp_player.grounding.preparation import prepare_kernels
from scsp_player.grounding.reasoner import Reasoner

__all__ = ["FALSE", "TRUE", "BudgetExceeded", "GroundGame", "Reasoner", "format_ground", "ground", "prepare_kernels"]
