"""The three engines by name, each behind the same questions."""

from __future__ import annotations

from functools import lru_cache

from scsp_player.arena.sheet import Sheet, read_game
from scsp_player.gdl.program import Program
from scsp_player.machine import StateMachine

ENGINES = ("reasoner", "propnet", "network")
"""Names of the engines."""


def machine(engine: str, program: Program, *, seconds: float = 60.0) -> StateMachine:
    """The game of ``program`` as a state machine.

    Args:
        engine: one of ``ENGINES``.
        program: the rules.
        seconds: how long grounding may take (the reasoner needs none).

    Raises:
        GdlError: if the rules cannot be used.
        BudgetExceeded: if grounding took too long.
        ValueError: if there is no engine of that name.
    """
    if engine == "reasoner":
        from scsp_player.grounding import Reasoner

        return Reasoner(program)
    from scsp_player.grounding import ground

    ground_game = ground(program, seconds=seconds)
    if engine == "propnet":
        from scsp_player.propnet import PropnetMachine

        return PropnetMachine(ground_game)
    if engine == "network":
        from scsp_player.network import NetworkMachine

        return NetworkMachine(ground_game)
    raise ValueError(f"no engine called {engine}; there are {', '.join(ENGINES)}")


def judge(program: Program) -> StateMachine:
    """What judges matches of a game: the propnet, or the reasoner where grounding would take too long."""
    from scsp_player.grounding import BudgetExceeded

    try:
        return machine("propnet", program)
    except BudgetExceeded:
        return machine("reasoner", program)


@lru_cache(maxsize=4)
def judged(path: str) -> tuple[Sheet, StateMachine]:
    """The game in a file, and its judge; the last few are kept.

    Raises:
        GdlError: if it cannot be read or played.
    """
    sheet = read_game(path)
    return sheet, judge(sheet.program)
