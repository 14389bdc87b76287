"""Enumeration of all states and backward induction, on games whose size and value are known."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import load_program
from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from scsp_player.search.backward import backward_induction
from scsp_player.search.backward_kernels import sweep_all
from scsp_player.search.state_space import StateSpace
from tests.games.sheets import expected, path_of, prefix_text
from tests.search.test_mac_ucb import DIE, PENNIES
from tests.search.test_proofs import CIRCLE, GIFT, PRISONERS, tree_game


def space_of(program, memory_bytes=1 << 28):
    game = ground(program)
    return StateSpace(Propnet(game), game.initial_state, memory_bytes)


def solved(program):
    space = space_of(program)
    assert space.explore(math.inf)
    values = backward_induction(space, math.inf)
    assert values.settled
    return space, values


def smaller_connect_four(columns, rows):
    text = prefix_text("connect-four")
    for name, count, old in (("column", columns, 7), ("row", rows, 6)):
        for number in range(count + 1, old + 1):
            text = text.replace(f"({name} {number})", "")
    return parse_program(text, "connect four")


def test_connect_four_on_four_times_four_has_161029_positions_and_is_drawn():
    space, values = solved(smaller_connect_four(4, 4))
    assert space.count == 161029  # John Tromp's table
    assert values.value(0, 0) == values.value(0, 1) == 50


@pytest.mark.parametrize("name", ["tic-tac-toe", "nim", "push-your-luck", "hanoi-3", "queens-6", "rock-paper-scissors"])
def test_values_of_best_play(name):
    space, values = solved(load_program(path_of(name)))
    best = expected()[name]["best_play"]
    for role, score in best.items():
        number = space.game.roles.index(role)
        assert values.low[0, number] == pytest.approx(score, abs=1e-5)
        assert values.high[0, number] == pytest.approx(score, abs=1e-5)


def test_states_without_symmetry_of_tic_tac_toe():
    assert solved(load_program(path_of("tic-tac-toe")))[0].count == 5478


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        (PENNIES, 50, 50),  # both sides mixed
        (DIE, 60, 60),
        (PRISONERS, 20, 20),
        (CIRCLE.replace("(at right 3)", "(at right 2)"), 100, 100),
        (CIRCLE, 0, 100),  # nobody can force an end
        (GIFT, 100, 100),
    ],
)
def test_intervals_of_the_first_player(text, low, high):
    space, values = solved(parse_program(text, "game"))
    role = next(r for r in range(len(space.game.roles)) if r != space.game.random_role)
    assert values.low[0, role] == pytest.approx(low, abs=1e-5)
    assert values.high[0, role] == pytest.approx(high, abs=1e-5)


def test_what_others_get_out_of_a_tie_stays_open():
    _, values = solved(parse_program(GIFT, "gift"))
    assert (values.low[0, 1], values.high[0, 1], values.value(0, 1)) == (0, 100, None)


@given(st.data())
@settings(max_examples=12, deadline=None)
def test_trees_are_solved_as_by_plain_backward_induction(data):
    size = data.draw(st.integers(1, 30))
    parents = [data.draw(st.integers(max(0, i // 3 - 1), i // 2)) for i in range(size)]
    turns = [data.draw(st.integers(0, 1)) for _ in range(size + 1)]
    scores = [data.draw(st.sampled_from([0, 30, 50, 100])) for _ in range(size + 1)]
    text, value = tree_game(parents, turns, scores)
    space, values = solved(parse_program(text, "tree"))
    assert values.value(0, 0) == value
    for number in range(space.count):
        assert space.number_of(space.state[number]) == number


@given(st.lists(st.lists(st.integers(0, 100), min_size=3, max_size=3), min_size=2, max_size=4))
@settings(max_examples=30, deadline=None)
def test_a_matrix_game_is_worth_the_same_from_both_sides(rows):
    """Interval from the row player's guarantee, and from what the column player's guarantee leaves it: they meet (von Neumann)."""
    matrix = np.array(rows, float)
    m, n = matrix.shape
    low = np.zeros((m * n + 1, 2))
    high = np.full((m * n + 1, 2), 100.0)
    low[1:, 0] = high[1:, 0] = matrix.ravel()
    low[1:, 1] = high[1:, 1] = 100 - matrix.ravel()
    first = np.concatenate([[0], np.full(m * n + 1, m * n)])
    width = np.zeros((m * n + 1, 2), np.int32)
    width[0] = m, n
    child = np.arange(1, m * n + 1, dtype=np.int32)
    sweep_all(first, child, width, np.zeros(1, np.int32), -1, 100.0, low, high)
    assert low[0, 0] == pytest.approx(high[0, 0], abs=1e-5)
    assert matrix.min(axis=1).max() - 1e-5 <= low[0, 0] <= matrix.max(axis=0).min() + 1e-5


def test_a_shortest_line_leads_to_a_state():
    space, values = solved(load_program(path_of("hanoi-3")))
    assert values.value(0, 0) == 100
    best = int(np.flatnonzero(space.terminal[: space.count] & (space.scores[: space.count, 0] == 100))[0])
    line = space.line_to(best)
    assert len(line) == 7
    state = space.state[:1]
    for move in line:
        state = Propnet(space.game).successors(state, move[None])
    assert space.number_of(state[0]) == best


def test_too_little_room_ends_the_enumeration_and_bounds_stay_sound():
    space = space_of(load_program(path_of("tic-tac-toe")), memory_bytes=100_000)
    assert not space.explore(time.monotonic() + 100)
    assert space.closed
    assert 0 < space.expanded < space.count < 5478
    values = backward_induction(space, math.inf)
    assert (values.low[0, 0], values.high[0, 0]) == (0, 100)


def test_the_deadline_and_the_reason_to_stop_are_kept():
    space = space_of(load_program(path_of("tic-tac-toe")))
    assert not space.explore(time.monotonic() - 1)
    assert space.expanded == 0
    assert not space.explore(math.inf, until=lambda: space.best[0] == 100)
    assert space.best[0] == 100
    assert not space.complete
