"""From a program to integer-coded ground rules, and the reasoner that needs no grounding."""

from scsp_player.grounding.budget import BudgetExceeded
from scsp_player.grounding.grounder import ground
from scsp_player.grounding.reasoner import Reasoner

__all__ = ["BudgetExceeded", "Reasoner", "ground"]
