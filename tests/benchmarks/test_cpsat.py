"""Instances as models of CP-SAT, where OR-tools is installed."""

import pytest

from scsp_player.solver import Solver
from tests.solver.networks import random_ternary, table, variable
from xcsp.model import STAR, Instance

pytest.importorskip("ortools")
from benchmarks.cpsat import holds
from scsp_player.solver.cpsat import CpSatModel


def test_the_same_answers():
    x, y, z = (variable(name, range(3)) for name in "xyz")
    short = table([0, 1, 2], [(0, STAR, 1), (1, 1, STAR)])
    satisfiable = Instance("short", (x, y, z), (short, table([0, 1], [(0, 0), (0, 2), (1, 1)], positive=False)))
    status, values, _ = CpSatModel(satisfiable).solve(10.0)
    assert (status, values) == ("SAT", [0, 1, 1])
    assert holds(satisfiable, values)
    assert not holds(satisfiable, [1, 1, 0])
    model = CpSatModel(satisfiable)
    assert model.solve(10.0, [1], [0])[0] == "UNSAT"
    assert model.solve(10.0, [2], [1])[:2] == ("SAT", [0, 1, 1])
    different = table([0, 1], [(0, 1), (1, 0)])
    assert CpSatModel(Instance("none", (x, y, z), (short, different, table([2], [(0,)])))).solve(10.0)[0] == "UNSAT"
    instance = random_ternary(variables=8, tables=8)
    assert (CpSatModel(instance).solve(10.0)[0] == "SAT") == (len(Solver(instance).first()) == 1)
