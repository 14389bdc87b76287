"""Playouts: known chances, no length bias, limits, repeatability."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scsp_player.gdl import load_program, parse_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from scsp_player.propnet.playouts import deal

SHEETS = Path(__file__).resolve().parents[2] / "games"


def net_of(text):
    return Propnet(ground(parse_program(text)))


def start(net):
    return net.game.initial_state[None]


@pytest.fixture(scope="module")
def tic_tac_toe():
    return Propnet(ground(load_program(SHEETS / "tic-tac-toe.kif")))


@pytest.mark.parametrize("lanes", [64, 1024, 2048])
def test_tic_tac_toe_chances(tic_tac_toe, lanes):
    result = tic_tac_toe.playouts(start(tic_tac_toe), lanes_per_state=lanes, playouts_per_state=1_000_000, seed=5)
    assert result.complete
    game = tic_tac_toe.game
    share = {
        (game.roles[r], int(v)): n / 10_000
        for r, v, n in zip(game.goal_role, game.goal_value, result.goal_count[0], strict=True)
    }
    first = game.roles[0]
    assert share[first, 100] == pytest.approx(58.5, abs=0.2)
    assert share[first, 50] == pytest.approx(12.7, abs=0.2)
    assert share[first, 0] == pytest.approx(28.8, abs=0.2)
    assert result.mean_scores()[0].sum() == pytest.approx(100)
    assert result.plies[0] / 1_000_000 == pytest.approx(7.63, abs=0.01)


# Heads: over after one move, score 100. Tails: ten more moves, score 0.
COIN = """
(role random) (role player) (init (day 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
(succ 8 9) (succ 9 10) (succ 10 11) (legal player wait)
(<= (legal random heads) (true (day 0))) (<= (legal random tails) (true (day 0)))
(<= (legal random wait) (not (true (day 0))))
(<= (next (day ?b)) (true (day ?a)) (succ ?a ?b))
(<= (next won) (does random heads)) (<= (next won) (true won))
(<= terminal (true won)) (<= terminal (true (day 11)))
(<= (goal player 100) (true won)) (<= (goal player 0) (not (true won))) (goal random 0)
"""


@pytest.mark.parametrize(("lanes", "playouts"), [(64, 64), (64, 65), (64, 200), (64, 20_000), (1024, 3000), (4096, 100_000)])
def test_short_games_are_not_favoured(lanes, playouts):
    net = net_of(COIN)
    score, total = 0.0, 0
    for seed in range(max(1, 20_000 // playouts)):
        result = net.playouts(start(net), lanes_per_state=lanes, playouts_per_state=playouts, seed=seed)
        assert result.finished[0] == playouts
        heads = result.score_sum[0, 1] / 100
        assert result.plies[0] == heads + 11 * (playouts - heads)
        score += heads
        total += playouts
    assert score / total == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(total))


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 10, 11, 12, 64])
def test_depth_limit(limit):
    net = net_of(COIN)
    result = net.playouts(start(net), playouts_per_state=500, seed=1, max_depth=limit)
    assert result.finished[0] + result.truncated[0] == 500
    heads = int(result.score_sum[0, 1]) // 100
    assert 190 < heads < 310
    assert result.finished[0] == (500 if limit >= 11 else heads)
    assert result.plies[0] == heads + min(limit, 11) * (500 - heads)


def test_endless_game_is_cut_off():
    net = net_of("(role r) (init on) (legal r go) (<= (next on) (true on)) (<= terminal (not (true on))) (goal r 100)")
    result = net.playouts(start(net), max_depth=50)
    assert (result.finished[0], result.truncated[0], result.plies[0], result.score_sum[0, 0]) == (0, 64, 3200, 0)
    assert np.isnan(result.mean_scores()).all()
    assert result.complete


def test_role_without_move_ends_the_playout():
    net = net_of("""
    (role r) (role s) (init (day 0)) (legal r go) (<= (legal s stay) (true (day 0))) (<= (legal s leave) (true (day 0)))
    (<= (next (day 1)) (true (day 0)) (does s stay)) (<= (next over) (does s leave))
    (<= terminal (true over)) (goal r 100) (goal s 50)
    """)
    result = net.playouts(start(net), playouts_per_state=1000, seed=3)
    assert result.finished[0] + result.truncated[0] == 1000
    assert 400 < result.finished[0] < 600
    assert result.plies[0] == 1000
    assert result.score_sum[0].tolist() == [100 * result.finished[0], 50 * result.finished[0]]


def test_no_goal_and_several_goals_score_nothing():
    net = net_of("""
    (role one) (role none) (role two) (init (day 0)) (<= (legal ?r go) (role ?r)) (<= (next (day 1)) (true (day 0)))
    (<= terminal (true (day 1))) (<= (goal one 70) (true (day 1))) (<= (goal none 30) (true (day 0)))
    (<= (goal two 40) (true (day 1))) (<= (goal two 60) (true (day 1)))
    """)
    result = net.playouts(start(net), playouts_per_state=100)
    assert result.score_sum[0].tolist() == [7000, 0, 0]
    assert net.goals(net.successors(start(net), np.array([[0, 1, 2]], np.int32)))[0].tolist() == [70, -1, -1]


def test_terminal_start_is_scored_without_a_move():
    net = net_of("(role r) (init done) (legal r go) (<= (next done) (true done)) (<= terminal (true done)) (goal r 40)")
    result = net.playouts(start(net), playouts_per_state=1000)
    assert (result.finished[0], result.plies[0], result.score_sum[0, 0]) == (1000, 0, 40_000)


def test_same_seed_same_result(tic_tac_toe):
    def play(seed):
        result = tic_tac_toe.playouts(start(tic_tac_toe), lanes_per_state=192, playouts_per_state=5000, seed=seed)
        return result.goal_count.tolist(), result.plies.tolist()

    assert play(1) == play(1) == play(np.random.default_rng(1))
    assert play(1) != play(2)


def test_many_states_own_their_words(tic_tac_toe):
    game = tic_tac_toe.game
    rng = np.random.default_rng(2)
    states = [game.initial_state]
    bounds = list(zip(game.role_start[:-1], game.role_start[1:], strict=True))
    for _ in range(20):
        legal = np.flatnonzero(tic_tac_toe.legal(states[-1][None])[0])
        joint = [rng.choice(legal[(legal >= a) & (legal < b)]) for a, b in bounds]
        states.append(tic_tac_toe.successors(states[-1][None], np.array([joint], np.int32))[0])
        if tic_tac_toe.terminal(states[-1][None])[0]:
            break
    states = np.stack(states)
    together = tic_tac_toe.playouts(states, lanes_per_state=128, playouts_per_state=20_000, seed=4)
    for i, state in enumerate(states):
        alone = tic_tac_toe.playouts(state[None], lanes_per_state=1024, playouts_per_state=20_000, seed=9 + i)
        assert together.finished[i] == 20_000
        # Two estimates of one mean, each with a standard deviation of at most 50 / sqrt(20,000).
        assert together.mean_scores()[i] == pytest.approx(alone.mean_scores()[0], abs=5 * 0.5)
    assert together.plies[-1] == 0


def test_time_limit():
    net = net_of("(role r) (init on) (legal r go) (<= (next on) (true on)) (<= terminal (not (true on))) (goal r 100)")
    result = net.playouts(start(net), lanes_per_state=10_000, playouts_per_state=10**9, max_depth=10**9, seconds=0.0)
    assert not result.complete
    assert result.finished[0] == 0


@pytest.mark.parametrize("wrong", [{"lanes_per_state": 0}, {"playouts_per_state": 0}, {"max_depth": 0}])
def test_nothing_to_play(tic_tac_toe, wrong):
    with pytest.raises(ValueError, match="at least one"):
        tic_tac_toe.playouts(start(tic_tac_toe), **wrong)


def test_deal_shares_playouts_evenly():
    owner, quota = deal(3, 7, 100)
    assert owner.shape == quota.shape == (21,)
    assert np.bincount(owner, quota).tolist() == [100, 100, 100]
    assert set(quota.tolist()) == {14, 15}
