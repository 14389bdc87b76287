"""How often moves are drawn in playouts, and what becomes of these playouts."""

from pathlib import Path

import numpy as np
import pytest

from scsp_player.gdl import load_program, parse_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet

TIC_TAC_TOE = Path(__file__).resolve().parents[2] / "games" / "tic-tac-toe.kif"

ONE_TURN = """
(role a) (role b) (init start)
(<= (legal a (take 1)) (true start)) (<= (legal a (take 2)) (true start)) (<= (legal a (take 3)) (true start))
(<= (legal b (guess 1)) (true start)) (<= (legal b (guess 2)) (true start))
(<= (next (taken ?n)) (does a (take ?n))) (<= (next (guessed ?n)) (does b (guess ?n)))
(<= over (true (taken ?n))) (<= terminal over)
(<= (goal a 30) (true (taken 1))) (<= (goal a 70) (true (taken 2))) (<= (goal a 100) (true (taken 3)))
(<= right (true (taken ?n)) (true (guessed ?n)))
(<= (goal b 100) right) (<= (goal b 0) (not right))
"""


def network(source, **options):
    program = load_program(source) if isinstance(source, Path) else parse_program(source)
    return Propnet(ground(program), **options)


@pytest.mark.parametrize("options", [{}, {"split": False}, {"native": False}])
def test_scores_of_the_moves_of_a_game_of_one_turn(options):
    net = network(ONE_TURN, **options)
    game = net.game
    result = net.playouts(np.repeat(game.initial_state[None], 9, axis=0), count_moves=True, seed=3)
    of = {str(game.move(m)): m for m in range(game.moves)}
    number, score_sum = result.drawn
    assert (number[:, : game.role_start[1]].sum(axis=1) == 64).all()
    assert (number[:, game.role_start[1] :].sum(axis=1) == 64).all()
    for move, score in (("(take 1)", 30), ("(take 2)", 70), ("(take 3)", 100)):
        assert (score_sum[:, of[move]] == score * number[:, of[move]]).all()
    assert (score_sum.sum(axis=1) == result.score_sum.sum(axis=1)).all()


def test_every_mark_is_drawn_once():
    net = network(TIC_TAC_TOE)
    states = np.repeat(net.game.initial_state[None], 5, axis=0)
    result = net.playouts(states, lanes_per_state=128, playouts_per_state=100, count_moves=True)
    # Whoever is not to move has no choice, which is no draw.
    assert (result.drawn.number.sum(axis=1) == result.plies).all()
    assert (result.drawn.number <= 100).all()
    assert (result.drawn.score_sum <= 100 * result.drawn.number).all()


def test_the_record_changes_nothing_else():
    net = network(TIC_TAC_TOE)
    state = net.game.initial_state[None]
    first, second = (net.playouts(state, seed=5, count_moves=wanted) for wanted in (False, True))
    assert (first.score_sum == second.score_sum).all()
    assert first.drawn is None


def test_playouts_that_are_cut_off_count_for_nothing():
    net = network(TIC_TAC_TOE)
    result = net.playouts(net.game.initial_state[None], max_depth=5, count_moves=True, seed=1)
    assert result.truncated[0] > 0
    assert result.drawn.number.max() <= result.finished[0]


def test_only_where_a_lane_plays_once():
    net = network(TIC_TAC_TOE)
    state = net.game.initial_state[None]
    with pytest.raises(ValueError, match="one playout"):
        net.playouts(state, playouts_per_state=65, count_moves=True)
    with pytest.raises(ValueError, match="one thread"):
        net.playouts(state, threads=2, count_moves=True)
