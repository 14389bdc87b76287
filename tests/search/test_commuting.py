"""Puzzles whose moves commute."""

import numpy as np
import pytest

from scsp_player.gdl import load_program
from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from scsp_player.search.commuting import CommutingLines, commuting_maps
from scsp_player.search.final_states import Structure
from scsp_player.search.goal_first import GoalFirst
from scsp_player.search.line import BestLine
from tests.games.sheets import path_of
from tests.search.test_goal_first import replayed

WHEELS = """
; Three wheels with three positions; each move turns two of them. All must stand at 0 after at most eight moves.
(role r) (init (turn 0)) (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8)
(wheel a) (wheel b) (wheel c)
(init (at a 1)) (init (at b 1)) (init (at c 1))
(on 0 1) (on 1 2) (on 2 0)
(<= (legal r (leave ?w)) (wheel ?w))
(<= (next (at ?v ?m)) (does r (leave ?w)) (true (at ?v ?n)) (on ?n ?m) (distinct ?v ?w))
(<= (next (at ?w ?n)) (does r (leave ?w)) (true (at ?w ?n)))
(<= (next (turn ?n)) (true (turn ?m)) (after ?m ?n))
(<= wrong (wheel ?w) (not (true (at ?w 0))))
(<= terminal (not wrong)) (<= terminal (true (turn 8)))
(<= (goal r 100) (not wrong)) (<= (goal r 0) wrong)
"""


def prepared(text):
    game = ground(parse_program(text, "puzzle"))
    propnet, structure = Propnet(game), Structure(game)
    return game, propnet, structure, commuting_maps(structure, propnet, game.initial_state)


def test_wheels_are_turned_as_little_as_possible():
    game, propnet, structure, maps = prepared(WHEELS)
    assert maps.most.tolist() == [2, 2, 2]
    lines = list(CommutingLines(structure, maps, propnet, game.initial_state, 100).lines(lambda: False))
    # Each wheel needs two turns more; the numbers of moves x, y, z have x + y = y + z = x + z = 2 modulo 3: one of each.
    assert [sorted(line.tolist()) for line in lines][-1] == [0, 1, 2]
    assert replayed(game, lines[-1][:, None]) == 100


def test_the_clock_bounds_the_number_of_moves_and_lines_that_come_too_late_do_not_count():
    text = WHEELS.replace("(turn 8)", "(turn 2)").replace("(after 2 3)", "").replace("(init (at c 1))", "(init (at c 2))")
    game, propnet, structure, maps = prepared(text)
    lines = list(CommutingLines(structure, maps, propnet, game.initial_state, 100).lines(lambda: False))
    assert [len(line) for line in lines] == [3]
    line = BestLine(100.0)
    search = GoalFirst(propnet, game.initial_state, line)
    while not search.done:
        search.step(lambda: False)
    assert line.score < 100


@pytest.mark.parametrize("name", ["lights-out-3x3", "wheels"])
def test_the_search_from_the_goal_uses_it(name):
    game = ground(parse_program(WHEELS, "wheels") if name == "wheels" else load_program(path_of(name)))
    line = BestLine(100.0)
    search = GoalFirst(Propnet(game), game.initial_state, line)
    while not search.done:
        search.step(lambda: False)
    assert len(line.moves) == (3 if name == "wheels" else 5)
    assert replayed(game, line.moves) == 100


@pytest.mark.parametrize(
    "change",
    [
        ("(<= (legal r (leave ?w)) (wheel ?w))", "(<= (legal r (leave ?w)) (true (at ?w 1)))"),
        ("(<= (next (at ?w ?n)) (does r (leave ?w)) (true (at ?w ?n)))", "(<= (next (at ?w 0)) (does r (leave ?w)))"),
    ],
    ids=["not always legal", "a wheel is set back"],
)
def test_other_puzzles_are_left_alone(change):
    assert prepared(WHEELS.replace(*change))[3] is None


def test_maps_say_what_moves_do():
    game, _, structure, maps = prepared(WHEELS)
    assert len(maps.values) == 3
    for own, after in zip(maps.values, maps.after, strict=True):
        wheel = str(game.fluent(int(own[0]))).split()[1]
        for move in range(game.moves):
            step = 0 if wheel in str(game.move(move)).rstrip(")").split() else 1
            assert after[move].tolist() == [(v + step) % 3 for v in range(3)]
    assert not structure.one_a_move
    assert maps.exact == [True] * 3
    assert np.all(maps.most == 2)


def test_the_shortest_line_is_proved_where_the_rules_leave_no_other_way():
    game, propnet, _, maps = prepared(WHEELS)
    assert maps.proved
    line = BestLine(100.0)
    search = GoalFirst(propnet, game.initial_state, line)
    while not search.done:
        search.step(lambda: False)
    assert line.shortest
