"""``bench search`` as a user calls it."""

import json

from typer.testing import CliRunner

from scsp_player.cli import build
from tests.games.sheets import path_of


def run(*arguments):
    return CliRunner().invoke(build(), ["bench", "search", *map(str, arguments)])


def test_rows_say_what_was_searched_and_proven():
    result = run(path_of("tic-tac-toe"), path_of("queens-6"), "--seconds", "60", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert [(row["game"], row["decided"], row["value"]) for row in report["results"]] == [
        ("tic-tac-toe.kif", True, 50.0),
        ("queens-6.kif", True, 100.0),
    ]
    row = report["results"][0]
    assert row["nodes"] > 100
    assert row["playouts_per_s"] == 64 * row["leaves_per_s"]
    assert 0 < row["prove_s"] <= row["cpu_s"]
    assert "processor" in report["machine"]


def test_a_table_and_errors():
    result = run(path_of("nim"), "--seconds", "0.2")
    assert result.exit_code == 0, result.output
    assert "nim.kif" in result.stdout
    assert run(path_of("nim"), "--agent", "nobody").exit_code == 2
    refused = run(path_of("nim"), "--agent", "random", "--json")
    assert refused.exit_code == 2
    assert "no graph" in refused.stdout


def test_what_the_search_leaves_open_is_enumerated():
    result = run(path_of("rock-paper-scissors"), "--seconds", "0.05", "--prove", "5", "--json")
    assert result.exit_code == 0
    row = json.loads(result.stdout)["results"][0]
    assert not row["decided"]
    assert row["states"] > 1
    assert abs(row["low"] - 50) < 1e-5 > abs(row["high"] - 50)
