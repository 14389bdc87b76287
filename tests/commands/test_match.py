"""``match`` as a program: whole matches over real HTTP between players in processes of their own."""

import json
import os
import sys
from pathlib import Path

import psutil
import pytest
import typer
from typer.testing import CliRunner

from scsp_player.commands import agents, match
from tests.protocol.games import COIN, DUEL

ROOT = Path(__file__).resolve().parents[2]
UNHURRIED = ("--seed", "4", "--start-clock", "60", "--play-clock", "10")


@pytest.fixture(autouse=True)
def nothing_left_behind(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
    Path("duel.kif").write_text(DUEL)
    Path("coin.kif").write_text(COIN)
    before = set(psutil.Process().children(recursive=True))
    yield
    assert set(psutil.Process().children(recursive=True)) <= before


def run(*arguments, command=match.command):
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, list(arguments))


def test_two_matches_with_everything_on_record():
    done = run("duel.kif", "random", "legal", "--repeat", "2", "--referee-log", "log.json", "--json", *UNHURRIED)
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    first, second = result["matches"]
    assert first["players"] == {"left": "random", "right": "legal"}
    assert second["players"] == {"left": "legal", "right": "random"}
    assert [m["turns"] for m in result["matches"]] == [3, 3]
    assert [m["errors"] for m in result["matches"]] == [[], []]
    assert result["totals"] == {"random": first["scores"]["left"] + second["scores"]["right"], "legal": 0}
    log = json.loads(Path("log.json").read_text())
    assert log["totals"] == result["totals"]
    turn = log["matches"][0]["turns"][1]
    assert turn["moves"]["right"] == "(choose 1)"
    assert turn["replies"]["right"] == "(choose 1)"
    assert turn["seconds"].keys() == {"left", "right"}
    assert "(round 2)" in turn["state"]


def test_a_command_as_player_with_scrambled_names_and_a_log_for_viewers():
    command = f"cmd:{sys.executable} -m scsp_player.commands.serve --agent legal --port {{port}}"
    options = ("--scramble", "--shuffle", "--viewer-log", "logs", "--json")
    done = run("duel.kif", command, "legal", *options, *UNHURRIED)
    assert done.exit_code == 0, done.output
    [match] = json.loads(done.stdout)["matches"]
    assert match["errors"] == []
    assert set(match["players"].values()) == {command, "legal"}
    log = json.loads(Path("logs", f"{match['match']}.json").read_text())
    assert log["scrambled"]
    assert log["moves"][0] == ["(choose 1)", "(choose 1)"] or "choose" in log["moves"][0][0]


def test_hidden_information_told_to_a_human():
    done = run("coin.kif", "random", *UNHURRIED)
    assert done.exit_code == 0, done.output
    assert "coin: guesser = random" in done.stdout
    assert "random (toss " in done.stdout
    assert "Final position" in done.stdout
    assert "(step done)" in done.stdout
    assert "100" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("duel.kif random", "2 roles to play (left, right), not 1"),
        ("duel.kif random legal legal", "not 3"),
        ("duel.kif random nobody", "there is no agent called nobody"),
        ("duel.kif random http://127.0.0.1:1", "http://127.0.0.1:1 cannot be reached"),
        ("duel.kif random http://here", "http://here is not the address of a player"),
        ("duel.kif random legal --dialect morse", "--dialect is morse (write joint or turn or percepts or sees)"),
        ("duel.kif random legal --substitution none", "write random or first or forfeit"),
        ("duel.kif random cmd:java", "write {port} there"),
        ("duel.kif random cmd:/none/at/all:{port}", "cannot run /none/at/all"),
        ("duel.kif random legal --referee-log none/log.json", "there is no folder none"),
    ],
)
def test_unusable_input(arguments, complaint):
    done = run(*arguments.split())
    assert done.exit_code == 2
    assert complaint in done.stderr


def test_list_of_agents():
    assert run(command=agents.command).stdout.splitlines()[0].startswith("mac-ucb ")
    names = [agent["name"] for agent in json.loads(run("--json", command=agents.command).stdout)["agents"]]
    assert {"mac-ucb", "uct", "random", "legal"} <= set(names)
