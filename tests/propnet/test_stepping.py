"""Games side by side in lanes against answers state by state."""

from __future__ import annotations

import numpy as np
import pytest

from scsp_player.belief.joint_moves import draw_joint_moves
from scsp_player.grounding.ground_game import pack_state
from scsp_player.propnet import Propnet
from scsp_player.propnet.lanes import first_lanes, get_lines, put_moves
from scsp_player.propnet.stepping import Stepper
from tests.games.sheets import prefix_text
from tests.oracles.naive_grounder import ground

LANES = 100


def along(propnet, generator, turns):
    """States after some random moves, as far as matches go on."""
    game = propnet.game
    states = np.repeat(game.initial_state[None], LANES, axis=0)
    for _ in range(turns):
        states = states[~propnet.terminal(states)]
        states = propnet.successors(states, draw_joint_moves(game, propnet.legal(states), generator))
    return states[~propnet.terminal(states)]


def playing(stepper, count):
    """uint64[1, words]: the first lanes."""
    return first_lanes(np.clip(count - 64 * np.arange(stepper.memory.shape[2]), 0, 64))[None]


@pytest.mark.parametrize("name", ["kriegspiel-tic-tac-toe", "kuhn-poker", "tic-tac-toe", "hide-and-seek"])
def test_lanes_answer_as_states_do(name):
    game = ground(prefix_text(name))
    propnet, generator = Propnet(game), np.random.default_rng(5)
    stepper, layout = Stepper(propnet, 2), Propnet(game).layout
    states = along(propnet, generator, 1)
    count = len(states)
    stepper.put(states)
    stepper.look(1)
    terminal, legal, _ = propnet.evaluate(states)
    assert (get_lines(stepper.memory, layout.terminal, 1, count)[:, 0] == terminal).all()
    assert (get_lines(stepper.memory, layout.move, game.moves, count) == legal).all()
    joint = draw_joint_moves(game, legal, generator)
    put_moves(stepper.memory, layout.move, game.moves, joint)
    stepper.move(1)
    assert (pack_state(get_lines(stepper.memory, layout.next, game.fluents, count)) == propnet.successors(states, joint)).all()
    assert (get_lines(stepper.memory, layout.percept, layout.percepts, count) == propnet.percepts(states, joint)).all()


@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize("name", ["tic-tac-toe", "kriegspiel-tic-tac-toe"])
def test_every_lane_plays_one_game_from_its_own_state(name, split):
    """States after one turn and after two, which are in two phases where turns alternate, side by side."""
    game = ground(prefix_text(name))
    propnet, generator = Propnet(game, split=split), np.random.default_rng(6)
    early, late = along(propnet, generator, 1)[:40], along(propnet, generator, 2)[:40]
    states = np.stack([early, late], axis=1).reshape(80, -1)
    stepper = Stepper(propnet)
    stepper.put(states)
    lanes = playing(stepper, 80)
    total, rounds, goals = np.zeros((80, len(game.roles))), 300, stepper.goals
    for _ in range(rounds):
        ended = get_lines(stepper.play_out(lanes, generator), 0, 1 + len(goals.value), 80)
        assert ended[:, 0].all()
        for role in range(len(game.roles)):
            of_role = slice(1 + goals.start[role], 1 + goals.start[role + 1])
            assert (ended[:, of_role].sum(axis=1) == 1).all()
            total[:, role] += ended[:, of_role] @ goals.value[goals.start[role] : goals.start[role + 1]]
    expected = propnet.playouts(states, playouts_per_state=6400, seed=7).mean_scores()
    assert total / rounds == pytest.approx(expected, abs=13)
    assert (total / rounds - expected).mean(axis=0) == pytest.approx([0.0] * len(game.roles), abs=2)


def test_lanes_that_do_not_play_are_left_alone():
    game = ground(prefix_text("tic-tac-toe"))
    propnet = Propnet(game)
    stepper = Stepper(propnet, 1)
    stepper.put(np.repeat(game.initial_state[None], 10, axis=0))
    ended = stepper.play_out(playing(stepper, 3), np.random.default_rng(1))
    assert get_lines(ended, 0, 1, 10)[:, 0].tolist() == [True] * 3 + [False] * 7


def test_games_that_are_cut_off_do_not_end():
    game = ground(prefix_text("tic-tac-toe"))
    stepper = Stepper(Propnet(game), 1)
    stepper.put(game.initial_state[None])
    assert not stepper.play_out(playing(stepper, 1), np.random.default_rng(1), max_depth=3).any()
