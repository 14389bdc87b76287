"""What a player may believe when it does not see everything: weighted states that fit its own moves and percepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.joint_moves import draw_joint_moves, joint_moves, number_of_joint_moves
from scsp_player.belief.views import ViewArray, Views
from scsp_player.gdl.terms import Term
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

States = NDArray[np.uint64]
Weights = NDArray[np.float64]

WORK = 32
"""Joint moves that one update may try, as a multiple of the limit."""

ROUNDS = 64
"""Batches of drawn joint moves that one update may try when there are too many to list."""

THIN = 16
"""Beliefs that have lost states get new ones when they have fewer entries than this share of the limit."""

CHUNK = 2048
"""Joint moves tried between two looks at the clock."""

Model = Callable[[int, ViewArray, NDArray[np.int32], NDArray[np.int64]], Weights]
"""How likely others' moves are: role, their views, the moves and from how many they chose; float64[n], 1/count if uniform."""


class Found(NamedTuple):
    """Histories that fit: states, views and weights, and whether these are all."""

    states: States
    views: ViewArray
    weights: Weights
    complete: bool


Resampler = Callable[[list[tuple[int, NDArray[np.bool_]]]], Found | None]
"""Finds other histories that fit: gets own moves and percept rows of all turns; None if it finds none."""


