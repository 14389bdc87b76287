"""Proven values: games whose values were computed once by backward induction, cycles, ties, simultaneous moves."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import load_program
from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from scsp_player.search.expansion import PropnetExpander
from scsp_player.search.mac_ucb import MacUcb
from scsp_player.search.settings import SearchSettings
from tests.games.sheets import expected, path_of


def search_of(program, role=0, **options):
    game = ground(program)
    propnet = Propnet(game)
    return MacUcb(game, propnet, PropnetExpander(propnet), role, settings=SearchSettings(**options), seed=7)


def thought(search, leaves):
    search.think(time.monotonic() + 1000.0, leaves=leaves)
    return search


@pytest.mark.parametrize(
    ("name", "leaves"),
    [("tic-tac-toe", 20_000), ("nim", 5_000), ("push-your-luck", 30_000), ("hanoi-3", 5_000), ("queens-6", 2_000)],
)
def test_values_of_best_play(name, leaves):
    values = expected()[name]["best_play"]
    search = search_of(load_program(path_of(name)), role=0)
    thought(search, leaves)
    assert search.decided
    assert search.value == pytest.approx(values[search.game.roles[0]], abs=1e-4)
    best = search.statistics()[0]
    assert best.proven
    assert best.mean == pytest.approx(search.value, abs=1e-4)


CIRCLE = """
; Two tokens on a circle of five places, moved in turn by one place either way, or not at all; who lands on the other wins.
; Nothing counts the turns, so a match may go on for ever.
(role left) (role right)
(init (at left 1)) (init (at right 3)) (init (turn left))
(after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 1)
(other left right) (other right left)
(<= (legal ?p (go ?n)) (true (turn ?p)) (true (at ?p ?m)) (after ?m ?n))
(<= (legal ?p (go ?n)) (true (turn ?p)) (true (at ?p ?m)) (after ?n ?m))
(<= (legal ?p (go ?n)) (true (turn ?p)) (true (at ?p ?n)))
(<= (legal ?q wait) (true (turn ?p)) (other ?p ?q))
(<= (next (at ?p ?n)) (does ?p (go ?n)))
(<= (next (at ?p ?n)) (does ?p wait) (true (at ?p ?n)))
(<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
(<= met (true (at left ?n)) (true (at right ?n)))
(<= terminal met)
(<= (goal ?p 100) met (true (turn ?q)) (other ?p ?q))
(<= (goal ?p 0) (true (turn ?p)))
"""


def test_matches_without_end_prove_nothing_and_hang_nothing():
    search = thought(search_of(parse_program(CIRCLE, "circle"), depth_limit=50), 3_000)
    assert search.graph.nodes < 60
    assert not search.decided
    near = thought(search_of(parse_program(CIRCLE.replace("(at right 3)", "(at right 2)"), "circle"), depth_limit=50), 500)
    assert near.value == 100


PRISONERS = """
; Two rounds of the prisoners' dilemma; what was won in both is added up.
(role a) (role b)
(init (round 1)) (init (sum a 0)) (init (sum b 0))
(other a b) (other b a)
(gain quiet quiet 30) (gain quiet talk 0) (gain talk quiet 50) (gain talk talk 10)
(plus 0 0 0) (plus 0 10 10) (plus 0 30 30) (plus 0 50 50)
(plus 10 0 10) (plus 10 10 20) (plus 10 30 40) (plus 10 50 60)
(plus 30 0 30) (plus 30 10 40) (plus 30 30 60) (plus 30 50 80)
(plus 50 0 50) (plus 50 10 60) (plus 50 30 80) (plus 50 50 100)
(<= (legal ?p quiet) (role ?p)) (<= (legal ?p talk) (role ?p))
(<= (next (sum ?p ?n)) (does ?p ?x) (other ?p ?q) (does ?q ?y) (gain ?x ?y ?g) (true (sum ?p ?m)) (plus ?m ?g ?n))
(<= (next (round 2)) (true (round 1)))
(<= (next (round 3)) (true (round 2)))
(<= terminal (true (round 3)))
(<= (goal ?p ?n) (true (sum ?p ?n)))
"""


def test_dominated_moves_are_left_out():
    search = thought(search_of(parse_program(PRISONERS, "prisoners")), 3_000)
    assert search.value == 20


TREE = "(role a) (role b) (init (at n0)) (<= (legal ?r noop) (role ?r) (not (turn ?r)))\n(<= (next (at ?y)) (goes ?y))\n"


def tree_game(parents, turns, scores):
    """A game on a tree: node i's parent, who moves there, and the scores at leaves; values by plain backward induction too."""
    children = [[j for j in range(1, len(parents) + 1) if parents[j - 1] == i] for i in range(len(parents) + 1)]
    lines = [TREE]
    for i, below in enumerate(children):
        who = "ab"[turns[i]]
        if below:
            lines.append(f"(<= (turn {who}) (true (at n{i})))")
            lines += [f"(<= (legal {who} (to n{j})) (true (at n{i})))" for j in below]
            lines += [f"(<= (goes n{j}) (does {who} (to n{j})))" for j in below]
        else:
            lines += [f"(<= terminal (true (at n{i})))", f"(<= (goal a {scores[i]}) (true (at n{i})))"]
            lines.append(f"(<= (goal b {100 - scores[i]}) (true (at n{i})))")

    def value(i):
        below = [value(j) for j in children[i]]
        return (max if turns[i] == 0 else min)(below) if below else scores[i]

    return "\n".join(lines), value(0)


@given(st.data())
@settings(max_examples=12, deadline=None)
def test_trees_are_solved_as_by_backward_induction(data):
    size = data.draw(st.integers(1, 30))
    parents = [data.draw(st.integers(max(0, i // 3 - 1), i // 2)) for i in range(size)]
    turns = [data.draw(st.integers(0, 1)) for _ in range(size + 1)]
    scores = [data.draw(st.sampled_from([0, 30, 50, 100])) for _ in range(size + 1)]
    text, value = tree_game(parents, turns, scores)
    search = thought(search_of(parse_program(text, "tree"), playouts=1, batch=4), 2_000)
    assert search.value == value
    assert np.isclose(search.graph.arrays.exact[search._roots[0], 1], 100 - value)


GIFT = """
; Whether a stops, and b gets nothing, or goes on, and b gets 100, is all the same to a.
(role a) (role b) (init (at s))
(<= (legal a stop) (true (at s))) (<= (legal a go) (true (at s))) (legal b wait)
(<= (next (at x)) (does a stop)) (<= (next (at y)) (does a go))
(<= terminal (not (true (at s))))
(<= (goal a 100) (not (true (at s))))
(<= (goal b 0) (not (true (at y)))) (<= (goal b 100) (true (at y)))
"""


def test_a_tie_that_others_care_about_proves_nothing():
    search = thought(search_of(parse_program(GIFT, "gift")), 200)
    assert not search.decided
