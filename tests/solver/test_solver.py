"""Solutions, counts, projections and consistency against answers found by definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.solver import encoding
from scsp_player.solver.encoding import encode
from scsp_player.solver.reference import ReferenceSolver
from scsp_player.solver.solver import Solver
from tests.solver.networks import (
    arc_consistent_domains,
    assume,
    board_turn,
    every_solution,
    lists,
    networks,
    random_ternary,
    singleton_consistent_domains,
    table,
    variable,
)
from xcsp import Instance, XcspError


def rows(solutions) -> list[tuple[int, ...]]:
    assert solutions.complete
    return sorted(map(tuple, solutions.values.tolist()))


@given(networks(), st.sampled_from(["dom/ddeg", "lex"]))
@settings(max_examples=150, deadline=None)
def test_solutions_and_count(instance: Instance, ordering: str) -> None:
    expected = every_solution(instance)
    solver = Solver(instance, ordering)
    assert rows(solver.solutions()) == expected
    assert solver.count().number == len(expected)
    assert rows(ReferenceSolver(instance).solutions()) == expected


@given(networks(), st.data())
@settings(max_examples=70, deadline=None)
def test_assumptions_and_projections(instance: Instance, data: st.DataObject) -> None:
    indices = list(range(len(instance.variables)))
    solver = Solver(instance)
    reference = ReferenceSolver(instance)
    for _ in range(2):
        assumed = data.draw(st.lists(st.sampled_from(indices), unique=True, max_size=3))
        values = [data.draw(st.sampled_from([*instance.variables[x].domain.tolist(), 9])) for x in assumed]
        project = data.draw(st.one_of(st.none(), st.lists(st.sampled_from(indices), unique=True)))
        narrowed = assume(instance, zip(assumed, values, strict=True))
        columns = indices if project is None else project
        expected = sorted({tuple(solution[x] for x in columns) for solution in every_solution(narrowed)})
        assert rows(solver.solutions((assumed, values), project=project)) == expected
        assert rows(reference.solutions((assumed, values), project=project)) == expected
        assert solver.count((assumed, values), project=project).number == len(expected)
        assert lists(solver.propagate((assumed, values))) == arc_consistent_domains(narrowed)
        assert lists(solver.singleton_consistent((assumed, values))) == singleton_consistent_domains(narrowed)


@given(networks(most_variables=4, most_values=5))
@settings(max_examples=70, deadline=None)
def test_consistency_is_that_of_the_definition(instance: Instance) -> None:
    solver = Solver(instance)
    assert lists(solver.propagate()) == arc_consistent_domains(instance)
    assert lists(solver.singleton_consistent()) == singleton_consistent_domains(instance)
    assert solver.consistent == (arc_consistent_domains(instance) is not None)


def test_published_counts() -> None:
    for expand in (False, True):
        solver = Solver(board_turn(expand))
        assert solver.count().number == 118_098
        solutions = solver.solutions()
        assert len(solutions) == 118_098
        # Cells, control and moves fix the rest: no two solutions agree on them.
        assert len(np.unique(solutions.values[:, :12] @ 10 ** np.arange(12, dtype=np.int64))) == 118_098
    solver = Solver(random_ternary())
    assert solver.count().number == 592_694
    assert solver.solutions(project=[0, 5, 7]).values.shape[1] == 3


def test_turn_of_a_given_board_has_its_moves_as_solutions() -> None:
    solver = Solver(board_turn(False))
    board = [0, 1, 0, 2, 0, 0, 0, 0, 0]
    moves = solver.solutions((range(10), [*board, 0]), project=[10, 11])
    assert rows(moves) == [(cell, 9) for cell, mark in enumerate(board) if mark == 0]
    assert lists(solver.singleton_consistent((range(10), [*board, 1])))[11] == [0, 2, 4, 5, 6, 7, 8]


def test_tables_are_encoded_alike_in_chunks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = encode(board_turn(False))
    monkeypatch.setattr(encoding, "_CHUNK_CELLS", 100)
    for name, array in vars(encode(board_turn(False))).items():
        assert np.array_equal(array, getattr(whole, name)), name


def test_tables_beyond_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "_MOST_CELLS", 100)
    with pytest.raises(XcspError, match="too large"):
        Solver(board_turn(False))


def test_counts_beyond_any_integer_of_the_machine() -> None:
    free = tuple(variable(f"v{i}", range(1000)) for i in range(30))
    solver = Solver(Instance("free", free, (table([0, 1], [(0, 0), (1, 1), (1, 2)]),)))
    assert solver.count().number == 3 * 1000**28
    assert solver.count(project=range(1, 30)).number == 3 * 1000**28
    many = tuple(variable(f"v{i}", range(1 << 10)) for i in range(7))
    odd = table([0, 1], [(i, j) for i in range(6) for j in range(6) if (i + j) % 2])
    assert Solver(Instance("sums", many, (odd,))).count().number == 18 * 1024**5


def test_instance_without_variables_or_constraints() -> None:
    assert rows(Solver(Instance("nothing", (), ())).solutions()) == [()]
    assert Solver(Instance("nothing", (), ())).count().number == 1
    assert ReferenceSolver(Instance("nothing", (), ())).count().number == 1
    assert rows(Solver(Instance("free", (variable("v", [3, 5]),), ())).solutions()) == [(3,), (5,)]
    empty = Instance("empty", (variable("u", [1]), variable("v", [])), ())
    assert not Solver(empty).consistent
    assert rows(Solver(empty).solutions()) == []
    assert Solver(empty).count().complete
    assert Solver(empty).propagate() is None
    assert ReferenceSolver(empty).count().number == 0


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (table([0, 0], [(1, 1)]), "twice"),
        (table([0, 2], [(1, 1)]), "does not exist"),
        (table([], [()]), "empty"),
        (table([0, 1], [(1, -(2**31))], False), r"\*"),
    ],
)
def test_malformed_tables_are_refused(constraint, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Solver(Instance("bad", (variable("u", [1]), variable("v", [1])), (constraint,)))


def test_malformed_questions_are_refused() -> None:
    solver = Solver(Instance("v", (variable("v", [1, 2]),), ()))
    with pytest.raises(ValueError, match="assumption"):
        solver.solutions(([1], [1]))
    with pytest.raises(ValueError, match="one value a variable"):
        solver.solutions(([0], [1, 2]))
    with pytest.raises(ValueError, match="projection"):
        solver.count(project=[-1])
    with pytest.raises(ValueError, match="ordering"):
        Solver(Instance("v", (), ()), "best")
    assert rows(solver.solutions()) == [(1,), (2,)]
