"""Grounding: from a program to a ``GroundGame``."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from scsp_player.gdl.program import Program
from scsp_player.grounding.budget import Budget, TrialOver
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.grounding.grounding_steps import ground_within
from scsp_player.grounding.preparation import prepare_kernels

TRIALS: Final = ((4_000_000, False), (90_000_000, True), (90_000_000, False), (None, True))
"""Steps of the join machine, and whether derived relations are restricted to what is asked for.

Restriction (see ``demand``) costs a little where nothing is gained, and is what saves sheets that were written for top-down
provers; which of the two a sheet is shows when it is tried. Counting steps instead of seconds makes the outcome repeatable.
"""


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
        GdlError: if the sheet is unsafe, not stratified on the ground level, or has a goal value that is written and no integer.
        BudgetExceeded: if time or memory do not suffice; ``Reasoner`` can play the game nevertheless.
    """
    prepare_kernels()
    budget = Budget(seconds, memory_bytes, clock)
    for steps, restricted in TRIALS:
        budget.start_trial(steps)
        try:
            return ground_within(program, budget, restricted=restricted)
        except TrialOver:
            continue
    raise AssertionError("the last trial is bound by the budget only")
