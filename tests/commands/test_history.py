"""``history``: what a server has recorded, listed, shown, replayed and written for viewers."""

import json

from typer.testing import CliRunner

from scsp_player.cli import build
from scsp_player.protocol.archive import Archive
from tests.protocol.games import COIN, DUEL, start


def run(*arguments):
    return CliRunner().invoke(build(), ["history", *map(str, arguments)])


def record(folder, name, rules, role, exchanges):
    archive = Archive(folder)
    key = archive.begin(name, role, start(rules, role, match=name), (10, 5), "legal", 1)
    for turn, (text, reply) in enumerate(exchanges):
        row = archive.message(key, text.split()[0].lstrip("("), None, turn, text)
        archive.reply(row, reply, "agent", 0.25, {"value": 55.0})
    archive.end(key, "done")
    archive.close()


def duel(folder):
    record(
        folder,
        "Duel.1",
        DUEL,
        "left",
        [
            ("(PLAY Duel.1 NIL)", "(Choose 1)"),
            ("(PLAY Duel.1 ((choose 1) (choose 2)))", "(Choose 3)"),
            ("(PLAY Duel.1 ((choose 3) (choose 2)))", "(Choose 3)"),
            ("(STOP Duel.1 ((choose 3) (choose 1)))", "done"),
        ],
    )


def test_a_match_in_every_form(tmp_path):
    duel(tmp_path)
    assert "Duel.1" in run(tmp_path).stdout
    [listed] = json.loads(run(tmp_path, "--json").stdout)["matches"]
    assert (listed["key"], listed["turns"], listed["outcome"]) == (1, 3, "done")
    shown = run(tmp_path, "duel.1").stdout.replace("\n", " ")
    assert "(PLAY Duel.1 NIL) → (Choose 1)  (0.25 s, agent) value=55" in shown
    course = json.loads(run(tmp_path, "1", "--replay", "--json").stdout)["course"]
    assert course["moves"][1] == ["(Choose 3)", "(Choose 2)"]
    assert course["goals"] == [100, 0]
    assert "goals: left 100, right 0" in run(tmp_path, "1", "--replay").stdout
    target = tmp_path / "match.json"
    assert run(tmp_path, "1", "--export", target, "--game-url", "http://games.test/duel/").exit_code == 0
    log = json.loads(target.read_text())
    assert log["states"][0] == "( (round 1) )"
    assert len(log["states"]) == len(log["stateTimes"]) == len(log["moves"]) + 1 == 4
    assert log["goalValues"] == [100, 0]
    assert log["playerNamesFromHost"] == ["legal", ""]
    assert log["gameMetaURL"] == "http://games.test/duel/"
    assert log["rulesheet"].startswith("(role Left) (role right)")


def test_hidden_information(tmp_path):
    said = [("(PLAY m NIL)", "noop"), ("(PLAY m ())", "peek"), ("(PLAY m (heads))", "(name heads)"), ("(STOP m ())", "done")]
    record(tmp_path, "m", COIN, "guesser", said)
    course = json.loads(run(tmp_path, "m", "--replay", "--json").stdout)["course"]
    assert course["moves"] == [[None, "noop"], [None, "peek"], [None, "(name heads)"]]
    assert len(course["states"]) == 1
    assert course["goals"] is None


def test_unusable_input(tmp_path):
    assert run(tmp_path).exit_code != 0
    duel(tmp_path)
    assert run(tmp_path, "nothing").exit_code != 0
    assert run(tmp_path, "--replay").exit_code == 2
