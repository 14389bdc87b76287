"""``scsp-player ground`` and ``scsp-player bench ground``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from scsp_player.commands.bench_ground import ground as bench
from scsp_player.commands.ground import command
from scsp_player.gdl import GdlError, load_program
from scsp_player.grounding import ground

SHEETS = Path(__file__).resolve().parents[2] / "games"
GROUND, BENCH = typer.Typer(), typer.Typer()
GROUND.command()(command)
BENCH.command()(bench)
ENDLESS = "(role r) (legal r go) (init (p z)) (<= (next (p (s ?x))) (true (p ?x))) (<= terminal (true (p never))) (goal r 0)"


def test_counts_as_json():
    result = CliRunner().invoke(GROUND, [str(SHEETS / "tic-tac-toe.kif"), "--json"])
    assert result.exit_code == 0
    answer = json.loads(result.output)
    assert answer["outcome"] == "ground"
    assert answer["fluents"] == 29
    assert answer["moves"] == {"cross": 10, "nought": 10}
    assert answer["seconds"] > 0


def test_a_written_sheet_grounds_to_the_same_size(tmp_path):
    written = tmp_path / "ground.kif"
    result = CliRunner().invoke(GROUND, [str(SHEETS / "monty-hall.kif"), "-o", str(written)])
    assert result.exit_code == 0
    assert "14 fluents" in result.output
    assert "?" not in written.read_text()
    first, second = ground(load_program(SHEETS / "monty-hall.kif")), ground(load_program(written))
    assert (second.atoms, second.rules, second.fluents) == (first.atoms, first.rules, first.fluents)


def test_over_budget_means_fallback(tmp_path):
    (tmp_path / "endless.kif").write_text(ENDLESS)
    result = CliRunner().invoke(GROUND, [str(tmp_path / "endless.kif"), "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["outcome"] == "fallback"
    assert "without end" in result.stderr


def test_a_sheet_that_makes_no_sense_is_invalid(tmp_path):
    (tmp_path / "unsafe.kif").write_text("(role r) (init a) (goal r 0) (<= terminal (true a))\n(<= (legal r ?x) (not (true ?x)))")
    result = CliRunner().invoke(GROUND, [str(tmp_path / "unsafe.kif")])
    assert result.exit_code == 1
    assert "invalid" in result.stderr
    assert "unsafe.kif:2" in result.stderr


def test_unreadable_input_is_an_error_of_the_sheet(tmp_path):
    (tmp_path / "broken.kif").write_text("(role r")
    result = CliRunner().invoke(GROUND, [str(tmp_path / "broken.kif")])
    assert isinstance(result.exception, GdlError)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_bench_lists_every_sheet(tmp_path):
    (tmp_path / "endless.kif").write_text(ENDLESS)
    (tmp_path / "nim.kif").write_text((SHEETS / "nim.kif").read_text())
    result = CliRunner().invoke(BENCH, [str(tmp_path), "--json", "--seconds", "5"])
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert [row["game"] for row in answer["results"]] == ["endless", "nim"]
    assert [row["outcome"] for row in answer["results"]] == ["fallback", "ground"]
    assert answer["results"][1]["rules"] > 0
    assert answer["machine"]["processors"] >= 1


def test_bench_shows_the_distribution():
    result = CliRunner().invoke(BENCH, [str(SHEETS / "nim.kif")])
    assert "within 60 s: 1 of 1" in result.output
