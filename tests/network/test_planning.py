"""Plans are legal, score what they say, and are as short as a search over states finds."""

from collections import deque

import numpy as np
import pytest

from scsp_player.grounding.ground_game import unpack_state
from scsp_player.network import state_groups, template
from scsp_player.network.exclusion import exclusive_pairs, least_moves
from scsp_player.network.planning import Planner
from scsp_player.network.rules import inline_moves, merge_moves
from scsp_player.network.unfolding import unfold
from tests.network.games import ground_text, own
from tests.oracles.lane_machine import LaneMachine

HALL = """
(role walker)
(init (at 0)) (init (clock 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (legal walker (step ?y)) (true (at ?x)) (succ ?x ?y))
(legal walker rest)
(<= (next (at ?y)) (does walker (step ?y)))
(<= (next (at ?x)) (true (at ?x)) (does walker rest))
(<= (next (clock ?n)) (true (clock ?m)) (succ ?m ?n))
(<= terminal (true (clock 3)))
(<= (goal walker 100) (true (at 5)))
(<= (goal walker 60) (true (at 3)))
(<= (goal walker 10) (true (at 1)))
"""
"""Three steps at most, so that the best score of the rules is out of reach."""

STUCK = """
(role r) (init (s 0)) (legal r wait)
(<= (next (s 0)) (true (s 0)))
(<= terminal (true (s 1)))
(<= (next (s 1)) (true (s 2)) (does r wait))
(goal r 100)
"""
"""No end can be reached."""


def play(game, moves):
    """The states (bool[fluents]) along moves, all of them legal, none before the last terminal."""
    lanes = LaneMachine(game)
    state = game.initial.copy()
    states = [state]
    for move in moves:
        terminal, legal, _ = lanes.evaluate(state[None])
        index = game.move_index[0][move]
        assert not terminal[0]
        assert legal[0][index]
        state = lanes.successors(state[None], np.array([[index]]))[0]
        states.append(state)
    terminal, _, scores = lanes.evaluate(state[None])
    assert terminal[0]
    return states, int(scores[0][0])


def breadth_first(game, score, limit=20_000):
    """Least number of moves to a terminal state with that score."""
    lanes = LaneMachine(game)
    queue = deque([(game.initial.copy(), 0)])
    seen = {game.initial.tobytes()}
    while queue and len(seen) < limit:
        state, depth = queue.popleft()
        terminal, legal, scores = lanes.evaluate(state[None])
        if terminal[0]:
            if scores[0][0] == score:
                return depth
            continue
        moves = np.flatnonzero(legal[0])
        for following in lanes.successors(np.repeat(state[None], len(moves), axis=0), moves[:, None]):
            if following.tobytes() not in seen:
                seen.add(following.tobytes())
                queue.append((following, depth + 1))
    raise AssertionError("not found")


@pytest.mark.parametrize(("name", "length"), [("hanoi-3", 7), ("lights-out-3x3", 5)])
def test_shortest_plans(name, length):
    game = own(name)
    plan = Planner(template(game)).run(60.0)
    assert (plan.score, len(plan.moves), plan.proved_optimal) == (100, length, True)
    assert play(game, plan.moves)[1] == 100
    assert breadth_first(game, 100) == length


def test_long_plans_whose_order_matters_little():
    game = own("sudoku-4x4")
    plan = Planner(template(game)).run(60.0)
    assert (plan.score, len(plan.moves), plan.proved_optimal) == (100, 11, True)
    assert play(game, plan.moves)[1] == 100


def test_the_best_score_within_the_end_of_the_match():
    game = ground_text(HALL)
    plan = Planner(template(game)).run(60.0)
    assert (plan.score, len(plan.moves), plan.best_possible, plan.proved_optimal) == (60, 3, True, True)
    assert play(game, plan.moves)[1] == 60


def test_no_end_no_plan():
    plan = Planner(template(ground_text(STUCK))).run(60.0)
    assert (plan.score, plan.moves, plan.best_possible) == (None, [], True)


def test_a_horizon_that_is_too_short():
    plan = Planner(template(own("hanoi-3"))).run(60.0, horizon=6)
    assert plan.score is None or plan.score < 100
    assert not plan.open


def test_only_one_role():
    with pytest.raises(ValueError, match="2 roles"):
        Planner(template(own("nim")))


@pytest.mark.parametrize("name", ["sudoku-4x4", "queens-6", "hanoi-3", "eight-puzzle", "lights-out-3x3"])
def test_exclusive_pairs_do_exclude_each_other(name):
    game = own(name)
    merged = merge_moves(game, inline_moves(game, unfold(game)))
    groups = state_groups(game, merged)
    excluded = exclusive_pairs(game, merged)
    assert (excluded == excluded.T).all()
    assert excluded.any() or name not in ("sudoku-4x4", "queens-6")
    lanes = LaneMachine(game)
    random = np.random.default_rng(1)
    for _ in range(10):
        state = game.initial.copy()
        for depth in range(20):
            assert not excluded[np.ix_(state, state)].any()
            changed = [g for g in groups if (state[g.fluents] != game.initial[g.fluents]).any()]
            assert least_moves(game, merged, changed, game.initial) <= depth
            terminal, legal, _ = lanes.evaluate(state[None])
            if terminal[0] or not legal[0].any():
                break
            state = lanes.successors(state[None], random.choice(np.flatnonzero(legal[0]), size=(1, 1)))[0]


def test_games_with_several_roles_exclude_nothing():
    game = own("nim")
    assert not exclusive_pairs(game, merge_moves(game, inline_moves(game, unfold(game)))).any()
    assert unpack_state(game.initial_state, game.fluents).tolist() == game.initial.tolist()
