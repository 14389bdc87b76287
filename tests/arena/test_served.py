"""Tournaments in which players from elsewhere take part, over HTTP."""

import json
import sys

import pytest
from typer.testing import CliRunner

from scsp_player.arena.contest import Terms
from scsp_player.arena.results import Match
from scsp_player.arena.served import Served, served
from scsp_player.arena.tournament import Tournament
from scsp_player.cli import build
from scsp_player.protocol.errors import ProtocolError
from tests.arena.stubs import says, stub_player
from tests.games.sheets import path_of

NIM, TRAILS = str(path_of("nim")), str(path_of("light-trails"))
COMMAND = f"cmd:{sys.executable} -m scsp_player.commands.serve --agent random --port {{port}} --data-dir {{folder}}"


async def test_faults_of_both_sides_are_told_apart():
    async with stub_player(says("nonsense"), "x") as (x, _), stub_player(says("(("), "y") as (y, _):
        players = Served({"x": [x], "y": [y]})
        results = [await players.play(Match(NIM, "x", "y", number, Terms(1, 1))) for number in (0, 1)]
    assert [result.seats for result in results] == ["12", "21"]
    for result in results:
        assert not result.error
        assert {result.first_score, result.second_score} == {0.0, 100.0}
        assert result.first_illegal + result.second_illegal == 2 * result.turns
        assert result.first_late == result.second_late == 0


async def test_no_answer_is_late():
    def hang_up(message):
        return None

    async with stub_player(hang_up, "x") as (x, _), stub_player(says("nonsense"), "y") as (y, _):
        result = await Served({"x": [x], "y": [y]}).play(Match(NIM, "x", "y", 0, Terms(1, 1)))
    assert result.first_late == result.turns + 1  # the start too
    assert result.second_late == 0


async def test_a_match_without_end_is_an_error():
    async with stub_player(says("nonsense"), "x") as (x, _):
        result = await Served({"x": [x], "y": [x]}).play(Match(NIM, "x", "y", 0, Terms(1, 1, turn_limit=1)))
    assert "not ended" in result.error


async def test_what_cannot_be_played_is_said_before_anything_starts():
    for names, games, text in [
        (["http://127.0.0.1:1", "random"], [TRAILS], "one role at a time"),
        (["http://127.0.0.1:1", "mac-ucb+batch=8"], [NIM], "settings"),
        (["http://127.0.0.1:1", "random"], [NIM], "127.0.0.1:1"),
    ]:
        with pytest.raises(ProtocolError, match=text):
            async with served(names, games):
                pass


def test_a_command_against_an_agent(tmp_path):
    journal = tmp_path / "results.csv"
    command = COMMAND.replace("{folder}", str(tmp_path / "data"))
    tournament = Tournament([path_of("nim")], [command, "random"], Terms(20, 2), rounds=2, journal=journal)
    tournament.run()
    [pairing] = tournament.pairings
    row = pairing.row()
    assert (row["matches"], row["late"], row["illegal"], row["errors"]) == (2, 0, 0, 0)
    again = Tournament([path_of("nim")], [command, "random"], Terms(20, 2), rounds=2, journal=journal)
    assert again.pairings[0].results == pairing.results


def test_on_the_command_line(tmp_path):
    arguments = ["tournament", NIM, "--rounds", "2", "--json", "--players"]
    run = CliRunner().invoke(build(), [*arguments, "random,http://127.0.0.1:1"])
    assert run.exit_code == 2
    command = f'"{COMMAND.replace("{folder}", str(tmp_path / "a, b"))}"'.replace(str(tmp_path / "a, b"), f"'{tmp_path / 'a, b'}'")
    run = CliRunner().invoke(build(), [*arguments, f"random,{command}", "--start-clock", "20", "--play-clock", "2"])
    assert run.exit_code == 0, run.output
    [row] = json.loads(run.stdout)["results"]
    assert row["matches"] == 2
