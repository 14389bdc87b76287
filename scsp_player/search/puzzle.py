"""Search for games with one player and no chance: the best line of moves is what counts, and it is kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet
from scsp_player.search.apart import Apart
from scsp_player.search.beam import BeamSearch
from scsp_player.search.expansion import Expander
from scsp_player.search.final_states import Structure
from scsp_player.search.fuzzy import GoalNearness
from scsp_player.search.goal_first import GoalFirst
from scsp_player.search.line import BestLine
from scsp_player.search.policy_search import PolicySearch
from scsp_player.search.settings import MoveStatistics, SearchSettings
from scsp_player.search.state_space import StateSpace
from scsp_player.structure import GameStructure, find_clock, find_counters

SLICE = 0.02
"""Seconds that the enumeration of states takes at a time; the other searches take single steps."""

HORIZON = 0.2
"""Seconds that count as left where the end is not known; longer steps are not begun then."""

PIECE = 0.1
"""Seconds that the search from the goal takes at a time, about."""

GOAL_FIRST = 3
"""Its place among the searches."""

APART = 4
"""That of the search of independent parts."""

HEAD_START = 2.0
"""Seconds that the search from the goal has before the others where moves only add something; its first piece finds out."""

PARTS_FIRST = 1.0
"""Seconds that independent parts are searched before anything else is tried."""

REHEARSAL = """
(role r) (init (at 0)) (succ 0 1) (succ 1 2)
(<= (legal r go) (true (at 0))) (<= (legal r go) (true (at 1))) (<= (legal r back) (true (at 1)))
(<= (next (at ?n)) (does r go) (true (at ?m)) (succ ?m ?n)) (<= (next (at 0)) (does r back))
(<= terminal (true (at 2))) (<= (goal r 100) (true (at 2))) (<= (goal r 0) (not (true (at 2))))
"""


class PuzzleSearch:
    """Five searches share the clock: all states, beams of states near goals, playouts that learn, goals first, independent parts.

    The enumeration proves, and finds the shortest line; beams and playouts find good lines where there are too many states; the
    search that begins with the last state solves what is a matter of conditions rather than of order; games that are made of
    independent ones are searched part by part, before anything else. Used like ``MacUcb``.

    Attributes:
        line: the best line from the present state.
        leaves: joint moves looked at by the enumeration so far, as a measure of work.
    """

    def __init__(
        self,
        game: GroundGame,
        propnet: Propnet,
        expander: Expander | None = None,
        role: int = 0,
        *,
        settings: SearchSettings | None = None,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if len(game.roles) != 1:
            raise ValueError(f"{game.source} has {len(game.roles)} roles")
        self.game = game
        self.role = role
        self.settings = settings or SearchSettings()
        self.clock = clock
        self.leaves = 0
        self._interrupted: Callable[[], bool] = lambda: False
        self._propnet = propnet
        self._generator = np.random.default_rng(seed)
        self._nearness = GoalNearness(game, role)
        self._structure: Structure | None = None
        self._parts: GameStructure | None = None
        self._clock = find_clock(game, propnet.circuit, find_counters(game))
        self._begin(game.initial_state, BestLine(float(game.goal_value.max(initial=0))))

    @classmethod
    def rehearse(cls) -> None:
        """Take one step of each kind in a tiny game, so that everything is compiled."""
        game = ground(parse_program(REHEARSAL, "<rehearsal>"))
        search = cls(game, Propnet(game))
        search._nearness(game.initial_state[None])
        search._space.reserve(0)
        # Before the others find a line and leave it nothing to do.
        while not search._goal_first.done:
            search._goal_first.step(lambda: False)
        for step in search._steps:
            step(math.inf)
        while not search._apart.done:
            search._apart.step(lambda: False)

    def _begin(self, state: NDArray[np.uint64], line: BestLine) -> None:
        """Search from a state, with what is left of the best line."""
        self._state = state
        self.line = line
        self._expected: tuple[NDArray[np.uint64], BestLine, int] | None = None
        self._timeless = self._clock is not None and self._clock.most < line.possible
        self._begin_enumeration()
        beam = BeamSearch(self._propnet, state, self._nearness, line, self._generator)
        policy = PolicySearch(self._propnet, state, line, self._generator)
        # What it learnt about the game holds from every state on.
        self._goal_first = GoalFirst(self._propnet, state, line, self._structure)
        self._apart = Apart(self._propnet, state, line, self._parts)
        self._steps: list[Callable[[float], None]] = [
            self._enumerate,
            lambda end: beam.step(lambda: self._now() >= end),
            lambda end: policy.step(lambda: self._now() >= end),
            self._from_the_goal,
            self._part_by_part,
        ]
        self._spent = [0.0] * len(self._steps)

    def _begin_enumeration(self) -> None:
        """Enumerate all states, told apart by time only once no score is left to look for that time does not bring."""
        ignored = self._clock.fluents if self._clock is not None and self._timeless else None
        self._space = StateSpace(self._propnet, self._state, self.settings.memory_bytes // 2, ignored=ignored)
        self._looked_at = 0

    @property
    def states(self) -> NDArray[np.uint64]:
        """uint64[1, words]: the state that the search starts from."""
        return self._state[None]

    @property
    def nodes(self) -> int:
        """How many states the enumeration has found."""
        return self._space.count

    @property
    def bytes_used(self) -> int:
        """Memory that they take."""
        return self._space.bytes_used

    @property
    def decided(self) -> bool:
        """Whether no line can score more than the best one."""
        return self.line.certain

    @property
    def value(self) -> float | None:
        """Our score under best play if it is certain."""
        return max(0.0, self.line.score) if self.line.certain else None

    def set_roots(self, states: NDArray[np.uint64], probabilities: NDArray[np.float64]) -> None:
        """Search from the likeliest of states uint64[k, words]."""
        state = states[int(np.argmax(probabilities))]
        if (state != self._state).any():
            self._begin(state.copy(), BestLine(self.line.possible))

    def advance(self, joint_move: NDArray[np.int32]) -> None:
        """The move int32[1] was made."""
        if self._expected is not None:
            state, line, expected = self._expected
            self._expected = None
            if expected == joint_move[0]:
                return
            self._state, self.line = state, line
        state = self._propnet.successors(self._state[None], joint_move[None])[0]
        line = self.line
        if len(line.moves) and (line.moves[0] == joint_move).all():
            left = BestLine(line.possible, line.score, line.moves[1:], line.certain, line.shortest)
            if left.certain:
                self._state, self.line = state, left
                return
        else:
            left = BestLine(line.possible)
        self._begin(state, left)

    def think(
        self,
        deadline: float,
        report: Callable[[int], None] | None = None,
        *,
        leaves: int | None = None,
        shortest: bool = False,
    ) -> None:
        """Search until ``deadline``, or ``leaves`` steps of all searches, or until the best line is certain.

        With ``shortest``, go on until it is known to be the shortest one, or there is no way to find out.
        """
        bound = self.settings.leaves if leaves is None else leaves
        steps = 0
        longest = [0.0] * len(self._steps)
        while (bound is None or steps < bound) and (not self.line.certain or (shortest and self._may_shorten())):
            begin = self._now()
            if begin >= deadline:
                break
            number = self._next(deadline - begin)
            before = self.line.score
            self._steps[number](deadline)
            used = self.clock() - begin
            self._spent[number] += used
            longest[number] = max(longest[number], used)
            steps += 1
            if report is not None and self.line.score > before:
                report(self.best_move())
        if report is not None and self.best_move() >= 0:
            report(self.best_move())

    def expect(self, move: int) -> None:
        """We are going to make a move (global index): go on from the state that follows, until ``advance`` says what was made."""
        before = self._state, self.line, move
        self.advance(np.array([move], np.int32))
        self._expected = before

    def ponder(self, interrupted: Callable[[], bool]) -> None:
        """Search on until ``interrupted`` says to stop, which is asked every few milliseconds, or until the line is certain."""
        self._interrupted = interrupted
        while not (interrupted() or self.line.certain or self.settings.leaves is not None):
            self.think(self.clock() + HORIZON)
        self._interrupted = lambda: False

    def _now(self) -> float:
        """What the clock shows; all time is over once there is an interruption."""
        return math.inf if self._interrupted() else self.clock()

    def _may_shorten(self) -> bool:
        """Whether the best line may still be found to be the shortest one, or to be longer than others."""
        enumerating = math.isfinite(self._spent[0]) and not self._space.complete
        return not self.line.shortest and (enumerating or not self._goal_first.done)

    def _next(self, left: float) -> int:
        """The search that has had the least time, of those that can do something in ``left`` seconds."""
        spent = list(self._spent)
        # Where it gets anywhere it is far ahead of the others, and where moves only add it nearly always does.
        adds = self._structure is not None and self._structure.one_a_move
        spent[GOAL_FIRST] /= 8 if adds else 2
        if self._goal_first.done or self._goal_first.next_seconds > left:
            spent[GOAL_FIRST] = math.inf
        if self._apart.done or self._apart.next_seconds > left:
            spent[APART] = math.inf
        elif spent[APART] < PARTS_FIRST and not self.line.certain:
            return APART
        promising = self._spent[GOAL_FIRST] < HEAD_START if adds else not self._spent[GOAL_FIRST]
        if promising and math.isfinite(spent[GOAL_FIRST]) and not self.line.certain:
            return GOAL_FIRST
        if self.line.certain:
            # The others say nothing about how short it is.
            spent[1:GOAL_FIRST] = [math.inf] * (GOAL_FIRST - 1)
        return int(np.argmin(spent))

    def _from_the_goal(self, deadline: float) -> None:
        """A piece of the search that begins with the last state."""
        end = min(deadline, self.clock() + PIECE)
        self._goal_first.step(lambda: self._now() >= end)
        self._structure = self._goal_first.structure

    def _part_by_part(self, deadline: float) -> None:
        """A piece of the search of independent parts."""
        end = min(deadline, self.clock() + PIECE)
        self._apart.step(lambda: self._now() >= end)
        self._parts = self._apart.structure

    def _enumerate(self, deadline: float) -> None:
        """A slice of the enumeration."""
        space = self._space
        end = min(deadline, self.clock() + SLICE)
        before = space.edges
        space.explore(end, clock=self._now)
        self.leaves += space.edges - before
        new = slice(self._looked_at, space.expanded)
        self._looked_at = space.expanded
        if space.terminal[new].any():
            scores = np.where(space.terminal[new], space.scores[new, 0], -1)
            best = int(np.argmax(scores))
            if scores[best] > self.line.score or (scores[best] == self.line.score and not self.line.shortest):
                self.line.offer(float(scores[best]), space.line_to(new.start + best))
                # States are found in the order of their distance.
                self.line.shortest = self.line.score == float(scores[best]) > self._by_waiting()
        if space.complete and self._timeless:
            self.line.limit(max(self.line.score, self._by_waiting()))
            if not self.line.certain:
                self._timeless = False
                self._begin_enumeration()
        elif space.complete:
            self.line.certain = True
        space = self._space
        if space.closed or space.complete:
            self._spent[0] = math.inf

    def _by_waiting(self) -> float:
        """The highest score for which states are not told apart by time, though it may be a matter of time."""
        return self._clock.most if self._clock is not None and self._timeless else -1.0

    def statistics(self) -> list[MoveStatistics]:
        """The first move of the best line."""
        if not len(self.line.moves):
            return []
        return [MoveStatistics(int(self.line.moves[0, 0]), 1, max(0.0, self.line.score), self.line.certain)]

    def best_move(self) -> int:
        """The first move of the best line, or any legal move; -1 if there is none."""
        if len(self.line.moves):
            return int(self.line.moves[0, 0])
        legal = np.flatnonzero(self._propnet.legal(self._state[None])[0])
        return int(legal[0]) if len(legal) else -1
