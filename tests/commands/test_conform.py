"""``scsp-player conform``."""

from __future__ import annotations

import gzip
import json

import pytest
import typer
from typer.testing import CliRunner

from scsp_player.commands import conform
from tests.arena.test_conform import SHEET, TRACE

APP = typer.Typer()
APP.command()(conform.command)


@pytest.fixture
def folder(tmp_path):
    """Two traces on one sheet, the second wrong in its last state, and one that is none."""
    (tmp_path / "one.kif").write_text(SHEET)
    wrong = json.loads(json.dumps(TRACE))
    wrong["states"][1]["goals"] = [0]
    for name, trace in (("a", TRACE), ("b", wrong)):
        (tmp_path / f"{name}.json.gz").write_bytes(gzip.compress(json.dumps(trace).encode()))
    (tmp_path / "c.json").write_text("[]")
    return tmp_path


def test_a_folder_on_all_engines(folder):
    result = CliRunner().invoke(APP, [str(folder), "--jobs", "1", "--json"])
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert answer["checked"] == 6
    assert [(m["trace"], m["engine"], m["state"], m["question"]) for m in answer["mismatches"]] == [
        ("b.json.gz", engine, 1, "goals") for engine in conform.ENGINES
    ]
    assert [(s["trace"], s["engine"]) for s in answer["skipped"]] == [("c.json", engine) for engine in conform.ENGINES]
    assert all("not a trace" in s["reason"] for s in answer["skipped"])


def test_the_first_difference_is_told_in_words(folder):
    result = CliRunner().invoke(APP, [str(folder / "b.json.gz"), "--engine", "reasoner"])
    assert result.exit_code == 1
    assert "b.json.gz, reasoner: 1 difference, the first in state 1 (playout 0, depth 1): goals" in result.stdout
    assert "recorded only: (0,)\n    answered only: (100,)\n    in the state:  (s 1)\n" in result.stdout
    assert "reasoner: 0 of 1 traces agree on every state (2 states, 0 skipped)" in result.stdout


def test_a_trace_without_time_is_skipped(folder):
    result = CliRunner().invoke(APP, [str(folder / "a.json.gz"), "--engine", "reasoner", "--time-limit", "0", "--json"])
    assert result.exit_code == 2
    (skipped,) = json.loads(result.stdout)["skipped"]
    assert "more than 0 s of processor time, 0 of 2 states compared" in skipped["reason"]


def test_an_engine_that_there_is_not(folder):
    assert CliRunner().invoke(APP, [str(folder), "--engine", "oracle"]).exit_code == 2
