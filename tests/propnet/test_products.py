"""Long disjunctions as products: the same function, in far fewer literals."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import parse_program
from scsp_player.grounding import ground
from scsp_player.propnet.circuit import Circuit, _translate, build_circuit, cleaned, outputs_of
from scsp_player.propnet.products import with_products
from scsp_player.propnet.simplify.draft import Draft
from scsp_player.propnet.simplify.sampling import evaluated, literal_rows
from tests.propnet.simplify.equivalence import assert_same_in_play


def circuit_of(fluents, rows):
    """A circuit whose terminal is a disjunction of conjunctions, each given by its fluents."""
    draft = Draft(fluents + 1)
    terminal = draft.any_of(draft.all_of(2 * (1 + fluent) for fluent in row) for row in rows)
    frame = Circuit(fluents, 1, *(np.zeros(0, np.uint8),) * 3, 0, *(np.zeros(n, np.int32) for n in (1, 1, fluents, 0)))
    outputs = np.zeros(2 + 1 + fluents, np.int32)
    outputs[0] = terminal
    return cleaned(draft.freeze(frame, outputs))


def assert_same_everywhere(a, b, seed):
    generator = np.random.default_rng(seed)
    inputs = generator.random((a.inputs, 4096)) < generator.random((1, 4096))
    np.testing.assert_array_equal(
        *(literal_rows(evaluated(circuit, inputs), outputs_of(circuit)) for circuit in (a, b)),
    )


@given(seed=st.integers(0, 10**9), columns=st.integers(2, 4), tables=st.integers(1, 3), noise=st.integers(0, 40))
@settings(max_examples=30, deadline=None)
def test_unions_of_products(seed, columns, tables, noise):
    generator = np.random.default_rng(seed)
    values = 12 if columns == 2 else 5
    rows = set()
    for table in range(tables):
        # Tables overlap in some columns.
        first = table * int(generator.integers(0, columns + 1))
        for _ in range(int(generator.integers(1, 4))):
            factors = [
                (first + column) * values + np.flatnonzero(generator.random(values) < 0.8) for column in range(columns)
            ]
            rows.update(frozenset(map(int, row)) for row in product(*factors))
    fluents = values * 20
    rows.update(frozenset(generator.integers(0, fluents, columns).tolist()) for _ in range(noise))
    rows = [row for row in rows if row]
    circuit = circuit_of(fluents, rows)
    found = cleaned(with_products(circuit))
    assert found.literals <= circuit.literals
    assert_same_everywhere(circuit, found, seed)


def test_a_product_becomes_a_product():
    circuit = circuit_of(40, list(product(range(10), range(10, 20), range(20, 30))))
    found = cleaned(with_products(circuit))
    assert (circuit.gates, found.gates, found.literals) == (1001, 4, 33)
    assert_same_everywhere(circuit, found, 0)


def test_orders_are_sums_of_sums():
    """ "Less than" between two counters: a literal or two for each value instead of one for each pair."""
    size = 120
    circuit = circuit_of(2 * size, [(x, size + y) for x in range(size) for y in range(x + 1, size)])
    found = cleaned(with_products(circuit))
    assert circuit.literals > size * (size - 1)
    assert found.literals < 6 * size
    assert_same_everywhere(circuit, found, 0)


@pytest.mark.parametrize("seed", range(4))
def test_rows_and_columns_that_lie_in_others(seed):
    """Unions of two orders, and groups of equal rows, in either direction."""
    generator = np.random.default_rng(seed)
    left, right = generator.integers(0, 9, (2, 40)), generator.integers(0, 9, (2, 30))
    rows = [(x, 40 + y) for x in range(40) for y in range(30) if ((left[:, x] < right[:, y]).any())]
    rows = [(x, y) for x, y in rows if x != 3] + [(3, 71)]
    circuit = circuit_of(72, rows)
    assert_same_everywhere(circuit, cleaned(with_products(circuit)), seed)


@pytest.mark.parametrize("width", [2, 3])
def test_relations_without_structure_stay(width):
    generator = np.random.default_rng(1)
    rows = {tuple(20 * column + generator.integers(0, 20, width)[column] for column in range(width)) for _ in range(150)}
    circuit = circuit_of(20 * width, sorted(rows))
    assert with_products(circuit) is circuit


def test_conjunctions_in_use_elsewhere_stay():
    rows = list(product(range(10), range(10, 20)))
    circuit = circuit_of(20, rows)
    shared = replace(circuit, next=np.array([circuit.child[circuit.child_start[-2]] ^ 1] * 20, np.int32))
    assert_same_everywhere(shared, cleaned(with_products(shared)), 2)


# Three pieces in a row that have a property in common.
ALIKE = """
(role r) (cell 1) (cell 2) (cell 3) (init (there 0)) (after 0 1) (after 1 2) (after 2 3) (after 3 4)
(piece a b c) (piece a b d) (piece a e c) (piece a e d) (piece f b c) (piece f b d) (piece f e c) (piece f e d)
(<= (has (p ?x ?y ?z) ?x) (piece ?x ?y ?z)) (<= (has (p ?x ?y ?z) ?y) (piece ?x ?y ?z)) (<= (has (p ?x ?y ?z) ?z) (piece ?x ?y ?z))
(<= (filled ?c) (true (on ?c ?p)))
(<= (legal r (put ?c (p ?x ?y ?z))) (cell ?c) (piece ?x ?y ?z) (not (filled ?c)))
(<= (next (on ?c ?p)) (does r (put ?c ?p))) (<= (next (on ?c ?p)) (true (on ?c ?p)))
(<= (next (there ?m)) (true (there ?n)) (after ?n ?m))
(<= (same ?p ?q ?s) (has ?p ?k) (has ?q ?k) (has ?s ?k))
(<= alike (true (on 1 ?p)) (true (on 2 ?q)) (true (on 3 ?s)) (same ?p ?q ?s))
(<= terminal alike) (<= terminal (true (there 3))) (<= (goal r 100) alike) (<= (goal r 0) (not alike))
"""


def test_a_game_of_properties_is_small():
    game = ground(parse_program(ALIKE))
    circuit = build_circuit(game)
    # 6 properties, in each of three places one of four pieces; written out there are 6 * 64 rows less repetitions.
    assert circuit.literals < 350
    written_out = cleaned(_translate(game))
    assert written_out.literals > 3 * circuit.literals
    assert assert_same_in_play(written_out, circuit, game, turns=4) > 100
