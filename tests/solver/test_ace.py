"""Counts against ACE, the solver of the XCSP3 competitions that is nearest in kind."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from scsp_player.solver import Solver
from tests.solver.ace import count_with_ace, needs_ace
from tests.solver.networks import ANY, assume, board_turn, table, variable
from xcsp import Instance, write_instance
from xcsp.relations import AllDifferent, Count, Sum


def mixed(seed: int) -> Instance:
    """Supports, short supports and conflicts over domains of several sizes."""
    generator = random.Random(seed)
    variables = tuple(variable(f"v{i}", generator.sample(range(-5, 9), generator.randint(2, 5))) for i in range(9))
    tables = []
    for _ in range(9):
        scope = generator.sample(range(9), generator.randint(2, 4))
        positive = generator.random() < 0.6
        rows = {tuple(generator.choice(variables[x].domain.tolist()) for x in scope) for _ in range(60 if positive else 12)}
        tables.append(table(scope, sorted(rows), positive))
    scope = [0, 4, 8]
    first = variables[0].domain.tolist()
    tables.append(table(scope, [(value, ANY, variables[8].domain.tolist()[0]) for value in first]))
    return Instance(f"mixed{seed}", variables, tuple(tables))


def turn() -> Instance:
    """A turn of noughts and crosses on the boards with five given cells."""
    return assume(board_turn(False), enumerate([0, 1, 0, 2, 0]))


def related() -> Instance:
    """Relations of every kind, with every way to write their bounds."""
    variables = tuple(variable(f"v{i}", range(-1, 4)) for i in range(6))
    scope, weights = np.arange(6, dtype=np.int32), np.array([1, -2, 3, 1, 1, -1])
    bounds = [(2, 9, True), (5, 5, False), (3, 4, False), (None, 8, True), (1, None, True)]
    sums = [Sum(scope, weights, *each) for each in bounds]
    counts = [
        Count(scope[:5], np.ones(5, np.bool_), -1, np.array([0, 1], np.int32), 1, 4),
        Count(scope, scope < 5, 5, np.array([2], np.int32), None, 0),
    ]
    different = AllDifferent(scope[:4], np.array([0], np.int32))
    return Instance("related", variables, (), relations=(*sums, *counts, different, AllDifferent(scope[3:])))


@needs_ace
@pytest.mark.parametrize("instance", [turn(), mixed(1), related()], ids=lambda instance: instance.name)
def test_counts_agree_with_ace(instance: Instance, tmp_path: Path) -> None:
    document = tmp_path / "instance.xml"
    write_instance(instance, document)
    assert count_with_ace(document) == Solver(instance).count().number
