"""Last states of a one-player game as models of clauses: all that is known about them without asking how they are reached."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame, unpack_state
from scsp_player.network.candidates import candidates
from scsp_player.network.csr import stack_rows
from scsp_player.network.evaluation import observe_groups
from scsp_player.network.exclusion import exclusive_pairs
from scsp_player.network.latches import Latches, autonomous, latches
from scsp_player.network.logic import StateLogic, at_least
from scsp_player.network.rules import inline_moves, merge_moves
from scsp_player.network.unfolding import unfold
from scsp_player.propnet import Propnet
from scsp_player.solver.clauses import ClauseSolver

Bools = NDArray[np.bool_]

MAX_RULES = 300_000
MAX_PRODUCT = 20_000_000_000
"""Games with more ground rules, or a greater fluents² × moves, are not looked at: pairs of fluents would take too long."""

MAX_PAIRS = 3_000_000
"""Exclusive pairs that become clauses."""

MOST_SUPPORTS = 12
"""Fluents that exclude all but so many members of a group are told that they need one of them."""

MAX_COUNTED = 300_000
"""Counters with more outputs than that are left out."""

LONGEST_CLOCK = 500
"""Turns that a clock is followed."""

OBSERVED_PLIES = 60
"""Plies of random play that show which groups of fluents always have a true member."""


def small_enough(game: GroundGame) -> bool:
    """Whether preparing takes seconds at most."""
    return game.rules <= MAX_RULES and game.fluents * game.fluents * max(1, game.moves) <= MAX_PRODUCT


class Structure:
    """What the rules of a game say about all its reachable states, made once a game.

    Attributes:
        exclusive: bool[fluents, fluents], pairs that are never true together.
        latched: the fluents that stay true.
        clock: bool[fluents], those that no move touches.
        one_a_move: whether the latched fluents count the moves.
        families: sets of fluents that look alike, by families of disjoint ones.
        groups: those of them of which one seems to be true at any time; seen in play, not proved.
        lasting: those of them of which one is true at any time, as is proved.
        impossible: scores that no reachable state brings.
    """

    def __init__(self, game: GroundGame) -> None:
        self.game = game
        self.rules = unfold(game)
        merged = merge_moves(game, inline_moves(game, self.rules))
        self.exclusive = exclusive_pairs(game, merged)
        self.latched: Latches = latches(game, merged, self.exclusive)
        self.one_a_move = bool(self.latched.fluents.any()) and self.latched.one_a_move()
        self.clock: Bools = autonomous(game)
        self.families: dict[int, list[NDArray[np.int32]]] = defaultdict(list)
        for candidate in candidates(game):
            self.families[candidate.family].append(candidate.fluents)
        proposed = [
            (family, fluents)
            for family, members in self.families.items()
            for fluents in members
            if int(game.initial[fluents].sum()) == 1
            and self.exclusive[np.ix_(fluents, fluents)].sum() == len(fluents) * (len(fluents) - 1)
        ]
        self.groups: dict[int, list[NDArray[np.int32]]] = defaultdict(list)
        if proposed:
            _, missing = observe_groups(game, *stack_rows([fluents for _, fluents in proposed]), plies=OBSERVED_PLIES)
            for (family, fluents), lacking in zip(proposed, missing.tolist(), strict=True):
                if not lacking:
                    self.groups[family].append(fluents)
        stays, comes = self.latched.stays, self.latched.comes
        self.lasting = [
            group
            for groups in self.groups.values()
            for group in groups
            if (stays[group].all(axis=0) | comes[group].any(axis=0)).all()
        ]
        self.impossible: set[int] = set()

    def clock_states(self, propnet: Propnet, state: NDArray[np.uint64]) -> Bools | None:
        """bool[turns + 1, fluents], the clock's fluents now and after each move; None if there is none, or it runs in circles."""
        fluents = self.game.fluents
        rows: list[Bools] = []
        seen: set[bytes] = set()
        current = state[None]
        while True:
            bits = unpack_state(current[0], fluents) & self.clock
            if bits.tobytes() in seen or len(rows) > LONGEST_CLOCK:
                break
            seen.add(bits.tobytes())
            rows.append(bits)
            current = propnet.successors(current, np.zeros((1, 1), np.int32))
        # A clock that ends in a state for good tells the time up to there; if that takes no turn, there is none.
        repeated = (unpack_state(current[0], fluents) & self.clock).tobytes()
        if len(rows) < 2 or repeated != rows[-1].tobytes():
            return None
        return np.array(rows)


