"""Puzzles whose moves commute: only how often each move is made matters, not when (switching lights, turning dials).

That moves commute is seen in random play: every move maps the value of every state variable to another, whatever the rest of the
state, all moves are legal at any time, and maps of one variable commute. Nothing is proved; what is found is played out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import TRUE, unpack_state
from scsp_player.network.csr import reachable, stack_rows
from scsp_player.network.evaluation import observe_groups
from scsp_player.network.logic import StateLogic, at_least
from scsp_player.propnet import Propnet
from scsp_player.search.final_states import Structure
from scsp_player.solver.clauses import ClauseSolver

Ints = NDArray[np.int32]

LANES = 64
PLIES = 40
"""Random play that shows what moves do."""

MOST_MAPS = 2_000_000
"""Moves × values of all variables that are looked at."""

MOST_COUNT = 6
"""A move that may have to be made more often is not looked at."""

LONGEST = 400
"""Moves of a line, at most."""


@dataclass(frozen=True, eq=False)
class Maps:
    """What moves do to state variables.

    Attributes:
        values: for each variable the fluents of its values, int32[k]; the last value is "none of them" if ``exact`` is false.
        exact: for each variable whether one of its fluents is always true.
        after: for each variable int32[moves, values], the value after a move.
        most: int32[moves], how often a move can be of use.
        proved: whether the rules leave no other way: all moves are always legal, the next value of a variable depends on nothing
            but its own and the move, and play has shown them all.
    """

    values: list[Ints]
    exact: list[bool]
    after: list[Ints]
    most: Ints
    proved: bool


def commuting_maps(structure: Structure, propnet: Propnet, state: NDArray[np.uint64], seed: int = 0) -> Maps | None:
    """The maps, if random play from a state shows that all moves commute and are legal at all times; else None."""
    game = structure.game
    left = ~structure.clock
    values: list[Ints] = []
    exact: list[bool] = []
    for group in sorted(_one_of_each(structure), key=len, reverse=True):
        if left[group].all():
            values.append(group)
            exact.append(True)
            left[group] = False
    for fluent in np.flatnonzero(left).tolist():
        values.append(np.array([fluent], np.int32))
        exact.append(False)
    sizes = [len(v) + (not e) for v, e in zip(values, exact, strict=True)]
    if game.moves * sum(sizes) > MOST_MAPS:
        return None
    after = [np.full((game.moves, size), -1, np.int32) for size in sizes]
    generator = np.random.default_rng(seed)
    states = np.repeat(state[None], LANES, axis=0)
    for _ in range(PLIES):
        over, legal, _ = propnet.evaluate(states)
        states[over] = state
        if not legal[~over].all():
            return None
        moves = generator.integers(game.moves, size=LANES).astype(np.int32)
        following = propnet.successors(states, moves[:, None])
        before_bits, after_bits = unpack_state(states, game.fluents), unpack_state(following, game.fluents)
        for own, is_exact, maps in zip(values, exact, after, strict=True):
            old, new = _value(before_bits[:, own], is_exact), _value(after_bits[:, own], is_exact)
            known = maps[moves, old]
            if ((known >= 0) & (known != new)).any():
                return None
            maps[moves, old] = new
            if (maps[moves, old] != new).any():
                return None
        states = following
    complete = all((maps >= 0).all() for maps in after)
    for maps in after:
        unknown = maps < 0
        maps[unknown] = np.broadcast_to(np.arange(maps.shape[1], dtype=np.int32), maps.shape)[unknown]
        different = np.unique(maps, axis=0)
        if not all((a[b] == b[a]).all() for a in different for b in different):
            return None
    most = np.zeros(game.moves, np.int32)
    for maps in after:
        most = np.maximum(most, _period(maps))
    if most.max(initial=0) > MOST_COUNT:
        return None
    return Maps(values, exact, after, most, complete and bool((game.legal_literal == TRUE).all()) and _apart(structure, values))


def _apart(structure: Structure, values: list[Ints]) -> bool:
    """Whether the rules say what becomes of each variable without mention of the others."""
    game = structure.game
    for own in values:
        atoms = reachable(game.next_literal[own] >> 1, game.head_start, game.rule_start, game.rule_body)
        mentioned = atoms[game.fluent_atom]
        mentioned[own] = False
        if mentioned.any():
            return False
    return True


def _one_of_each(structure: Structure) -> list[Ints]:
    """Sets of fluents of which, as far as random play shows, always exactly one is true."""
    game = structure.game
    proposed = [f for sets in structure.families.values() for f in sets if int(game.initial[f].sum()) == 1]
    if not proposed:
        return []
    several, missing = observe_groups(game, *stack_rows(proposed), plies=PLIES)
    return [fluents for fluents, bad in zip(proposed, (several | missing).tolist(), strict=True) if not bad]


def _value(bits: NDArray[np.bool_], exact: bool) -> NDArray[np.int64]:
    """The value of a variable from its fluents bool[n, k]."""
    return np.where(bits.any(axis=1), bits.argmax(axis=1), 0 if exact else bits.shape[1])


def _period(maps: Ints) -> Ints:
    """int32[moves]: the greatest number of applications of a map that is not equal to fewer."""
    identity = np.broadcast_to(np.arange(maps.shape[1], dtype=np.int32), maps.shape)
    powers = [identity]
    result = np.full(len(maps), MOST_COUNT + 1, np.int32)
    for count in range(MOST_COUNT + 1):
        following = np.take_along_axis(maps, powers[-1], axis=1)
        closed = np.array([(following[:, None] == p[:, None]).all(axis=(1, 2)) for p in powers]).any(axis=0)
        result = np.where(closed & (result > count), count, result)
        powers.append(following)
    return result


class CommutingLines:
    """Lines that score as wanted, as numbers of applications of each move.

    Args:
        structure: of the game.
        maps: what moves do.
        propnet: of the game.
        state: uint64[words], where the match stands.
        score: what the role is to have.
    """

    def __init__(self, structure: Structure, maps: Maps, propnet: Propnet, state: NDArray[np.uint64], score: int) -> None:
        game = structure.game
        goals = list(zip(game.goal_value.tolist(), game.goal_literal.tolist(), strict=True))
        logic = StateLogic(game, structure.rules, [game.terminal_literal, *(literal for _, literal in goals)])
        self._clauses = clauses = logic.clauses
        clauses.add([logic.literal(game.terminal_literal)])
        for value, literal in goals:
            if value != score:
                clauses.add([logic.literal(literal) ^ 1])
        clauses.add([logic.literal(literal) for value, literal in goals if value == score])
        self._made = [[2 * clauses.fresh() for _ in range(most)] for most in maps.most.tolist()]
        for made in self._made:
            for fewer, more in pairwise(made):
                clauses.add((fewer, more ^ 1))
        now = unpack_state(state, game.fluents)
        for own, exact, after in zip(maps.values, maps.exact, maps.after, strict=True):
            self._follow(own, exact, after, int(_value(now[own][None], exact)[0]))
        turns = structure.clock_states(propnet, state)
        inputs = [literal for made in self._made for literal in made]
        most = min(len(inputs), LONGEST if turns is None else len(turns) - 1)
        self._counts = at_least(clauses, inputs, min(len(inputs), most + 1))
        if len(self._counts) > most:
            clauses.add([self._counts[most] ^ 1])
        if turns is not None:
            self._add_clock(turns, np.flatnonzero(structure.clock))

    def _follow(self, own: Ints, exact: bool, after: Ints, now: int) -> None:
        """The value of a variable from move to move, and at the end its fluents."""
        clauses, size = self._clauses, after.shape[1]
        values: list[int | None] = [None] * size
        values[now] = -1
        for move in np.flatnonzero((after != np.arange(size)).any(axis=1)).tolist():
            made = self._made[move]
            first = clauses.fresh(size)
            reached = {}
            for value in (v for v in range(size) if values[v] is not None):
                target = value
                for count in range(len(made) + 1):
                    exactly = [*([made[count - 1] ^ 1] if count else []), *([made[count]] if count < len(made) else [])]
                    held = values[value]
                    clauses.add([*([] if held in (None, -1) else [int(held or 0) ^ 1]), *exactly, 2 * (first + target)])
                    reached[target] = 2 * (first + target)
                    target = int(after[move, target])
            values = [reached.get(v) for v in range(size)]
            for v in reached:
                for w in reached:
                    if v < w:
                        clauses.add((reached[v] ^ 1, reached[w] ^ 1))
        for value, fluent in enumerate(own.tolist()):
            held = values[value]
            if held is None:
                clauses.add([2 * fluent + 1])
            elif held < 0:
                clauses.add([2 * fluent])
            else:
                clauses.add((held ^ 1, 2 * fluent))
                clauses.add((held, 2 * fluent + 1))

    def _add_clock(self, turns: NDArray[np.bool_], fluents: NDArray[np.int64]) -> None:
        """So many moves, so late."""
        for turn, row in enumerate(turns[:, fluents]):
            late = [*([self._counts[turn - 1] ^ 1] if 0 < turn <= len(self._counts) else [])]
            late += [self._counts[turn]] if turn < len(self._counts) else []
            if turn <= len(self._counts):
                for fluent, value in zip(fluents.tolist(), row.tolist(), strict=True):
                    self._clauses.add([*late, 2 * fluent + (not value)])

    def lines(self, expired: Callable[[], bool]) -> Generator[Ints | None, None, None]:
        """int32[n]: moves of shorter and shorter lines, in any order; None whenever ``expired`` interrupts."""
        solver = ClauseSolver(self._clauses)
        bound: list[int] = []
        while True:
            found = solver.solve(bound, expired)
            if found is None:
                yield None
                continue
            if not found:
                return
            model = solver.model()
            counts = [sum(bool(model[literal >> 1]) for literal in made) for made in self._made]
            total = sum(counts)
            yield np.repeat(np.arange(len(counts), dtype=np.int32), counts)
            if not total:
                return
            bound = [self._counts[total - 1] ^ 1]
