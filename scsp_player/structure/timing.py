"""Counters that do nothing but end the match: two states that differ in them alone need not be told apart in a search for lines.

Whatever can be played later can be played earlier, if time neither changes what moves do nor which of them are legal. So the
earliest of such states stands for all of them, as far as scores go that nobody gets by waiting for the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.circuit_kernels import GATE
from scsp_player.structure.counters import Counters
from scsp_player.structure.dependence import MOST_EDGES, Cases, UnknownError, follow

Bools = NDArray[np.bool_]

MOST_CELLS = 1 << 21
"""Nodes of the circuit × values of the counters, at most."""

TRUE = ~np.uint64(0)


@dataclass(frozen=True, eq=False)
class Clock:
    """Fluents that tell the time, and nothing but the end of the match depends on it.

    Attributes:
        fluents: bool[fluents].
        most: the highest score of a match that nothing but time ends, -1 if there is none.
    """

    fluents: Bools
    most: float


def find_clock(game: GroundGame, circuit: Circuit, counters: Counters) -> Clock | None:
    """The clock of a game with one player, None if it has none, or none that is known to leave play alone.

    What is proved: legality and the next values of all other fluents do not depend on the clock as long as the match lasts; the
    end depends on it only in that the match is over at some time in any case; and scores above ``most`` do not depend on it.
    """
    course = counters.course
    if len(game.roles) != 1 or not len(course) or len(course) * len(circuit.kind) > MOST_CELLS:
        return None
    try:
        ticking = counters.fluents & (course != course[0]).any(axis=0)
        fluents: Bools = np.where(_needed(circuit, counters.fluents), False, ticking)
    except UnknownError:
        return None
    if not fluents.any():
        return None
    cases = _along(circuit, fluents, course)
    over = _over(cases)
    ends = np.flatnonzero(over == TRUE)
    last = int(ends[0]) if len(ends) else len(course)
    goals = cases.of(circuit.goal)
    before = goals[:, :last]
    if last == 0 or (over[:last] != over[0]).any() or (before != before[:, :1]).any():
        return None
    if last == len(course):
        return Clock(fluents, -1.0)
    most = _most(game, circuit, fluents, course[last])
    if most is None:
        return None
    # What scores less may be told of the last moment alone, but then it must not stand beside another score before.
    same = goals[:, last] == before[:, 0]
    return Clock(fluents, most) if (same | ((game.goal_value <= most) & (before[:, 0] == 0))).all() else None


def longest_match(circuit: Circuit, counters: Counters) -> int | None:
    """After so many turns every match is over, whatever is played; None if counters do not say so."""
    course = counters.course
    if len(course) * len(circuit.kind) > MOST_CELLS:
        return None
    ends = np.flatnonzero(_over(_along(circuit, counters.fluents, course)) == TRUE)
    return int(ends[0]) if len(ends) else None


def _along(circuit: Circuit, fluents: Bools, course: Bools) -> Cases:
    """The circuit for each of the values that some of the counters go through."""
    cases = Cases(circuit, len(course))
    for fluent in np.flatnonzero(fluents).tolist():
        cases.forced[1 + fluent] = course[:, fluent]
    cases.solve()
    return cases


def _over(cases: Cases) -> NDArray[np.uint64]:
    words: NDArray[np.uint64] = cases.of(np.array([cases.circuit.terminal], np.int32))[0]
    return words


def _needed(circuit: Circuit, counters: Bools) -> Bools:
    """bool[fluents]: the counters on which legality or another fluent depends before the end, directly or by other counters."""
    cases = Cases(circuit, 1)
    cases.force(np.array([circuit.terminal], np.int32), np.zeros(1, np.intp), 0)
    cases.solve()
    needed = np.zeros((circuit.fluents, circuit.fluents), np.bool_)
    needed[0] = ~counters
    work = MOST_EDGES
    wanted = np.concatenate([circuit.legal, circuit.next[~counters]])
    while len(wanted):
        before = needed[0].copy()
        nought = np.zeros(len(wanted), np.int32)
        work = follow(cases, (wanted >> 1).astype(np.int32), nought, nought, needed, work)
        wanted = circuit.next[needed[0] & ~before]
    result: Bools = needed[0]
    return result


def _most(game: GroundGame, circuit: Circuit, fluents: Bools, last: Bools) -> float | None:
    """The highest score where the clock alone ends the match; None if it is not seen what else does."""
    terminal = circuit.terminal
    if not terminal & 1 or circuit.kind[terminal >> 1] != GATE:
        return None
    cases = Cases(circuit, 1)
    lane = np.zeros(1, np.intp)
    cases.forced[1 + np.flatnonzero(fluents), 0] = last[fluents]
    cases.solve()
    for child in circuit.child[circuit.child_start[terminal >> 1] : circuit.child_start[(terminal >> 1) + 1]].tolist():
        literal = np.array([child], np.int32)
        if cases.of(literal)[0, 0] != 0:
            cases.force(literal, lane)
    cases.solve()
    possible = game.goal_value[cases.of(circuit.goal)[:, 0] != 0]
    return float(max(0, possible.max(initial=0)))
