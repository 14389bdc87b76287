"""Counters that only end the match: what is found without telling them apart is what is found with them."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from scsp_player.search.state_space import StateSpace
from scsp_player.structure import find_clock, find_counters
from tests.games.sheets import path_of
from tests.network.games import ground_text
from tests.network.test_random_games import rule_sheets


def clock_of(game):
    return find_clock(game, Propnet(game).circuit, find_counters(game))


def best_ends(game, ignored):
    """For each score the fewest moves to it, and how many states there are; None if there are many."""
    space = StateSpace(Propnet(game), game.initial_state, 1 << 24, ignored=ignored)
    if not space.explore(math.inf, until=lambda: space.count > 3000):
        return None
    fewest = {}
    for end in np.flatnonzero(space.terminal[: space.count]).tolist():
        score = int(space.scores[end, 0])
        fewest[score] = min(fewest.get(score, 99), len(space.line_to(end)))
    return fewest, space.count


def check(game):
    """Compares scores above what time brings; returns numbers of states, None if there is nothing to compare."""
    clock = clock_of(game)
    if clock is None:
        return None
    found = best_ends(game, None)
    if found is None:
        return None
    with_time, several = found
    without, fewer = best_ends(game, clock.fluents)
    assert {s: n for s, n in with_time.items() if s > clock.most} == {s: n for s, n in without.items() if s > clock.most}
    assert fewer <= several
    return several, fewer


@pytest.mark.parametrize(
    ("name", "most", "states"),
    [("lights-out-3x3", 0, (1536, 512)), ("hanoi-3", 60, (170, 27)), ("dial-then-maze", 0, (48, 10)), ("queens-6", None, None)],
)
def test_own_games(name, most, states):
    game = ground(load_program(path_of(name)))
    clock = clock_of(game)
    assert (clock.most if clock else None) == most
    assert check(game) == states


COUNT = """
(init (step 0)) (<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
(<= (next (step 4)) (true (step 3))) (<= terminal (true (step 4)))
"""


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rule_sheets().filter(lambda text: "(role b)" not in text),
    st.sampled_from(["", "(<= (goal a 70) (true (step 4)))", "(<= (goal a 0) (true (step 2)))"]),
)
def test_random_rules(text, more):
    game = ground_text(text + COUNT + more)
    check(game)


GAME = """
(role r) (init (at 0)) (init (step 0)) (up 0 1) (up 1 2) (up 2 3)
(<= (legal r (to ?n)) (true (at ?m)) (up ?m ?n)) (<= (legal r (to ?m)) (true (at ?n)) (up ?m ?n))
(<= (next (at ?n)) (does r (to ?n))) (<= (next (step ?n)) (true (step ?m)) (up ?m ?n))
(<= terminal (true (at 2))) (<= terminal (true (step 3)))
"""


@pytest.mark.parametrize(
    ("goals", "most"),
    [
        ("(<= (goal r 100) (true (at 2))) (<= (goal r 10) (not (true (at 2))))", 10),
        ("(<= (goal r 50) (true (at 2))) (<= (goal r 100) (true (at 1)))", 100),
        ("(<= (goal r 100) (true (at 2))) (<= (goal r 0) (true (step 3)) (not (true (at 2))))", 0),
        # Being late costs: time tells scores apart.
        ("(<= (goal r 100) (true (at 2)) (not (true (step 3)))) (<= (goal r 0) (not (true (at 2))))", None),
        ("(<= (goal r 100) (true (at 2)) (true (step 2))) (<= (goal r 0) (not (true (at 2))))", None),
    ],
)
def test_what_time_brings(goals, most):
    game = ground_text(GAME + goals)
    clock = clock_of(game)
    assert (None if clock is None else clock.most) == most
    check(game)


def test_time_that_matters_to_moves_stays():
    game = ground_text(
        GAME.replace("(<= (legal r (to ?m)) (true (at ?n)) (up ?m ?n))", "(<= (legal r (to 0)) (true (step 2)))")
        + "(<= (goal r 100) (true (at 2))) (<= (goal r 0) (not (true (at 2))))"
    )
    # Only the last moment leaves moves alone.
    assert {str(game.fluent(int(f))) for f in np.flatnonzero(clock_of(game).fluents)} == {"(step 3)"}
    check(game)
