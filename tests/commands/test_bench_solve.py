"""``scsp-player bench solve``: counts compared, figures, and the plot."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer
from typer.testing import CliRunner

from scsp_player.commands.bench_solve import _ratios, solve
from scsp_player.commands.cactus import cactus_plot
from scsp_player.commands.solver_runs import _ace, _read_ace, _read_choco, engines, run
from tests.solver.ace import needs_ace
from tests.solver.networks import table, variable
from xcsp import Instance, write_instance

app = typer.Typer(add_completion=False)
app.command()(solve)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents with three solutions, one of them compressed; one faithful document that its twin stands for."""
    pairs = [(0, 1), (0, 2), (1, 2)]
    instance = Instance("less", (variable("x", range(3)), variable("y", range(3))), (table([0, 1], pairs),))
    for name in ("less.xml", "packed.xml.lzma", "twin.csp.xml"):
        write_instance(instance, tmp_path / name)
    (tmp_path / "twin.xml").write_text("<nothing/>")
    return tmp_path


def test_our_engines_agree(folder: Path) -> None:
    result = CliRunner().invoke(app, [str(folder), "--engine", "ct", "--json", "--plot", str(folder / "plot.svg")])
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert [(r["instance"], r["status"], r["solutions"]) for r in answer["results"]] == [
        ("less", "SAT", 3),
        ("packed", "SAT", 3),
        ("twin.csp", "SAT", 3),
    ]
    assert answer["differences"] == []
    assert answer["machine"]
    for row in answer["results"]:
        assert row["complete"]
        assert row["wall_s"] >= row["seconds"]
        assert row["cpu_s"] > 0
    assert "ct (3)" in (folder / "plot.svg").read_text()


@needs_ace
def test_ace_agrees_and_a_refusal_is_told(folder: Path) -> None:
    ace = engines()["ace-plain"]
    row = run("ace-plain", ace, folder / "packed.xml.lzma", 10.0)
    assert (row["status"], row["solutions"], row["complete"]) == ("SAT", 3, True)
    assert row["parse_s"] > 0
    assert run("ace-plain", ace, folder / "twin.xml", 10.0)["status"] == "REFUSED"


def test_unknown_engines_are_refused(folder: Path) -> None:
    assert CliRunner().invoke(app, [str(folder), "--engine", "best"]).exit_code == 2


def test_outputs_of_other_solvers() -> None:
    assert _read_ace("d FOUND SOLUTIONS  1,234\nd WRONG DECISIONS  5\nd COMPLETE EXPLORATION").solutions == 1234
    assert not _read_ace("d FOUND SOLUTIONS 3\nd INCOMPLETE EXPLORATION").complete
    assert _read_ace("! ERROR: It was impossible").refused
    assert _read_ace("s UNSATISFIABLE\nd COMPLETE EXPLORATION").complete
    assert _read_choco("s SATISFIABLE\nd FOUND SOLUTIONS 7\n").solutions == 7
    assert _read_choco("exception").refused
    assert "-t=3s" in _ace(3.5)


def test_plot_is_a_document_with_a_line_a_solver() -> None:
    root = ElementTree.fromstring(cactus_plot({"a": [0.5, 0.1], "b & c": [], "d": [30.0]}, "title < here"))
    lines = [e.get("points") for e in root.iter("{http://www.w3.org/2000/svg}polyline")]
    assert [len((points or "").split()) for points in lines] == [2, 0, 1]


def test_a_journal_is_gone_on_from(folder: Path) -> None:
    journal = folder / "journal.jsonl"
    arguments = [str(folder), "--engine", "ct", "--json", "--journal", str(journal)]
    first = json.loads(CliRunner().invoke(app, arguments).stdout)
    lines = journal.read_text().splitlines(keepends=True)
    assert [json.loads(line) for line in lines] == first["results"]
    known = json.loads(lines[0]) | {"solutions": 5}
    journal.write_text(json.dumps(known) + "\n" + lines[1] + lines[2][:-5])
    second = CliRunner().invoke(app, arguments)
    assert [row["solutions"] for row in json.loads(second.stdout)["results"]] == [5, 3, 3]
    assert len(journal.read_text().splitlines()) == 3


def test_medians_of_ratios() -> None:
    rows = [
        {"instance": name, "engine": engine, "complete": done, "wall_s": wall, "cpu_s": 2 * wall, "search_cpu_s": search}
        for name, engine, done, wall, search in [
            ("a", "ct", True, 1.0, 0.5),
            ("a", "ace", True, 4.0, 1.0),
            ("b", "ct", True, 2.0, 3.0),
            ("b", "ace", True, 4.0, 1.0),
            ("c", "ct", True, 9.0, 9.0),
            ("c", "ace", False, 1.0, None),
        ]
    ]
    line = _ratios(rows, "ct", "ace")
    assert line.startswith("ct / ace, 2 instances, medians: wall 0.38, CPU 0.38;")
    assert line.endswith("not more in 1 of 2")
    assert _ratios(rows, "ct", "choco") == ""
