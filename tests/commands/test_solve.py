"""``scsp-player solve``: status, solutions, figures, exit codes; its lines before the official checker."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from scsp_player.commands.solve import command
from tests.solver.ace import check_solution, needs_ace
from tests.solver.networks import random_ternary, table, variable
from xcsp import Instance, Variable, XcspError, write_instance

THIRD = Fraction(1, 3)
app = typer.Typer(add_completion=False)
app.command()(command)


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.stdout


def run_json(*arguments: object, code: int = 0) -> dict:
    return json.loads(run(*arguments, "--json", code=code))


@pytest.fixture
def scsp(tmp_path: Path) -> Path:
    """Seven solutions; satisfaction 2/3, 2/3 and 1 for x = 0, 1, 2."""
    rows = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
    variables = (variable("x", range(3)), variable("y", range(3), (THIRD, THIRD, THIRD)))
    write_instance(Instance("scsp", variables, (table([0, 1], rows),), Fraction(2, 3)), tmp_path / "scsp.xml")
    return tmp_path / "scsp.xml"


@pytest.fixture
def unsatisfiable(tmp_path: Path) -> Path:
    different = table([0, 1], [(0, 0), (1, 1)], False)
    instance = Instance("no", (variable("x", [0, 1]), variable("y", [0, 1])), (different, table([0, 1], [(0, 0), (1, 1)])))
    write_instance(instance, tmp_path / "no.xml.lzma")
    return tmp_path / "no.xml.lzma"


def test_one_solution_by_default(scsp: Path) -> None:
    lines = run(scsp).splitlines()
    assert lines[:2] == [
        "s SATISFIABLE",
        "v <instantiation> <list> x y </list> <values> 0 0 </values> </instantiation>",
    ]
    assert "d FOUND SOLUTIONS 1" in lines


@pytest.mark.parametrize("engine", ["ct", "str2", "python-constraint"])
def test_all_and_count(scsp: Path, engine: str) -> None:
    lines = run(scsp, "--all", "--engine", engine).splitlines()
    assert lines[0] == "s SATISFIABLE"
    assert sum(line.startswith("v ") for line in lines) == 7
    assert lines[-1] == "d COMPLETE EXPLORATION"
    answer = run_json(scsp, "--count", "--engine", engine)
    assert (answer["status"], answer["solutions"], answer["complete"], answer["engine"]) == ("SAT", 7, True, engine)
    assert "values" not in answer
    assert (answer["nodes"] is None) == (engine == "python-constraint")
    assert run_json(scsp, "--limit", 2, "--engine", engine)["solutions"] == 2


def test_json_has_the_solutions(scsp: Path) -> None:
    answer = run_json(scsp, "--all")
    assert answer["variables"] == ["x", "y"]
    assert sorted(map(tuple, answer["values"])) == [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]


def test_policies(scsp: Path) -> None:
    answer = run_json(scsp, "--theta", "2/3", "--all")
    assert answer["variables"] == ["x"]
    assert dict(zip(map(tuple, answer["values"]), answer["satisfaction"], strict=True)) == {(0,): "2/3", (1,): "2/3", (2,): "1"}
    lines = run(scsp, "--theta", "0.7", "--all").splitlines()
    assert lines[1:3] == ["v <instantiation> <list> x </list> <values> 2 </values> </instantiation>", "d SATISFACTION 1"]
    assert run_json(scsp, "--theta", "0", "--count")["solutions"] == 3
    (tree,) = run_json(scsp, "--theta", "1", "--all", "--tree")["policies"]
    assert (tree["variable"], tree["satisfaction"], tree["branches"][0]["value"]) == ("x", "1", 2)
    assert [b["satisfaction"] for b in tree["branches"][0]["branches"]] == ["1", "1", "1"]
    assert '"variable": "x"' in run(scsp, "--theta", "1", "--tree")


def test_no_solution_is_exit_status_1(unsatisfiable: Path) -> None:
    assert run(unsatisfiable, code=1).startswith("s UNSATISFIABLE\nd FOUND SOLUTIONS 0\n")
    assert run_json(unsatisfiable, code=1)["status"] == "UNSAT"
    assert run_json(unsatisfiable, "--count", "--engine", "python-constraint", code=1)["status"] == "UNSAT"


def test_time_limit_leaves_the_status_open(tmp_path: Path) -> None:
    hard = random_ternary(variables=60, values=8, tables=200, looseness=0.32)
    write_instance(hard, tmp_path / "hard.xml")
    answer = run_json(tmp_path / "hard.xml", "--count", "--time-limit", 0)
    assert (answer["status"], answer["complete"]) == ("UNKNOWN", False)
    assert "s UNKNOWN" in run(tmp_path / "hard.xml", "--time-limit", 0)


def test_symbols_are_printed(tmp_path: Path) -> None:
    light = Variable("light", np.array([0, 1], dtype=np.int32), symbols=("off", "on"))
    number = table([1], [[3]])
    instance = Instance("light", (light, variable("n", [3, 4])), (table([0], [[1]]), number))
    write_instance(instance, tmp_path / "light.xml")
    assert "<list> light n </list> <values> on 3 </values>" in run(tmp_path / "light.xml")
    assert run_json(tmp_path / "light.xml")["values"] == [["on", 3]]


@pytest.mark.parametrize(
    "wrong",
    [
        ["--theta", "3"],
        ["--theta", "two"],
        ["--theta", "1/2", "--engine", "python-constraint"],
        ["--engine", "best"],
        ["--tree"],
        ["--ordering", "worst"],
    ],
)
def test_wrong_options_are_exit_status_2(scsp: Path, wrong: list[str]) -> None:
    run(scsp, *wrong, code=2)


def test_bad_documents_are_input_errors(tmp_path: Path) -> None:
    run(tmp_path / "none.xml", code=2)
    broken = tmp_path / "broken.xml"
    broken.write_text("<instance")
    with pytest.raises(XcspError, match=r"broken\.xml"):
        run(broken)


@needs_ace
def test_the_official_checker_accepts_the_lines(tmp_path: Path) -> None:
    instance = random_ternary(variables=6, values=4, tables=7, looseness=0.5)
    document = tmp_path / "instance.xml"
    write_instance(instance, document)
    log = tmp_path / "log.txt"
    log.write_text(run(document))
    assert check_solution(document, log, "-cm").strip().endswith("OK")
    every = run(document, "--all")
    solutions = tmp_path / "solutions.txt"
    solutions.write_text("\n".join(line[2:] for line in every.splitlines() if line.startswith("v ")))
    verdicts = check_solution(document, solutions)
    assert "INVALID" not in verdicts
    assert verdicts.count("OK") == every.count("\nv ")


@pytest.mark.parametrize("pairs", [0, 1])
def test_numbers_of_solutions_of_any_length_are_shown(tmp_path: Path, pairs: int) -> None:
    constraints = (table([0, 1], [(0, 1), (1, 0)]),) * pairs
    variables = tuple(variable(f"x{i}", range(16)) for i in range(4000))
    write_instance(Instance("free", variables, constraints), tmp_path / "free.xml")
    number = 2**pairs * 16 ** (4000 - 2 * pairs)
    assert f"d FOUND SOLUTIONS {number}" in run(tmp_path / "free.xml", "--count").splitlines()
    assert f'"solutions": {number},' in run(tmp_path / "free.xml", "--count", "--json")
