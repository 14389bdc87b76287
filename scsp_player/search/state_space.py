"""All states that can be reached, breadth first, each once: for games small enough, and for puzzles."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame, IntArray, pack_state
from scsp_player.search import state_space_kernels as kernels
from scsp_player.search.reduction import Reduction

JOINT_ROOM = 1 << 14
"""Joint moves whose successors are computed at once; a state with more cannot be expanded."""

MOST_STATES = 2048
"""States that are expanded at once."""

FIRST_TABLE = 1 << 12
"""Slots of the hash table at the beginning."""


class Transitions(Protocol):
    """What is asked of a game: a ``Propnet`` answers, or a part of one."""

    game: GroundGame

    def evaluate(self, states: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_], IntArray]:
        """See ``Propnet.evaluate``."""

    def successors(self, states: NDArray[np.uint64], joint: IntArray) -> NDArray[np.uint64]:
        """See ``Propnet.successors``."""


class StateSpace:
    """States in the order in which breadth-first search finds them, and their joint moves.

    With a ``reduction``, states that symmetries of the game take to each other are one, and so are moves that lead to such states.

    With ``ignored``, states that differ in nothing but these fluents are one, the one that is found first.

    The joint moves of state ``i`` are ``first[i]`` … ``first[i + 1] - 1``, all combinations of the roles' legal moves with the last
    role's varying fastest. Arrays have room for ``memory_bytes``; pages that are never touched cost nothing.

    Attributes:
        count: number of states found; expanded: number of those, the first ones, whose successors are known.
        state: uint64[n, words].
        terminal: bool[n]; scores: float32[n, roles], of terminal states.
        width: int32[n, roles], number of legal moves.
        first: int64[n + 1].
        child: int32[edges], state that follows.
        move: int32[edges, roles], joint moves as global indices.
        found: int64[n], 1 + the joint move by which a state was found first, 0 for the one at the beginning.
        best: float32[roles], highest score in a terminal state so far, -1 if there was none.
        closed: whether no room or too many joint moves ended the enumeration for good.
    """

    def __init__(
        self,
        propnet: Transitions,
        state: NDArray[np.uint64],
        memory_bytes: int = 1 << 29,
        reduction: Reduction | None = None,
        ignored: NDArray[np.bool_] | None = None,
    ) -> None:
        """Begin at ``state``.

        Args:
            propnet: the circuit of the game.
            state: uint64[words].
            memory_bytes: how much room there is.
            reduction: the symmetries of the game that are to be used.
            ignored: bool[fluents], fluents in which states may differ and still be one: the first of them that is found.
        """
        game = propnet.game
        self.game = game
        self._reduction = reduction
        self._kept = None if ignored is None else pack_state(~ignored)
        self._propnet = propnet
        roles, words = len(game.roles), game.state_words
        self._units = 8 * words * (1 if ignored is None else 2) + 1 + 8 * roles + 16 + 8, 4 + 4 * roles
        self._memory = memory_bytes
        nodes, edges = (max(16, memory_bytes // unit) for unit in self._units)
        edges += JOINT_ROOM
        self.state = np.zeros((nodes + JOINT_ROOM, words), np.uint64)
        #: what tells states apart: the states themselves, or what is left of them.
        self._known = self.state if ignored is None else np.zeros(self.state.shape, np.uint64)
        self.terminal = np.zeros(nodes + JOINT_ROOM, np.bool_)
        self.scores = np.zeros((nodes + JOINT_ROOM, roles), np.float32)
        self.width = np.zeros((nodes + JOINT_ROOM, roles), np.int32)
        self.first = np.zeros(nodes + JOINT_ROOM + 1, np.int64)
        self.found = np.zeros(nodes + JOINT_ROOM, np.int64)
        self.child = np.zeros(edges, np.int32)
        self.move = np.zeros((edges, roles), np.int32)
        self.best = np.full(roles, -1, np.float32)
        self.closed = False
        self.expanded = 0
        self._table = np.zeros(FIRST_TABLE, np.int32)
        self._owner = np.zeros(JOINT_ROOM, np.int64)
        self._moves = np.zeros((JOINT_ROOM, roles), np.int32)
        numbers = np.zeros(1, np.int32)
        first = state[None] if reduction is None else reduction.canonical(state[None])
        self.count = 0
        self._enter(first, numbers)

    def _enter(self, states: NDArray[np.uint64], numbers: NDArray[np.int32]) -> None:
        """``numbers`` int32[k] become those of states uint64[k, words]; new ones are appended."""
        before = self.count
        keys = states if self._kept is None else states & self._kept
        self.count = int(kernels.enter(self._known, before, self._table, keys, numbers))
        if self._kept is not None:
            fresh, where = np.unique(numbers, return_index=True)
            self.state[before : self.count] = states[where[fresh >= before]]

    @property
    def edges(self) -> int:
        """Number of joint moves whose successor is known."""
        return int(self.first[self.expanded])

    @property
    def complete(self) -> bool:
        """Whether all reachable states are known."""
        return self.expanded == self.count

    @property
    def bytes_used(self) -> int:
        """Bytes of all entries in use."""
        return self.count * self._units[0] + self.edges * self._units[1]

    def explore(
        self, deadline: float, *, clock: Callable[[], float] = time.monotonic, until: Callable[[], bool] = lambda: False
    ) -> bool:
        """Go on until everything is known (True), ``until`` says so, memory is used up, or the deadline is near."""
        batch = 16
        while not self.complete and not self.closed and not until():
            begin = clock()
            if begin >= deadline:
                break
            self._expand(min(batch, self.count - self.expanded))
            used = clock() - begin
            if used < 0.02 * (deadline - begin):
                batch = min(2 * batch, MOST_STATES)
            elif used > 0.2 * (deadline - begin) and batch > 1:
                batch //= 2
        return self.complete

    def _expand(self, batch: int) -> None:
        """The next states in the order in which they were found."""
        begin, end = self.expanded, self.expanded + batch
        over, legal, scores = self._propnet.evaluate(self.state[begin:end])
        if self._reduction is not None:
            legal = self._reduction.thin(self.state[begin:end], legal)
        self.terminal[begin:end] = over
        self.scores[begin:end][over] = scores[over]
        if over.any():
            self.best = np.maximum(self.best, scores[over].max(axis=0))
        width = self.width[begin:end]
        position = 0
        while position < batch:
            used, after = kernels.list_joint_moves(
                legal, over, position, self.game.role_start, width, self._owner, self._moves
            )
            # One state may find as many new ones as it has joint moves.
            if after == position or self.bytes_used + used * sum(self._units) > self._memory:
                self.closed = True
                return
            self._link(begin, begin + position, begin + after, used)
            position = after

    def reserve(self, more: int) -> None:
        """Make a new hash table with room for so many more states."""
        size = len(self._table)
        while 2 * (self.count + more) > size:
            size *= 4
        self._table = np.zeros(size, np.int32)
        kernels.rebuild(self._known, self.count, self._table)

    def _link(self, offset: int, begin: int, end: int, used: int) -> None:
        """Enter the successors by ``used`` joint moves of the states from ``begin`` to ``end``."""
        owner, moves = self._owner[:used] + offset, self._moves[:used]
        first = int(self.first[begin])
        if 2 * (self.count + used) > len(self._table):
            self.reserve(used)
        if used:
            successors = self._propnet.successors(self.state[owner], moves)
            if self._reduction is not None:
                successors = self._reduction.canonical(successors)
            before = self.count
            child = self.child[first : first + used]
            self._enter(successors, child)
            self.move[first : first + used] = moves
            numbers, where = np.unique(child, return_index=True)
            fresh = numbers >= before
            self.found[numbers[fresh]] = first + where[fresh] + 1
        joint = self.width[begin:end].prod(axis=1, dtype=np.int64)
        self.first[begin + 1 : end + 1] = first + np.cumsum(joint)
        self.expanded = end

    def owner(self, edge: int) -> int:
        """The state that a joint move is made in."""
        return int(np.searchsorted(self.first[: self.expanded + 1], edge, side="right")) - 1

    def line_to(self, number: int) -> NDArray[np.int32]:
        """int32[length, roles]: the joint moves that lead from the first state to a state, as few as possible.

        Raises:
            ValueError: with symmetries, as each move is then one of some image of a state.
        """
        if self._reduction is not None:
            raise ValueError("moves between classes of states make no line")
        line = []
        while self.found[number]:
            edge = int(self.found[number]) - 1
            line.append(self.move[edge])
            number = self.owner(edge)
        return np.array(line[::-1], np.int32).reshape(len(line), len(self.game.roles))

    def number_of(self, state: NDArray[np.uint64]) -> int:
        """The number of a state uint64[words], -1 if it was not found."""
        key = state if self._kept is None else state & self._kept
        return int(kernels.number_of(self._known, self._table, np.ascontiguousarray(key)[None]))
