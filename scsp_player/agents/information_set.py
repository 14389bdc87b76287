"""How a player decides when it does not see everything: exactly where the game is small enough, else by information-set search."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief import (
    Belief,
    BeliefGraph,
    Equilibrium,
    HistorySampler,
    HistoryTree,
    InformationSetSearch,
    Minds,
    Rejuvenation,
    Views,
    WalkSettings,
    sequence_game,
)
from scsp_player.belief.belief_graph import SAME
from scsp_player.belief.history_tree import Past
from scsp_player.belief.joint_moves import number_of_joint_moves
from scsp_player.belief.model import Found
from scsp_player.belief.samples import systematic
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network import NetworkTooLargeError, template
from scsp_player.propnet import Propnet

WORK = 400_000
"""Joint moves that a game or the rest of one may have to be solved exactly."""

RATE = 100_000
"""Joint moves that a graph of beliefs, or a sequence form, takes in a second on a busy machine, roughly."""

PERCEPTS = 64
"""Where that many things can be seen, a joint move takes twice as long, and so on."""

SHARE = 0.5
"""Share of the time in which that is tried; what is left is for search."""

REST_SHARE = 0.15
"""Share of a turn's time in which the rest of a game is put into sequence form."""

ITERATIONS = 20_000
"""Iterations after which strategies of a small game are good enough."""

LEAST_PROBABILITY = 0.02
"""Moves that the average strategy makes less often than this are left out: they are remains of its first iterations."""

HISTORIES, RENEWED = 64, 500
"""Histories that are looked for when few kept states fit: by the network, and by changing those that fit so far."""

HISTORY_SHARE, RENEWAL_SHARE = 0.5, 0.15
"""Share of a turn's time for that when no kept state fits, and when some do."""

NETWORK_SHARE = 0.4
"""Share of the former for the network, if changing histories has found nothing."""

FIRST_TURNS = 24
"""Turns for which the network is unrolled before the match begins, if there is time for it."""

SPARE_SECONDS = 3.0
"""Time that must be left for it."""

LISTING_SHARE = 0.3
"""Share of that for listing all histories."""

RULE_LIMIT = 20_000
"""Games with more ground rules get no network for it."""

TEMPLATE_SHARE = 0.3
"""Share of the start clock for building the network."""

ENTRIES_PER_SECOND, LEAST_ENTRIES = 1500, 200
"""Entries of a belief beside which is guessed what others believe, for each second of a turn, and in any case: they are dear."""

ROOTS_PER_SECOND, LEAST_ROOTS, MOST_ROOTS = 400, 32, 256
"""States that are searched for each second of a turn; a few that are searched well tell more than many that are not."""

FOLLOWING_SHARE = 0.4
"""Share of a turn's time that following the match may take."""

MINDS_SHARE = 0.15
"""Share of a turn's time in which others' moves are valued."""

INFORMATION = 100.0
"""Points that knowing the state for certain counts for among moves that search cannot tell apart."""

WALK_SPREAD = 30.0
"""Points by which walks from the same information set differ, roughly (standard deviation)."""

WALKS_EACH = 600
"""With fewer walks a turn, for each turn that a match takes, few of them come by the same view, and what they end in says little
about a move that decides twenty turns later: search over drawn states, which looks further ahead, is the better one then."""

LENGTHS, LENGTH_SECONDS = 64, 0.5
"""Random games by which it is judged how long a match takes, and how long they may take."""

ALONE = WalkSettings(exploration=0.7, playouts=8, patience=1)
"""One player against chance: nobody else's choices stand between, so that bounds may be as wide as scores are."""


def needs_information_sets(game: GroundGame) -> bool:
    """Whether players of a game are told percepts instead of joint moves: it has chance or ``sees``."""
    return game.random_role >= 0 or len(game.percept_role) > 0


