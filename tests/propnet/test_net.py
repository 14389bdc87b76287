"""The network's own interface: checks of its arguments, the machine over terms, use by several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import scsp_player.propnet
from scsp_player.gdl import load_program, parse_program, parse_term
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet, PropnetMachine

SHEETS = Path(__file__).resolve().parents[2] / "games"


@pytest.fixture(scope="module")
def machine():
    return PropnetMachine(ground(load_program(SHEETS / "tic-tac-toe.kif")))


def test_exports():
    assert sorted(scsp_player.propnet.__all__) == scsp_player.propnet.__all__
    assert all(hasattr(scsp_player.propnet, name) for name in scsp_player.propnet.__all__)


@pytest.mark.parametrize("shape", [(1,), (1, 2), (2, 1, 1), (1, 0)])
def test_states_of_the_wrong_shape(machine, shape):
    with pytest.raises(ValueError, match="shape"):
        machine.net.evaluate(np.zeros(shape, np.uint64))


def test_bits_beyond_the_last_fluent(machine):
    with pytest.raises(ValueError, match="beyond the last fluent"):
        machine.net.playouts(np.array([[1 << 63]], np.uint64))


@pytest.mark.parametrize("joint", [[[0]], [[0, 0]], [[-1, 10]], [[0, 10_000]], [[0, 10], [0, 10]]])
def test_joint_moves_that_are_none(machine, joint):
    with pytest.raises(ValueError, match="one move index of each role"):
        machine.net.successors(machine.initial_state()[None], np.array(joint))


def test_moves_that_are_none(machine):
    state = machine.initial_state()
    legal = machine.legal_moves(state)
    with pytest.raises(ValueError, match="is not a move of"):
        machine.successor(state, [parse_term("(mark 9 9)"), legal[1][0]])
    with pytest.raises(ValueError, match="1 moves for 2 roles"):
        machine.successor(state, [legal[0][0]])
    with pytest.raises(ValueError, match="can never be true"):
        machine.state([parse_term("(cell 9 9 b)")])


def test_states_are_not_changed(machine):
    state = machine.initial_state()
    before = state.copy()
    machine.successor(state, [moves[0] for moves in machine.legal_moves(state)])
    machine.net.playouts(state[None])
    np.testing.assert_array_equal(state, before)
    assert machine.state(machine.fluents(state)).tolist() == before.tolist()


def test_threads_share_a_network(machine):
    state = machine.initial_state()[None]

    def play(seed):
        return machine.net.playouts(state, lanes_per_state=512, playouts_per_state=20_000, seed=seed).goal_count.tolist()

    alone = [play(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(play, range(8))) == alone


def test_game_without_fluents_or_choice():
    net = Propnet(ground(parse_program("(role r) (legal r go) (<= terminal (true never)) (goal r 5)")))
    state = np.zeros((1, 1), np.uint64)
    terminal, legal, scores = net.evaluate(state)
    assert (terminal.tolist(), legal.tolist(), scores.tolist()) == ([False], [[True]], [[5]])
    assert net.playouts(state, max_depth=3).truncated.tolist() == [64]
