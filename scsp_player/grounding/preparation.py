"""Loading the kernels before the clock of a budget runs."""

from __future__ import annotations

from functools import cache

from scsp_player.gdl.errors import Position
from scsp_player.gdl.program import Literal, Program, Rule
from scsp_player.gdl.terms import Compound, Symbol, Variable
from scsp_player.grounding.budget import Budget
from scsp_player.grounding.grounding_steps import ground_within
from scsp_player.kernels import PLAIN


@cache
def prepare_kernels() -> None:
    """Compile all kernels of grounding, or load them from the cache; does nothing the second time."""
    if PLAIN:
        return
    here = Position("<kernels>", 1, 1)
    x = Variable("x")

    def fluent(relation: str) -> Compound:
        return Compound(relation, (Compound("f", (x,)),))

    rules = (
        Rule(Compound("role", (Symbol("r"),)), (), here),
        Rule(Compound("init", (Compound("f", (Symbol("a"),)),)), (), here),
        Rule(Compound("legal", (Symbol("r"), x)), (Literal(fluent("true"), True, here),), here),
        Rule(fluent("next"), (Literal(Compound("does", (Symbol("r"), x)), True, here),), here),
    )
    ground_within(Program("<kernels>", rules, ("r",)), Budget(float("inf"), 1 << 30))
