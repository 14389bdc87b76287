"""From a state to a known one: moves that give one state variable after the other its wanted value."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.terms import Term
from scsp_player.network.micro_scsp import MicroSCSP, state_values
from scsp_player.solver import Solver

Ints = NDArray[np.int32]

MAX_STATES = 400
"""States looked at on the way to one target."""

TRIES = 2
"""Moves tried for each variable that differs."""


class Reacher:
    """Depth-first search over states by single turns; of the moves that set a wanted value, those first that leave fewest to set.

    It gives up early: it is meant for games in which the order of moves matters little.
    """

    def __init__(self, micro: MicroSCSP) -> None:
        self._micro = micro
        self._solver = Solver(micro.instance)
        self._project = np.concatenate([micro.action_variable[:1], micro.next])

    def moves(self, state: NDArray[np.uint64], target: Ints, end: float) -> list[Term] | None:
        """Moves of the only role that lead from ``state`` to the state with the values ``target`` (int32[groups]), or None.

        Nothing is looked at after ``end`` (of ``time.perf_counter``).
        """
        game = self._micro.game
        start = state_values(self._micro, state)
        seen = {start.tobytes()}
        stack: list[tuple[Ints, tuple[int, ...]]] = [(start, ())]
        while stack and len(seen) < MAX_STATES and time.perf_counter() < end:
            current, done = stack.pop()
            if (current == target).all():
                return [game.move(move) for move in done]
            # The last one pushed is looked at next: the one that leaves fewest variables to set.
            for values in sorted(self._steps(current, target), key=lambda row: -int((row[1:] != target).sum())):
                if values[1:].tobytes() not in seen:
                    seen.add(values[1:].tobytes())
                    stack.append((values[1:], (*done, int(values[0]))))
        return None

    def _steps(self, current: Ints, target: Ints) -> list[Ints]:
        """Moves (value of the move variable, then the next state) that set a variable to its wanted value."""
        micro = self._micro
        found: list[Ints] = []
        wanted = int((current != target).sum())
        for group in np.flatnonzero(current != target).tolist():
            variables = np.append(micro.now, micro.next[group])
            values = np.append(current, target[group])
            for row in self._solver.solutions((variables, values), project=self._project, limit=TRIES).values:
                found.append(row)
                if int((row[1:] != target).sum()) < wanted:
                    # Nothing is lost: no need to look further.
                    return found
        return found
