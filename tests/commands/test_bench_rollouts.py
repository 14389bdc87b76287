"""``scsp-player bench rollouts``: rows, means, unusable sheets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from scsp_player.commands.bench_rollouts import rollouts

SHEETS = Path(__file__).resolve().parents[2] / "games"
app = typer.Typer(add_completion=False)
app.command()(rollouts)


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.stdout


@pytest.mark.parametrize("threads", [1, 2])
def test_row(threads):
    report = json.loads(run(SHEETS / "tic-tac-toe.kif", "--seconds", "0.05", "--threads", threads, "--json"))
    assert report["machine"]["processors"] >= 1
    [row] = report["results"]
    assert row["game"] == "tic-tac-toe.kif"
    assert row["cpu_s"] >= 0.05
    assert row["playouts"] >= 4096 * threads
    assert row["playouts_per_s"] == pytest.approx(row["playouts"] / row["cpu_s"])
    assert row["steps_per_s"] / row["playouts_per_s"] == pytest.approx(7.63, abs=0.1)
    first, second = row["mean_scores"].values()
    assert first == pytest.approx(64.8, abs=3)
    assert first + second == pytest.approx(100)
    assert (row["truncated"], row["complete"], row["lanes"], row["threads"]) == (0, True, 2048, threads)
    assert min(row["gates"], row["literals"], row["setup_s"], row["compile_s"], row["kernels_s"]) > 0


def test_endless_game_has_no_mean(tmp_path):
    sheet = tmp_path / "endless.kif"
    sheet.write_text("(role r) (init on) (legal r go) (<= (next on) (true on)) (<= terminal (not (true on))) (goal r 100)")
    [row] = json.loads(run(sheet, "--seconds", "0.01", "--max-depth", "20", "--json"))["results"]
    assert row["playouts"] == 0
    assert row["truncated"] >= 1024
    assert row["mean_scores"] == {"r": None}


def test_table_and_folder(tmp_path):
    for name in ("nim.kif", "monty-hall.kif"):
        (tmp_path / name).write_text((SHEETS / name).read_text())
    (tmp_path / "notes.txt").write_text("no rules")
    (tmp_path / "wrong.gdl").write_text("(role r")
    text = run(tmp_path, "--seconds", "0.01", code=2)
    assert text.index("monty-hall.kif") < text.index("nim.kif") < text.index("wrong.gdl")
    assert "notes" not in text


def test_unusable_sheet_keeps_the_others(tmp_path):
    (tmp_path / "wrong.kif").write_text("(role r) (legal r ?x)")
    rows = json.loads(run(tmp_path / "wrong.kif", SHEETS / "nim.kif", "--seconds", "0.01", "--json", code=2))["results"]
    assert rows[0].keys() == {"game", "error"}
    assert rows[1]["playouts"] > 0
