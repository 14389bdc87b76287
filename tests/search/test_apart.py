"""Puzzles made of independent ones: lines put together from those of the parts."""

import math

import numpy as np
import pytest

from scsp_player.gdl import load_program
from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from scsp_player.search.apart import Apart
from scsp_player.search.line import BestLine
from scsp_player.search.puzzle import PuzzleSearch
from scsp_player.search.state_space import StateSpace
from tests.games.sheets import expected, path_of
from tests.search.replaying import replayed
from tests.structure.test_sub_games import PAIRS


def searched(game, state=None, possible=100.0):
    propnet = Propnet(game)
    line = BestLine(possible)
    search = Apart(propnet, game.initial_state if state is None else state, line)
    while not search.done:
        search.step(lambda: True)
    return line


def shortest_best(game):
    """The best score and the fewest moves to it, from all states."""
    space = StateSpace(Propnet(game), game.initial_state, 1 << 26)
    assert space.explore(math.inf)
    ends = np.flatnonzero(space.terminal[: space.count])
    best = space.scores[ends, 0].max()
    # The first one that was found is the nearest.
    return best, len(space.line_to(int(ends[space.scores[ends, 0] == best][0])))


@pytest.mark.parametrize("name", ["lamps-and-lift", "dial-then-maze"])
def test_own_games(name):
    game = ground(load_program(path_of(name)))
    line = searched(game)
    facts = expected()[name]
    assert (line.score, len(line.moves)) == (facts["solution"]["score"], facts["solution"]["turns"])
    assert line.certain
    assert line.shortest
    assert replayed(game, line.moves) == line.score


def test_both_at_once():
    game = ground(parse_program(PAIRS, "pairs"))
    line = searched(game)
    assert (line.score, len(line.moves)) == (100, 4)
    assert replayed(game, line.moves) == 100


def test_in_the_middle_of_a_match():
    game = ground(load_program(path_of("lamps-and-lift")))
    propnet = Propnet(game)
    press = next(m for m in range(game.moves) if str(game.move(m)) == "(press 1)")
    state = propnet.successors(game.initial_state[None], np.array([[press]], np.int32))[0]
    line = searched(game, state)
    assert (line.score, len(line.moves)) == (100, 5)


HEAPS = """
; Three rows of five cups each: turn one and its right neighbour, or the first one alone. A score for each row that stands.
(role r) (row a) (row b) (row c) (cup 1) (cup 2) (cup 3) (cup 4) (cup 5)
(right 1 2) (right 2 3) (right 3 4) (right 4 5)
(init (down a 1)) (init (down a 4)) (init (down b 5)) (init (down c 2)) (init (down c 3))
(<= (legal r (turn ?row ?n)) (row ?row) (cup ?n))
(<= (touched ?row ?n) (does r (turn ?row ?n))) (<= (touched ?row ?m) (does r (turn ?row ?n)) (right ?n ?m))
(<= (next (down ?row ?n)) (true (down ?row ?n)) (not (touched ?row ?n)))
(<= (next (down ?row ?n)) (touched ?row ?n) (not (true (down ?row ?n))))
(<= (fallen ?row) (true (down ?row ?n)))
(<= both (not (fallen a)) (not (fallen b)))
(<= terminal both) (<= terminal (not (fallen c)))
(<= (goal r 100) both GOAL) (<= (goal r 30) (not both) (not (fallen c)))
"""


@pytest.mark.parametrize("goal", ["", "(not (fallen c))", "(true (down c 1)) (true (down c 5)) (true (down a 1))"])
def test_as_good_and_short_as_the_search_of_the_whole(goal):
    """The match ends in some orders before all is done; some scores cannot be had at all."""
    game = ground(parse_program(HEAPS.replace("GOAL", goal), "cups"))
    line = searched(game)
    best, fewest = shortest_best(game)
    assert line.score == best
    assert not line.shortest or len(line.moves) == fewest
    assert replayed(game, line.moves) == best
    if goal.endswith("1))"):
        assert best == 30
        assert line.certain


def test_puzzles_begin_with_parts():
    game = ground(load_program(path_of("lamps-and-lift")))
    search = PuzzleSearch(game, Propnet(game), seed=1)
    search.think(math.inf, leaves=8)
    assert search.decided
    assert search.value == 100
    assert search.line.shortest


def test_a_game_that_is_one_whole_has_no_parts():
    assert searched(ground(load_program(path_of("hanoi-3")))).score == -1
