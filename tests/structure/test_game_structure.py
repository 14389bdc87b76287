"""Counters and latches, on games in which they are plain to see, and against random play."""

import numpy as np
import pytest

from scsp_player.gdl import load_program
from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import unpack_state
from scsp_player.propnet import Propnet
from scsp_player.structure import find_structure
from tests.games.sheets import PREFIX_SHEETS, path_of


def names(game, mask):
    return {str(game.fluent(int(f))) for f in np.flatnonzero(mask)}


CLOCK = """
(role r) (init (step 1)) (init (lamp off))
(succ 1 2) (succ 2 3) (succ 3 4)
(legal r press) (legal r wait)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (lamp on)) (does r press)) (<= (next (lamp on)) (true (lamp on)))
(<= (next (lamp off)) (true (lamp off)) (not (does r press)))
(<= terminal (true (step 4))) (<= (goal r 100) (true (lamp on))) (<= (goal r 0) (true (lamp off)))
"""


def test_a_step_counter_and_latches():
    game = ground(parse_program(CLOCK, "clock"))
    found = find_structure(game)
    assert names(game, found.counters.fluents) == {"(step 1)", "(step 2)", "(step 3)", "(step 4)"}
    # Four steps, then no step at all, for ever.
    assert (found.counters.length, found.counters.repeats) == (5, 4)
    assert names(game, found.latched_true) == {"(lamp on)"}
    assert "(lamp off)" in names(game, found.latched_false)
    assert [names(game, row) for row in found.counters.course] == [{"(step 1)"}, {"(step 2)"}, {"(step 3)"}, {"(step 4)"}, set()]
    assert found.report()["counter_length"] == 5
    assert found.describe()[0] == "counters: 4 fluents that no move touches, which go through 5 values"


def test_turns_go_round():
    game = ground(load_program(path_of("connect-four")))
    found = find_structure(game)
    assert (found.counters.fluents.sum(), found.counters.length, found.counters.repeats) == (2, 2, 0)
    assert names(game, found.latched_true) == {str(f) for f in map(game.fluent, range(game.fluents)) if str(f).startswith("(disc")}


@pytest.mark.parametrize("name", [n for n in PREFIX_SHEETS if n != "breakthrough-6x6"])
def test_random_play_agrees(name):
    game = ground(load_program(path_of(name)))
    found = find_structure(game)
    propnet, generator = Propnet(game), np.random.default_rng(1)
    seen = {}
    for _ in range(5):
        state, number = game.initial_state[None], 0
        while not propnet.terminal(state)[0] and number < 60:
            bits = unpack_state(state[0], game.fluents)
            counted = bits[found.counters.fluents].tolist()
            assert seen.setdefault(number, counted) == counted
            legal = propnet.legal(state)[0]
            bounds = zip(game.role_start[:-1], game.role_start[1:], strict=True)
            joint = np.array([[generator.choice(np.flatnonzero(legal[a:b])) + a for a, b in bounds]], np.int32)
            state, number = propnet.successors(state, joint), number + 1
            after = unpack_state(state[0], game.fluents)
            assert not (bits & ~after & found.latched_true).any()
            assert not (~bits & after & found.latched_false).any()
