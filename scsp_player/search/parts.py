"""The states of one sub-game: what its moves alone bring about, while everything else stays as it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray, pack_state, unpack_state
from scsp_player.propnet import Propnet
from scsp_player.propnet.circuit import Circuit
from scsp_player.search.state_space import StateSpace

Bools = NDArray[np.bool_]
States = NDArray[np.uint64]

MOST_STATES = 300_000
"""States of a sub-game, at most."""

MEMORY = 1 << 26
"""Bytes for them."""


class PartNet:
    """A game in which only some moves are made, and only the fluents of one sub-game and counters change; it never ends.

    Args:
        propnet: of the whole game.
        base: uint64[words], what everything else stays like.
        own: bool[fluents], the fluents of the sub-game.
        counters: bool[fluents], fluents that go on by themselves.
        moves: int64[n], the moves that are made.
        ended: bool[n, fluents], values of the counters with which a match is over.
    """

    def __init__(
        self, propnet: Propnet, base: States, own: Bools, counters: Bools, moves: NDArray[np.int64], ended: Bools
    ) -> None:
        self.game = propnet.game
        self._propnet = propnet
        self._free = pack_state(own | counters)
        self._fixed = base & ~self._free
        self._allowed = np.isin(np.arange(self.game.moves), moves)
        self._counters = counters
        self._ended = {row[counters].tobytes() for row in ended}

    def evaluate(self, states: States) -> tuple[Bools, Bools, IntArray]:
        """As of a ``Propnet``, without ends but those of time, and without scores."""
        over = np.zeros(len(states), np.bool_)
        if self._ended:
            clock = unpack_state(states, self.game.fluents)[:, self._counters]
            over[:] = [row.tobytes() in self._ended for row in clock]
        legal = self._propnet.legal(states) & self._allowed
        return over, legal, np.zeros((len(states), len(self.game.roles)), np.int32)

    def successors(self, states: States, joint: IntArray) -> States:
        """As of a ``Propnet``, but for what does not change here."""
        after: States = (self._propnet.successors(states, joint) & self._free) | self._fixed
        return after


class Part:
    """The states of a sub-game from a state on, and what they mean for the end of the match.

    Attributes:
        complete: whether these are all.
        state: uint64[n, words]; depth: int64[n], the fewest moves to each.
        result: int64[n], equal numbers for states that are the same to the end of the match and its scores.
        over: bool[n], whether a sub-game has ended, of those after which another one begins; True of others.
    """

    def __init__(self, net: PartNet, start: States, own: Bools, counters: Bools, *, timed: bool) -> None:
        self.own = own
        ignored = ~(own | counters) if timed else ~own
        self._space = StateSpace(net, start, MEMORY, ignored=ignored)
        self.complete = False
        self.over: Bools = np.ones(0, np.bool_)

    def explore(self, expired: Callable[[], bool]) -> bool:
        """Go on, at least a bit; whether everything is known or there is no more room."""
        space = self._space
        before = space.expanded
        space.explore(np.inf, until=lambda: space.count > MOST_STATES or (space.expanded > before and expired()))
        self.complete = space.complete
        return space.complete or space.closed or space.count > MOST_STATES

    def measure(self) -> None:
        """Fill ``state`` and ``depth``."""
        space = self._space
        self.state = space.state[: space.count]
        self.over = np.ones(space.count, np.bool_)
        edges = space.found[: space.count] - 1
        owners = np.searchsorted(space.first[: space.expanded + 1], edges, side="right") - 1
        depth = [0] * space.count
        for number, owner in enumerate(owners.tolist()):
            if edges[number] >= 0:
                depth[number] = depth[owner] + 1
        self.depth = np.array(depth, np.int64)

    def sort(self, circuit: Circuit, nodes: list[int]) -> None:
        """Fill ``result``; ``nodes`` are those of the circuit whose values are all that counts, and depend on nothing else."""
        values = node_values(circuit, nodes, unpack_state(self.state, self._space.game.fluents))
        packed = np.packbits(np.column_stack([values, self.over]), axis=1)
        _, numbers = np.unique(packed, axis=0, return_inverse=True)
        self.result = numbers.reshape(-1).astype(np.int64)

    def line_to(self, number: int) -> list[int]:
        """The moves to a state."""
        found: list[int] = self._space.line_to(number)[:, 0].tolist()
        return found


def node_values(circuit: Circuit, nodes: list[int], bits: Bools) -> Bools:
    """bool[states, nodes]: the values of nodes of a circuit that depend on fluents bool[states, fluents] alone."""
    known: dict[int, Bools] = {0: np.ones(len(bits), np.bool_)}
    stack = list(nodes)
    while stack:
        node = stack[-1]
        if node in known:
            stack.pop()
            continue
        if node <= circuit.fluents:
            known[node] = bits[:, node - 1]
            continue
        children = circuit.child[circuit.child_start[node] : circuit.child_start[node + 1]].tolist()
        missing = [child >> 1 for child in children if child >> 1 not in known]
        if missing:
            stack.extend(missing)
            continue
        value = np.ones(len(bits), np.bool_)
        for child in children:
            value &= known[child >> 1] ^ bool(child & 1)
        known[node] = value
    return np.stack([known[node] for node in nodes], axis=1) if nodes else np.zeros((len(bits), 0), np.bool_)
