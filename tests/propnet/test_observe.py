"""What follows joint moves in one pass: the states, and sums of numbers for what the roles are shown."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scsp_player.belief.joint_moves import draw_joint_moves
from scsp_player.belief.views import Views
from scsp_player.grounding.ground_game import pack_state
from scsp_player.propnet import Propnet
from scsp_player.propnet.lanes import get_lines, put_moves, put_states
from tests.games.sheets import prefix_text
from tests.oracles.naive_grounder import ground


@given(st.integers(1, 200), st.integers(1, 130), st.sampled_from([1, 2, 4]), st.integers(0, 2**32))
def test_states_and_moves_come_back_from_their_lines(lanes, fluents, words, seed):
    rng = np.random.default_rng(seed)
    bits = rng.random((lanes, fluents)) < rng.random()
    groups, moves = -(-lanes // (64 * words)), 5
    memory = rng.integers(0, 2**63, size=(groups + 1, 1 + fluents + moves, words), dtype=np.uint64)
    kept = memory[groups].copy()
    joint = rng.integers([0, 2], [2, 5], size=(lanes, 2)).astype(np.int32)
    put_states(memory, fluents, pack_state(bits))
    put_moves(memory, 1 + fluents, moves, joint)
    assert (get_lines(memory, 1, fluents, lanes) == bits).all()
    made = get_lines(memory, 1 + fluents, moves, lanes)
    assert (made.sum(axis=1) == 2).all()
    assert made[np.arange(lanes)[:, None], joint].all()
    assert (memory[groups] == kept).all()


@pytest.mark.parametrize("name", ["kriegspiel-tic-tac-toe", "kuhn-poker", "five-dials"])
@pytest.mark.parametrize("count", [1, 63, 64, 300, 3000])
def test_one_pass_says_what_two_questions_say(name, count):
    game = ground(prefix_text(name))
    net, views, rng = Propnet(game), Views(game), np.random.default_rng(count)
    states = np.repeat(game.initial_state[None], count, axis=0)
    for _ in range(4):
        legal = net.legal(states)
        joint = draw_joint_moves(game, legal, rng)
        after, shown = views.observe(net, states, joint)
        seen = net.percepts(states, joint)
        assert (after == net.successors(states, joint)).all()
        for role in range(len(game.roles)):
            for lane in rng.integers(count, size=min(count, 20)).tolist():
                assert shown[lane, role] == views.shown(role, seen[lane])
        states = after[~net.terminal(after)]
        if not len(states):
            break
        states = states[np.arange(count) % len(states)]
