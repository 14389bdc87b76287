"""Grounding: from a program to a ``GroundGame``."""

from __future__ import annotations

import time
from collections.abc import Callable

from scsp_player.gdl.program import Program
from scsp_player.grounding.budget import Budget
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.grounding.grounding_steps import ground_within
from scsp_player.grounding.preparation import prepare_kernels


def ground(
    program: Program, *, seconds: float = 60.0, memory_bytes: int = 4 << 30, clock: Callable[[], float] = time.monotonic
) -> GroundGame:
    """All ground rules of a program, simplified.

    Relations that do not depend on the state are computed completely; for the others every possible atom is found by reachability
    from ``init``, with state-dependent negation counted as possible; then each rule is instantiated once over the possible atoms.

    Args:
        program: a normalised rule sheet.
        seconds: bound on the time; compiling the kernels on the very first call does not count.
        memory_bytes: bound on the relation store, by far the largest array.
        clock: what counts as time, in seconds.

    Raises:
        GdlError: if the sheet is unsafe, not stratified on the ground level, or has a goal that is no integer.
        BudgetExceeded: if time or memory do not suffice; ``Reasoner`` can play the game nevertheless.
    """
    prepare_kernels()
    return ground_within(program, Budget(seconds, memory_bytes, clock))
