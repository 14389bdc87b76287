"""Solutions, counts, projections and consistency against answers found by definition."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.solver import ENGINES, ORDERINGS, VALUE_ORDERS, PlainSolver, TooMuchWorkError, encoding
from scsp_player.solver.encoding import encode
from scsp_player.solver.reference import ReferenceSolver
from scsp_player.solver.solver import Solver
from tests.solver.networks import (
    ANY,
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
from xcsp import Instance, Variable, XcspError


def rows(solutions) -> list[tuple[int, ...]]:
    assert solutions.complete
    return sorted(map(tuple, solutions.values.tolist()))


@given(networks(), st.sampled_from(sorted(ORDERINGS)), st.sampled_from(sorted(VALUE_ORDERS)), st.sampled_from(sorted(ENGINES)))
@settings(max_examples=150, deadline=None)
def test_solutions_and_count(instance: Instance, ordering: str, value_order: str, engine: str) -> None:
    expected = every_solution(instance)
    solver = Solver(instance, ordering, value_order=value_order, engine=engine)
    assert rows(solver.solutions()) == expected
    assert solver.count().number == len(expected)
    assert rows(ReferenceSolver(instance).solutions()) == expected
    one = solver.first()
    assert (len(one), one.complete) == (min(1, len(expected)), not expected)
    assert set(map(tuple, one.values.tolist())) <= set(expected)


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


@given(networks(most_variables=4, most_values=5), st.sampled_from(sorted(ENGINES)))
@settings(max_examples=70, deadline=None)
def test_consistency_is_that_of_the_definition(instance: Instance, engine: str) -> None:
    solver = Solver(instance, engine=engine)
    assert lists(solver.propagate()) == arc_consistent_domains(instance)
    assert lists(solver.singleton_consistent()) == singleton_consistent_domains(instance)
    assert solver.consistent == (arc_consistent_domains(instance) is not None)


def wide_table(generator: random.Random, scope: list[int], rows: int, values: int):
    wild = [ANY] if generator.random() < 0.5 else []
    choices = list(range(values)) + wild
    return table(scope, [[generator.choice(choices) for _ in scope] for _ in range(rows)])


@pytest.mark.parametrize("seed", range(8))
def test_tables_of_several_words_agree_with_rows(seed: int) -> None:
    generator = random.Random(seed)
    scopes = [generator.sample(range(9), generator.randint(2, 4)) for _ in range(8)]
    tables = tuple(wide_table(generator, scope, generator.choice([63, 64, 65, 200]), 8) for scope in scopes)
    instance = Instance("wide", tuple(variable(f"x{i}", range(8)) for i in range(9)), tables)
    bits, by_rows = Solver(instance), Solver(instance, engine="str2")
    assert lists(bits.propagate()) == lists(by_rows.propagate())
    assert lists(bits.singleton_consistent()) == lists(by_rows.singleton_consistent())
    assert bits.count().number == by_rows.count().number
    told = ([0, 1], [3, 4])
    assert rows(bits.solutions(told, project=[2, 3])) == rows(by_rows.solutions(told, project=[2, 3]))


@given(networks(), st.data())
@settings(max_examples=100, deadline=None)
def test_many_sets_of_assumptions_at_once(instance: Instance, data: st.DataObject) -> None:
    indices = list(range(len(instance.variables)))
    solver = Solver(instance, engine=data.draw(st.sampled_from(sorted(ENGINES))))
    told = data.draw(st.lists(st.sampled_from(indices), unique=True, max_size=4))
    values = st.tuples(*(st.sampled_from([*instance.variables[x].domain.tolist(), 9]) for x in told))
    sets = data.draw(st.lists(values, max_size=12))
    project = data.draw(st.one_of(st.none(), st.lists(st.sampled_from(indices), unique=True)))
    numbers = np.array(sets, dtype=np.int32).reshape(len(sets), len(told))
    offsets, found = solver.expand(told, numbers, project=project)
    few_offsets, few = solver.expand(told, numbers, project=project, limit=2)
    assert offsets.shape == few_offsets.shape == (len(sets) + 1,)
    assert (offsets[-1], few_offsets[-1]) == (len(found), len(few))
    for i, row in enumerate(sets):
        expected = rows(solver.solutions((told, row), project=project))
        assert sorted(map(tuple, found[offsets[i] : offsets[i + 1]].tolist())) == expected
        some = list(map(tuple, few[few_offsets[i] : few_offsets[i + 1]].tolist()))
        assert len(some) == len(set(some)) == min(2, len(expected))
        assert set(some) <= set(expected)


def test_restarts_find_or_refute_what_takes_many_runs() -> None:
    pigeons = tuple(variable(f"p{i}", range(6)) for i in range(7))
    apart = [table([i, j], [(v, v) for v in range(6)], False) for i in range(7) for j in range(i)]
    for holes, solvable in ((7, False), (6, True)):
        few = tuple(t for t in apart if t.scope.max() < holes)
        solver = Solver(Instance("pigeons", pigeons[:holes], few), "dom/wdeg")
        found = solver.first(seconds=60)
        assert (len(found) == 1, found.complete) == (solvable, not solvable)
    assert found.nodes >= 1
    assert not Solver(Instance("pigeons", pigeons, tuple(apart))).first(seconds=0).complete


def test_many_solutions_of_many_sets_need_several_blocks() -> None:
    solver = Solver(board_turn(False))
    boards = np.array([[i % 3] * 9 for i in range(400)], dtype=np.int32)
    offsets, found = solver.expand(range(9), boards, project=[*range(10), 10, 11])
    assert np.diff(offsets).tolist() == [18 if i % 3 == 0 else 0 for i in range(400)]
    assert (found[:, 0] == 0).all()
    with pytest.raises(ValueError, match="twice"):
        solver.expand([0, 0], [[1, 1]])
    with pytest.raises(ValueError, match="shape"):
        solver.expand([0, 1], [[1]])


def test_published_counts() -> None:
    for expand, engine in ((False, "ct"), (True, "ct"), (False, "str2")):
        solver = Solver(board_turn(expand), engine=engine)
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


def test_domains_beyond_all_memory_are_refused() -> None:
    wide = np.arange(1 << 20, dtype=np.int32)
    instance = Instance("wide", tuple(Variable(f"v{i}", wide) for i in range(5000)), ())
    with pytest.raises(XcspError, match="5242880000 values"):
        Solver(instance)
    with pytest.raises(TooMuchWorkError):
        PlainSolver(instance)
