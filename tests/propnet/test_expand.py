"""All joint moves of a state at once against questions one by one."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import load_program, parse_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from tests.propnet.random_games import random_game

SHEETS = Path(__file__).resolve().parents[2] / "games"


def assert_expanded(net, state):
    game = net.game
    expansion = net.expand(state, limit=100_000)
    legal = net.legal(state[None])[0]
    np.testing.assert_array_equal(expansion.legal, legal)
    bounds = list(zip(game.role_start[:-1], game.role_start[1:], strict=True))
    expected = list(product(*([int(m) for m in range(a, b) if legal[m]] for a, b in bounds)))
    assert [tuple(joint) for joint in expansion.joint.tolist()] == expected
    states = np.repeat(state[None], len(expected), axis=0)
    successors = net.successors(states, expansion.joint)
    terminal, following, scores = net.evaluate(successors)
    for answers in (expansion.after, net.after(states, expansion.joint)):
        np.testing.assert_array_equal(answers.states, successors)
        np.testing.assert_array_equal(answers.terminal, terminal)
        np.testing.assert_array_equal(answers.legal, following)
        np.testing.assert_array_equal(answers.scores, scores)
    return expansion


@given(seed=st.integers(0, 10**9), atoms=st.integers(2, 60), cyclic=st.booleans())
@settings(max_examples=25)
def test_random_games(seed, atoms, cyclic):
    game = random_game(seed, atoms=atoms, cyclic=cyclic)
    assert_expanded(Propnet(game), game.initial_state)


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "monty-hall", "rock-paper-scissors"])
def test_along_a_match(name):
    game = ground(load_program(SHEETS / f"{name}.kif"))
    net, rng = Propnet(game), np.random.default_rng(1)
    state = game.initial_state
    while not net.terminal(state[None])[0]:
        expansion = assert_expanded(net, state)
        state = expansion.after.states[rng.integers(len(expansion.joint))]


MANY = """
(role a) (role b) (init start)
{numbers}
(<= (legal ?r (say ?n)) (role ?r) (number ?n))
(<= (next (said ?r ?n)) (does ?r (say ?n)))
(<= terminal (true (said a ?n)) (true (said b ?n)))
(<= (goal a ?n) (true (said a ?n)) (not terminal)) (<= (goal b ?n) (true (said b ?n)))
"""


def test_more_joint_moves_than_lanes():
    game = ground(parse_program(MANY.format(numbers=" ".join(f"(number {n})" for n in range(40)))))
    net = Propnet(game)
    expansion = assert_expanded(net, game.initial_state)
    assert len(expansion.joint) == 1600
    assert expansion.after.terminal.sum() == 40
    assert net.expand(game.initial_state, limit=1599) is None


def test_no_joint_move():
    game = ground(parse_program("(role a) (init s) (<= (legal a go) (true t)) (<= (next t) (does a go)) (<= terminal (true t))"))
    expansion = Propnet(game).expand(game.initial_state)
    assert expansion.joint.shape == (0, 1)
    assert expansion.after.states.shape == (0, game.state_words)
