"""The network against the tests' own evaluator of ground games: random circuits, random walks, recorded answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import load_program, parse_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import pack_state, unpack_state
from scsp_player.propnet import Propnet, PropnetMachine
from tests.grounding.walks import assert_same_along_random_matches
from tests.oracles.ground_machine import GroundMachine
from tests.oracles.lane_machine import LaneMachine
from tests.propnet.random_games import random_game
from tests.shared_data import SHARED, needs_shared

SHEETS = Path(__file__).resolve().parents[2] / "games"


def assert_same_everywhere(game, states, joint):
    """All index-level answers agree for bool[k, fluents] and int[k, roles]."""
    net, lanes = Propnet(game), LaneMachine(game)
    packed = pack_state(states)
    terminal, legal, goals = lanes.evaluate(states)
    np.testing.assert_array_equal(net.terminal(packed), terminal)
    np.testing.assert_array_equal(net.legal(packed), legal)
    np.testing.assert_array_equal(net.goals(packed), goals)
    for ours, theirs in zip(net.evaluate(packed), (terminal, legal, np.maximum(goals, 0)), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(unpack_state(net.successors(packed, joint), game.fluents), lanes.successors(states, joint))
    np.testing.assert_array_equal(net.percepts(packed, joint), lanes.percepts(states, joint))


def random_inputs(game, count, seed):
    rng = np.random.default_rng(seed)
    states = rng.random((count, game.fluents)) < rng.random((count, 1))
    joint = np.stack([rng.integers(a, b, count) for a, b in zip(game.role_start[:-1], game.role_start[1:], strict=True)], axis=1)
    return states, joint.astype(np.int32)


@given(seed=st.integers(0, 10**9), atoms=st.integers(2, 60), cyclic=st.booleans())
@settings(max_examples=80)
def test_random_circuits(seed, atoms, cyclic):
    game = random_game(seed, atoms=atoms, cyclic=cyclic)
    assert_same_everywhere(game, *random_inputs(game, 70, seed))


@pytest.mark.parametrize("count", [1, 63, 64, 65, 1024, 1025, 2500])
def test_any_number_of_states_at_once(count):
    game = random_game(3, atoms=40)
    assert_same_everywhere(game, *random_inputs(game, count, 1))


def test_no_states():
    game = random_game(3, atoms=40)
    assert_same_everywhere(game, *random_inputs(game, 0, 1))


def test_states_of_several_words():
    game = random_game(5, fluents=130, moves=(70, 3, 1), atoms=300)
    assert_same_everywhere(game, *random_inputs(game, 200, 2))


@pytest.mark.parametrize(
    "name", ["tic-tac-toe", "connect-four", "monty-hall", "kriegspiel-tic-tac-toe", "capture-go-4x4", "hex-5x5", "three-colours"]
)
def test_random_matches(name):
    game = ground(load_program(SHEETS / f"{name}.kif"))
    assert_same_along_random_matches(PropnetMachine(game), GroundMachine(game), matches=4, seed=2)


@needs_shared
def test_positive_cycle_restarts_from_nothing():
    # R01: what an earlier state reached must not keep itself alive around the cycle.
    machine = PropnetMachine(ground(load_program(SHARED / "cases" / "R01.kif")))
    state = machine.initial_state()
    assert [str(m) for m in machine.legal_moves(state)[0]] == ["(see 1)", "(see 2)", "(see 3)", "go"]
    go = machine.legal_moves(state)[0][3]
    state = machine.successor(state, [go])
    assert machine.legal_moves(state) == ((go,),)
    state = machine.successor(state, [go])
    assert machine.is_terminal(state)
    assert machine.goals(state) == (100,)


CYCLES = """
(role walker) (init (at a)) (init (bridge b c)) (init (day 0)) (link a b) (link c d) (link d e) (link e c)
(<= (path ?x ?y) (link ?x ?y)) (<= (path ?x ?y) (true (bridge ?x ?y))) (<= (way ?x ?y) (path ?x ?y)) (<= (way ?x ?y) (path ?y ?x))
(<= (reach ?x) (true (at ?x))) (<= (reach ?y) (reach ?x) (way ?x ?y))
(<= (legal walker (go ?x)) (reach ?x)) (legal walker burn)
(<= (next (at ?x)) (does walker (go ?x))) (<= (next (at ?x)) (true (at ?x)) (does walker burn))
(<= (next (bridge ?x ?y)) (true (bridge ?x ?y)) (not (does walker burn)))
(<= (next (day 1)) (true (day 0))) (<= (next (day 2)) (true (day 1))) (<= (next (day 3)) (true (day 2)))
(<= terminal (true (day 3))) (<= (goal walker 100) (not (reach e))) (<= (goal walker 10) (reach e))
"""


def test_cycles_of_a_graph():
    game = ground(parse_program(CYCLES))
    net = Propnet(game)
    segment = net.schedule.segment
    assert (segment[:, 1] < segment[:, 2]).any()
    assert_same_along_random_matches(PropnetMachine(game), GroundMachine(game), matches=30, seed=4)
    assert_same_everywhere(game, *random_inputs(game, 100, 3))
