"""Table-constraint solver: generalised and singleton arc consistency, search for all solutions, stochastic forward checking.

``Solver(instance)`` answers questions about one ``xcsp`` instance under changing assumptions; ``ReferenceSolver`` is the slow
independent one; module ``sfc`` treats chance variables and thresholds.
"""

from scsp_player.solver import sfc
from scsp_player.solver.enumeration import Enumeration
from scsp_player.solver.policy_trees import PolicyTree, best_policy
from scsp_player.solver.question import ORDERINGS, VALUE_ORDERS, Assumptions
from scsp_player.solver.reference import ReferenceSolver
from scsp_player.solver.results import Count, Solutions
from scsp_player.solver.sfc import Policies
from scsp_player.solver.solver import ENGINES, Solver

__all__ = [
    "ENGINES",
    "ORDERINGS",
    "VALUE_ORDERS",
    "Assumptions",
    "Count",
    "Enumeration",
    "Policies",
    "PolicyTree",
    "ReferenceSolver",
    "Solutions",
    "Solver",
    "best_policy",
    "sfc",
]
