"""The clause-learning prover against truth tables."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.network.csr import stack_rows
from scsp_player.network.proof import ClauseProver

FREE = 6


@st.composite
def problems(draw):
    """Free variables 1 … FREE in groups, and variables defined from earlier ones."""
    defined = draw(st.integers(0, 6))
    rows, kinds = [[] for _ in range(1 + FREE)], [0] * (1 + FREE)
    for k in range(defined):
        literals = st.integers(2, 2 * (FREE + k) + 1)
        rows.append(draw(st.lists(literals, min_size=1, max_size=4)))
        kinds.append(draw(st.integers(0, 1)))
    variables = 1 + FREE + defined
    literal = st.integers(0, 2 * variables - 1)
    clauses = draw(st.lists(st.lists(literal, min_size=1, max_size=3), max_size=4))
    groups = draw(st.lists(st.lists(st.integers(1, FREE), min_size=1, max_size=4, unique=True), max_size=3))
    full = [draw(st.booleans()) for _ in groups]
    choices = draw(st.lists(st.lists(st.integers(1, FREE), min_size=1, max_size=3, unique=True), max_size=1))
    questions = draw(st.lists(st.lists(literal, min_size=1, max_size=3), min_size=1, max_size=4))
    return rows, kinds, clauses, groups, full, choices, questions


def models(rows, kinds, clauses, groups, full, choices):
    for free in itertools.product([False, True], repeat=FREE):
        value = [True, *free]
        for row, kind in zip(rows[1 + FREE :], kinds[1 + FREE :], strict=True):
            inputs = [value[x >> 1] != bool(x & 1) for x in row]
            value.append(all(inputs) if kind else any(inputs))
        holds = all(any(value[x >> 1] != bool(x & 1) for x in clause) for clause in clauses)
        counts = [sum(value[v] for v in group) for group in groups]
        holds &= all(c <= 1 and (c == 1 or not f) for c, f in zip(counts, full, strict=True))
        holds &= all(sum(value[v] for v in choice) == 1 for choice in choices)
        if holds:
            yield value


def arrays(rows):
    return [np.array(row, dtype=np.int32) for row in rows]


@settings(max_examples=150, deadline=None)
@given(problems())
def test_refutes_what_no_model_satisfies_and_nothing_else_that_it_could_satisfy(problem):
    rows, kinds, clauses, groups, full, choices, questions = problem
    start, inputs = stack_rows(arrays(rows))
    prover = ClauseProver(
        np.array(kinds, dtype=np.int32),
        start,
        inputs,
        clauses=[stack_rows(arrays(clauses))],
        choices=stack_rows(arrays(choices)),
        exclusive=stack_rows(arrays(groups)),
        full=np.array(full, dtype=np.bool_),
    )
    found = list(models(rows, kinds, clauses, groups, full, choices))
    for question in questions * 2:
        possible = any(all(value[x >> 1] != bool(x & 1) for x in question) for value in found)
        # "Not refuted" promises nothing, but what has a model must never be refuted.
        if prover.refutes(question):
            assert not possible


def pigeons(holes):
    """One pigeon more than holes: each pigeon chooses a hole, no hole takes two."""
    place = 1 + np.arange((holes + 1) * holes, dtype=np.int32).reshape(holes + 1, holes)
    kind = np.zeros(1 + place.size, dtype=np.int32)
    start = np.zeros(len(kind) + 1, dtype=np.int64)
    return {
        "kind": kind,
        "start": start,
        "inputs": np.zeros(0, dtype=np.int32),
        "choices": stack_rows(list(place)),
        "exclusive": stack_rows(list(place.T)),
        "full": np.zeros(holes, dtype=np.bool_),
    }


def test_a_proof_by_cases():
    assert ClauseProver(**pigeons(4)).refutes([0])


def test_out_of_effort_means_not_refuted():
    prover = ClauseProver(**pigeons(7), max_work=100)
    assert not prover.refutes([0])
    # What was learned is kept: asking again goes on.
    assert any(prover.refutes([0]) for _ in range(5000))


def test_room_for_learned_clauses_grows():
    prover = ClauseProver(**pigeons(7))
    prover._reserve(prover._given + 20, int(prover._clauses.start[prover._given]) + 100)
    assert isinstance(prover.refutes([0]), bool)
    assert len(prover._clauses.start) > prover._given + 21


def test_contradictory_clauses_refute_everything():
    assert ClauseProver(**pigeons(1), units=[2, 3]).refutes([0])
    empty = (np.array([0, 0]), np.zeros(0, dtype=np.int32))
    assert ClauseProver(**pigeons(1), clauses=[empty]).refutes([0])
