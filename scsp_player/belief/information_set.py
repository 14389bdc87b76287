"""What a player may believe when it does not see everything: weighted states that fit its own moves and percepts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.exclusion import exclusive
from scsp_player.belief.history_tree import HistoryTree, Layer, Past
from scsp_player.belief.joint_moves import draw_joint_moves, joint_moves, number_of_joint_moves
from scsp_player.belief.knowledge import Knowledge
from scsp_player.belief.legality import FEW, Doubts, widely_legal
from scsp_player.belief.model import Model, Resampler
from scsp_player.belief.pace import affordable
from scsp_player.belief.samples import States, Step, Weights, distinct, mixed, sums, systematic
from scsp_player.belief.views import ViewArray, Views
from scsp_player.gdl.terms import Term
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

WORK = 32
"""Joint moves that one update may try, as a multiple of the limit."""

ROUNDS = 64
"""Batches of drawn joint moves that one update may try when there are too many to list."""

THIN = 16
"""Beliefs that have lost states get new ones when their entries stem from fewer than this share of the limit."""

TREE_BYTES = 1 << 26
"""Courses are trimmed when they take more memory than this, and given up when the trimmed ones take more than half of it."""

UNSEEN_TURNS = 2
"""How many turns ago that is: what others have done since then may not show yet."""

CHUNK = 2048
"""Joint moves tried between two looks at the clock."""

ENOUGH = 2
"""Successors that are looked for at most when not all are, as a multiple of the limit: some of them will turn out to be equal."""

GLANCE = 16
"""Entries that are looked at to find a move at once."""

LEAST_ENTRIES = 32
"""Entries that a belief keeps however slow it is to follow."""

NEAR, MOST_WRONG = 0.05, 100
"""What one wrong percept leaves of the weight of a state when nothing shows exactly what was seen, and how many count at most."""

Likelihood = Callable[[NDArray[np.int64], NDArray[np.int32]], Weights]
"""How likely the others make their part of joint moves, int32[n, roles], in entries, int64[n]."""


class _Sought(NamedTuple):
    """What successors are to show, bool[percepts], or nearly so (``nearest``), and whether so many of them are enough."""

    expected: NDArray[np.bool_]
    nearest: bool
    enough: Callable[[int], bool]


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
        lost: whether the entries come from states that did not explain what was seen.
        knowledge: what is certain, however incomplete the entries are.
        limit: entries kept at present; ``keep_pace`` changes it.
        most: entries kept at most.
        seconds: what following the last turn took, apart from valuing others' moves and looking for other histories.
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
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.game = game
        self.role = role
        self.limit = self.most = limit
        self.seconds, self._valuing, self.confused = 0.0, 0.0, 0
        self.exact = True
        self.model = model
        self.resampler = resampler
        self.tree = HistoryTree(game, propnet, role) if resampler is not None else None
        self.past: Past = []
        self._clock = clock
        self._propnet = propnet
        self._views = Views(game)
        self._generator = np.random.default_rng(seed)
        self.knowledge, self._doubts = Knowledge(game, role), Doubts()
        self.certain(game.initial_state)

    def certain(self, state: NDArray[np.uint64]) -> None:
        """The state is known: uint64[words]."""
        self.states = state[None].copy()
        self.lost = False
        self.knowledge.certain(state)
        self.views = self._views.first(1)
        self.view = self.views[:, self.role].copy()
        self._asked = 2 * self.limit
        self._nodes = np.zeros(1, np.int64)
        if not np.array_equal(state, self.game.initial_state):
            self.tree = self.resampler = None  # courses begin with the match
        self.probabilities: Weights = np.ones(1)
        if self.model is not None:
            self.model.renew(np.full(1, -1), self.states, self.views)

    def prove_exclusions(self, seconds: float) -> None:
        """Before the match: find out which fluents exclude each other, which makes more of what is certain known."""
        self.knowledge.groups = exclusive(self.game, seconds)

    def update(
        self,
        own_move: Term | None,
        percepts: frozenset[Term],
        expired: Callable[[], bool] = lambda: False,
        late: Callable[[], bool] | None = None,
        refused: Term | None = None,
    ) -> bool:
        """Take in one turn; returns whether any state explains the percepts (if none does, they are ignored).

        Args:
            own_move: None if it is not known, as for a player that was interrupted; it may then be any.
            percepts: what the role saw.
            expired: whether time is up. Joint moves are tried in random order, so that what was found until then is a sample.
            late: whether to give up even if nothing has been found yet, since to be lost costs more than some time; by default
                ``expired``.
            refused: an own move that was not accepted, ``own_move`` was made instead; so it was not legal, if that can be.

        Raises:
            ValueError: if ``own_move`` is not a move of the role.
        """
        move = self.game.move_index[self.role].get(own_move) if own_move is not None else None
        if move is None and own_move is not None:
            raise ValueError(f"{own_move} is not a move of {self.game.roles[self.role]}")
        expected = self._views.expected(self.role, percepts)
        named = np.array([self.game.role_start[self.role] if move is None else move], np.int32)
        own = self._views.after(self.view, named, self._views.shown(self.role, expected))
        if move is None:
            own = ~own  # not the view of any move
            self.resampler = self.tree = None
        else:
            self.past.append((move, expected))
        denied = None if move is None or refused in (None, own_move) else self.game.move_index[self.role].get(refused)
        self.knowledge.update(move, expected, denied)
        if denied is not None and not self.exact and self._propnet.legal(self.states)[:, denied].all():
            self._doubts.add(denied, len(self.past))
        # How others are likely to move takes its time whatever number of entries is kept.
        begin, self._valuing = self._clock(), 0.0
        found = self._follow(move, expected, expired, expired if late is None else late, refused=denied)
        self.seconds = self._clock() - begin - self._valuing
        if self.tree is not None and self.tree.bytes > TREE_BYTES:
            self._trim(self.tree, found=found)
        if self.tree is not None and not self.exact and (not found or self.lost or self._is_thin(self.tree)):
            self.lost |= not found
            found |= self._look_elsewhere(self.tree)
        if not found:
            self.confused, self.lost = self.confused + 1, True
            # Going on from what comes nearest keeps the player in the match: it still knows its own moves.
            begin = self._clock()
            self._follow(move, expected, expired, expired, nearest=True)
            self.seconds += self._clock() - begin
        if self.lost:
            # What is certain is so in these states as well, wherever they came from.
            self.states = self.knowledge.corrected(self.states)
        self.view = own
        self.views[:, self.role] = own[0]
        return found

    def _look_elsewhere(self, tree: HistoryTree) -> bool:
        """Have other histories looked for, to stand beside the entries or in the place of wrong ones; whether there are some."""
        more = self.resampler(self.past, tree) if self.resampler is not None else None
        if more is not None:
            ends = tree.layers[-1].some(more.nodes)
            states, views, weights, nodes, known = ends.states, ends.views, more.weights, more.nodes, 0
            if not (self.lost or more.complete):
                states, views, weights = mixed((self.states, self.views, self.probabilities), (states, views, weights))
                nodes, known = np.append(self._nodes, nodes), len(self.states)
            self.exact, self.lost = more.complete, False
            kept = self._set(states, views, weights)
            self._nodes = nodes[kept]
            if self.model is not None:
                self.model.renew(np.where(kept < known, kept, -1), self.states, self.views)
        if not self.lost:
            self._asked = self._stems(tree)
        return more is not None

    def _trim(self, tree: HistoryTree, *, found: bool) -> None:
        """Forget courses that lead nowhere; all of them, if that is not enough."""
        if found and not self.lost:
            self._nodes = tree.prune(self._nodes)
        else:
            tree.prune(np.arange(len(tree.layers[-1].states))[-self.limit :])
        if tree.bytes > TREE_BYTES / 2:
            self.tree = self.resampler = None

    def _stems(self, tree: HistoryTree) -> int:
        """How many nodes of a few turns ago the entries come from: what was moved since may not show yet."""
        nodes, layers = self._nodes, tree.layers
        for layer in layers[: max(0, len(layers) - 1 - UNSEEN_TURNS) : -1]:
            nodes = np.unique(layer.parent[nodes])
        return len(nodes)

    def glance(self, own_move: Term | None) -> int:
        """An own move that is likely to be legal after a turn of which only the own move is known so far, at once; -1 if none is.

        Nothing changes; ``update`` follows when there is time for it.
        """
        move = self.game.move_index[self.role].get(own_move) if own_move is not None else None
        fixed = {} if move is None else {self.role: move}
        likeliest = np.argsort(-self.probabilities, kind="stable")[:GLANCE]
        states, weights = self.states[likeliest], self.probabilities[likeliest]
        legal = self._propnet.legal(states)
        going = np.flatnonzero(number_of_joint_moves(self.game, legal, fixed) > 0)
        if not len(going):
            return -1
        moves = draw_joint_moves(self.game, legal[going], np.random.default_rng(len(self.past)), fixed)
        after = self._propnet.legal(self._propnet.successors(states[going], moves))
        first, last = self.game.role_start[self.role : self.role + 2]
        support = weights[going] @ after[:, first:last]
        return int(first + support.argmax()) if support.max(initial=0.0) > 0 else -1

    def keep_pace(self, seconds: float) -> None:
        """Keep fewer entries from now on if the last turn took longer than this, and more if it took much less."""
        if self.seconds > seconds:
            self.limit = max(min(LEAST_ENTRIES, self.most), int(self.limit * max(0.1, seconds / self.seconds)))
        elif self.seconds < seconds / 4:
            self.limit = min(self.most, 2 * self.limit)

    def calibrate(self, seconds: float) -> None:
        """Begin with as many entries as can surely be followed in a time, by a trial with copies of the present states."""
        sure = affordable(self.game, self._propnet, self.states, seconds, self._clock)
        self.limit = min(self.most, max(LEAST_ENTRIES, sure))

    def _is_thin(self, tree: HistoryTree) -> bool:
        """Whether the entries stem from few: too few by the limit, and half of what there was when others were last sought."""
        return self._stems(tree) < min(self.limit // THIN, 1 + self._asked // 2)

    def legal_moves(self) -> NDArray[np.int32]:
        """The own moves that are legal in every possible state, else those that are legal in the most probable part of them.

        Where what is held possible may not be all that is, moves that are legal for certain go before others.
        """
        first, last = self.game.role_start[self.role : self.role + 2]
        support = self.probabilities @ self._propnet.legal(self.states)[:, first:last]
        support = self._doubts.weighed(support, first, len(self.past))
        few = len(self.states) < FEW and not self.exact
        widely = widely_legal(support, self.knowledge.legal, doubtful=self.lost or few)
        moves: NDArray[np.int32] = (first + widely).astype(np.int32)
        return moves

    def marginal(self) -> tuple[States, Weights]:
        """The distinct states, uint64[k, words], and their probabilities, float64[k]."""
        states, _, place = np.unique(self.states, axis=0, return_index=True, return_inverse=True)
        return states, sums(place, self.probabilities, len(states))

    def draw(self, count: int) -> NDArray[np.int64]:
        """int64[count]: entries drawn by their probabilities, each as often as expected up to one time, in random order."""
        return self._generator.permutation(systematic(self.probabilities, count, self._generator))

    def _follow(
        self,
        move: int | None,
        expected: NDArray[np.bool_],
        expired: Callable[[], bool],
        late: Callable[[], bool],
        *,
        nearest: bool = False,
        refused: int | None = None,
    ) -> bool:
        """Go one turn further, by what comes ``nearest`` if need be; False, and nothing has changed, if nothing was found."""
        terminal, legal, _ = self._propnet.evaluate(self.states)
        fixed = {} if move is None else {self.role: move}
        # What others cannot have done, by all that is certain, need not be tried.
        able = legal if nearest else legal & self.knowledge.made
        sizes = number_of_joint_moves(self.game, able, fixed)
        live = np.flatnonzero(~terminal & (sizes > 0))
        if move is not None and nearest:
            weights = self.probabilities * np.where(legal[:, move], 1.0, NEAR)  # one more thing that is wrong
            self.probabilities = weights / weights.sum()
        elif move is not None:
            live = live[legal[live, move]]
        if refused is not None and not legal[live, refused].all():
            # That may have been late instead, if nothing else can be.
            live = live[~legal[live, refused]]
        if not len(live) and nearest:
            # Who is lost and holds the match to be over goes on all the same, or its own moves would be forgotten.
            live = np.flatnonzero(sizes > 0)
        if not len(live):
            return False
        likely = self._likelihood(legal, live)

        def enough(number: int) -> bool:
            return number >= ENOUGH * self.limit or (expired() if number else late())

        sought = _Sought(expected, nearest, enough)
        if sizes[live].sum() <= WORK * self.limit:
            found = joint_moves(self.game, able[live], fixed)
            owner = live[found.owner]
            weights = self.probabilities[owner] * likely(owner, found.moves)
            parts = self._listed(owner, found.moves, weights, sought)
        else:
            self.exact = False
            parts = self._drawn(live, able, fixed, likely, sought)
        step = Step.joined(parts)
        going = np.flatnonzero(~self._propnet.terminal(step.states))
        if len(going):  # being asked for another move tells that the match goes on
            step = step.only(going)
        if not len(step.states) or step.weights.sum() <= 0:
            return False
        kept = self._set(step.states, step.views, step.weights)
        choices = np.maximum(1.0, number_of_joint_moves(self.game, legal, fixed))
        sound = not (nearest or self.lost)
        if self.tree is not None and sound:
            chance = self.tree.layers[-1].chance[self._nodes] - np.log(choices)
            owner = step.owner[kept]
            nodes = Layer(self.states, self.views, self._nodes[owner], step.moves[kept], chance[owner])
            self._nodes = self.tree.add(len(self.past), nodes)
        if self.model is not None:
            if sound:
                even = step.weights / (choices[step.owner] * np.maximum(1e-300, likely(step.owner, step.moves)))
                self.model.credit(float(step.weights.sum() / max(1e-300, even.sum())))
            self.model.follow(step.owner[kept], step.moves[kept], step.shown[kept], self.states, self.views)
        return True

    def _likelihood(self, legal: NDArray[np.bool_], live: NDArray[np.int64]) -> Likelihood:
        """The probability of what others do in joint moves int32[n, roles] in entries int64[n]."""
        going = np.zeros((len(legal), 1), np.bool_)
        going[live] = True
        policies: list[tuple[int, int, Weights]] = []
        for role in range(len(self.game.roles)):
            if role == self.role:
                continue
            first, last = self.game.role_start[role : role + 2]
            mine = legal[:, first:last] & going
            if self.model is None or role == self.game.random_role:
                policy = mine / np.maximum(1, mine.sum(axis=1, keepdims=True))
            else:
                begin = self._clock()
                policy = self.model.policy(role, self.views[:, role], mine, self.probabilities)
                self._valuing += self._clock() - begin
            policies.append((role, int(first), policy))

        def likely(owner: NDArray[np.int64], moves: NDArray[np.int32]) -> Weights:
            result = np.ones(len(owner))
            for role, first, policy in policies:
                result *= policy[owner, moves[:, role] - first]
            return result

        return likely

    def _listed(
        self,
        owner: NDArray[np.int64],
        moves: NDArray[np.int32],
        weights: Weights,
        sought: _Sought,
    ) -> list[Step]:
        """Successors by all these joint moves, or by a sample of them if ``limit`` of it fit or time is up.

        The sample is drawn by priority, weight over a uniform random number; what has less weight than the first priority that was
        left out counts with that (Duffield, Lund and Thorup 2007), which keeps all sums right on average.
        """
        if len(owner) <= CHUNK:
            return [self._step(owner, moves, weights, sought)]
        priority = weights / (1.0 - self._generator.random(len(owner)))
        order = np.argsort(-priority)
        parts: list[Step] = []
        for begin in range(0, len(order), CHUNK):
            if parts and sought.enough(sum(len(part.states) for part in parts)):
                self.exact = False
                least = priority[order[begin]]
                return [part._replace(weights=np.maximum(part.weights, least)) for part in parts]
            chunk = order[begin : begin + CHUNK]
            parts.append(self._step(owner[chunk], moves[chunk], weights[chunk], sought))
        return parts

    def _drawn(
        self,
        live: NDArray[np.int64],
        legal: NDArray[np.bool_],
        fixed: dict[int, int],
        likely: Likelihood,
        sought: _Sought,
    ) -> list[Step]:
        """Successors of drawn entries and joint moves until ``limit`` of them fit, or enough was tried."""
        parts, number = [], 0
        p = self.probabilities[live] / self.probabilities[live].sum()
        even = number_of_joint_moves(self.game, legal, fixed)
        for _ in range(ROUNDS):
            entries = live[systematic(p, self.limit, self._generator)]
            moves = draw_joint_moves(self.game, legal[entries], self._generator, fixed)
            parts.append(self._step(entries, moves, likely(entries, moves) * even[entries], sought))
            number += len(parts[-1][0])
            if number >= self.limit or sought.enough(number):
                break
        return parts

    def _step(
        self,
        owner: NDArray[np.int64],
        moves: NDArray[np.int32],
        weights: Weights,
        sought: _Sought,
    ) -> Step:
        """Successors that show what was expected; ``nearest``: all, and those that show something else count less."""
        states, shown = self._views.observe(self._propnet, self.states[owner], moves)
        if sought.nearest:
            mine = self.game.percept_role == self.role
            seen = self._propnet.percepts(self.states[owner], moves)[:, mine]
            weights = weights * NEAR ** np.minimum((seen != sought.expected[mine]).sum(axis=1), MOST_WRONG)
        step = Step(states, self.views[owner], weights, owner, moves, shown)
        if not sought.nearest:
            step = step.only(np.flatnonzero(shown[:, self.role] == self._views.shown(self.role, sought.expected)))
        return step._replace(views=self._views.after(step.views, step.moves, step.shown))

    def _set(self, states: States, views: ViewArray, weights: Weights) -> NDArray[np.int64]:
        """Make these the entries: equal ones merged, no more than ``limit``; int64[k]: which of them were taken."""
        kept, weights = distinct(states, views, weights, self.role)
        if len(kept) > self.limit:
            self.exact = False
            picked = self._generator.permutation(len(kept))
            _, first, place = np.unique(states[kept[picked]], axis=0, return_index=True, return_inverse=True)
            if len(first) <= self.limit:
                kept, weights = kept[picked[first]], sums(place, weights[picked], len(first))
            else:
                numbers, copies = np.unique(systematic(weights / weights.sum(), self.limit, self._generator), return_counts=True)
                kept, weights = kept[numbers], copies.astype(np.float64)
        self.states, self.views, self.probabilities = states[kept], views[kept], weights / weights.sum()
        return kept
