"""One solution by restarts with nogoods: it agrees with counting, whatever the runs' lengths, seeds and room for nogoods."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.solver import ReferenceSolver, Solver, satisfaction
from scsp_player.solver.nogood_kernels import HEAD
from tests.solver.networks import assume, networks, table, variable
from xcsp.model import Instance


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(satisfaction, "_FIRST_RUN", 2)
    monkeypatch.setattr(satisfaction, "_GROWTH", 1.2)


def tight(seed: int, variables: int = 12, values: int = 4) -> Instance:
    """A random binary network of which about one half have solutions."""
    source = random.Random(seed)
    pairs = [(i, j) for i in range(variables) for j in range(i)]
    tables = []
    for scope in source.sample(pairs, 2 * variables + 2):
        rows = [(a, b) for a in range(values) for b in range(values) if source.random() < 0.35]
        tables.append(table(scope, rows, False))
    return Instance("tight", tuple(variable(f"x{i}", range(values)) for i in range(variables)), tuple(tables))


def satisfied(instance: Instance, row: list[int]) -> bool:
    return Solver(assume(instance, enumerate(row))).count().number == 1


@pytest.mark.parametrize("entries", [1 << 22, 40])
def test_restarts_find_a_solution_exactly_if_there_is_one(entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(satisfaction, "_NOGOOD_ENTRIES", entries)
    answers = set()
    for number in range(60):
        instance = tight(number)
        solver = Solver(instance, "dom/wdeg")
        expected = solver.count().number > 0
        for seed in (None, number):
            for told in (None, ([number % 12], [number % 4])):
                found = solver.first(told, seed=seed)
                wanted = expected if told is None else solver.count(told).number > 0
                assert (len(found) == 1, found.complete) == (wanted, not wanted)
                assert not wanted or satisfied(instance, found.values[0].tolist())
        answers.add(expected)
    assert answers == {False, True}
    assert solver.count().number == ReferenceSolver(instance).count().number


@given(networks(), st.data())
@settings(max_examples=60, deadline=None)
def test_any_network_under_any_assumption(instance: Instance, data: st.DataObject) -> None:
    solver = Solver(instance, data.draw(st.sampled_from(["dom/wdeg", "dom/ddeg", "lex"])))
    x = data.draw(st.integers(0, len(instance.variables) - 1))
    told = ([x], [data.draw(st.sampled_from(instance.variables[x].domain.tolist()))])
    found = solver.first(told, seed=data.draw(st.one_of(st.none(), st.integers(0, 9))))
    assert len(found) == min(1, solver.count(told).number)


def test_nogoods_save_work_and_seeds_repeat_it(monkeypatch: pytest.MonkeyPatch) -> None:
    holes = 6
    pigeons = tuple(variable(f"p{i}", range(holes)) for i in range(holes + 1))
    apart = tuple(table([i, j], [(v, v) for v in range(holes)], False) for i in range(holes + 1) for j in range(i))
    instance = Instance("pigeons", pigeons, apart)
    with_nogoods = Solver(instance, "dom/wdeg").first(seed=3)
    again = Solver(instance, "dom/wdeg").first(seed=3)
    assert (with_nogoods.nodes, with_nogoods.complete, len(with_nogoods)) == (again.nodes, True, 0)
    monkeypatch.setattr(satisfaction, "_NOGOOD_ENTRIES", HEAD)  # no room for any
    without = Solver(instance, "dom/wdeg").first(seed=3)
    assert without.complete
    assert with_nogoods.nodes < without.nodes