class Belief:
    """The states that are consistent with one role's own moves and percepts, with their probabilities.

    An entry is a state together with the *views* of all roles (what each of them has gone through), since what others can tell
    apart matters for how they play. Histories with the same state and the same views are one entry. While there are at most
    ``limit`` entries the belief is exact; above, entries with the same state are merged first, and then ``limit`` of them are drawn
    by systematic resampling, which leaves each its expected number of copies up to one.

    Attributes:
        states: uint64[k, words].
        views: uint64[k, roles].
        probabilities: float64[k], summing to 1.
        exact: whether no state is left out.
        view: uint64[1], the own view.
        confused: turns whose percepts nothing explained.
    """

    def __init__(
        self,
        game: GroundGame,
        propnet: Propnet,
        role: int,
        *,
        seed: int = 0,
        limit: int = 2000,
        model: Model | None = None,
        resampler: Resampler | None = None,
    ) -> None:
        self.game = game
        self.role = role
        self.limit = limit
        self.exact = True
        self.confused = 0
        self.model = model
        self.resampler = resampler
        self.past: list[tuple[int, NDArray[np.bool_]]] = []
        self._propnet = propnet
        self._views = Views(game)
        self._generator = np.random.default_rng(seed)
        self.certain(game.initial_state)

    def certain(self, state: NDArray[np.uint64]) -> None:
        """The state is known: uint64[words]."""
        self.states = state[None].copy()
        self.views = self._views.first(1)
        self.view = self.views[:, self.role].copy()
        self._asked = 2 * self.limit
        self.probabilities: Weights = np.ones(1)

    def update(self, own_move: Term | None, percepts: frozenset[Term], expired: Callable[[], bool] = lambda: False) -> bool:
        """Take in one turn; returns whether any state explains the percepts (if none does, they are ignored).

        Args:
            own_move: None if it is not known, as for a player that was interrupted; it may then be any.
            percepts: what the role saw.
            expired: whether time is up. Joint moves are tried in random order, so that what was found until then is a sample.

        Raises:
            ValueError: if ``own_move`` is not a move of the role.
        """
        move = self.game.move_index[self.role].get(own_move) if own_move is not None else None
        if move is None and own_move is not None:
            raise ValueError(f"{own_move} is not a move of {self.game.roles[self.role]}")
        expected = self._views.expected(self.role, percepts)
        named = int(self.game.role_start[self.role]) if move is None else move
        own = self._views.of_role(self.role, self.view, np.array([named], np.int32), expected[None])
        if move is None:
            own = ~own  # not the view of any move
            self.resampler = None
        else:
            self.past.append((move, expected))
        found = self._follow(move, expected, expired)
        if self.resampler is not None and not self.exact and (not found or self._is_thin()):
            more = self.resampler(self.past)
            if more is not None:
                alone = more.complete or not found
                self.exact = more.complete
                self._set(*(more[:3] if alone else _mixed((self.states, self.views, self.probabilities), more[:3])))
                found = True
            self._asked = len(self.states)
        if not found:
            self.confused += 1
            # Going on from any successor keeps the player in the match.
            self._follow(move, None, expired)
        self.view = own
        self.views[:, self.role] = own[0]
        return found

    def _is_thin(self) -> bool:
        """Whether few entries are left: too few by the limit, and half of what there was when others were last looked for."""
        return len(self.states) < min(self.limit // THIN, 1 + self._asked // 2)

    def legal_moves(self) -> NDArray[np.int32]:
        """The own moves that are legal in every possible state, else those that are legal in the most probable part of them."""
        legal = self._propnet.legal(self.states)[:, self.game.role_start[self.role] : self.game.role_start[self.role + 1]]
        support = self.probabilities @ legal
        moves = np.flatnonzero((support >= support.max(initial=0.0) - 1e-9) & (support > 0)) + self.game.role_start[self.role]
        legal_moves: NDArray[np.int32] = moves.astype(np.int32)
        return legal_moves

    def marginal(self) -> tuple[States, Weights]:
        """The distinct states, uint64[k, words], and their probabilities, float64[k]."""
        states, _, place = np.unique(self.states, axis=0, return_index=True, return_inverse=True)
        return states, sums(place, self.probabilities, len(states))

    def draw(self, count: int) -> NDArray[np.int64]:
        """int64[count]: entries drawn by their probabilities, each as often as expected up to one time, in random order."""
        return self._generator.permutation(_systematic(self.probabilities, count, self._generator))

    def _follow(self, move: int | None, expected: NDArray[np.bool_] | None, expired: Callable[[], bool]) -> bool:
        """Go one turn further; False, and nothing has changed, if no joint move shows what was expected (None: anything)."""
        terminal, legal, _ = self._propnet.evaluate(self.states)
        fixed = {} if move is None else {self.role: move}
        sizes = np.where(terminal, 0.0, number_of_joint_moves(self.game, legal, fixed))
        live = np.flatnonzero(sizes > 0)
        if not len(live):
            return False
        if sizes.sum() <= WORK * self.limit:
            found = joint_moves(self.game, legal[live], fixed)
            others = [r for r in range(len(self.game.roles)) if r != self.role]
            weights = self.probabilities[live[found.owner]]
            weights = weights * self._likelihood(others, live[found.owner], found.moves, found.counts[found.owner])
            parts = self._listed(live[found.owner], found.moves, weights, expected, expired)
        else:
            self.exact = False
            parts = self._drawn(live, legal, fixed, expected, expired)
        states, views, weights = (np.concatenate(list(part)) for part in zip(*parts, strict=True))
        # Being asked for another move tells that the match goes on.
        going = np.flatnonzero(~self._propnet.terminal(states))
        if len(going):
            states, views, weights = states[going], views[going], weights[going]
        if not len(states) or weights.sum() <= 0:
            return False
        self._set(states, views, weights)
        return True

    def _likelihood(
        self, others: list[int], owner: NDArray[np.int64], moves: NDArray[np.int32], counts: NDArray[np.int64]
    ) -> Weights:
        result = np.ones(len(moves))
        for role in others:
            if self.model is None or role == self.game.random_role:
                result /= counts[:, role]
            else:
                result *= self.model(role, self.views[owner, role], moves[:, role], counts[:, role])
        return result

    def _listed(
        self,
        owner: NDArray[np.int64],
        moves: NDArray[np.int32],
        weights: Weights,
        expected: NDArray[np.bool_] | None,
        expired: Callable[[], bool],
    ) -> list[tuple[States, ViewArray, Weights]]:
        """Successors by all these joint moves; by a random part of them, one chunk at least, if time is short."""
        if len(owner) <= CHUNK:
            return [self._step(owner, moves, weights, expected)]
        order = self._generator.permutation(len(owner))
        parts: list[tuple[States, ViewArray, Weights]] = []
        for begin in range(0, len(order), CHUNK):
            if parts and expired():
                self.exact = False
                break
            chunk = order[begin : begin + CHUNK]
            parts.append(self._step(owner[chunk], moves[chunk], weights[chunk], expected))
        return parts

    def _drawn(
        self,
        live: NDArray[np.int64],
        legal: NDArray[np.bool_],
        fixed: dict[int, int],
        expected: NDArray[np.bool_] | None,
        expired: Callable[[], bool],
    ) -> list[tuple[States, ViewArray, Weights]]:
        """Successors of drawn entries and joint moves until ``limit`` of them fit, or enough was tried."""
        parts, number = [], 0
        p = self.probabilities[live] / self.probabilities[live].sum()
        for _ in range(ROUNDS):
            entries = live[_systematic(p, self.limit, self._generator)]
            moves = draw_joint_moves(self.game, legal[entries], self._generator, fixed)
            parts.append(self._step(entries, moves, np.ones(len(entries)), expected))
            number += len(parts[-1][0])
            if number >= self.limit or expired():
                break
        return parts

    def _step(
        self, owner: NDArray[np.int64], moves: NDArray[np.int32], weights: Weights, expected: NDArray[np.bool_] | None
    ) -> tuple[States, ViewArray, Weights]:
        before = self.states[owner]
        seen = self._propnet.percepts(before, moves)
        if expected is not None:
            mine = self.game.percept_role == self.role
            keep = np.flatnonzero((seen[:, mine] == expected[mine]).all(axis=1))
            owner, moves, weights, seen, before = owner[keep], moves[keep], weights[keep], seen[keep], before[keep]
        states = self._propnet.successors(before, moves)
        return states, self._views.after(self.views[owner], moves, seen), weights

    def _set(self, states: States, views: ViewArray, weights: Weights) -> None:
        """Make these the entries: equal ones merged, no more than ``limit``."""
        states, views, weights = merge(states, views, weights, self.role)
        if len(states) > self.limit:
            self.exact = False
            picked = self._generator.permutation(len(states))
            _, first, place = np.unique(states[picked], axis=0, return_index=True, return_inverse=True)
            if len(first) <= self.limit:
                weights = sums(place, weights[picked], len(first))
                states, views = states[picked[first]], views[picked[first]]
            else:
                numbers, copies = np.unique(_systematic(weights / weights.sum(), self.limit, self._generator), return_counts=True)
                states, views, weights = states[numbers], views[numbers], copies.astype(np.float64)
        self.states, self.views, self.probabilities = states, views, weights / weights.sum()


def _mixed(one: tuple[States, ViewArray, Weights], other: tuple[States, ViewArray, Weights]) -> tuple[States, ViewArray, Weights]:
    """Two samples of the same distribution as one, in which each counts by its number of entries."""
    weights = [len(part[2]) * part[2] / part[2].sum() for part in (one, other)]
    return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]]), np.concatenate(weights)


def sums(place: NDArray[np.int64], weights: Weights, count: int) -> Weights:
    """float64[count]: the sum of the weights of each place."""
    result: Weights = np.bincount(place.ravel(), weights, count).astype(np.float64)
    return result


def merge(states: States, views: ViewArray, weights: Weights, ignored: int = -1) -> tuple[States, ViewArray, Weights]:
    """Add up the weights of equal entries; the view of role ``ignored`` is the same in all of them."""
    others = [r for r in range(views.shape[1]) if r != ignored]
    keys = np.ascontiguousarray(np.concatenate([states, views[:, others]], axis=1))
    _, first, place = np.unique(keys.view(f"V{8 * keys.shape[1]}").ravel(), return_index=True, return_inverse=True)
    return states[first], views[first], sums(place, weights, len(first))


def _systematic(probabilities: Weights, count: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """int64[count]: systematic resampling (Kitagawa 1996)."""
    places = (np.arange(count) + generator.random()) / count
    drawn: NDArray[np.int64] = np.searchsorted(np.cumsum(probabilities), places, side="right")
    return np.minimum(drawn, len(probabilities) - 1)
