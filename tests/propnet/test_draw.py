"""The draw of a legal move is uniform, for every number of legal moves, role and lane."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scsp_player.gdl import parse_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet

MOVES = 200
PER_MOVE = 100
"""Expected number of draws of each move."""


def choice_game(roles):
    """One turn, in which each role picks one of its numbers that are still there; the score is the number."""
    numbers = " ".join(f"(number {i})" for i in range(MOVES))
    players = " ".join(f"(role {r})" for r in roles)
    return ground(
        parse_program(f"""
        {players} {numbers}
        (<= (init (there ?r ?i)) (role ?r) (number ?i))
        (<= (legal ?r (pick ?i)) (true (there ?r ?i)))
        (<= (next (picked ?r ?i)) (does ?r (pick ?i)))
        (<= (goal ?r ?i) (true (picked ?r ?i)))
        (<= terminal (true (picked ?r ?i)))
        """)
    )


def deviation(observed):
    """χ² of equal frequencies as a standard normal deviate (Wilson and Hilferty's cube root)."""
    freedom = len(observed) - 1
    expected = observed.sum() / len(observed)
    chi = ((observed - expected) ** 2 / expected).sum()
    return ((chi / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))


@pytest.fixture(scope="module")
def alone():
    game = choice_game(["random"])
    return game, Propnet(game)


def states_with(game, choices):
    """One state each with the given numbers there (a list a role)."""
    there = []
    for of_roles in choices:
        wanted = {f"(there {r} {i})" for r, numbers in zip(game.roles, of_roles, strict=True) for i in numbers}
        there.append(game.state_of(f for f in game.fluent_index if str(f) in wanted))
    return np.stack(there)


def test_uniform_for_any_number_of_moves(alone):
    game, net = alone
    rng = np.random.default_rng(8)
    counts = list(range(2, MOVES + 1))
    numbers = [sorted(rng.choice(MOVES, count, replace=False).tolist()) for count in counts]
    states = states_with(game, [[n] for n in numbers])
    deviations = []
    for state, there in zip(states, numbers, strict=True):
        result = net.playouts(state[None], lanes_per_state=1024, playouts_per_state=PER_MOVE * len(there), seed=len(there))
        by_value = np.zeros(MOVES, np.int64)
        by_value[game.goal_value] = result.goal_count[0]
        assert by_value.sum() == result.finished[0] == PER_MOVE * len(there)
        assert by_value[there].sum() == by_value.sum(), "an illegal move was drawn"
        deviations.append(deviation(by_value[there]))
    # Under uniformity these 199 numbers are standard normal.
    deviations = np.array(deviations)
    assert abs(deviations).max() < 4
    assert abs(deviations.mean()) < 4 / math.sqrt(len(deviations))
    assert abs(deviations.std() - 1) < 4 / math.sqrt(2 * len(deviations))


def test_lanes_with_different_choices_side_by_side(alone):
    game, net = alone
    numbers = [list(range(i, MOVES, 16 + i)) for i in range(16)]
    states = states_with(game, [[n] for n in numbers])
    result = net.playouts(states, lanes_per_state=64, playouts_per_state=2000, seed=1)
    for i, there in enumerate(numbers):
        by_value = np.zeros(MOVES, np.int64)
        by_value[game.goal_value] = result.goal_count[i]
        assert by_value[there].sum() == 2000
        assert deviation(by_value[there]) < 4


def test_roles_draw_independently():
    game = choice_game(["left", "right"])
    net = Propnet(game)
    state = states_with(game, [[[3, 50, 199], [7, 8]]])
    # The pair drawn in each playout shows in the successor; single playouts from seeds are pairs of draws.
    pairs = np.zeros((3, 2), np.int64)
    for seed in range(600):
        result = net.playouts(state, playouts_per_state=1, seed=seed)
        left, right = result.score_sum[0]
        pairs[[3, 50, 199].index(left), [7, 8].index(right)] += 1
    assert pairs.sum() == 600
    assert deviation(pairs.ravel()) < 4


def test_the_only_move_is_played(alone):
    game, net = alone
    states = states_with(game, [[[5]], [[123]]])
    result = net.playouts(states, seed=0)
    assert result.score_sum[:, 0].tolist() == [5 * 64, 123 * 64]
