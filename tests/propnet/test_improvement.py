"""Simplifying in a process of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from scsp_player.propnet.improvement import without_rules
from scsp_player.propnet.simplify import simplify

SHEETS = Path(__file__).resolve().parents[2] / "games"
PATIENT = 300.0


def test_a_better_program_takes_over_and_plays_the_same():
    game = ground(load_program(SHEETS / "connect-four.kif"))
    net = Propnet(game)
    first = net.player
    before = net.playouts(game.initial_state[None], playouts_per_state=300, seed=3)
    improvement = net.improve_in_background(20.0)
    assert improvement.join(PATIENT)
    assert not improvement.running
    assert net.player is not first
    assert net.player.program.code_bytes <= first.program.code_bytes
    after = net.playouts(game.initial_state[None], playouts_per_state=300, seed=3)
    assert before.goal_count.tolist() == after.goal_count.tolist()


def test_it_can_be_ended_at_any_time():
    game = ground(load_program(SHEETS / "tic-tac-toe.kif"))
    net = Propnet(game)
    improvement = net.improve_in_background()
    improvement.close()
    assert improvement.join(PATIENT)
    improvement.close()
    assert net.playouts(game.initial_state[None]).finished.tolist() == [64]


def test_the_rules_themselves_are_not_needed():
    game = ground(load_program(SHEETS / "breakthrough-6x6.kif"))
    net = Propnet(game)
    ours, theirs = (simplify(net.circuit, g, seconds=60) for g in (game, without_rules(game)))
    np.testing.assert_array_equal(ours.child, theirs.child)


def test_states_that_no_match_gets_to_do_no_harm():
    game = ground(load_program(SHEETS / "connect-four.kif"))
    net = Propnet(game)
    net.improve(20.0)
    states = np.zeros((4, game.state_words), np.uint64)
    for fluent in range(game.fluents):
        states[:, fluent // 64] |= np.uint64(1 << fluent % 64)
    result = net.playouts(states, playouts_per_state=256, max_depth=50)
    assert (result.finished + result.truncated == 256).all()
