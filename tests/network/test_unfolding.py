"""Positive cycles taken apart: components of linear rules, of others, and questions about all pairs."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scsp_player.network import template
from scsp_player.network.unfolding import unfold
from scsp_player.solver import Solver
from tests.network.checking import check_state
from tests.network.games import ground_text
from tests.network.test_rules import compare
from tests.oracles.lane_machine import LaneMachine

ALL_CONNECTED = """
(role r) (init (at 1)) (init (at 2)) (init (at 6))
(place 1) (place 2) (place 3) (place 4) (place 5) (place 6)
(<= (near ?x ?y) (edge ?x ?y)) (<= (near ?x ?y) (edge ?y ?x))
(edge 1 2) (edge 2 3) (edge 3 4) (edge 4 1) (edge 4 5) (edge 5 6)
(<= (linked ?x ?y) (true (at ?x)) (true (at ?y)) (near ?x ?y))
(<= (linked ?x ?z) (linked ?x ?y) (near ?y ?z) (true (at ?z)))
(<= apart (true (at ?x)) (true (at ?y)) (distinct ?x ?y) (not (linked ?x ?y)))
(<= apart (true (at 3)) (true (at 5)) (true (at 1)))
(<= (legal r (flip ?x)) (place ?x))
(<= (next (at ?x)) (does r (flip ?x)) (not (true (at ?x))))
(<= (next (at ?x)) (true (at ?x)) (not (does r (flip ?x))))
(<= terminal (not apart))
(<= (goal r 100) (not apart))
"""
"""Pieces on six places that are to be brought together; with a second reason for being apart."""


def graph_sheet(edges, starts, guards, several):
    """Reaching nodes of a graph from starts, through nodes that are open; an edge may ask for a fluent, or for two nodes."""
    nodes = sorted({n for edge in edges for n in edge} | set(starts))
    lines = ["(role r)", "(legal r go)", "(goal r 0)", "(<= terminal (reach 0))"]
    for number, (a, b) in enumerate(edges):
        guard = f" (true (g {number % 3}))" if guards[number % len(guards)] else ""
        second = f" (reach {several})" if several is not None and number == 0 else ""
        lines.append(f"(<= (reach {b}) (reach {a}) (true (open {b})){guard}{second})")
    lines += [f"(<= (reach {n}) (true (open {n})) (true (start {n})))" for n in starts]
    lines += [f"(<= (next (seen {n})) (reach {n}) (true (start {starts[0]})))" for n in nodes[::2]]
    lines += [f"(init (open {n}))" for n in nodes] + [f"(init (start {n}))" for n in starts]
    return "\n".join([*lines, *(f"(init (g {k}))" for k in range(3))])


@st.composite
def graphs(draw):
    nodes = st.integers(0, draw(st.integers(2, 8)))
    edges = draw(st.lists(st.tuples(nodes, nodes), min_size=2, max_size=24, unique=True))
    if draw(st.booleans()):
        edges = sorted({*edges, *((b, a) for a, b in edges)})
    starts = draw(st.lists(nodes, min_size=1, max_size=3, unique=True))
    return graph_sheet(edges, starts, draw(st.lists(st.booleans(), min_size=1, max_size=4)), draw(st.none() | nodes))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(graphs())
def test_graphs(text):
    compare(ground_text(text), samples=8)


def test_a_grid_takes_fewer_conditions_than_rounds_would():
    side = 6
    cells = list(itertools.product(range(side), repeat=2))
    edges = [(side * a + b, side * (a + x) + b + y) for a, b in cells for x, y in ((0, 1), (1, 0)) if max(a + x, b + y) < side]
    game = ground_text(graph_sheet([*edges, *((b, a) for a, b in edges)], [0], [False], None))
    rules = unfold(game)
    assert len(rules.rule_body) < game.atoms * 30 < side**2 * len(edges) * 2
    compare(game, samples=4)


def test_several_conditions_inside_a_component_go_by_rounds():
    game = ground_text(graph_sheet([(0, 1), (1, 2), (2, 0), (2, 1)], [0, 2], [True], 2))
    rules = unfold(game)
    assert rules.number.max() > 1
    compare(game, samples=12)


def linked_atoms(rules, game):
    """Atoms of the rules that stand for pairs of places."""
    derived = np.flatnonzero(np.diff(rules.head_start))
    return [a for a in derived if a < game.atoms and str(game.terms.term(int(game.atom_term[a]))).startswith("(linked")]


def test_all_pairs_are_not_asked_one_by_one():
    game = ground_text(ALL_CONNECTED)
    assert linked_atoms(unfold(game), game) == []
    compare(game, samples=40)


@pytest.mark.parametrize(
    ("rule", "instead"),
    [
        ("(<= (near ?x ?y) (edge ?y ?x))", ""),
        ("(edge 1 2)", "(edge 1 2) (<= (linked ?x ?y) (true (at ?x)) (true (at ?y)) (edge 1 ?x) (edge 3 ?y))"),
        ("(true (at ?x)) (true (at ?y)) (distinct ?x ?y) (not (linked", "(true (at ?x)) (true (at ?y)) (edge ?x ?y) (not (linked"),
    ],
    ids=["one way", "a shortcut", "only some pairs"],
)
def test_what_only_looks_like_all_pairs(rule, instead):
    game = ground_text(ALL_CONNECTED.replace(rule, instead))
    assert linked_atoms(unfold(game), game)
    compare(game, samples=20)


def test_the_network_knows_what_is_connected():
    game = ground_text(ALL_CONNECTED)
    micro, lanes = template(game), LaneMachine(game)
    solver = Solver(micro.instance)
    for places in itertools.product([False, True], repeat=6):
        state = np.zeros(game.fluents, dtype=np.bool_)
        for place, there in enumerate(places, 1):
            if there:
                state[game.fluent_index[next(t for t in game.fluent_index if str(t) == f"(at {place})")]] = True
        check_state(micro, lanes, state, lambda variables, values: solver.solutions((variables, values)).values)
