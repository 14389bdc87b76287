"""The command ``plan``."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scsp_player.cli import build
from scsp_player.commands.plan import status
from scsp_player.gdl import GdlError
from scsp_player.network.planning import Plan

GAMES = Path(__file__).parents[2] / "games"


def plan(*arguments):
    return CliRunner().invoke(build(), ["plan", *map(str, arguments)])


def test_a_plan_as_json():
    result = plan(GAMES / "hanoi-3.kif", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (report["status"], report["score"], len(report["plan"]), report["proved_optimal"]) == ("optimal", 100, 7, True)


def test_a_plan_in_lines():
    result = plan(GAMES / "lights-out-3x3.kif")
    assert len(result.stdout.splitlines()) == 6
    assert result.stdout.splitlines()[-1].startswith("optimal: score 100, 5 moves")


def test_no_plan_exits_with_1(tmp_path):
    sheet = tmp_path / "stuck.kif"
    sheet.write_text(
        "(role r) (init (s 0)) (legal r wait) (<= (next (s 0)) (true (s 0))) (<= terminal (true (s 1))) "
        "(<= (next (s 1)) (true (s 2)) (does r wait)) (goal r 100)"
    )
    result = plan(sheet, "--json", "--time-limit", 30)
    assert result.exit_code == 1
    assert json.loads(result.stdout)["status"] == "impossible"


def test_only_games_with_one_role():
    with pytest.raises(GdlError, match="2 roles"):
        raise plan(GAMES / "nim.kif").exception


def test_what_the_status_says():
    assert status(Plan(score=100, best_possible=True)) == "solved"
    assert status(Plan(score=40)) == "found"
    assert status(Plan(open=[(3, 100)])) == "unknown"


def test_cp_sat_proves_the_same_plan():
    pytest.importorskip("ortools")
    for horizon in (7, 6):
        theirs, ours = (
            json.loads(plan(GAMES / "hanoi-3.kif", "--json", "--horizon", horizon, "--backend", backend).stdout)
            for backend in ("cpsat", "tables")
        )
        for key in ("status", "score", "proved_optimal", "horizon"):
            assert theirs[key] == ours[key]
        assert len(theirs["plan"]) == len(ours["plan"])


def test_without_or_tools_a_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    with pytest.raises(GdlError, match="OR-tools is not installed") as error:
        raise plan(GAMES / "hanoi-3.kif", "--backend", "cpsat").exception
    assert "scsp-player[bench]" in error.value.remedy
