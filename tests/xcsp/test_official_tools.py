"""Documents as the official parser and the solver ACE read them: the same variables, and as many solutions as there are."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.xcsp.instances import count_solutions, ints, table
from xcsp import STAR, Instance, Table, Variable, write_instance

_SPEC = importlib.util.find_spec("pycsp3")
_JARS = sorted(Path(_SPEC.origin).parent.glob("solvers/ace/ACE-*.jar")) if _SPEC and _SPEC.origin else []

pytestmark = [
    pytest.mark.skipif(shutil.which("javac") is None, reason="no Java development kit on the path"),
    pytest.mark.skipif(not _JARS, reason="pycsp3, which brings the jar of ACE, is not installed"),
]

HALF = Fraction(1, 2)


def random_instance(seed: int) -> Instance:
    """A small instance of every kind of variable, table and grouping."""
    rng = np.random.default_rng(seed)
    symbolic = seed % 5 == 4
    variables = []
    for index in range(int(rng.integers(3, 6))):
        name = f"c[{index - 1}]" if 0 < index < 3 else f"x{index}"
        domain = np.sort(rng.choice(np.arange(-3, 9), int(rng.integers(1, 5)), replace=False)).astype(np.int32)
        variable = Variable(name, domain, note="a < b" if index == 0 else "")
        if symbolic:
            # ACE fails on symbols whose alphabetical order is not the order in which the document brings them up.
            names = ("b", "o", "set", "x")[: domain.size]
            variable = replace(variable, domain=np.arange(domain.size, dtype=np.int32), symbols=names)
        elif index == 3:
            variable = replace(variable, probabilities=(Fraction(1, domain.size),) * domain.size)
        variables.append(variable)
    tables = []
    for _ in range(int(rng.integers(1, 5))):
        scope = rng.permutation(len(variables))[: int(rng.integers(1, 4))]
        positive = bool(rng.integers(3))
        size = int(np.prod([variables[i].domain.size for i in scope]))
        columns = [rng.choice(variables[i].domain, max(1, size * 2 // 3 if positive else size // 3)) for i in scope]
        rows = np.stack(columns, axis=1).astype(np.int32)
        if positive and len(scope) > 1:
            rows[rng.random(rows.shape) < 0.15] = STAR
        tables.append(Table(scope.astype(np.int32), rows, positive, ("frame",) if rng.integers(2) else ()))
    if rng.integers(2):
        tables.append(replace(tables[0], scope=tables[0].scope[::-1].copy()))
    return Instance(f"random_{seed}", tuple(variables), tuple(tables), HALF, () if symbolic else (0,), "made by seed")


def chosen_instances() -> dict[str, Instance]:
    x, y = Variable("x", ints(0, 1, 2)), Variable("y", ints(0, 1, 2))
    coin = Variable("coin", ints(0, 1), probabilities=(Fraction(1, 3), Fraction(2, 3)))
    wide, lowest = replace(y, domain=ints(7, 2**31 - 11)), replace(y, name="z", domain=ints(-(2**31) + 10, -9))
    four, five = Variable("four", ints(4)), Variable("five", ints(5))
    eight_of_nine = [(0, STAR), (STAR, 1), *((i, j) for i in range(3) for j in range(3) if i * j != 1)][:8]
    domains = (ints(0, 5, 6, 7), ints(0, 1))
    board = [Variable(f"cell[{i}][{j}]", domains[i], classes=("fluent",)) for i in range(2) for j in range(2)]
    dice = [replace(coin, name=f"die[{i}]") for i in range(3)]
    pairs = table([0, 1], [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)])
    return {
        "pairs": Instance("", (x, y), (pairs,)),
        "free": Instance("", (x, y, Variable("z", ints(0, 1)), Variable("w", ints(0, 1))), (pairs,)),
        "starred": Instance("", (x, y, replace(x, name="z")), (table([0, 1, 2], [(0, STAR, 1), (1, 0, STAR), (0, 0, 1)]),)),
        "no_supports": Instance("", (x, y), (table([0, 1], []),)),
        "no_conflicts": Instance("", (x, y), (table([0, 1], [], positive=False),)),
        "outside": Instance("", (x, y), (table([0, 1], [(0, 0), (7, 1), (1, 9)]),)),
        "all_forbidden": Instance("", (four,), (table([0], [(4,)], positive=False),)),
        "constants": Instance("", (four, five), (table([0, 1], [(4, 5)], positive=False),)),
        "star_of_a_constant": Instance("", (four, x), (table([0, 1], [(STAR, 0), (4, 2)]),)),
        "one_tuple_less": Instance("", (four, x, y), (table([0, 1], [(4, STAR), (4, 1)]), table([1, 2], eight_of_nine))),
        "unary": Instance("", (replace(x, domain=np.arange(9, dtype=np.int32)),), (table([0], [(1,), (2,), (3,), (7,)]),)),
        "board": Instance("", tuple(board), (table([0, 2], [(5, 0), (6, 1)]), table([1, 3], [(5, 0), (6, 1)]))),
        "lone_cells": Instance("", (board[0], x, board[3]), (table([0, 1, 2], [(0, STAR, 1), (7, 1, 0)]),), decisions=(2, 0)),
        "chance_alone": Instance("", (coin, replace(coin, name="other")), (table([0, 1], [(0, 1), (1, STAR)]),)),
        "chance": Instance("", (x, coin), (table([0, 1], [(0, 0), (0, 1), (2, 1)]),), Fraction(2, 3), (0,)),
        "chance_array": Instance("", (x, *dice), (table([0, 2], [(0, 0), (1, STAR)]),)),
        "wide": Instance("", (x, wide, lowest), (table([0, 1], [(1, 2**31 - 11), (2, 7)]),)),
        "large": Instance("", tuple(replace(x, name=f"v{i}") for i in range(8)), (Table(np.arange(8, dtype=np.int32), eights()),)),
    }


def eights() -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    rows = np.stack(np.unravel_index(np.arange(3**8), (3,) * 8), axis=1).astype(np.int32)
    return rows[rows.sum(axis=1) % 3 == 0]


def test_the_official_parser_and_ace_agree(tmp_path: Path) -> None:
    instances = chosen_instances() | {f"random_{seed}": random_instance(seed) for seed in range(16)}
    files = []
    for name, instance in instances.items():
        for stochastic in (False, True):
            path = tmp_path / f"{name}.{'scsp' if stochastic else 'csp'}.xml"
            write_instance(instance, path, stochastic=stochastic)
            files.append(path)
    java = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", str(_JARS[-1])]
    source = Path(__file__).parent / "Documents.java"
    done = subprocess.run([*java, str(source), *map(str, files)], capture_output=True, text=True, timeout=120, check=False)
    reports = re.split(r"^FILE .*/", done.stdout, flags=re.MULTILINE)[1:]
    assert [report.split("\n", 1)[0] for report in reports] == [path.name for path in files], done.stderr + done.stdout[-2000:]
    for path, report in zip(files, reports, strict=True):
        name, kind = path.name.split(".")[:2]
        instance = instances[name]
        variables = [line.split(" ", 3)[1:] for line in report.splitlines() if line.startswith("VAR ")]
        expected = [[v.name, kind_of(v, kind == "scsp"), domain_of(v, kind == "scsp")] for v in instance.variables]
        assert [v for v in variables if not v[0].startswith("one")] == expected, report
        if kind == "csp":
            assert "d COMPLETE EXPLORATION" in report, report
            found = re.search(r"d FOUND SOLUTIONS +([0-9,]+)", report)
            assert found, report
            assert int(found[1].replace(",", "")) == count_solutions(instance), report


def kind_of(variable: Variable, faithful: bool) -> str:
    if variable.symbols is not None:
        return "symbolic"
    return "stochastic" if faithful and variable.stochastic else "integer"


def domain_of(variable: Variable, faithful: bool) -> str:
    """A domain as the official parser prints it."""
    if variable.symbols is not None:
        return " ".join(sorted(variable.symbols))
    values = variable.domain.tolist()
    if faithful and variable.probabilities is not None:
        return f"{' '.join(map(str, values))} Probas: {' '.join(map(str, variable.probabilities))}"
    runs: list[list[int]] = []
    for value in values:
        if runs and runs[-1][-1] == value - 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return " ".join(f"{run[0]}..{run[-1]}" if len(run) > 2 else " ".join(map(str, run)) for run in runs)
