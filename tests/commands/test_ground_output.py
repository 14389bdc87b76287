"""What ``scsp-player ground -o`` writes is the same game for engines that share nothing with the grounder, and for ourselves."""

from __future__ import annotations

import numpy as np
import pytest

from scsp_player.gdl import check_program, load_program, parse_program
from scsp_player.grounding import Reasoner, format_ground, ground
from tests.games.sheets import path_of
from tests.gdl.sheets import FRAME
from tests.grounding.walks import assert_same_along_random_matches
from tests.oracles import naive_grounder
from tests.oracles.clingo_engine import ClingoMachine
from tests.oracles.ground_machine import GroundMachine
from tests.shared_data import SHARED, needs_shared

NAMES = ["kuhn-poker", "matching-pennies", "tic-tac-toe"]

ODD = {
    "nothing-but-constants": "(role r) (init a) (legal r go) (next a) (goal r 50) terminal",
    "names-of-keywords": FRAME + "(init (terminal legal)) (<= (next (terminal ?x)) (true (terminal ?x))) (init (goal r))",
    "positive-cycle": FRAME
    + "(n 1 2) (n 2 1) (init (p 1)) (<= (q ?x) (true (p ?x))) (<= (q ?x) (n ?x ?y) (q ?y)) (<= (legal r (see ?x)) (q ?x))",
    "percepts-and-chance": FRAME + "(role random) (legal random a) (legal random b) (<= (sees r ?m) (does random ?m))",
    "negated-moves": FRAME + "(legal r stay) (<= (next (s 0)) (not (does r go))) (<= (legal r wait) (not (true (s 1))))",
    "no-end": FRAME.replace("(<= terminal (true (s 1)))", "(<= terminal (true never))"),
    "no-goal": FRAME.replace("(goal r 100)", "(<= (goal r 100) (true never))"),
    "no-move": "(role r) (init (s 0)) (<= (legal r go) (true never)) (<= terminal (true (s 0))) (goal r 5)",
    "names-like-our-own": FRAME + "(part1 a) (<= (part2 ?x) (part1 ?x) (true (s ?y))) (<= (legal r ?x) (part2 ?x))",
}


def assert_written_alike(text, matches=2):
    """Clingo plays the written sheet as we play the sheet itself, and so do we once it is read and grounded again."""
    game = ground(parse_program(text))
    written = format_ground(game)
    program = parse_program(written, notation="kif")
    assert [m for m in check_program(program) if m.level == "error"] == []
    again = ground(program)
    assert (again.fluents, again.moves, again.roles) == (game.fluents, game.moves, game.roles)
    assert_same_along_random_matches(GroundMachine(game), ClingoMachine(written), matches=matches, seed=1)
    assert_same_along_random_matches(Reasoner(parse_program(text)), GroundMachine(again), matches=matches, seed=2)


@pytest.mark.parametrize("name", NAMES)
def test_sheets_of_the_project(name):
    assert_written_alike(path_of(name).read_text())


@pytest.mark.parametrize("name", ODD)
def test_odd_sheets(name):
    assert_written_alike(ODD[name])
    naive_grounder.ground(format_ground(ground(parse_program(ODD[name]))))


@needs_shared
@pytest.mark.parametrize("name", ["ticTacToe_v0", "blocksWorldSerial_v0"])
def test_sheets_in_use(name):
    path = SHARED / "games" / f"{name}.kif"
    game = ground(load_program(path))
    written = ClingoMachine(format_ground(game))
    assert_same_along_random_matches(GroundMachine(game), written, matches=1, seed=3)
    assert np.array_equal(game.initial, ground(parse_program(format_ground(game), notation="kif")).initial)
