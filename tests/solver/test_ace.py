"""Counts against ACE, the solver of the XCSP3 competitions that is nearest in kind."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scsp_player.solver import Solver
from tests.solver.ace import count_with_ace, needs_ace
from tests.solver.networks import ANY, assume, board_turn, table, variable
from xcsp import Instance, write_instance


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


@needs_ace
@pytest.mark.parametrize("instance", [turn(), mixed(1)], ids=lambda instance: instance.name)
def test_counts_agree_with_ace(instance: Instance, tmp_path: Path) -> None:
    document = tmp_path / "instance.xml"
    write_instance(instance, document)
    assert count_with_ace(document) == Solver(instance).count().number
