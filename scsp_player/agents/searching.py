"""What the searching agents share: set-up of a game, following a match by moves or percepts, choosing in time."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.agents.base import Agent, Report, Turn, ignore_report
from scsp_player.agents.information_set import WALKS_EACH, InformationSetPlayer, needs_information_sets
from scsp_player.agents.rehearsal import rehearse
from scsp_player.agents.stand_in import StandIn
from scsp_player.belief import Belief
from scsp_player.gdl.program import Program
from scsp_player.gdl.terms import Term
from scsp_player.grounding import BudgetExceeded, ground
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Improvement, Propnet
from scsp_player.search.best_first import BestFirstUcb
from scsp_player.search.expansion import Expander, PropnetExpander
from scsp_player.search.mac_ucb import MacUcb
from scsp_player.search.puzzle import PuzzleSearch
from scsp_player.search.reduction import Reduction
from scsp_player.search.settings import SearchSettings
from scsp_player.search.symmetry import find_symmetries

LOG = logging.getLogger("scsp_player.agents")

GROUNDING_SHARE = 0.6
"""Share of the start clock that grounding may take at most before it moves to the background."""

GROUNDING_SECONDS = 5.0
"""Seconds that grounding may take at most before it moves to the background."""

LEAST_TO_IMPROVE = 0.5
"""With less than so many seconds of the start clock left, matches are too fast for simplifying the network in the background."""

DETERMINISED = SearchSettings(prove=False)
"""Settings of a search over states that are drawn from a belief: what is proved in one of them is not proved."""

SYMMETRY_SHARE, SYMMETRY_SECONDS = 0.1, 2.0
"""Share of what is left of the start clock, and seconds of processor time, that looking for symmetries may take."""

PROOF_SHARE, PROOF_SECONDS = 0.2, 5.0
"""Share of what is left of the start clock, and seconds, in which is proved which fluents exclude each other."""

BELIEF_SHARE = 0.4
"""Share of a turn in which beliefs are followed exactly; what is left out after that makes them a sample."""

LATE_BELIEF_SHARE, LEAST_BELIEF_SECONDS = 0.8, 0.05
"""The same, and seconds in any case, where nothing that fits has been found yet: who is lost makes illegal moves."""

HISTORIES_SHARE = 0.7
"""Share of a turn after which no other histories are looked for."""

PUNCTUAL_SECONDS = 0.02
"""A move that comes so much after the deadline still counts as said in time."""

OBSERVING_SECONDS = 2.0
"""The same for a turn that is only observed."""


class SearchingAgent(Agent):
    """Plays by a ``MacUcb`` search; subclasses say with which settings and which expander.

    When the rules cannot be grounded in time, a stand-in plays on the rules themselves, while a second process goes on grounding
    and takes over when it is ready (see ``StandIn``).

    Attributes:
        settings: of the search.
        search_class: kind of the search.
        search: the search, once the game is set up.
        puzzles: whether games with one role are left to a ``PuzzleSearch``.
        information_sets: whether games with hidden information are left to an ``InformationSetPlayer``.
        walks_each: with several players and fewer walks over information sets in a turn, for each turn that a match takes, drawn
            states are searched instead.
        clock: the clock that deadlines refer to; whoever keeps the time may set another before ``start``, such as processor time.
        grounding_bytes: memory that grounding may take before it moves to the background.
    """

    settings = SearchSettings()
    search_class: type[MacUcb] | type[BestFirstUcb] = MacUcb
    puzzles = False
    grounding_bytes = 1 << 30
    information_sets = False
    walks_each = WALKS_EACH
    search: MacUcb | BestFirstUcb | PuzzleSearch

    def __init__(self, report: Report = ignore_report) -> None:
        super().__init__(report)
        self.clock = time.monotonic
        self._stand_in: StandIn | None = None
        self._hidden: InformationSetPlayer | None = None
        self._improvement: Improvement | None = None
        self._chosen = -1
        self._replied: Term | None = None

    @classmethod
    def prepare(cls) -> None:
        """Compile all kernels, or load them from the cache, by a tiny match."""
        rehearse(cls())
        if issubclass(cls.search_class, MacUcb):
            cls.search_class.rehearse()

    def start(self, program: Program, role: str, *, play_seconds: float, deadline: float, seed: int) -> None:
        """Ground, build the circuit and whatever the expander needs, then think ahead for up to one play clock."""
        seconds = min(GROUNDING_SECONDS, GROUNDING_SHARE * (deadline - self.clock()))
        try:
            game = ground(program, seconds=max(0.1, seconds), memory_bytes=self.grounding_bytes)
        except BudgetExceeded:
            self._stand_in = StandIn(f"{type(self).__module__}:{type(self).__qualname__}", self.report)
            self._stand_in.start(program, role, play_seconds=play_seconds, deadline=self._wall(deadline), seed=seed)
            return
        self.set_up(game, role, deadline=deadline, seed=seed)
        if self._hidden is not None:
            self._hidden.prepare(deadline, play_seconds)
        else:
            self.search.think(deadline if isinstance(self.search, PuzzleSearch) else min(deadline, self.clock() + play_seconds))

    def set_up(self, game: GroundGame, role: str, *, deadline: float, seed: int) -> None:
        """Build everything that the search needs; what takes long and can be left out is left out after the deadline."""
        self._game = game
        self._role = game.roles.index(role)
        propnet = Propnet(game)
        self._propnet = propnet
        # Whoever counts processor time wants to know what this process does with it.
        if self.clock is time.monotonic and deadline - self.clock() >= LEAST_TO_IMPROVE:
            self._improvement = propnet.improve_in_background()
        self._seed = seed
        if self.information_sets and needs_information_sets(game):
            self._hidden = InformationSetPlayer(
                game, propnet, self._role, seed=seed, clock=self.clock, walks_each=self.walks_each
            )
            self._belief = self._hidden.belief
            expander: Expander = PropnetExpander(propnet)
        else:
            self._belief = Belief(game, propnet, self._role, seed=seed, clock=self.clock)
            expander = self.make_expander(game, propnet, deadline)
        if needs_information_sets(game):
            self._belief.prove_exclusions(min(PROOF_SECONDS, PROOF_SHARE * (deadline - self.clock())))
        kind = PuzzleSearch if self.puzzles and len(game.roles) == 1 else self.search_class
        settings = self.settings if self._hidden is None else DETERMINISED
        self.search = search = kind(game, propnet, expander, self._role, settings=settings, seed=seed, clock=self.clock)

        if isinstance(search, MacUcb) and settings.symmetries and not needs_information_sets(game):
            seconds = min(SYMMETRY_SECONDS, SYMMETRY_SHARE * (deadline - self.clock()))
            if (reduction := Reduction.of(game, find_symmetries(game, seconds))) is not None:
                search.merge(reduction)

    def _wall(self, deadline: float) -> float:
        """A deadline as a value of ``time.monotonic``."""
        return deadline + time.monotonic() - self.clock()

    def make_expander(self, game: GroundGame, propnet: Propnet, deadline: float) -> Expander:
        """How nodes get their legal moves."""
        return PropnetExpander(propnet)

    def observe(self, turn: Turn) -> None:
        """Follow the match without choosing."""
        self._replied = None
        end = self.clock() + OBSERVING_SECONDS
        self._take_in(turn, end, end)

    def _take_in(self, turn: Turn, end: float, late: float) -> None:
        """Follow the match; beliefs may become a sample to be done by ``end``, or ``late`` if nothing has been found before."""
        self._chosen = -1
        begin = self.clock()
        if self._stand_in is not None:
            self._stand_in.observe(turn)
            return
        if turn.joint_move is not None:
            # Whoever is told everything has nothing to guess, whatever the rules say about percepts.
            self._hidden = None
            self._follow(turn.joint_move)
        elif turn.percepts is not None:
            found = self._belief.update(
                turn.own_move, turn.percepts, lambda: self.clock() >= end, lambda: self.clock() >= late, self._replied
            )
            if not found:
                LOG.warning("turn %d: nothing explains what was seen", turn.number)
            self._belief.keep_pace(late - begin)
            if self._hidden is None:
                self.search.set_roots(*self._belief.marginal())

    def _follow(self, joint_move: tuple[Term, ...]) -> None:
        indices = self._indices(joint_move)
        self.search.advance(indices)
        self._belief.certain(self.search.states[0])

    def _indices(self, joint_move: tuple[Term, ...]) -> NDArray[np.int32]:
        tables = self._game.move_index
        if len(joint_move) != len(tables):
            raise ValueError(f"{len(joint_move)} moves for {len(tables)} roles")
        missing = [str(m) for m, t in zip(joint_move, tables, strict=True) if m not in t]
        if missing:
            raise ValueError(f"not moves of this game: {', '.join(missing)}")
        return np.array([t[m] for m, t in zip(joint_move, tables, strict=True)], dtype=np.int32)

    def play(self, turn: Turn, deadline: float) -> Term:
        """Follow the match, then search until the deadline."""
        if self._stand_in is not None:
            return self._stand_in.play(turn, self._wall(deadline))
        begin = self.clock()
        if self._hidden is not None:
            self._hidden.histories_by = begin + HISTORIES_SHARE * (deadline - begin)
        if turn.joint_move is None and turn.percepts is not None and (early := self._belief.glance(turn.own_move)) >= 0:
            self.report(self._game.move(early))  # should following take too long
        late = begin + max(LEAST_BELIEF_SECONDS, LATE_BELIEF_SHARE * (deadline - begin))
        self._take_in(turn, begin + BELIEF_SHARE * (deadline - begin), late)
        first = self.search.best_move() if self._hidden is None else -1
        if first < 0:
            # Whoever holds the match to be over in all states has nothing to search, and is asked for a move all the same.
            first = next(iter(self._belief.legal_moves().tolist()), -1)
        if first < 0:
            raise RuntimeError(f"{self._game.roles[self._role]} has no legal move")
        self.report(self._game.move(first))

        def report(move: int) -> None:
            self.report(self._game.move(move))

        if turn.joint_move is None and needs_information_sets(self._game):
            move = self._game.move(self.search_hidden(deadline, report))
            # Should another move be played than one that was said in time, it was not legal.
            self._replied = move if self.clock() < deadline + PUNCTUAL_SECONDS else None
            return move
        self.search.think(deadline, report)
        self._chosen = self.search.best_move()
        return self._game.move(self._chosen if self._chosen >= 0 else first)

    def search_hidden(self, deadline: float, report: Callable[[int], None]) -> int:
        """The move to play, a global index, when the state is not known for certain."""
        if self._hidden is not None:
            move = self._hidden.choose(deadline, report)
            if move >= 0:
                return move
            self.search.set_roots(*self._hidden.roots_drawn())
        self.search.think(deadline, report)
        best = self.search.best_move()
        # The search samples the belief; a move that it has not seen to be illegal somewhere may still be.
        legal = self._belief.legal_moves()
        return best if best in legal or not len(legal) else int(legal[0])

    def ponder(self, interrupted: Callable[[], bool]) -> None:
        """Search on from the state that follows our move, or from the present one if that depends on others as well.

        Not where states are hidden, nor where processor time is what counts.
        """
        if self._stand_in is not None:
            self._stand_in.ponder(interrupted)
            return
        hidden = self._hidden is not None or len(self._belief.states) > 1
        if hidden or self.clock is not time.monotonic or isinstance(self.search, BestFirstUcb):
            return
        if self._chosen >= 0:
            self.search.expect(self._chosen)
            self._chosen = -1
        self.search.ponder(interrupted)

    def view(self) -> dict[str, float]:
        """See ``Agent.view``."""
        if self._stand_in is not None:
            return {}
        if self._hidden is not None:
            return {"leaves": self._hidden.search.walks, "value": round(self._hidden.value, 2)}
        view: dict[str, float] = {"leaves": int(self.search.leaves)}
        if isinstance(self.search, MacUcb) and (ranking := self.search.statistics()):
            view |= {"value": round(float(ranking[0].mean), 2), "visits": int(ranking[0].visits)}
        return view

    def stop(self) -> None:
        """End the processes in the background, if there are some."""
        if self._improvement is not None:
            self._improvement.close()
        if self._stand_in is not None:
            self._stand_in.stop()