class FinalStates:
    """The last states that bring one score, from a state on.

    Clauses that follow from the rules stand for themselves. Others rest on what play has shown, and hold only under the
    assumption ``guess``: without models under it there may still be last states, without any models there are none.

    Args:
        structure: of the game.
        propnet: of the game.
        state: uint64[words], where the match stands.
        score: what the role is to have.
    """

    def __init__(self, structure: Structure, propnet: Propnet, state: NDArray[np.uint64], score: int) -> None:
        game = structure.game
        self._structure = structure
        self._now: Bools = unpack_state(state, game.fluents)
        self._turns = structure.clock_states(propnet, state)
        self._exclusive = structure.exclusive
        goals = list(zip(game.goal_value.tolist(), game.goal_literal.tolist(), strict=True))
        self._logic = StateLogic(game, structure.rules, [game.terminal_literal, *(literal for _, literal in goals)])
        clauses = self._logic.clauses
        clauses.add([self._logic.literal(game.terminal_literal)])
        for value, literal in goals:
            if value != score:
                clauses.add([self._logic.literal(literal) ^ 1])
        clauses.add([self._logic.literal(literal) for value, literal in goals if value == score])
        clauses.extend(2 * np.flatnonzero(structure.latched.kept & self._now)[:, None])
        if self._turns is not None and structure.one_a_move:
            self._add_windows(self._turns)
        left, right = np.nonzero(np.triu(self._exclusive))
        if len(left) <= MAX_PAIRS:
            clauses.extend(np.stack([2 * left + 1, 2 * right + 1], axis=1))
        latched = structure.latched.fluents
        self.guess = 2 * clauses.fresh()
        for group in (group for members in structure.groups.values() for group in members):
            clauses.add([self.guess ^ 1, *(2 * group).tolist()])
            self._add_supports(group)
        for group in structure.lasting:
            clauses.add((2 * group).tolist())
        self._times = self._add_clock()
        self._earlier: ClauseSolver | None = None
        #: bool[fluents]: what tells last states apart.
        self.telling: Bools = (latched if structure.one_a_move else self._logic.needed) & ~structure.clock
        self._solver = self._make_solver()
        if self._add_duals():
            self._solver = self._make_solver()

    def _make_solver(self) -> ClauseSolver:
        """Fluents that may be latched are tried as true first: one that is true decides more than one that is not."""
        positive = np.zeros(self._logic.clauses.variables, np.bool_)
        positive[: self._structure.game.fluents] = self.telling
        return ClauseSolver(self._logic.clauses, positive)

    def refuted(self, expired: Callable[[], bool]) -> bool | None:
        """Whether there is certainly no such state; None if that is not known in time."""
        found = self._solver.solve([], expired)
        return None if found is None else not found

    def none_earlier(self, moves: int, expired: Callable[[], bool]) -> bool | None:
        """Whether certainly no such state is reached in fewer moves; None if that is not known in time.

        Fewer moves latch fewer fluents, where each latches one, and take the clock less far. Only to be asked for one number of
        moves, and before another state was asked for after the first one.
        """
        if self._earlier is None:
            clauses = self._logic.clauses
            if self._structure.one_a_move:
                latched = np.flatnonzero(self._structure.latched.fluents)
                self._bound_latched(latched, int(self._now[latched].sum()) + moves)
            for late in self._times[moves:]:
                clauses.add([late ^ 1])
            self._earlier = self._make_solver()
        found = self._earlier.solve([], expired)
        return None if found is None else not found

    def _bound_latched(self, latched: NDArray[np.intp], bound: int) -> None:
        """Fewer than so many sets of fluents that exclude each other have a true one."""
        cover = clique_cover(self._exclusive[np.ix_(latched, latched)])
        if len(cover) < bound or len(cover) * bound > MAX_COUNTED:
            return
        clauses = self._logic.clauses
        inputs = []
        for clique in cover:
            inputs.append(2 * clauses.fresh())
            clauses.define(inputs[-1] >> 1, [[2 * int(latched[f])] for f in clique])
        clauses.add([at_least(clauses, inputs, bound)[-1] ^ 1])

    def states(self, expired: Callable[[], bool]) -> Iterator[Bools | None]:
        """bool[fluents] of one last state after the other, different in ``telling``; None whenever ``expired`` interrupts.

        Ends when there are no more under ``guess``.
        """
        for solver in self._counting(expired):
            if solver is None:
                yield None
                continue
            while True:
                found = solver.solve([self.guess], expired)
                if found is None:
                    yield None
                    continue
                if not found:
                    return
                model = solver.model()[: self._structure.game.fluents]
                yield model
                solver.add([int(2 * f + model[f]) for f in np.flatnonzero(self.telling)])

    def _add_supports(self, group: NDArray[np.int32]) -> None:
        """Fluents need one of the members of a group that they do not exclude; so propagation works as arc consistency does."""
        excluded = self._structure.exclusive[group]
        left = len(group) - np.count_nonzero(excluded, axis=0)
        wanting = (left <= MOST_SUPPORTS) & (left < len(group))
        wanting[group] = False
        for width in np.unique(left[wanting]).tolist():
            fluents = np.flatnonzero(wanting & (left == width))
            needed = np.nonzero(~excluded[:, fluents].T)[1].reshape(len(fluents), width)
            rows = np.column_stack([np.full(len(fluents), self.guess ^ 1), 2 * fluents + 1, 2 * group[needed]])
            self._logic.clauses.extend(rows)

    def _add_duals(self) -> bool:
        """Where as many values as there are variables can be taken once at most, each of them is taken; whether there are such."""
        structure, clauses = self._structure, self._logic.clauses
        implied = self._solver.implied([self.guess])
        if implied is None:
            return False
        alive = np.ones(clauses.variables, np.bool_)
        alive[implied[(implied & 1) == 1] >> 1] = False
        found = False
        for number, groups in structure.groups.items():
            if len(groups) < len(structure.families[number]):
                continue
            members = np.zeros(structure.game.fluents, np.bool_)
            members[np.concatenate(groups)] = True
            members &= alive[: len(members)]
            for other, sets in structure.families.items():
                duals = [fluents[members[fluents]] for fluents in sets]
                duals = [fluents for fluents in duals if len(fluents)]
                if other == number or len(duals) != len(groups) or sum(map(len, duals)) != int(members.sum()):
                    continue
                if all(structure.exclusive[np.ix_(d, d)].sum() == len(d) * (len(d) - 1) for d in duals):
                    found = True
                    for dual in duals:
                        clauses.add([self.guess ^ 1, *(2 * dual).tolist()])
                        self._add_supports(dual)
        return found

    def _add_windows(self, turns: Bools) -> None:
        """Fluents that can be latched in one and the same turn only exclude each other; too late for others, and they are false."""
        latched, clock = self._structure.latched, self._structure.clock
        told, fluents = turns[:, clock].astype(np.float32), self._structure.game.fluents
        missing = latched.demanded[:, clock].astype(np.float32) @ (1 - told).T
        wrong = latched.denied[:, clock].astype(np.float32) @ told.T
        can = (missing + wrong == 0) & latched.possible[:, None]
        window = np.zeros((fluents, len(turns)), np.bool_)
        np.logical_or.at(window, latched.added[latched.possible], can[latched.possible])
        new = latched.fluents & ~self._now
        self._logic.clauses.extend(2 * np.flatnonzero(new & ~window.any(axis=1))[:, None] + 1)
        # The last state of the clock stands for all later turns.
        once = new & (window.sum(axis=1) == 1) & ~window[:, -1]
        turn = np.where(once, window.argmax(axis=1), -1)
        # What comes later must stand what was there before.
        meets = np.zeros((fluents, fluents), np.bool_)
        np.logical_or.at(meets, latched.added[latched.possible], ~latched.denied[latched.possible])
        both = once[:, None] & once
        against = both & ((turn[:, None] == turn) | ((turn[:, None] > turn) & ~meets))
        self._exclusive = self._exclusive | against | against.T
        np.fill_diagonal(self._exclusive, False)

    def _add_clock(self) -> list[int]:
        """One literal a turn on the clock's course, "this many moves from now it is over"."""
        if self._turns is None:
            return []
        clauses = self._logic.clauses
        first = clauses.fresh(len(self._turns))
        times = [2 * (first + t) for t in range(len(self._turns))]
        clauses.add(times)
        fluents = np.flatnonzero(self._structure.clock)
        for time, row in zip(times, self._turns[:, fluents], strict=True):
            clauses.extend(np.stack([np.full(len(fluents), time + 1), 2 * fluents + ~row], axis=1))
        return times

    def _counting(self, expired: Callable[[], bool]) -> Iterator[ClauseSolver | None]:
        """The solver, with the number of moves counted where clock and latched fluents both tell it; None when interrupted."""
        structure, clauses = self._structure, self._logic.clauses
        latched = np.flatnonzero(structure.latched.fluents)
        if not self._times or not structure.one_a_move:
            yield self._solver
            return
        # Which latched fluents exclude each other in states that bring the score?
        excluded = self._exclusive[np.ix_(latched, latched)]
        place = np.full(clauses.variables, -1)
        place[latched] = np.arange(len(latched))
        for number, fluent in enumerate(latched.tolist()):
            if expired():
                yield None
            implied = self._solver.implied([2 * fluent])
            if implied is None:
                excluded[number] = True
            else:
                others = place[implied[(implied & 1) == 1] >> 1]
                excluded[number, others[others >= 0]] = True
        excluded |= excluded.T
        inputs = []
        for clique in clique_cover(excluded):
            if len(clique) > 1:
                variable = clauses.fresh()
                clauses.define(variable, [[2 * int(latched[f])] for f in clique])
                inputs.append(2 * variable)
            else:
                inputs.append(2 * int(latched[clique[0]]))
        before = int(self._now[latched].sum())
        most = before + len(self._times)
        if len(inputs) * most <= MAX_COUNTED:
            counts = at_least(clauses, inputs, most)
            for turn, time in enumerate(self._times):
                made = before + turn
                if made > len(counts):
                    clauses.add([time ^ 1])
                elif made:
                    clauses.add([time ^ 1, counts[made - 1]])
                # The clock's last state lasts: there, more moves may have been made.
                if made < len(counts) and turn < len(self._times) - 1:
                    clauses.add([time ^ 1, counts[made] ^ 1])
        self._solver = self._make_solver()
        yield self._solver


def clique_cover(excluded: Bools) -> list[list[int]]:
    """A partition of 0 … n-1 into sets whose members exclude each other (bool[n, n]), greedily in their order.

    >>> clique_cover(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool))
    [[0, 1], [2]]
    """
    left = np.ones(len(excluded), np.bool_)
    cliques = []
    for first in range(len(excluded)):
        if not left[first]:
            continue
        clique = [first]
        fits = excluded[first] & left
        fits[: first + 1] = False
        while fits.any():
            other = int(fits.argmax())
            clique.append(other)
            fits &= excluded[other]
            fits[other] = False
        left[clique] = False
        cliques.append(clique)
    return cliques
