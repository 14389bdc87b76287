"""WoodStock's MAC-UCB as published (algorithm 3 of Piette et al. 2017): one list of micro-SCSPs, best first.

What the paper leaves open is settled as follows. The arms of a turn are its joint moves (solution policies), and each role chooses
by bounds of its own. The value that orders the list is the mean score of the role that we play. Results are added to the arms on
the way back to the root, since the move needs them there. Random games come from the propnet instead of SAC in every state.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet
from scsp_player.search.expansion import Expander
from scsp_player.search.settings import SearchSettings

NETWORK_LIMIT = 200_000
"""Micro-SCSPs that are kept; above, no new ones enter the list."""

JOINT_LIMIT = 4096
"""Solution policies of a turn that are looked at; of more, so many are drawn."""


@dataclass(eq=False, slots=True)
class Network:
    """The micro-SCSP of one state, and what is known of its solution policies.

    Attributes:
        state: uint64[words].
        parents: the networks and arms that lead to it, the one by which it was found first; none for a root.
        moves: int32[arms, roles], joint moves as global indices; empty until it is solved.
        children: for each arm the network of its successor, None where that is terminal or was not kept.
        visits: int64[arms], simulations; totals: float64[arms, roles], their scores.
        exact: float64[arms, roles], scores of arms whose subtree is completely explored, else nan.
        solved: whether the solver has enumerated its policies.
        value: float64[roles], the scores under best play once everything below is explored; None before.
    """

    state: NDArray[np.uint64]
    parents: list[tuple[Network, int]] = field(default_factory=list)
    moves: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    children: list[Network | None] = field(default_factory=list)
    visits: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    totals: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    exact: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    solved: bool = False
    value: NDArray[np.float64] | None = None


class BestFirstUcb:
    """The search; used like ``MacUcb``. Of a belief only the likeliest state is searched: the paper knows no hidden information."""

    def __init__(
        self,
        game: GroundGame,
        propnet: Propnet,
        expander: Expander,
        role: int,
        *,
        settings: SearchSettings,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.game = game
        self.role = role
        self.settings = settings
        self.clock = clock
        self.leaves = 0
        self._propnet = propnet
        self._expander = expander
        self._generator = np.random.default_rng(seed)
        self._zobrist = self._generator.integers(0, 2**64, size=(game.state_words, 64), dtype=np.uint64)
        self._order = itertools.count()
        self.set_roots(game.initial_state[None], np.ones(1))

    @property
    def states(self) -> NDArray[np.uint64]:
        """uint64[1, words]: the state that the search starts from."""
        return self._root.state[None]

    def set_roots(self, states: NDArray[np.uint64], probabilities: NDArray[np.float64]) -> None:
        """Start afresh from the likeliest of states uint64[k, words]."""
        self._begin(Network(states[int(np.argmax(probabilities))].copy()))

    def _begin(self, root: Network) -> None:
        """Keep what hangs below ``root``, as far as its networks were first found there."""
        self._root = root
        self._table = {self._key(root.state): root}
        self._list: list[tuple[float, int, Network]] = []
        waiting = [root]
        root.parents = []
        while waiting:
            network = waiting.pop()
            if not network.solved:
                self._insert(network)
            for arm, child in enumerate(network.children):
                if child is None:
                    continue
                key = self._key(child.state)
                if key not in self._table:
                    child.parents = []
                    self._table[key] = child
                    waiting.append(child)
                if child is not root:
                    child.parents.append((network, arm))
        if not root.solved and not self._propnet.terminal(root.state[None])[0]:
            self._solve(root)

    def _key(self, state: NDArray[np.uint64]) -> tuple[int, bytes]:
        """Zobrist hash of a state, and the state itself, so that a collision does no harm."""
        bits = np.unpackbits(np.ascontiguousarray(state).view(np.uint8), bitorder="little").astype(np.bool_)
        return int(np.bitwise_xor.reduce(self._zobrist.ravel()[bits], initial=np.uint64(0))), state.tobytes()

    def _insert(self, network: Network) -> None:
        value = 50.0
        if network.parents:
            above, arm = network.parents[0]
            value = above.totals[arm, self.role] / max(1, above.visits[arm])
        heapq.heappush(self._list, (-value, next(self._order), network))

    def advance(self, joint_move: NDArray[np.int32]) -> None:
        """All roles have moved (global indices int32[roles])."""
        arms = np.flatnonzero((self._root.moves == joint_move).all(axis=1)).tolist() if self._root.solved else []
        child = self._root.children[arms[0]] if arms else None
        if child is None:
            child = Network(self._propnet.successors(self._root.state[None], joint_move[None])[0])
        self._begin(child)

    def think(self, deadline: float, report: Callable[[int], None] | None = None, *, leaves: int | None = None) -> None:
        """Search until ``deadline``, until ``leaves`` more simulations are done, or until everything is explored."""
        bound = self.settings.leaves if leaves is None else leaves
        target = None if bound is None else self.leaves + bound
        next_report = self.clock()
        while self._root.value is None and self._root.solved and (target is None or self.leaves < target):
            start = self.clock()
            network = self._pop()
            if network is None:
                self._simulate(self._root)
            else:
                self._solve(network)
            end = self.clock()
            if report is not None and end >= next_report:
                report(self.best_move())
                next_report = end + 0.05
            if end + 1.5 * (end - start) >= deadline:
                break
        if report is not None:
            report(self.best_move())

    def _pop(self) -> Network | None:
        """The network that is to be solved next: the first of the list."""
        while self._list:
            network = heapq.heappop(self._list)[2]
            if not network.solved:
                return network
        return None

    def _solve(self, network: Network) -> None:
        """Enumerate the policies of a turn, simulate them, and enter what follows from them into the list."""
        network.solved = True
        network.moves, states = self._policies(network.state)
        arms, roles = network.moves.shape
        terminal, _, scores = self._propnet.evaluate(states)
        network.visits, network.totals = np.zeros(arms, np.int64), np.zeros((arms, roles))
        network.exact = np.where(terminal[:, None], scores, np.nan)
        network.children = [None] * arms
        new = []
        for arm in np.flatnonzero(~terminal):
            key = self._key(states[arm])
            child = self._table.get(key)
            if child is None and len(self._table) < NETWORK_LIMIT:
                child = Network(states[arm])
                self._table[key] = child
                new.append(child)
            network.children[arm] = child
            if child is not None and child is not self._root:
                child.parents.append((network, int(arm)))
                if child.value is not None:
                    network.exact[arm] = child.value
        self._simulate(network)
        for child in new:
            self._insert(child)
        self._explored(network)

    def _policies(self, state: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        """The joint moves of a state and their successors: by the solver, or all combinations of legal moves."""
        expansion = self._expander.expand(state[None])
        if len(expansion.owner):
            return expansion.joint_moves, expansion.successors
        start = self.game.role_start
        choices = [
            np.flatnonzero(expansion.legal[0, start[r] : start[r + 1]]).astype(np.int32) + start[r] for r in range(len(start) - 1)
        ]
        if np.prod([float(len(c)) for c in choices]) > JOINT_LIMIT:
            moves = np.stack([self._generator.choice(c, JOINT_LIMIT) for c in choices], axis=1)
            moves = np.unique(moves, axis=0)
        else:
            moves = np.stack([g.ravel() for g in np.meshgrid(*choices, indexing="ij")], axis=1)
        moves = moves.astype(np.int32)
        return moves, self._propnet.successors(np.repeat(state[None], len(moves), axis=0), moves)

    def _simulate(self, network: Network) -> None:
        """Simulate the policies of a turn, chosen by upper confidence bounds, and add the results up to the root.

        As many simulations as there are policies, and one batch at least. What is completely explored is not simulated again.
        """
        open_arms = np.flatnonzero(np.isnan(network.exact[:, 0]))
        if not len(open_arms):
            return
        simulations = max(len(open_arms), self.settings.batch)
        for begin in range(0, simulations, self.settings.batch):
            chosen = [self._choose(network, open_arms) for _ in range(min(self.settings.batch, simulations - begin))]
            states = self._propnet.successors(np.repeat(network.state[None], len(chosen), axis=0), network.moves[chosen])
            result = self._propnet.playouts(
                states,
                lanes_per_state=self.settings.playouts,
                playouts_per_state=self.settings.playouts,
                seed=self._generator,
                max_depth=self.settings.depth_limit,
            )
            self.leaves += len(chosen)
            np.add.at(network.totals, chosen, result.score_sum / self.settings.playouts)
            above, seen = network, {id(network)}
            while above.parents and id(above.parents[0][0]) not in seen:
                above, arm = above.parents[0]
                seen.add(id(above))
                above.visits[arm] += len(chosen)
                above.totals[arm] += result.score_sum.sum(axis=0) / self.settings.playouts

    def _choose(self, network: Network, open_arms: NDArray[np.intp]) -> int:
        """An arm: every role takes its move with the largest mean/100 + C·sqrt(ln n / n_i) in turn; counts the visit."""
        left = open_arms
        n = float(network.visits[open_arms].sum())
        for role in range(network.moves.shape[1]):
            moves = network.moves[left, role]
            different = np.unique(moves)
            if len(different) == 1:
                continue
            if role == self.game.random_role:
                pick = different[self._generator.integers(len(different))]
            else:
                place = np.searchsorted(different, moves)
                visits = np.bincount(place, network.visits[left], len(different))
                totals = np.bincount(place, network.totals[left, role], len(different))
                known = np.maximum(visits, 1.0)
                bounds = totals / (100.0 * known) + self.settings.exploration * np.sqrt(np.log(n + 1.0) / known)
                bounds[visits == 0] = np.inf
                pick = different[self._generator.choice(np.flatnonzero(bounds == bounds.max()))]
            left = left[moves == pick]
        arm = int(left[0])
        network.visits[arm] += 1
        return arm

    def _explored(self, network: Network) -> None:
        """Carry the value of a completely explored subtree upwards."""
        waiting = [network]
        while waiting:
            network = waiting.pop()
            if network.value is not None or not len(network.moves) or np.isnan(network.exact).any():
                continue
            network.value = self._value(network)
            for above, arm in network.parents:
                above.exact[arm] = network.value
                waiting.append(above)

    def _value(self, network: Network) -> NDArray[np.float64]:
        """The value of a turn whose arms are all known: its chooser takes the best, chance and several choosers average."""
        choosers = [
            r
            for r in range(network.moves.shape[1])
            if r != self.game.random_role and (network.moves[:, r] != network.moves[0, r]).any()
        ]
        if len(choosers) != 1:
            mean: NDArray[np.float64] = network.exact.mean(axis=0)
            return mean
        moves = network.moves[:, choosers[0]]
        means = [network.exact[moves == move].mean(axis=0) for move in np.unique(moves)]
        return max(means, key=lambda mean: float(mean[choosers[0]]))

    def best_move(self) -> int:
        """Global index of our move with the best expected utility; -1 if we have none."""
        root = self._root
        if not len(root.moves):
            return -1
        moves = root.moves[:, self.role]
        different = np.unique(moves)
        known = ~np.isnan(root.exact[:, self.role])
        counts = np.where(known, np.maximum(root.visits, 1), root.visits)
        sums = np.where(known, root.exact[:, self.role] * counts, root.totals[:, self.role])
        place = np.searchsorted(different, moves)
        means = np.bincount(place, sums) / np.maximum(1, np.bincount(place, counts))
        return int(different[int(np.argmax(means))])
