"""Large relations in little: boxes, blocks, coordinates of moves, sets of fluents that look alike."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import parse_program
from scsp_player.grounding import ground
from scsp_player.network import template
from scsp_player.network.boxes import blocks, boxes
from scsp_player.network.coordinates import coordinates, decomposed
from scsp_player.network.functions import Partitions
from scsp_player.solver import Solver
from tests.network.checking import check_walks


@given(st.integers(1, 3), st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_boxes_cover_exactly_the_true_cells(dimensions, seed, size):
    table = np.random.default_rng(seed).random((size,) * dimensions) < 0.6
    found = boxes(table, table.size)
    union = np.zeros_like(table)
    for box in found:
        union[np.ix_(*box)] = True
    assert (union == table).all()
    assert not len(found) or boxes(table, len(found) - 1) is None


@pytest.mark.parametrize("holds", [False, True])
def test_a_table_without_axes_is_one_box_or_none(holds):
    assert boxes(np.array(holds), 4) == [()] * holds


def test_four_things_that_agree_in_a_property_are_eight_boxes():
    bits = np.array([[(thing >> k) & 1 for k in range(4)] for thing in range(16)] + [[2] * 4])
    table = np.zeros((17,) * 4, dtype=bool)
    for k, value in itertools.product(range(4), (0, 1)):
        same = bits[:, k] == value
        table |= same[:, None, None, None] & same[:, None, None] & same[:, None] & same
    assert len(boxes(table, 32)) == 8


@pytest.mark.parametrize("relation", [lambda i, j: i < j, lambda i, j: i == j, lambda i, j: i + j >= 500])
def test_relations_of_counters_are_few_kinds_of_blocks(relation):
    table = np.fromfunction(relation, (500, 450))[np.random.default_rng(1).permutation(500)]
    assert blocks(table).cost < 11_000
    band = np.fromfunction(lambda i, j: abs(i - j) <= 3, (500, 450))
    assert blocks(band).cost < 11_000


@given(st.integers(8, 20), st.integers(8, 20), st.integers(0, 2**32 - 1), st.sampled_from(["random", "less", "equal"]))
def test_blocks_say_what_the_relation_says(rows, columns, seed, kind):
    random = np.random.default_rng(seed)
    i, j = np.indices((rows, columns))
    table = {"random": random.random((rows, columns)) < 0.5, "less": i < j, "equal": i == j}[kind]
    table = table[random.permutation(rows)][:, random.permutation(columns)]
    found = blocks(table)
    (a, b), (x, y) = found.block, found.place
    kinds = found.kind[np.ix_(a, b)]
    assert (found.look[kinds, x[:, None], y[None, :]] == table).all()


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1))
def test_coordinates_tell_classes_of_moves(seed):
    random = np.random.default_rng(seed)
    squares = 12
    begins, ends = np.divmod(random.permutation(squares * squares), squares)
    partitions = Partitions()
    asked = [partitions.of(0, (begins == s) + 2 * ((ends == s) & (begins != s))) for s in range(squares)]
    asked += [partitions.of(0, (begins == s) | (ends == s)) for s in range(squares)]
    asked.append(partitions.of(0, random.permutation(squares * squares) % 3))
    found = coordinates(asked)
    parts = [decomposed(partition, found) for partition in asked]
    assert found
    assert all(part is not None for part in parts[:squares])
    for partition, part in zip(asked, parts, strict=True):
        if part is None:
            continue
        said = [named[found[k]] for k, named in zip(part.coordinates, part.named, strict=True)]
        for value, label in enumerate(partition.labels.tolist()):
            assert {int(s[value]) for s in said} - {-1} == ({label} if label != part.rest else set())


COUNTERS = """
(role a) (role b)
(init (x 0)) (init (y 7))
(<= (legal a up) (true (x ?v))) (<= (legal a stay) (true (x ?v)))
(<= (legal b up) (true (y ?v))) (<= (legal b stay) (true (y ?v)))
(<= (next (x ?w)) (true (x ?v)) (does a up) (follows ?v ?w))
(<= (next (x ?v)) (true (x ?v)) (does a stay))
(<= (next (y ?w)) (true (y ?v)) (does b up) (follows ?v ?w))
(<= (next (y ?v)) (true (y ?v)) (does b stay))
(<= (less ?a ?b) (follows ?a ?b) (distinct ?b 0))
(<= (less ?a ?c) (less ?a ?b) (follows ?b ?c) (distinct ?c 0))
(<= ahead (true (x ?v)) (true (y ?w)) (less ?w ?v))
(<= terminal (true (x ?v)) (true (y ?v)))
(<= terminal ahead)
(<= (goal a 100) ahead) (<= (goal a 50) (not ahead)) (<= (goal b 0) ahead) (<= (goal b 50) (not ahead))
"""


def test_a_comparison_larger_than_any_table_is_cut_into_blocks(monkeypatch):
    monkeypatch.setattr("scsp_player.network.circuit.LARGE_CELLS", 400)
    numbers = 40
    facts = "\n".join(f"(follows {i} {(i + 1) % numbers})" for i in range(numbers))
    micro = template(ground(parse_program(COUNTERS + facts, "counters")), tuple_limit=400)
    assert any("block" in variable.name for variable in micro.instance.variables)
    assert max(len(table.tuples) for table in micro.instance.constraints) <= 400
    solver = Solver(micro.instance)
    assert check_walks(micro, lambda *state: solver.solutions(state).values, walks=4, plies=20) > 20


PIECES = """
(role a) (init (control a))
(piece dark-tall) (piece dark-short) (piece pale-tall) (piece pale-short) (piece dark-round) (piece pale-round)
(place 1) (place 2) (place 3)
(dark dark-tall) (dark dark-short) (dark dark-round) (pale pale-tall) (pale pale-short) (pale pale-round)
(tall dark-tall) (tall pale-tall) (short dark-short) (short pale-short) (low dark-round) (low pale-round)
(<= (init (at ?p box)) (piece ?p))
(<= (alike ?p ?q ?r) (dark ?p) (dark ?q) (dark ?r)) (<= (alike ?p ?q ?r) (pale ?p) (pale ?q) (pale ?r))
(<= (alike ?p ?q ?r) (tall ?p) (tall ?q) (tall ?r)) (<= (alike ?p ?q ?r) (short ?p) (short ?q) (short ?r))
(<= (alike ?p ?q ?r) (low ?p) (low ?q) (low ?r))
(<= (taken ?s) (true (at ?p ?s)))
(<= (legal a (put ?p ?s)) (true (at ?p box)) (place ?s) (not (taken ?s)))
(<= (legal a rest) (true (control a)))
(<= (next (at ?p ?s)) (does a (put ?p ?s)))
(<= (next (at ?p ?s)) (true (at ?p ?s)) (not (moved ?p)))
(<= (moved ?p) (does a (put ?p ?s)))
(<= (next (control a)) (true (control a)))
(<= line (true (at ?p 1)) (true (at ?q 2)) (true (at ?r 3)) (alike ?p ?q ?r))
(<= terminal line) (<= (goal a 100) line) (<= (goal a 0) (not line))
"""


def test_what_is_alike_but_no_values_of_a_variable_becomes_few_conditions(monkeypatch):
    monkeypatch.setattr("scsp_player.network.formulas.MANY_PATTERNS", 2)
    micro = template(ground(parse_program(PIECES, "pieces")))
    solver = Solver(micro.instance)
    assert check_walks(micro, lambda *state: solver.solutions(state).values, walks=12, plies=8) > 20


@pytest.mark.parametrize(
    "other", ["(true (control b))", "(not (true (control a)))", "(true (control b)) (not (true (at pale-tall 1)))"]
)
def test_some_rules_mention_none_or_few_of_the_fluents_that_are_alike(monkeypatch, other):
    monkeypatch.setattr("scsp_player.network.formulas.MANY_PATTERNS", 2)
    rules = PIECES.replace("(<= (next (control a)) (true (control a)))", "(<= (next (control a)) (not (does a rest)))")
    micro = template(ground(parse_program(f"{rules} (<= (next (control b)) (does a rest)) (<= line {other})", "pieces")))
    solver = Solver(micro.instance)
    assert check_walks(micro, lambda *state: solver.solutions(state).values, walks=12, plies=8) > 12


ROOKS = """
(role a) (role b) (init (control a)) (init (cell 1 1 a)) (init (cell 6 6 b))
(row 1) (row 2) (row 3) (row 4) (row 5) (row 6)
(<= (line ?x ?y ?x ?z) (row ?x) (row ?y) (row ?z) (distinct ?y ?z))
(<= (line ?x ?y ?z ?y) (row ?x) (row ?y) (row ?z) (distinct ?x ?z))
(<= (full ?x ?y) (true (cell ?x ?y ?any)))
(<= (legal ?p (move ?x ?y ?u ?v ?s ?t))
    (true (control ?p)) (true (cell ?x ?y ?p)) (line ?x ?y ?u ?v) (not (full ?u ?v)) (line ?u ?v ?s ?t) (not (full ?s ?t)))
(<= (legal ?p wait) (role ?p) (not (true (control ?p))))
(<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
(<= (next (cell ?u ?v ?p)) (does ?p (move ?x ?y ?u ?v ?s ?t)))
(<= (next (cell ?s ?t stone)) (does ?p (move ?x ?y ?u ?v ?s ?t)))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (not (left ?x ?y)))
(<= (left ?x ?y) (does ?p (move ?x ?y ?u ?v ?s ?t)))
(<= terminal (true (cell 3 3 ?any))) (goal a 50) (goal b 50)
"""


def test_many_moves_are_told_by_their_coordinates():
    micro = template(ground(parse_program(ROOKS, "rooks")))
    names = [variable.name for variable in micro.instance.variables]
    assert sum("coordinate" in name for name in names) >= 4
    moves = len(micro.instance.variables[micro.action_variable[0]].domain)
    binary = [t for t in micro.instance.constraints if len(t.tuples) == moves and "class" in t.classes]
    assert len(binary) <= 10
    solver = Solver(micro.instance)
    assert check_walks(micro, lambda *state: solver.solutions(state).values, walks=2, plies=6) > 5