class InformationSetPlayer:
    """Follows a match by own moves and percepts, and chooses moves.

    One player against chance: the graph of beliefs, if it can be had whole (``BeliefGraph``), else ``InformationSetSearch``.
    Several players: the whole game in sequence form, or what is left of it (``Equilibrium``); where that is too large, the same
    search, unless a turn has time for less than ``least_walks`` walks: then nothing is decided here.

    Attributes:
        belief: what is known.
        search: the sampling search.
        equilibrium: strategies for the whole game, if it is small enough.
        method: how the last move was found.
        value: expected score of the last move, 0 to 100.
        histories_by: when looking for histories must end in the turn at hand, as a value of the clock.
    """

    def __init__(
        self,
        game: GroundGame,
        propnet: Propnet,
        role: int,
        *,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
        settings: WalkSettings | None = None,
        exact: bool = True,
        walks_each: int = WALKS_EACH,
    ) -> None:
        self.game = game
        self.role = role
        self.clock = clock
        players = [r for r in range(len(game.roles)) if r != game.random_role]
        self.alone = len(players) == 1
        self.walks_each = self.least_walks = 0 if self.alone else walks_each
        if settings is None and self.alone:
            settings = ALONE
        self.minds: Minds | None = None
        self.roots = MOST_ROOTS
        if not self.alone:
            self.minds = Minds(game, propnet, role, seed=seed, clock=clock)
        self.search = InformationSetSearch(
            game, propnet, role, settings=settings, minds=self.minds, seed=seed, clock=clock
        )
        self.belief = Belief(game, propnet, role, seed=seed, model=self.minds, resampler=self._other_histories, clock=clock)
        self._histories: HistorySampler | None = None
        self._rejuvenation: Rejuvenation | None = None
        self._play_seconds, self._seed = 0.0, seed
        self.histories_by = math.inf
        self.equilibrium: Equilibrium | None = None
        self.method, self.value = "", 0.0
        self._exact = exact
        self._sure: dict[int, float] = {}
        self._bonus: dict[int, float] = {}
        self._propnet = propnet
        self._generator = np.random.default_rng((seed, 1))

    def prepare(self, deadline: float, play_seconds: float) -> None:
        """Use the time before the first move: the network for finding histories, strategies for the whole game if it is small."""
        self._play_seconds = play_seconds
        self.belief.calibrate(FOLLOWING_SHARE * play_seconds)
        if self.minds is not None:
            self.minds.seconds = MINDS_SHARE * play_seconds
            # What is slow to follow is so for others as well.
            self.minds.beside = min(self.minds.beside, self.belief.limit)
            self.minds.entries = max(LEAST_ENTRIES, int(ENTRIES_PER_SECOND * play_seconds))
            self.roots = int(np.clip(ROOTS_PER_SECOND * play_seconds, LEAST_ROOTS, MOST_ROOTS))
            start = self.game.initial_state[None]
            games = self._propnet.playouts(start, lanes_per_state=LENGTHS, seed=self._seed, seconds=LENGTH_SECONDS)
            self.least_walks = self.walks_each * int(games.plies[0]) // LENGTHS
            if self.clock() < deadline:
                self.search.measure(self.belief, self.clock() + play_seconds)
        if self.game.rules <= RULE_LIMIT and self.clock() < deadline:
            with contextlib.suppress(NetworkTooLargeError):
                micro = template(self.game, seconds=TEMPLATE_SHARE * (deadline - self.clock()))
                self._histories = HistorySampler(micro, self.role, seed=self._seed)
                if self.clock() < deadline - SPARE_SECONDS:
                    self._histories.unroll(FIRST_TURNS)
        if self.alone or not self._exact:
            return
        first = Views(self.game).first(1)
        begin = self.clock()
        give_up = begin + SHARE * (deadline - begin)
        whole = sequence_game(
            self.game,
            self._propnet,
            self.game.initial_state[None],
            first,
            np.ones(1),
            work=min(WORK, self._affordable(give_up - begin)),
            expired=lambda: self.clock() >= give_up,
        )
        if whole is not None:
            self.equilibrium = Equilibrium(whole)
            self.equilibrium.learn(ITERATIONS, lambda: self.clock() >= deadline)

    def _affordable(self, seconds: float) -> int:
        """Joint moves that there is time for."""
        return int(RATE * max(0.0, seconds) / (1.0 + len(self.game.percept_role) / PERCEPTS))

    def _other_histories(self, past: Past, tree: HistoryTree) -> Found | None:
        """What the belief asks for when few or none of its states explain what was seen."""
        begin = self.clock()
        lost = tree.turns < len(past)
        end = min(begin + (HISTORY_SHARE if lost else RENEWAL_SHARE) * self._play_seconds, self.histories_by)
        if end <= begin:
            return None
        if self._histories is not None and (every := self._histories.list_all(past, tree, LISTING_SHARE * (end - begin))):
            return every
        if self._rejuvenation is None or self._rejuvenation.tree is not tree:
            self._rejuvenation = Rejuvenation(tree, seed=self._seed)
        network = self._histories if lost else None
        until = end if network is None else end - NETWORK_SHARE * (end - begin)
        found = self._rejuvenation.find(past, RENEWED, lambda: self.clock() >= until)
        if found is None and network is not None:
            found = network.draw(past, tree, HISTORIES, lambda: self.clock() >= end, max(0.0, end - self.clock()))
        return found

    def roots_drawn(self) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """States to search, uint64[k, words], and their probabilities: the belief, or as much of it as there is time for."""
        states, probabilities = self.belief.marginal()
        if len(states) <= self.roots:
            return states, probabilities
        numbers, copies = np.unique(systematic(probabilities, self.roots, self._generator), return_counts=True)
        return states[numbers], copies / copies.sum()

    def choose(self, deadline: float, report: Callable[[int], None]) -> int:
        """The move to play, a global index; better ones are reported as they are found. -1 if that is left to others."""
        legal = self.belief.legal_moves()
        if len(legal) == 1:
            self.method = "only move"
            return int(legal[0])
        if self._exact:
            move = self._from_beliefs(deadline, report) if self.alone else self._from_strategies(legal, deadline)
            if move in legal:
                return move
        if not self.search.rate:
            self.search.measure(self.belief, deadline)
        if self.search.rate * self._play_seconds < self.least_walks:
            self.method = "determinised"
            return -1
        self.method = "search"
        self.search.think(self.belief, deadline, lambda: report(self._best(legal, sample=False)))
        return self._best(legal, sample=True)

    def _from_beliefs(self, deadline: float, report: Callable[[int], None]) -> int:
        begin = self.clock()
        give_up = begin + SHARE * (deadline - begin)
        states, probabilities = self.belief.marginal()
        # Where one turn takes too long already, some of the states have to stand for all.
        moves_each = number_of_joint_moves(self.game, self._propnet.legal(states)).mean()
        most = max(8, int(0.5 * RATE * (give_up - begin) / moves_each))
        sampled = len(states) > most
        if sampled:
            numbers, copies = np.unique(self._generator.choice(len(states), most, p=probabilities), return_counts=True)
            states, probabilities = states[numbers], copies / most
        graph = BeliefGraph(self.game, self._propnet, self.role, states, probabilities)
        complete = graph.grow(WORK, lambda: self.clock() >= give_up) and not sampled
        moves, values, turns = graph.values()
        # Nothing is better than the best score that the rules give, however much of the graph is unknown.
        highest = self.game.goal_value[self.game.goal_role == self.role].max(initial=0)
        if complete or (not sampled and values.max(initial=0.0) >= highest - SAME):
            self.method, self.value = "beliefs", float(values.max())
            # Of equally good moves the soonest; or the one that tells most, where what is believed is only a sample.
            told = -graph.information()
            order = (turns, told) if self.belief.exact else (told, turns)
            return int(moves[np.lexsort((*reversed(order), -np.rint(values / SAME)))[0]])
        self._sure = {} if sampled else dict(zip(moves.tolist(), values.tolist(), strict=True))
        self._bonus = dict(zip(moves.tolist(), (INFORMATION * graph.information()).tolist(), strict=True))
        return -1

    def _from_strategies(self, legal: NDArray[np.int32], deadline: float) -> int:
        strategies, view = self.equilibrium, int(self.belief.view[0])
        self.method = "equilibrium"
        if strategies is None or strategies.policy(self.role, view) is None:
            begin = self.clock()
            give_up = begin + REST_SHARE * (deadline - begin)
            rest = sequence_game(
                self.game,
                self._propnet,
                self.belief.states,
                self.belief.views,
                self.belief.probabilities,
                work=min(WORK // 4, self._affordable(give_up - begin)),
                expired=lambda: self.clock() >= give_up,
            )
            if rest is None:
                return -1
            strategies, self.method = Equilibrium(rest), "equilibrium of the rest"
        if strategies.iterations < ITERATIONS:
            strategies.learn(ITERATIONS - strategies.iterations, lambda: self.clock() >= deadline)
        policy = strategies.policy(self.role, view)
        if policy is None:
            return -1
        moves, probabilities = policy
        return self._draw(moves, np.where(np.isin(moves, legal), probabilities, 0.0))

    def _draw(self, moves: NDArray[np.int32], probabilities: NDArray[np.float64]) -> int:
        kept = np.where(probabilities >= min(LEAST_PROBABILITY, probabilities.max()), probabilities, 0.0)
        return int(self._generator.choice(moves, p=kept / kept.sum())) if kept.sum() > 0 else -1

    def _best(self, legal: NDArray[np.int32], *, sample: bool) -> int:
        moves, visits, means, average = self.search.choices(int(self.belief.view[0]))
        usable = np.isin(moves, legal)
        if not usable.any():
            return int(legal[0])
        if self.search.settings.mixing >= 0 and sample:
            return self._draw(moves, np.where(usable, average, 0.0))
        merit = 100 * means
        if self.alone and self._exact:
            # What the graph has found is sure; where nothing tells moves apart, the one after which most is known is better.
            sure = np.array([self._sure.get(int(m), 0.0) for m in moves])
            merit = np.maximum(merit, sure)
            serious = usable & ((visits > 0) | (sure > 0))
            if serious.any():
                doubt = np.where(sure < merit, WALK_SPREAD / np.sqrt(np.maximum(visits, 1.0)), 0.0)
                level = (merit - doubt)[serious].max()
                bonus = np.array([self._bonus.get(int(m), 0.0) for m in moves])
                merit = merit + np.where(merit + doubt >= level, bonus, 0.0)
        else:
            # A few random games a walk say little: what was made most often is more reliable than what seems best.
            serious = usable & (visits >= visits[usable].max())
        # Where there was no time for a single walk, nothing is serious.
        best = int(np.where(serious if serious.any() else usable, merit, -np.inf).argmax())
        self.value = float(100 * means[best])
        return int(moves[best])
