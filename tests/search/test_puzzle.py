"""Search for games with one player."""

import math
import time

import numpy as np
import pytest

from scsp_player.gdl import load_program
from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from scsp_player.search.beam import BeamSearch
from scsp_player.search.fuzzy import GoalNearness
from scsp_player.search.line import BestLine
from scsp_player.search.policy_search import PolicySearch
from scsp_player.search.puzzle import PuzzleSearch
from tests.games.sheets import expected, path_of
from tests.search.replaying import replayed

CORRIDOR = """
; Walk from 0 to 12 in exactly the right number of steps; a door on the way closes for those who turn back.
(role r) (init (at 0)) (init (clock 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10) (succ 10 11)
(succ 11 12) (succ 12 13)
(<= (legal r (go ?n)) (true (at ?m)) (succ ?m ?n)) (<= (legal r (go ?n)) (true (at ?m)) (succ ?n ?m)) (legal r stop)
(<= (next (at ?n)) (does r (go ?n))) (<= (next (at ?n)) (does r stop) (true (at ?n)))
(<= (next (clock ?n)) (true (clock ?m)) (succ ?m ?n))
(<= terminal (true (clock 13)))
(<= (goal r 100) (true (at 12))) (<= (goal r 40) (true (at 2))) (<= (goal r 0) (not (true (at 12))) (not (true (at 2))))
"""


def game_of(name):
    return ground(load_program(path_of(name)))


def never():
    return False


@pytest.mark.parametrize("name", ["hanoi-3", "lights-out-3x3", "queens-6", "flood-fill-4x4", "sudoku-4x4"])
def test_puzzles_are_solved_and_proven(name):
    game = game_of(name)
    search = PuzzleSearch(game, Propnet(game), seed=1)
    search.think(time.monotonic() + 60)
    assert search.decided
    assert search.value == expected()[name]["best_play"][game.roles[0]]
    assert replayed(game, search.line.moves) == search.value


@pytest.mark.parametrize("kind", ["beam", "policy"])
def test_each_way_alone_finds_a_line(kind):
    game = ground(parse_program(CORRIDOR, "corridor")) if kind == "beam" else game_of("queens-6")
    propnet, line, generator = Propnet(game), BestLine(100.0), np.random.default_rng(0)
    if kind == "beam":
        search = BeamSearch(propnet, game.initial_state, GoalNearness(game, 0), line, generator)
    else:
        search = PolicySearch(propnet, game.initial_state, line, generator)
    for _ in range(200):
        if line.certain:
            break
        search.step(never)
    assert line.score == 100
    assert replayed(game, line.moves) == 100


def test_a_pass_of_beam_search_that_leaves_nothing_out_is_a_proof():
    text = CORRIDOR.replace("(goal r 100) (true (at 12))", "(goal r 100) (true (at 13)) (true (at 12))")
    game = ground(parse_program(text, "corridor"))
    line = BestLine(100.0)
    search = BeamSearch(Propnet(game), game.initial_state, GoalNearness(game, 0), line, np.random.default_rng(0))
    for _ in range(60):
        if not line.certain:
            search.step(never)
    assert (line.score, line.certain) == (40, True)


def test_the_line_is_played_out_and_dropped_when_another_move_is_made():
    game = game_of("hanoi-3")
    search = PuzzleSearch(game, Propnet(game))
    search.think(math.inf)
    line = search.line.moves
    for move in line[:3]:
        assert search.best_move() == move[0]
        search.advance(move)
    assert len(search.line.moves) == len(line) - 3
    legal = np.flatnonzero(Propnet(game).legal(search.states)[0])
    other = next(int(m) for m in legal if m != search.best_move())
    search.advance(np.array([other], np.int32))
    assert not search.decided
    assert search.best_move() >= 0
    search.think(math.inf)
    assert search.value == 100


def test_the_enumeration_knows_the_shortest_line():
    game = game_of("lights-out-3x3")
    search = PuzzleSearch(game, Propnet(game))
    end = time.monotonic() + 60
    while not search.line.shortest and time.monotonic() < end:
        search._enumerate(end)
    assert len(search.line.moves) == 5


def test_nearness_counts_conditions_that_hold():
    game = game_of("hanoi-3")
    propnet = Propnet(game)
    search = PuzzleSearch(game, propnet)
    search.think(math.inf)
    state = game.initial_state[None]
    for move in search.line.moves:
        state = propnet.successors(state, move[None])
    near = GoalNearness(game, 0)(np.concatenate([game.initial_state[None], state]))
    assert near[0] < near[1] == pytest.approx(2.0)


def test_a_better_line_or_a_shorter_one_is_taken():
    line = BestLine(100.0)
    assert line.offer(50.0, np.zeros((3, 1), np.int32))
    assert not line.offer(50.0, np.zeros((3, 1), np.int32))
    assert line.offer(50.0, np.zeros((2, 1), np.int32))
    assert not line.certain
    assert line.offer(100.0, np.zeros((9, 1), np.int32))
    assert line.certain


def test_only_for_one_player():
    game = game_of("nim")
    with pytest.raises(ValueError, match="2 roles"):
        PuzzleSearch(game, Propnet(game))


WAITING = """
; Two steps on bring 100, or would if there were a second one; who stays where he is until the end has 40.
(role r) (init (at 0)) (init (clock 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(legal r stay) (<= (legal r on) (true (at 0)))
(<= (next (at ?n)) (does r on) (true (at ?m)) (succ ?m ?n)) (<= (next (at ?n)) (does r stay) (true (at ?n)))
(<= (next (clock ?n)) (true (clock ?m)) (succ ?m ?n))
(<= terminal (true (at 2))) (<= terminal (true (clock 3)))
(<= (goal r 100) (true (at 2))) (<= (goal r 40) (true (at 0))) (<= (goal r 0) (not (true (at 2))) (not (true (at 0))))
(<= (next (at 2)) (true (at 5))) (<= (next (at 5)) (true (at 5)))
"""


def test_what_only_waiting_brings_is_found_after_the_rest():
    """States are told apart by time once nothing better than waiting is left."""
    game = ground(parse_program(WAITING, "waiting"))
    search = PuzzleSearch(game, Propnet(game), seed=1)
    while not search.decided:
        search._enumerate(time.monotonic() + 60)
    assert search.value == 40
    assert replayed(game, search.line.moves) == 40
