"""What others may hold possible, and so how they are likely to move.

A player that sees as little as we do does not choose by the true state but by what it believes. Beside each possible state stand a
few states that the other cannot tell from it: a particle filter inside a particle filter (interactive beliefs: Doshi and
Gmytrasiewicz 2009). Its moves are valued there by random games, as a player would who thinks one move ahead, and the better a move
looks, the more likely it is taken to be (quantal response: McKelvey and Palfrey 1995). In its beliefs, all who move play uniformly.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.joint_moves import draw_joint_moves
from scsp_player.belief.samples import States
from scsp_player.belief.views import ViewArray, Views
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

CHUNK = 128
"""Moves valued between two looks at the clock."""

BESIDE = 600
"""States that another role may hold possible for all entries of a belief together, where there are few."""

CREDIT, MOST_CREDIT = 2.5, 1.0
"""The logarithm of the odds that others are careful at all, at first and at most; and by how much one turn may change it."""

MOST_CELLS = 4_000_000
"""Where entries times moves are more, others are taken to play uniformly."""


@dataclass(frozen=True)
class MindSettings:
    """How others' moves are guessed.

    Attributes:
        copies: states that another role may hold possible, for each entry, at least.
        most_copies: the same for each entry, at most.
        tries: joint moves tried for each of them in a turn.
        samples: how often its moves are valued at most, each time in one of these states.
        sharpness: how much likelier a move becomes with each standard deviation of the values of its rivals.
        careless: share of moves that are made at random.
        playouts: random games a valuation.
    """

    copies: int = 3
    most_copies: int = 32
    tries: int = 2
    samples: int = 8
    sharpness: float = 2.0
    careless: float = 0.2
    playouts: int = 64


class Held(NamedTuple):
    """What a role may hold possible beside each of k entries: uint64[k, copies, words], and what everybody has gone through there.

    ``views`` is uint64[k, copies, roles]; the role's own are those of the entry.
    """

    states: States
    views: ViewArray

    @classmethod
    def same(cls, states: States, views: ViewArray, copies: int) -> Held:
        """Copies of the entries themselves."""
        return cls(np.repeat(states[:, None], copies, axis=1), np.repeat(views[:, None], copies, axis=1))


class Minds:
    """A model of all other roles for a ``Belief``.

    Attributes:
        others: the roles in question.
        seconds: time for valuing moves in one update.
        beside: states that another role may hold possible for all entries together, where there are few.
        entries: entries beside which others' beliefs are kept at most. Beside the rest of them others are taken to know the state,
            and to move as they do on average.
    """

    def __init__(
        self,
        game: GroundGame,
        propnet: Propnet,
        role: int,
        *,
        settings: MindSettings | None = None,
        seconds: float = 0.05,
        entries: int = 2000,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.game = game
        self.settings = settings or MindSettings()
        self.seconds = seconds
        self.entries, self.beside = entries, BESIDE
        self._credit = CREDIT
        self.clock = clock
        self._propnet = propnet
        self._generator = np.random.default_rng((seed, 3))
        self.others = [r for r in range(len(game.roles)) if r not in (role, game.random_role)]
        self._views = Views(game)
        self._held: dict[int, Held] = {}
        self._policies: dict[int, Floats] = {}
        self._watched = np.zeros(0, np.bool_)
        self.renew(np.full(1, -1), game.initial_state[None], self._views.first(1))

    def renew(self, kept: NDArray[np.int64], states: States, views: ViewArray) -> None:
        """See ``Model``: in new entries others are taken to know the state, for want of anything better."""
        old = np.flatnonzero(kept >= 0)
        for role in self.others:
            earlier = self._held[role] if len(old) else None
            copies = self.settings.copies if earlier is None else earlier.states.shape[1]
            self._held[role] = held = Held.same(states, views, copies)
            if earlier is not None:
                held.states[old], held.views[old] = earlier.states[kept[old]], earlier.views[kept[old]]
        watched = np.full(len(states), not len(old))
        watched[old] = self._watched[kept[old]]
        self._watched = watched
        self._policies = {}

    def held(self, role: int) -> Held:
        """What another role may hold possible in each entry."""
        return self._held[role]

    def policy(self, role: int, views: ViewArray, legal: Bools, probabilities: Floats) -> Floats:
        """See ``Model``. Likely entries are looked at first; for those that there is no time for, the others have to speak.

        Asked again before anything has happened, it says the same.
        """
        if role in self._policies and len(self._policies[role]) == len(legal):
            return np.where(legal, self._policies[role], 0.0)
        self._policies[role] = self._policy(role, legal, probabilities)
        return self._policies[role]

    def _policy(self, role: int, legal: Bools, probabilities: Floats) -> Floats:
        counts = legal.sum(axis=1)
        result: Floats = legal / np.maximum(1, counts)[:, None]
        choosing = np.flatnonzero(counts > 1)
        if role not in self._held or not len(choosing) or result.size > MOST_CELLS:
            return result
        watched = choosing[self._watched[choosing]]
        order = self._order(watched if len(watched) else choosing, probabilities)
        worth, noise = self._values(role, order, legal)
        known = order[: len(worth)]
        guess, spread = self._guess(worth, noise, legal[known], legal[choosing], np.searchsorted(choosing, known))
        if spread > 0.0:
            guess = np.where(legal[choosing], self.settings.sharpness * guess / spread, -np.inf)
            guess = np.exp(guess - guess.max(axis=1, keepdims=True))
            likely = guess / guess.sum(axis=1, keepdims=True)
            result[choosing] += self.careful * (likely - result[choosing])
        return result

    @property
    def careful(self) -> float:
        """Share of moves that are made by what they are worth; the others are made at random."""
        return (1.0 - self.settings.careless) / (1.0 + math.exp(-self._credit))

    def credit(self, ratio: float) -> None:
        """See ``Model``: others are the more careful, the better that has foretold what was seen."""
        alone = (ratio - (1.0 - self.careful)) / self.careful
        self._credit += min(MOST_CREDIT, max(-MOST_CREDIT, math.log(max(1e-9, alone))))
        self._credit = min(CREDIT, max(-CREDIT, self._credit))

    def follow(
        self, parent: NDArray[np.int64], moves: NDArray[np.int32], seen: ViewArray, states: States, views: ViewArray
    ) -> None:
        """See ``Model``."""
        known = np.flatnonzero(parent >= 0)
        if len(known) > self.entries:
            # What has been watched so far first.
            order = np.lexsort((self._generator.random(len(known)), ~self._watched[parent[known]]))
            known = np.sort(known[order[: self.entries]])
        self._watched = np.zeros(len(states), np.bool_)
        self._watched[known] = True
        self._policies = {}
        copies = int(np.clip(self.beside // max(1, len(known)), self.settings.copies, self.settings.most_copies))
        for role in self.others:
            self._held[role] = self._followed(role, known, parent, moves, seen, Held.same(states, views, copies))

    def _followed(
        self,
        role: int,
        known: NDArray[np.int64],
        parent: NDArray[np.int64],
        moves: NDArray[np.int32],
        seen: ViewArray,
        held: Held,
    ) -> Held:
        # The true state is always possible; it stands in where nothing else is found.
        if not len(known):
            return held
        game, earlier = self.game, self._held[role]
        copies, before_copies = held.states.shape[1], earlier.states.shape[1]
        tries = -(-self.settings.tries * copies // before_copies)
        entry = np.repeat(known, before_copies * tries)
        before = np.repeat(earlier.states[parent[known]], tries, axis=1).reshape(len(entry), -1)
        lived = np.repeat(earlier.views[parent[known]], tries, axis=1).reshape(len(entry), -1)
        terminal, legal, _ = self._propnet.evaluate(before)
        joint = draw_joint_moves(game, legal, self._generator)
        joint[:, role] = moves[entry, role]
        after, shown = self._views.observe(self._propnet, before, joint)
        fits = ~terminal & (shown[:, role] == seen[entry, role]) & legal[np.arange(len(entry)), joint[:, role]]
        kept = np.flatnonzero(fits)
        kept = kept[~self._propnet.terminal(after[kept])]
        after, seen_by_all = after[kept], self._views.after(lived[kept], joint[kept], shown[kept])
        # The first ``copies`` of each entry, in random order, go into its places.
        order = np.lexsort((self._generator.random(len(kept)), entry[kept]))
        of = entry[kept][order]
        rank = np.arange(len(of)) - np.searchsorted(of, of)
        chosen = rank < copies
        held.states[of[chosen], rank[chosen]] = after[order[chosen]]
        held.views[of[chosen], rank[chosen]] = seen_by_all[order[chosen]]
        # Places left over repeat what was found.
        number = np.bincount(of[chosen], minlength=len(held.states))
        place = np.arange(copies)[None, :] % np.maximum(1, number)[:, None]
        row = np.arange(len(held.states))[:, None]
        return Held(held.states[row, place], held.views[row, place])

    def _order(self, choosing: NDArray[np.int64], probabilities: Floats) -> NDArray[np.int64]:
        """Entries in the order in which they are looked at: drawn by their probabilities, each once."""
        keys = self._generator.exponential(size=len(choosing)) / np.maximum(1e-300, probabilities[choosing])
        result: NDArray[np.int64] = choosing[np.argsort(keys)]
        return result

    def _values(self, role: int, order: NDArray[np.int64], legal: Bools) -> tuple[Floats, float]:
        """float64[n, moves of the role] for the first n entries of ``order``, as far as time allows; variance by chance alone.

        With time left, all are valued again in another of the states held possible, up to ``samples`` times.
        """
        begin = self.clock()
        total = np.zeros((len(order), legal.shape[1]))
        squares, times = np.zeros_like(total), np.zeros(len(order))
        for _ in range(self.settings.samples):
            done = 0
            while done < len(order):
                if times[0] and self.clock() - begin >= self.seconds:
                    known = int((times > 0).sum())
                    return total[:known] / times[:known, None], _noise(total, squares, times, legal[order], self.settings.playouts)
                some = slice(done, done + max(1, CHUNK // max(1, int(legal[order[done]].sum()))))
                values = self._sample(role, order[some], legal[order[some]])
                total[some] += values
                squares[some] += values**2
                times[some] += 1
                done += len(values)
        return total / times[:, None], _noise(total, squares, times, legal[order], self.settings.playouts)

    def _sample(self, role: int, entries: NDArray[np.int64], legal: Bools) -> Floats:
        """float64[n, moves of the role]: each move valued once in one state that the role may hold possible in each entry."""
        copy = self._generator.integers(self._held[role].states.shape[1], size=len(entries))
        at, move = np.nonzero(legal)
        result = np.zeros(legal.shape)
        first = int(self.game.role_start[role])
        result[at, move] = self._value(role, self._held[role].states[entries, copy][at], (move + first).astype(np.int32))
        return result

    def _value(self, role: int, before: States, move: NDArray[np.int32]) -> Floats:
        """float64[n]: mean scores, 0 to 1, of random games after moves of a role in states in which others move at random."""
        legal = self._propnet.legal(before)
        joint = draw_joint_moves(self.game, legal, self._generator)
        joint[:, role] = move
        count = self.settings.playouts
        games = self._propnet.playouts(
            self._propnet.successors(before, joint), lanes_per_state=count, playouts_per_state=count, seed=self._generator
        )
        result: Floats = games.score_sum[:, role] / np.maximum(1, games.finished + games.truncated) / 100.0
        return result

    @staticmethod
    def _guess(worth: Floats, noise: float, mine: Bools, legal: Bools, place: NDArray[np.intp]) -> tuple[Floats, float]:
        """float64[k, moves]: values of moves against the mean of their rivals, for all entries; and how much they differ, at most.

        What was valued in a few random games is drawn towards the mean of the same move over all entries, the more so the less the
        entries differ beyond chance (empirical Bayes: Efron and Morris 1973), and these means towards equality, the less entries
        they come from. How much values differ is not: who knows little about them has no sharp opinion.
        """
        counts = np.maximum(1, mine.sum(axis=1))[:, None]
        worth = np.where(mine, worth - np.where(mine, worth, 0.0).sum(axis=1, keepdims=True) / counts, 0.0)
        number = mine.sum(axis=0)
        mean = worth.sum(axis=0) / np.maximum(1, number)
        rest = np.where(mine, worth - mean, 0.0)
        several = mine & (number > 1)[None, :]
        trust = 1.0
        if several.any():
            variance = float((rest[several] ** 2).sum()) / max(1, int(several.sum()) - int((number > 1).sum()))
            trust = max(0.0, 1.0 - noise / variance) if variance > 0.0 else 0.0
        varied = float((rest[mine] ** 2).mean()) if several.any() else noise
        doubt = float((varied / np.maximum(1, number))[number > 0].mean()) if number.any() else 0.0
        between = float((mean[number > 0] ** 2).mean()) if number.any() else 0.0
        steady = max(0.0, 1.0 - doubt / between) if between > 0.0 else 0.0
        spread = _spread(np.where(legal, mean[None, :], 0.0), legal)
        result = np.where(legal, steady * mean[None, :], 0.0)
        result[place] += trust * rest
        return result, max(spread, _spread(result, legal))


def _noise(total: Floats, squares: Floats, times: Floats, legal: Bools, playouts: int) -> float:
    """The variance of means of values by chance alone: from what was valued several times, else from that of single games."""
    several = legal & (times > 1)[:, None]
    if several.any():
        n = np.broadcast_to(times[:, None], legal.shape)[several]
        return float(((squares[several] - total[several] ** 2 / n) / (n * (n - 1.0))).mean())
    mean = total[legal & (times > 0)[:, None]]
    return float((mean * (1.0 - mean)).mean()) / playouts


def _spread(worth: Floats, legal: Bools) -> float:
    """The standard deviation of the values of rival moves, over all entries."""
    counts = np.maximum(1, legal.sum(axis=1))[:, None]
    rest = np.where(legal, worth - np.where(legal, worth, 0.0).sum(axis=1, keepdims=True) / counts, 0.0)
    return float(np.sqrt((rest**2).sum() / max(1, int(legal.sum()))))
