"""Sums, counts and allDifferent in the solver: what every combination tried says, and the strength that is claimed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.solver import ENGINES, ORDERINGS, ReferenceSolver, Solver
from tests.solver.networks import every_solution, networks, table, variable
from xcsp.errors import XcspError
from xcsp.model import Instance
from xcsp.relations import CONDITIONS, AllDifferent, Count, Sum


def array(numbers, kind=np.int32):
    return np.array(list(numbers), dtype=kind)


@st.composite
def with_relations(draw: st.DrawFn) -> Instance:
    """Small networks with relations of all kinds among their tables."""
    plain = draw(networks(most_variables=5, most_values=4))
    indices = list(range(len(plain.variables)))
    relations = []
    for _ in range(draw(st.integers(1, 3))):
        scope = draw(st.lists(st.sampled_from(indices), min_size=1, unique=True))
        kind = draw(st.sampled_from(["different", "sum", "count"]))
        condition = CONDITIONS[draw(st.sampled_from(sorted(CONDITIONS)))](draw(st.integers(-4, 8)))
        if draw(st.booleans()):
            least = draw(st.integers(-6, 8))
            condition = (least, least + draw(st.integers(-1, 5)), draw(st.booleans()))
        if kind == "different":
            relations.append(AllDifferent(array(scope), array(draw(st.sets(st.integers(-2, 6), max_size=2)))))
        elif kind == "sum":
            weights = draw(st.lists(st.integers(-3, 3), min_size=len(scope), max_size=len(scope)))
            relations.append(Sum(array(scope), array(weights, np.int64), *condition))
        else:
            counter = draw(st.sampled_from([-1, scope[0]]))
            counted = [x != counter or draw(st.booleans()) for x in scope]
            values = draw(st.sets(st.integers(-2, 6), max_size=4))
            relations.append(Count(array(scope), array(counted, np.bool_), counter, array(values), *condition))
    return Instance("relations", plain.variables, plain.constraints, relations=tuple(relations))


def solutions(instance: Instance) -> list[tuple[int, ...]]:
    return [
        row
        for row in every_solution(instance)
        if all(relation.holds([row[x] for x in relation.scope.tolist()]) for relation in instance.relations)
    ]


@given(with_relations(), st.sampled_from(sorted(ORDERINGS)), st.sampled_from(sorted(ENGINES)), st.data())
@settings(max_examples=250, deadline=None)
def test_solutions_are_those_of_trying_everything(instance: Instance, ordering: str, engine: str, data: st.DataObject) -> None:
    expected = solutions(instance)
    solver = Solver(instance, ordering, engine=engine)
    assert sorted(map(tuple, solver.solutions().values.tolist())) == expected
    assert solver.count().number == len(expected)
    assert len(solver.first()) == min(1, len(expected))
    consistent = solver.singleton_consistent()
    for x in range(len(instance.variables) if consistent else 0):
        assert {row[x] for row in expected} <= set(consistent[x].tolist())
    project = data.draw(st.lists(st.sampled_from(range(len(instance.variables))), unique=True))
    told = data.draw(st.sampled_from(range(len(instance.variables))))
    value = data.draw(st.sampled_from(instance.variables[told].domain.tolist()))
    found = solver.solutions(([told], [value]), project=project).values.tolist()
    wanted = {tuple(row[x] for x in project) for row in expected if row[told] == value}
    assert len(found) == len(wanted)
    assert set(map(tuple, found)) == wanted


@given(with_relations())
@settings(max_examples=50, deadline=None)
def test_python_constraint_says_the_same(instance: Instance) -> None:
    assert ReferenceSolver(instance).count().number == Solver(instance).count().number


@given(st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=1, max_size=5), st.sets(st.integers(0, 5), max_size=2))
@settings(max_examples=200, deadline=None)
def test_all_different_leaves_consistent_values_only(domains: list[set[int]], excepted: set[int]) -> None:
    variables = tuple(variable(f"x{i}", domain) for i, domain in enumerate(domains))
    relation = AllDifferent(array(range(len(domains))), array(excepted))
    rows = [row for row in itertools.product(*map(sorted, domains)) if relation.holds(row)]
    left = Solver(Instance("different", variables, (), relations=(relation,))).propagate()
    if left is None:
        assert not rows
    else:
        assert [part.tolist() for part in left] == [sorted({row[x] for row in rows}) for x in range(len(domains))]


def test_a_sum_over_many_variables_needs_no_table() -> None:
    variables = tuple(variable(f"x{i}", range(1000)) for i in range(40))
    everything = array(range(40))
    full = Sum(everything, array([1] * 40, np.int64), 999 * 40 - 2, None)
    solver = Solver(Instance("sum", variables, (), relations=(full,)))
    left = solver.propagate()
    assert left is not None
    assert {tuple(part.tolist()) for part in left} == {(997, 998, 999)}
    assert solver.count().number == 1 + 40 + 40 + 40 * 39 // 2


def test_queens_by_all_different_only() -> None:
    n = 8
    queens = [variable(f"q{i}", range(n)) for i in range(n)]
    up = [variable(f"u{i}", range(i, n + i)) for i in range(n)]
    down = [variable(f"d{i}", range(-i, n - i)) for i in range(n)]
    tables = [table([i, n + i], [(v, v + i) for v in range(n)]) for i in range(n)]
    tables += [table([i, 2 * n + i], [(v, v - i) for v in range(n)]) for i in range(n)]
    relations = tuple(AllDifferent(array(range(k * n, (k + 1) * n))) for k in range(3))
    assert Solver(Instance("queens", (*queens, *up, *down), tuple(tables), relations=relations)).count().number == 92


def test_numbers_that_no_integer_holds_are_refused() -> None:
    variables = (variable("x", [0, 1 << 30]), variable("y", [0, 1]))
    huge = Sum(array([0, 1]), array([1 << 31, 1], np.int64), 0, 1)
    with pytest.raises(XcspError, match="too large"):
        Solver(Instance("huge", variables, (), relations=(huge,)))


@pytest.mark.parametrize("scope", [[], [0, 0], [2]])
def test_malformed_scopes_are_refused(scope: list[int]) -> None:
    variables = (variable("x", [0, 1]), variable("y", [0, 1]))
    with pytest.raises(ValueError, match="relation 0"):
        Solver(Instance("wrong", variables, (), relations=(AllDifferent(array(scope)),)))
