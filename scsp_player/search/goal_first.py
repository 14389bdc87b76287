"""Search from the goal: a last state first, found as a model of clauses, then moves that bring it about.

For puzzles whose order of moves matters little: filling cells so that conditions hold. What is found counts once it is played out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import unpack_state
from scsp_player.propnet import Propnet
from scsp_player.search.commuting import CommutingLines, Maps, commuting_maps
from scsp_player.search.final_states import FinalStates, Structure, small_enough
from scsp_player.search.line import BestLine

MOST_TARGETS = 64
"""Last states that are tried for one score."""

MOST_VISITS = 600
"""States looked at on the way to one last state."""


Path: TypeAlias = "tuple[int, Path | None]"
"""The moves to a state, the last one first."""


class GoalFirst:
    """Looks for lines that score as much as possible; ``step`` does a piece of work.

    Attributes:
        done: whether there is nothing left to do.
    """

    def __init__(self, propnet: Propnet, state: NDArray[np.uint64], line: BestLine, structure: Structure | None = None) -> None:
        self._propnet = propnet
        self._game = propnet.game
        self._state = state
        self._line = line
        self.structure = structure
        self.done = not small_enough(self._game)
        self._expired: Callable[[], bool] = lambda: False
        self._work = self._pieces()

    @property
    def next_seconds(self) -> float:
        """How long the next step may take on a slow machine; the first one looks at the whole game."""
        if self.structure is not None:
            return 0.0
        game = self._game
        return 0.3 + game.rules / 20_000 + game.fluents * game.fluents * game.moves / 2e9

    def step(self, expired: Callable[[], bool]) -> None:
        """Go on with the work."""
        self._expired = expired
        if next(self._work, False) is False:
            self.done = True

    def _pieces(self) -> Generator[None, None, None]:
        """The whole work; yields from time to time, and whenever the time is over."""
        if self.structure is None:
            self.structure = Structure(self._game)
            yield
        structure, line = self.structure, self._line
        maps = None
        if not structure.one_a_move:
            maps = commuting_maps(structure, self._propnet, self._state)
            yield
        doubt = False
        for score in sorted({*self._game.goal_value.tolist(), 0}, reverse=True):
            if score <= line.score:
                return
            if score in structure.impossible:
                if not doubt:
                    line.limit(self._next_lower(score))
                continue
            if maps is not None:
                yield from self._by_counting(maps, score)
                if line.score >= score:
                    return
            final = FinalStates(structure, self._propnet, self._state, score)
            yield
            tried, exhausted = 0, True
            for target in final.states(lambda: self._expired()):
                if target is None:
                    yield
                    continue
                moves = yield from self._moves_to(target, final.telling, score)
                if moves is not None:
                    line.offer(float(score), moves)
                    if line.score == score == line.possible:
                        yield from self._prove_shortest(final, len(line.moves))
                    break
                tried += 1
                if tried >= MOST_TARGETS:
                    exhausted = False
                    break
                yield
            if line.score >= score:
                return
            if not tried and exhausted:
                refuted = None
                while refuted is None:
                    refuted = final.refuted(lambda: self._expired())
                    yield
                if refuted and not doubt:
                    # A role scores 0 also where no goal holds.
                    if score:
                        structure.impossible.add(score)
                        line.limit(self._next_lower(score))
                    continue
            doubt = True

    def _by_counting(self, maps: Maps, score: int) -> Generator[None, None, None]:
        """Lines of moves that commute, shorter and shorter ones."""
        assert self.structure is not None
        lines = CommutingLines(self.structure, maps, self._propnet, self._state, score)
        yield
        last: NDArray[np.int32] | None = None
        for moves in lines.lines(lambda: self._expired()):
            if moves is not None:
                last = moves
                self._play(moves, score)
            yield
        line = self._line
        if maps.proved and last is not None and line.score == score == line.possible and len(line.moves) <= len(last):
            line.shortest = True

    def _prove_shortest(self, final: FinalStates, moves: int) -> Generator[None, None, None]:
        """Find out whether what scores so much takes so many moves."""
        yield
        proved = None
        while proved is None:
            proved = final.none_earlier(moves, lambda: self._expired())
            if proved is None:
                yield
        if proved and len(self._line.moves) == moves:
            self._line.shortest = True

    def _play(self, moves: NDArray[np.int32], score: int) -> None:
        """Offer a line if it is legal and ends with the score, then or before."""
        propnet, state = self._propnet, self._state[None]
        for number, move in enumerate(moves.tolist()):
            if not propnet.legal(state)[0, move]:
                return
            state = propnet.successors(state, np.array([[move]], np.int32))
            if propnet.terminal(state)[0]:
                if propnet.goals(state)[0, 0] == score:
                    self._line.offer(float(score), moves[: number + 1, None])
                return

    def _next_lower(self, score: int) -> float:
        values = [value for value in (*self._game.goal_value.tolist(), 0) if value < score]
        return float(max(values))

    def _moves_to(
        self, target: NDArray[np.bool_], telling: NDArray[np.bool_], score: int
    ) -> Generator[None, None, NDArray[np.int32] | None]:
        """Moves int32[n, 1], each of which brings the state nearer to ``target`` in the fluents ``telling``; None if not found.

        Depth first, each state once, the moves that leave least to do before the others.
        """
        propnet, fluents = self._propnet, self._game.fluents
        start = int(((unpack_state(self._state, fluents) ^ target) & telling).sum())
        stack: list[tuple[NDArray[np.uint64], int, Path | None]] = [(self._state, start, None)]
        seen: set[bytes] = set()
        while stack and len(seen) < MOST_VISITS + 2 * start:
            state, distance, path = stack.pop()
            if state.tobytes() in seen:
                continue
            seen.add(state.tobytes())
            moves = np.flatnonzero(propnet.legal(state[None])[0]).astype(np.int32)
            if not len(moves):
                continue
            after = propnet.successors(np.repeat(state[None], len(moves), axis=0), moves[:, None])
            distances = ((unpack_state(after, fluents) ^ target) & telling).sum(axis=1)
            nearer = np.flatnonzero((distances < distance) | (distances == 0))
            over, _, scores = propnet.evaluate(after[nearer])
            ends = np.flatnonzero(over & (scores[:, 0] == score))
            if len(ends):
                return _line((int(moves[nearer[ends[0]]]), path))
            going_on = nearer[~over]
            for k in going_on[np.argsort(-distances[going_on], kind="stable")].tolist():
                stack.append((after[k], int(distances[k]), (int(moves[k]), path)))
            if self._expired():
                yield
        return None


def _line(path: Path | None) -> NDArray[np.int32]:
    moves = []
    while path is not None:
        move, path = path
        moves.append(move)
    return np.array(moves[::-1], np.int32)[:, None]
