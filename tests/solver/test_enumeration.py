"""Searches that are limited, cut off by a deadline, taken up again."""

from __future__ import annotations

import numpy as np
import pytest

from scsp_player.solver import enumeration as module
from scsp_player.solver.enumeration import Enumeration
from scsp_player.solver.reference import ReferenceSolver
from scsp_player.solver.solver import Solver
from tests.solver.networks import board_turn, random_ternary, table, variable
from xcsp.model import Instance


@pytest.fixture(scope="module")
def board() -> Solver:
    return Solver(board_turn(False))


def test_limit(board: Solver) -> None:
    few = board.solutions(limit=5)
    assert len(few) == 5
    assert not few.complete
    assert few.values.tolist() == board.solutions(limit=1000).values[:5].tolist()
    assert len(board.solutions(limit=0)) == 0
    assert board.count(limit=10).number >= 10
    reference = ReferenceSolver(board_turn(False)).solutions(limit=3)
    assert len(reference) == 3
    assert not reference.complete


def test_blocks_are_the_solutions_in_portions(board: Solver) -> None:
    blocks = list(board.stream())
    assert len(blocks) > 2
    assert np.array_equal(np.concatenate(blocks), board.solutions().values)


def test_small_budgets_change_nothing(board: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = board.solutions(([9], [1]), project=[3, 11]).values
    counted = board.count(([9], [0])).number
    monkeypatch.setattr(module, "_FIRST_BUDGET", 1)
    monkeypatch.setattr(module, "_SLICE_SECONDS", 0.0)
    monkeypatch.setattr(module, "_FIRST_BLOCK_ROWS", 3)
    assert np.array_equal(board.solutions(([9], [1]), project=[3, 11]).values, whole)
    assert board.count(([9], [0])).number == counted


@pytest.mark.parametrize("hopeless", [False, True], ids=["with solutions", "without"])
def test_many_dead_ends_change_the_ordering(monkeypatch: pytest.MonkeyPatch, hopeless: bool) -> None:
    """Where contradictions come first, the search begins anew, by weights, and finds all the same."""
    monkeypatch.setattr(module, "_PATIENCE", 2)
    monkeypatch.setattr(module, "_FIRST_BUDGET", 1)
    monkeypatch.setattr(module, "_SLICE_SECONDS", 0.0)
    pigeons, holes = 6, 5
    different = [(a, b) for a in range(holes) for b in range(holes) if a != b]
    crowd = [variable(f"p{i}", range(holes)) for i in range(pigeons)]
    free = [variable(f"x{i}", range(2)) for i in range(3)]
    tables = [table([3 + i, 3 + j], different) for i in range(pigeons) for j in range(i) if hopeless or (i, j) != (5, 4)]
    instance = Instance("pigeons", (*free, *crowd), (*tables, table([0, 1], [(0, 1), (1, 0)]), table([1, 2], [(0, 1), (1, 1)])))
    adaptive, fixed = Solver(instance), Solver(instance, "dom/ddeg")
    assert adaptive.ordering == "adaptive"
    expected = sorted(map(tuple, fixed.solutions().values.tolist()))
    assert len(expected) == (0 if hopeless else 2 * 120)
    search = adaptive.stream()
    assert sorted(tuple(row) for block in search for row in block.tolist()) == expected
    assert (search.fails > 2) == hopeless
    assert adaptive.count().number == len(expected)


def test_deadline_leaves_an_incomplete_answer() -> None:
    solver = Solver(random_ternary(variables=40, tables=60))
    late = solver.count(seconds=0.0)
    assert not late.complete
    assert late.nodes >= 1
    assert not solver.solutions(seconds=0.0).complete
    reference = ReferenceSolver(solver.instance).count(seconds=0.0)
    assert not reference.complete


def test_another_question_ends_an_enumeration(board: Solver) -> None:
    blocks = iter(board.stream())
    next(blocks)
    board.propagate(([9], [0]))
    with pytest.raises(RuntimeError, match="asked something else"):
        next(blocks)


def test_enumeration_knows_its_effort(board: Solver) -> None:
    enumeration: Enumeration = board.stream()
    assert not enumeration.complete
    total = enumeration.count()
    assert (total, enumeration.complete) == (118_098, True)
    assert enumeration.nodes > 0
    assert enumeration.seconds > 0


def test_failed_decisions_are_counted() -> None:
    # Any two of three variables may differ, but two values are too few for all three: propagation sees it after one decision.
    pairs = [(0, 1), (1, 0)]
    triangle = Instance(
        "triangle",
        tuple(variable(f"v{i}", [0, 1]) for i in range(3)),
        tuple(table(scope, pairs) for scope in ([0, 1], [1, 2], [0, 2])),
    )
    answer = Solver(triangle).count()
    assert (answer.number, answer.complete, answer.nodes, answer.fails) == (0, True, 1, 2)
