"""Puzzles made of several independent ones: each is searched by itself, and lines of all of them are put together.

The states of a sub-game are sorted by what they mean for the end of the match and its scores. One of each sort is enough to find
out what the match is worth with all combinations. Whatever is found counts once it is played out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from itertools import islice, permutations, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import pack_state, unpack_state
from scsp_player.propnet import Propnet
from scsp_player.propnet.circuit_kernels import FEEDBACK
from scsp_player.search.line import BestLine
from scsp_player.search.parts import Part, PartNet
from scsp_player.structure import GameStructure, Kind, SubGames, ending_sets, find_structure, longest_match

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

MOST_COMBINATIONS = 200_000
"""Combinations of results whose worth is looked at."""

MOST_LINES = 64
"""Lines that are played out."""

MOST_ORDERS = 24
"""Orders of sub-games in which each is played out."""

STRUCTURE_SECONDS = 0.3
"""Processor time for finding the structure of the game."""


class Apart:
    """Looks for lines by sub-games; ``step`` does a piece of work.

    Attributes:
        done: whether there is nothing left to do.
        structure: of the game, once it is known.
    """

    def __init__(self, propnet: Propnet, state: NDArray[np.uint64], line: BestLine, structure: GameStructure | None = None) -> None:
        self._propnet = propnet
        self._game = propnet.game
        self._circuit = propnet.circuit
        self._state = state
        self._line = line
        self.structure = structure
        self.done = structure is not None and structure.sub_games is None
        self._expired: Callable[[], bool] = lambda: False
        self._work = self._pieces()

    @property
    def next_seconds(self) -> float:
        """How long the next step may take; the first one looks at the whole game."""
        return 2 * STRUCTURE_SECONDS if self.structure is None else 0.0

    def step(self, expired: Callable[[], bool]) -> None:
        """Go on with the work."""
        self._expired = expired
        if next(self._work, False) is False:
            self.done = True

    def _pieces(self) -> Generator[None, None, None]:
        """The whole work; yields whenever the time is over."""
        if self.structure is None:
            self.structure = find_structure(self._game, self._circuit, STRUCTURE_SECONDS)
            yield
        found, counters = self.structure.sub_games, self.structure.counters
        now = unpack_state(self._state, self._game.fluents) & counters.fluents
        places = np.flatnonzero((counters.course == now).all(axis=1))
        if found is None or not len(places) or sorted(len(part.fluents) for part in found.games)[-2] == 1:
            # A part that is one fluent takes nothing from the others.
            return
        #: bool[turns + 1, fluents], the counters now and later, for as long as a match may last.
        last = longest_match(self._circuit, counters)
        begin = int(places[0])
        self._course = counters.course[begin : max(begin, last if last is not None else len(counters.course) - 1) + 1]
        timed = found.kind is Kind.SIMULTANEOUS or any(part.timed for part in found.games)
        if timed and (last is None or begin > last):
            return
        parts = yield from self._explored(found, timed)
        if parts is None:
            return
        self._result_nodes(found, parts)
        yield
        self._combine(found, parts, timed)

    def _explored(self, found: SubGames, timed: bool) -> Generator[None, None, list[Part] | None]:
        """The states of all sub-games; None if one of them cannot begin."""
        parts: list[Part] = []
        base = self._state
        for number, sub_game in enumerate(found.games):
            own = np.isin(np.arange(self._game.fluents), sub_game.fluents)
            ended = self._course[-1:] if timed else self._course[:0]
            moves = self._moves_of(found, number)
            assert self.structure is not None
            counters = self.structure.counters.fluents
            part = Part(PartNet(self._propnet, base, own, counters, moves, ended), base, own, counters, timed=timed)
            while not part.explore(self._expired):
                yield
            part.measure()
            parts.append(part)
            if found.kind is Kind.SERIAL and number + 1 < len(found.games):
                part.over = np.asarray(self._propnet.legal(part.state)[:, found.games[number + 1].moves].any(axis=1))
                if not part.over.any():
                    return None
                base = part.state[np.flatnonzero(part.over)[0]]
            yield
        return parts

    def _moves_of(self, found: SubGames, number: int) -> Ints:
        """The moves with which a sub-game is played by itself."""
        if found.kind is not Kind.SIMULTANEOUS:
            return found.games[number].moves
        # In the other sub-games the same is done all the time.
        first = int(np.flatnonzero(self._propnet.legal(self._state[None])[0])[0])
        chosen = found.games[number].same >= 0
        for other, sub_game in enumerate(found.games):
            if other != number:
                chosen &= sub_game.same == sub_game.same[first]
        return np.flatnonzero(chosen)

    def _result_nodes(self, found: SubGames, parts: list[Part]) -> None:
        """Number the results of all parts."""
        numbers = np.full(self._game.fluents, -1, np.int64)
        for number, part in enumerate(parts):
            numbers[part.own] = number
        assert self.structure is not None
        numbers[self.structure.counters.fluents] = len(parts)
        blocks = ending_sets(self._circuit, numbers)
        outputs = {int(literal) >> 1 for literal in (self._circuit.terminal, *self._circuit.goal)}
        used: dict[int, set[int]] = {number: set() for number in range(len(parts))}
        cyclic = any(self._circuit.kind[node] == FEEDBACK for node in blocks)
        start, child = self._circuit.child_start, self._circuit.child
        for node, bits in blocks.items():
            for below in (child[start[node] : start[node + 1]] >> 1).tolist():
                if blocks[below] != bits:
                    used.setdefault(blocks[below].bit_length() - 1, set()).add(below)
        for node in outputs:
            used.setdefault(blocks[node].bit_length() - 1, set()).add(node)
        for number, part in enumerate(parts):
            nodes = [node for node in sorted(used[number]) if blocks[node] == 1 << number]
            if cyclic:
                nodes = [1 + f for f in np.flatnonzero(part.own).tolist() if 1 + f in blocks]
            part.sort(self._circuit, nodes)

    def _combine(self, found: SubGames, parts: list[Part], timed: bool) -> None:
        """Look at all combinations of results, and play out the best ones."""
        groups = [self._sorts(part, timed and found.kind is Kind.SIMULTANEOUS) for part in parts]
        if found.kind is Kind.SIMULTANEOUS:
            times = sorted(set.intersection(*({depth for depth, _ in group} for group in groups)))
            rows = [
                row
                for time in times
                for row in self._rows([[n for (depth, _), n in group.items() if depth == time] for group in groups])
            ]
        else:
            rows = self._rows([list(group.values()) for group in groups])
        if not rows:
            return
        chosen = np.array(rows, np.int64)
        depths = np.stack([part.depth[chosen[:, k]] for k, part in enumerate(parts)], axis=1)
        over = np.stack([part.over[chosen[:, k]] for k, part in enumerate(parts)], axis=1)
        # What begins when something else has ended has not begun before.
        possible = (over[:, :-1] | (depths[:, 1:] == 0)).all(axis=1)
        chosen, depths = chosen[possible], depths[possible]
        length = depths.max(axis=1) if found.kind is Kind.SIMULTANEOUS else depths.sum(axis=1)
        states = self._put_together(parts, chosen, length)
        over, _, scores = self._propnet.evaluate(states)
        worth = np.where(over, scores[:, 0], -1)
        for place in np.lexsort((length, -worth))[:MOST_LINES].tolist():
            if worth[place] < 0 or worth[place] < self._line.score:
                break
            lines = [part.line_to(int(n)) for part, n in zip(parts, chosen[place], strict=True)]
            # The match may end before all are done, in some orders.
            orders = 1 if found.kind is not Kind.INTERLEAVED else MOST_ORDERS
            for order in islice(permutations(range(len(lines))), orders):
                if self._line.score >= worth[place] and len(self._line.moves) <= length[place]:
                    break
                self._play(found, lines, order)
        if all(part.complete for part in parts) and found.kind is not Kind.SIMULTANEOUS and not timed:
            self._conclude(parts, chosen, length)

    def _sorts(self, part: Part, by_depth: bool) -> dict[tuple[int, int], int]:
        """The first state of each result; if asked for, at each depth."""
        depth = part.depth if by_depth else np.zeros_like(part.depth)
        found: dict[tuple[int, int], int] = {}
        for number, key in enumerate(zip(depth.tolist(), part.result.tolist(), strict=True)):
            found.setdefault(key, number)
        return found

    def _rows(self, choices: list[list[int]]) -> list[tuple[int, ...]]:
        return list(product(*choices)) if prod(map(len, choices)) <= MOST_COMBINATIONS else []

    def _put_together(self, parts: list[Part], chosen: Ints, turns: Ints) -> NDArray[np.uint64]:
        """uint64[n, words]: the states of the match with these states of its parts, so many turns from now."""
        own = np.any([part.own for part in parts], axis=0)
        assert self.structure is not None
        states = np.tile(self._state & pack_state(~(own | self.structure.counters.fluents)), (len(chosen), 1))
        for number, part in enumerate(parts):
            states |= part.state[chosen[:, number]] & pack_state(part.own)
        return states | pack_state(self._course)[np.minimum(turns, len(self._course) - 1)]

    def _play(self, found: SubGames, lines: list[list[int]], order: Iterable[int]) -> None:
        """Play out lines of all sub-games, in all of them at once or one after the other in this order."""
        if found.kind is Kind.SIMULTANEOUS:
            same = np.stack([sub_game.same for sub_game in found.games], axis=1)
            wanted = np.stack([same[np.array(moves, np.int64), k] for k, moves in enumerate(lines)], axis=1)
            at = [np.flatnonzero((same == row).all(axis=1)) for row in wanted]
            if not all(map(len, at)):
                return
            moves = [int(fitting[0]) for fitting in at]
        else:
            moves = [move for k in order for move in lines[k]]
        state = self._state[None]
        for number, move in enumerate(moves):
            if not self._propnet.legal(state)[0, move]:
                return
            state = self._propnet.successors(state, np.array([[move]], np.int32))
            if self._propnet.terminal(state)[0]:
                score = float(self._propnet.goals(state)[0, 0])
                self._line.offer(score, np.array(moves[: number + 1], np.int32)[:, None])
                return

    def _conclude(self, parts: list[Part], chosen: Ints, length: Ints) -> None:
        """What the best score can be at most, and how short a line to it: no reachable end is worth more than its combination."""
        turns = len(self._course)
        if len(chosen) * turns > MOST_COMBINATIONS:
            return
        late = np.tile(np.arange(turns), len(chosen))
        over, _, scores = self._propnet.evaluate(self._put_together(parts, np.repeat(chosen, turns, axis=0), late))
        # Combinations take their time.
        fits = over & (late >= np.minimum(np.repeat(length, turns), turns - 1))
        if not fits.any():
            return
        best = float(scores[fits, 0].max())
        self._line.limit(max(best, 0.0))
        if self._line.certain and self._line.score == best:
            reach = fits & (scores[:, 0] == best)
            self._line.shortest |= len(self._line.moves) == int(np.repeat(length, turns)[reach].min())
