"""``scsp-player check``."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from scsp_player.commands.check import command
from scsp_player.gdl import UnusableFileError
from tests.gdl.sheets import FRAME

APP = typer.Typer()
APP.command()(command)


@pytest.fixture
def check(tmp_path):
    def run(content: str | bytes, *options: str):
        path = tmp_path / "game.kif"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        quick = () if "--matches" in options else ("--no-simulation",)  # random matches need a process of their own
        return CliRunner().invoke(APP, [str(path), *options, *quick])

    return run


def test_valid_sheet(check):
    result = check(FRAME)
    assert result.exit_code == 0
    assert "game.kif: valid (0 errors, 0 warnings)" in result.output


def test_json_of_an_invalid_sheet(check):
    result = check(FRAME + "(<= (legal r ?m)\n  (not (true (s ?m))))", "--json")
    assert result.exit_code == 1
    answer = json.loads(result.output)
    assert answer["valid"] is False
    (message,) = answer["messages"]
    assert {key: message[key] for key in ("level", "check", "line", "column")} == {
        "level": "error",
        "check": "unsafe-rule",
        "line": 2,
        "column": 1,
    }
    assert "?m" in message["text"]


def test_warnings_are_errors_when_strict(check):
    sheet = FRAME + "(<= (legal r wait))"
    assert check(sheet).exit_code == 0
    result = check(sheet, "--strict", "--json")
    assert result.exit_code == 1
    assert [m["level"] for m in json.loads(result.output)["messages"]] == ["error"]


def test_unbalanced_sheet_is_invalid_with_the_place(check):
    result = check("(role r)\n  (init (s 0)", "--json")
    assert result.exit_code == 1
    (message,) = json.loads(result.output)["messages"]
    assert (message["check"], message["line"], message["column"]) == ("syntax", 2, 3)


def test_the_line_is_shown_with_a_mark(check):
    result = check(FRAME + "\t(<= (legal r wait) (or))")
    lines = result.output.splitlines()
    assert lines[1] == "     2 |  (<= (legal r wait) (or))"
    assert lines[2].index("^") == lines[1].index("(or)")


def test_long_lines_are_cut_around_the_place(check):
    facts = " ".join(f"(p {i})" for i in range(3000))
    result = check(FRAME + facts + "(<= (legal r wait) (or)) (<= terminal (p 0))")
    shown, mark = result.output.splitlines()[1:3]
    assert len(shown) < 200
    assert shown[mark.index("^") :].startswith("(or)")


def test_control_characters_do_not_reach_the_terminal(check):
    assert "\x1b" not in check(FRAME + "(<= (legal r wait)) ; \x1b[31m").output


def test_random_matches_can_be_left_out(check):
    sheet = FRAME + "(goal r 0)"
    assert check(sheet).exit_code == 0
    result = check(sheet, "--json", "--matches", "3")
    assert result.exit_code == 1
    answer = json.loads(result.output)
    assert [m["check"] for m in answer["messages"]] == ["goal-not-unique"]
    assert answer["simulation"] == {"matches": 3, "states": 6, "stopped": ""}


def test_random_matches_are_counted_and_bounded(check):
    assert "3 random matches, 6 states" in check(FRAME, "--matches", "3").output
    assert "0 random matches, 0 states; 0 s of processor time are over" in check(FRAME, "--matches", "3", "--seconds", "0").output


@pytest.mark.parametrize("content", [b"\0" * 120, b"", b"Dear reader, nothing here.\n"])
def test_not_a_rule_sheet(check, content):
    result = check(content, "--json")
    assert isinstance(result.exception, UnusableFileError)


def test_infix_and_case_sensitive(check):
    infix = "role(r). init(s(0)). legal(r, go). next(s(1)) :- does(r, go). terminal :- true(s(1)). goal(r, 100)."
    assert check(infix, "--strict").exit_code == 0
    assert check(FRAME.replace("(true (s 1))", "(true (S 1))"), "--case-sensitive").exit_code == 0
    assert "never true" in check(FRAME.replace("(true (s 1))", "(true (S 1))"), "--case-sensitive").output
