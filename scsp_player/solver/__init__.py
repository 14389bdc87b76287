"""Table-constraint solver: generalised and singleton arc consistency, search for all solutions, stochastic forward checking.

``Solver(instance)`` answers questions about one ``xcsp`` instance under changing assumptions; ``ReferenceSolver`` is the slow
independent one, ``PlainSolver`` the one for small instances that needs nothing compiled; module ``sfc`` treats chance variables
and thresholds. Names load their modules when they are asked for, since the compiler takes longer to load than small instances take.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scsp_player.solver import sfc
    from scsp_player.solver.enumeration import Enumeration
    from scsp_player.solver.plain import PlainSolver, TooMuchWorkError
    from scsp_player.solver.policy_trees import PolicyTree, best_policy
    from scsp_player.solver.question import ORDERINGS, VALUE_ORDERS, Assumptions
    from scsp_player.solver.reference import ReferenceSolver
    from scsp_player.solver.results import Count, Solutions
    from scsp_player.solver.sfc import Policies
    from scsp_player.solver.solver import ENGINES, Solver

_MODULES = {
    "ENGINES": "solver",
    "ORDERINGS": "question",
    "VALUE_ORDERS": "question",
    "Assumptions": "question",
    "Count": "results",
    "Enumeration": "enumeration",
    "PlainSolver": "plain",
    "Policies": "sfc",
    "PolicyTree": "policy_trees",
    "ReferenceSolver": "reference",
    "Solutions": "results",
    "Solver": "solver",
    "TooMuchWorkError": "plain",
    "best_policy": "policy_trees",
}

__all__ = [
    "ENGINES",
    "ORDERINGS",
    "VALUE_ORDERS",
    "Assumptions",
    "Count",
    "Enumeration",
    "PlainSolver",
    "Policies",
    "PolicyTree",
    "ReferenceSolver",
    "Solutions",
    "Solver",
    "TooMuchWorkError",
    "best_policy",
    "sfc",
]

if not TYPE_CHECKING:  # else every misspelt name would pass the type checker

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            # The import statement takes this answer as a hint to look for a module of that name.
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = found
        return found
