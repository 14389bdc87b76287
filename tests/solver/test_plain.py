"""The engine for small instances against the compiled one and against answers by definition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.solver import PlainSolver, Solver, TooMuchWorkError
from tests.solver.networks import every_solution, networks, random_ternary, table, variable
from xcsp import Instance

NAMES = ("dom/ddeg", "dom/wdeg", "dom", "lex")


@given(networks(), st.sampled_from(NAMES), st.integers(1, 5))
@settings(max_examples=200, deadline=None)
def test_solutions_counts_and_limits(instance: Instance, ordering: str, limit: int) -> None:
    expected = every_solution(instance)
    solver = PlainSolver(instance, ordering)
    compiled = Solver(instance, ordering).solutions()
    found = solver.solutions()
    assert sorted(map(tuple, found.values.tolist())) == sorted(map(tuple, compiled.values.tolist())) == expected
    assert (found.complete, solver.count().number, solver.count().complete) == (True, len(expected), True)
    some = solver.solutions(limit=limit)
    assert len(some) == min(limit, len(expected))
    assert some.complete == (len(expected) < limit)
    assert set(map(tuple, some.values.tolist())) <= set(expected)
    assert solver.count(limit=limit).number >= min(limit, len(expected))


@pytest.mark.parametrize("seed_tables", [6, 9, 12, 16])
def test_tables_of_several_words(seed_tables: int) -> None:
    instance = random_ternary(variables=7, values=5, tables=seed_tables, looseness=0.35)
    expected = sorted(map(tuple, Solver(instance).solutions().values.tolist()))
    assert sorted(map(tuple, PlainSolver(instance).solutions().values.tolist())) == expected


def test_every_question_begins_anew() -> None:
    solver = PlainSolver(Instance("two", (variable("x", range(3)), variable("y", range(3))), (table([0, 1], [(0, 1), (2, 2)]),)))
    first, second = solver.solutions(limit=1), solver.solutions()
    assert (len(first), len(second)) == (1, 2)
    assert second.nodes == solver.solutions().nodes > 0


def test_untied_variables_are_multiplied() -> None:
    free = Instance("free", tuple(variable(f"x{i}", range(10)) for i in range(40)), ())
    assert PlainSolver(free).count().number == 10**40
    assert PlainSolver(Instance("nothing", (), ())).solutions().values.shape == (1, 0)


def test_a_contradiction_at_the_root_is_no_solution() -> None:
    nothing = PlainSolver(Instance("no", (variable("x", [1, 2]),), (table([0], []),)))
    answer = nothing.solutions()
    assert (answer.values.shape, answer.complete, nothing.count().number) == ((0, 1), True, 0)


def test_no_time_leaves_the_answer_open() -> None:
    answer = PlainSolver(random_ternary()).solutions(seconds=0.0)
    assert (len(answer), answer.complete) == (0, False)


@pytest.mark.parametrize("steps", [0, 1000, 20_000])
def test_too_much_work_is_given_up(steps: int) -> None:
    with pytest.raises(TooMuchWorkError):
        PlainSolver(random_ternary(), most_steps=steps).solutions()
    with pytest.raises(TooMuchWorkError):
        PlainSolver(random_ternary(), most_steps=steps).count()


def test_large_tables_are_given_up_before_any_work() -> None:
    rows = [(i // 200, i % 200) for i in range(20_000)]
    large = Instance("large", (variable("x", range(200)), variable("y", range(200))), (table([0, 1], rows),))
    with pytest.raises(TooMuchWorkError):
        PlainSolver(large)
