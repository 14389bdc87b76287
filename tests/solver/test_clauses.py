"""Clauses: models against all assignments, contradictions that need learning, counters."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.network.logic import at_least
from scsp_player.solver import clauses as module
from scsp_player.solver.clauses import ClauseList, ClauseSolver

LITERALS = st.integers(0, 15)


def satisfied(model, clause):
    return any(bool(model[literal >> 1]) != bool(literal & 1) for literal in clause)


def listed(written, variables=8):
    clauses = ClauseList(variables)
    for clause in written:
        clauses.add(clause)
    return clauses


def pigeons(count, holes):
    clauses = ClauseList(count * holes)
    for pigeon in range(count):
        clauses.add(2 * (pigeon * holes + hole) for hole in range(holes))
    for hole in range(holes):
        for a, b in itertools.combinations(range(count), 2):
            clauses.add((2 * (a * holes + hole) + 1, 2 * (b * holes + hole) + 1))
    return clauses


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(LITERALS, min_size=1, max_size=4), max_size=40), st.lists(LITERALS, max_size=3))
def test_models_are_those_of_all_assignments(written, assumptions):
    solver = ClauseSolver(listed(written))
    models = {m for m in itertools.product((False, True), repeat=8) if all(satisfied(m, c) for c in written)}
    wanted = any(all(satisfied(m, [a]) for a in assumptions) for m in models)
    assert solver.solve(assumptions) == wanted
    implied = solver.implied(assumptions)
    if implied is None:
        assert not wanted
    else:
        assert all(satisfied(m, [i]) for m in models if all(satisfied(m, [a]) for a in assumptions) for i in implied)
    found = set()
    while solver.solve(()) and len(found) <= len(models):
        model = tuple(solver.model()[:8].tolist())
        found.add(model)
        solver.add(2 * v + model[v] for v in range(8))
    assert found == models


def test_a_contradiction_that_takes_search():
    assert ClauseSolver(pigeons(6, 6)).solve(()) is True
    solver = ClauseSolver(pigeons(7, 6))
    assert solver.solve(()) is False
    assert solver.conflicts > 10
    assert solver.solve([0]) is False


def test_it_stops_when_asked_to_and_goes_on_afterwards():
    solver = ClauseSolver(pigeons(8, 7))
    assert solver.solve((), lambda: True) is None
    assert solver.solve((), conflicts=1) is None
    assert solver.solve(()) is False


def test_learnt_clauses_are_forgotten_without_harm(monkeypatch):
    monkeypatch.setattr(module, "ROOM", 64 * 40)
    generator = np.random.default_rng(1)
    for _ in range(4):
        rows = [[2 * int(v) + int(generator.integers(2)) for v in generator.choice(60, 3, replace=False)] for _ in range(250)]
        solver = ClauseSolver(listed(rows, 60))
        if solver.solve(()):
            assert all(satisfied(solver.model(), row) for row in rows)
        assert solver.conflicts > 40


@pytest.mark.parametrize("bits", list(itertools.product((0, 1), repeat=4)))
def test_counters_count(bits):
    clauses = ClauseList(4)
    outputs = at_least(clauses, [0, 2, 4, 6], 3)
    implied = ClauseSolver(clauses).implied([2 * v + 1 - bit for v, bit in enumerate(bits)])
    assert [literal in implied for literal in outputs] == [sum(bits) > k for k in range(3)]
    assert all(literal in implied or literal ^ 1 in implied for literal in outputs)
