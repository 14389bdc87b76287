"""Many games side by side, one a lane, whose moves somebody else chooses: the circuit answers in place, nothing is unpacked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.propnet.lanes import put_states
from scsp_player.propnet.net import DEPTH_LIMIT, Propnet
from scsp_player.propnet.playouts import Goals
from scsp_player.propnet.schedule import GOAL, NEXT, PERCEPT, TERMINAL
from scsp_player.propnet.stretches import kernels
from scsp_player.propnet.workspace import Workspace, whole_cache_lines

MOST_GROUPS = 4
"""Lane groups at most."""


class Stepper:
    """Lines of lanes, and the circuit that works on them.

    Lane l is bit ``l % 64`` of word ``l // 64``, where the words of a line run through all groups. Whoever uses it calls ``look``,
    writes joint moves into the lines of moves, calls ``move``, and copies the lines of the next state to those of the state.

    Attributes:
        layout: which line is what; goals are sorted by role.
        goals: in that order.
        groups: number of lane groups.
        memory: uint64[groups, lines, words].
    """

    def __init__(self, propnet: Propnet, groups: int = MOST_GROUPS) -> None:
        """Memory for up to so many groups, as far as playouts have as much."""
        self._propnet = propnet
        self.layout = propnet.layout
        self.goals = Goals.of(propnet.game)
        self.groups = min(groups, propnet.player.groups, propnet.general_player.groups)
        lines = whole_cache_lines(propnet.general.lines, propnet.words)
        self.memory = Workspace.of(self.groups, lines, propnet.words, 0, 1).memory

    @property
    def lanes(self) -> int:
        """How many lanes there are."""
        return self.groups * 64 * self._propnet.words

    @property
    def states(self) -> NDArray[np.uint64]:
        """uint64[groups, fluents, words], to be read and written: the states of all lanes, bit by bit."""
        return self.memory[:, 1 : 1 + self.layout.fluents]

    def put(self, states: NDArray[np.uint64]) -> None:
        """Set the first lanes to states, uint64[k, words]."""
        put_states(self.memory, self.layout.fluents, states)

    def look(self, groups: int) -> None:
        """In the first groups, compute terminal and goals, and legal moves in the lines of moves."""
        self._run(groups, TERMINAL, GOAL)

    def move(self, groups: int) -> None:
        """In the first groups, compute the next state and percepts; the lines of moves hold one move of each role."""
        self._run(groups, NEXT, PERCEPT)

    def play_out(
        self,
        lanes: NDArray[np.uint64],
        generator: np.random.Generator,
        *,
        max_depth: int = DEPTH_LIMIT,
        expired: Callable[[], bool] = lambda: False,
    ) -> NDArray[np.uint64]:
        """One random playout in each of the lanes, uint64[groups, words], from its state, which must not be terminal.

        Returns uint64[groups, 1 + goals, words], the lanes whose playouts ended, and those that reached each goal as the only
        one of its role.
        """
        groups, phases, player = len(lanes), self._propnet.phases, self._propnet.player
        states = self.states[:groups]
        # Lanes of each phase: where no fluent differs from what it is in the phase.
        expected = np.negative(phases.values, dtype=np.uint64, casting="unsafe")[:, None, :, None]
        begin = lanes & ~np.bitwise_or.reduce(states[None, :, phases.fluents] ^ expected, axis=2)
        if (np.bitwise_or.reduce(begin, axis=0) != lanes).any():
            player, begin = self._propnet.general_player, lanes[None]
        return player.run_lanes(states, begin, generator, max_depth, expired)

    def _run(self, groups: int, first: int, last: int) -> None:
        memory, program = self.memory, self._propnet.general
        stages = program.stage_range(first, last)
        kernels(self._propnet.words).run(memory.ctypes.data, groups, memory.strides[0], program.entries.ctypes.data, *stages)
