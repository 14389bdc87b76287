"""Grounding: from a program to a ``GroundGame``."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from typing import Final

from scsp_player.gdl.program import Program
from scsp_player.grounding.budget import Budget, TrialOver
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.grounding.grounding_steps import ground_within
from scsp_player.grounding.preparation import prepare_kernels


class Way(enum.Enum):
    """How a trial computes derived relations."""

    COMPLETE = enum.auto()
    RESTRICTED = enum.auto()
    """For what is asked for (see ``demand``)."""
    LOOKING = enum.auto()
    """Restricted, but given up if some demands are seen to be too wide (see ``wide_demands``)."""
    RELAXED = enum.auto()
    """Restricted without those demands; left out if there were none."""


TRIALS: Final = (
    (4_000_000, Way.COMPLETE),
    (90_000_000, Way.LOOKING),
    (90_000_000, Way.RELAXED),
    (90_000_000, Way.RESTRICTED),
    (90_000_000, Way.COMPLETE),
    (None, Way.RESTRICTED),
)
"""Steps of the join machine, and the way.

Restriction costs a little where nothing is gained, and is what saves sheets that were written for top-down provers; which of the
two a sheet is shows when it is tried. Counting steps instead of seconds makes the outcome repeatable.
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
    wide: dict[int, frozenset[int]] = {}
    for steps, way in TRIALS:
        if way is Way.RELAXED and not wide:
            continue
        budget.start_trial(steps)
        try:
            if way is Way.LOOKING:
                return ground_within(program, budget, restricted=True, noticed=wide)
            relaxed = wide if way is Way.RELAXED else None
            return ground_within(program, budget, restricted=way is not Way.COMPLETE, relaxed=relaxed)
        except TrialOver:
            continue
    raise AssertionError("the last trial is bound by the budget only")
