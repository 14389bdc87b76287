"""Tournaments: seats, clocks of agents, faults, journals, verdicts."""

import csv
import json
import time
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from scsp_player.agents.base import Agent
from scsp_player.arena.contest import Terms, make_agent, play_match
from scsp_player.arena.results import Match, Result, seatings
from scsp_player.arena.sheet import game_of
from scsp_player.arena.strength import interval, verdict
from scsp_player.arena.tournament import Pairing, Tournament, play
from scsp_player.cli import build
from scsp_player.gdl.terms import Symbol
from scsp_player.grounding import Reasoner
from tests.games.sheets import path_of

RACE = """
(role a) (role b) (init (at 0))
(step 1) (step 2)
(plus 0 1 1) (plus 0 2 2) (plus 1 1 2) (plus 1 2 3)
(<= (legal ?r ?s) (role ?r) (step ?s))
(<= (next (at ?m)) (does a ?s) (true (at ?n)) (plus ?n ?s ?m))
(<= (next (bold ?r)) (does ?r 2))
(<= terminal (not (true (at 0))))
(<= (goal ?r 100) (true (bold ?r)))
(<= (goal ?r 10) (role ?r) (not (true (bold ?r))))
"""


class Bold(Agent):
    """Plays 2, and once it has been asked, something illegal."""

    move = Symbol("2")

    def start(self, program, role, *, play_seconds, deadline, seed):
        self.role = role

    def play(self, turn, deadline):
        return self.move


class Wrong(Bold):
    """Never plays anything legal."""

    move = Symbol("9")


class Timed(Agent):
    """Plays what it may, and notes how much time it was given."""

    given: ClassVar[list[float]] = []

    def start(self, program, role, *, play_seconds, deadline, seed):
        self.machine, self.role = Reasoner(program), role
        self.state = self.machine.initial_state()

    def play(self, turn, deadline):
        if turn.joint_move is not None:
            self.state = self.machine.successor(self.state, turn.joint_move)
        self.given.append(deadline - time.monotonic())
        return self.machine.legal_moves(self.state)[self.machine.roles.index(self.role)][0]


HERE = f"{__name__}:"


def test_scores_and_illegal_moves():
    sheet = game_of(RACE)
    outcome = play_match(sheet, Reasoner(sheet.program), {"a": HERE + "Bold", "b": HERE + "Wrong"}, Terms(), seed=1)
    assert outcome.scores["a"] == 100
    assert outcome.illegal == {"a": 0, "b": 1}
    assert outcome.turns == 1


def test_chance_and_hidden_information():
    sheet = game_of(path_of("monty-hall").read_text(encoding="utf-8"))
    outcome = play_match(sheet, Reasoner(sheet.program), {"candidate": "random"}, Terms(), seed=1)
    assert outcome.scores["candidate"] in (0, 100)
    assert outcome.turns == 4
    assert outcome.illegal == {"candidate": 0}


@pytest.mark.parametrize("forced", [True, False])
def test_time_for_moves_without_alternative(monkeypatch, forced):
    monkeypatch.setattr(Timed, "given", [])
    sheet = game_of(path_of("tic-tac-toe").read_text(encoding="utf-8"))
    terms = Terms(play=1000.0, forced=forced)
    outcome = play_match(sheet, Reasoner(sheet.program), dict.fromkeys(sheet.seats, HERE + "Timed"), terms, seed=1)
    given = [seconds > 500 for seconds in Timed.given]
    # In every turn one of the two can only wait; the last of nine cells is no choice either.
    free = [role == turn % 2 and turn < 8 for turn in range(outcome.turns) for role in range(2)]
    assert given == ([True] * len(given) if forced else free)
    assert set(outcome.late.values()) == {0}


def test_a_match_without_end_is_broken_off():
    sheet = game_of("(role a) (init x) (legal a go) (<= (next x) (true x)) (<= terminal (not (true x))) (goal a 50)")
    outcome = play_match(sheet, Reasoner(sheet.program), {"a": "legal"}, Terms(turn_limit=5), seed=1)
    assert (outcome.turns, outcome.scores) == (5, {"a": 0})


def test_settings_in_names():
    agent = make_agent("mac-ucb+exploration=0.25+batch=8+prove=False+leaves=9")
    assert (agent.settings.exploration, agent.settings.batch, agent.settings.prove, agent.settings.leaves) == (0.25, 8, False, 9)
    assert make_agent("mac-ucb").settings.exploration != 0.25
    for spec in ("nobody", "mac-ucb+speed=3", "random+batch=2"):
        with pytest.raises(LookupError):
            make_agent(spec)
    with pytest.raises(ValueError, match="much"):
        make_agent("mac-ucb+batch=much")


@pytest.mark.parametrize("roles", [2, 3, 4])
def test_both_sides_sit_everywhere_equally_often(roles):
    orders = seatings(roles)
    assert len(set(orders)) == len(orders) == 2**roles - 2
    for seat in range(roles):
        assert sum(order[seat] == "1" for order in orders) == len(orders) // 2


def test_one_player_games_compare_scores():
    result = play(Match(str(path_of("hanoi-3")), "random", "legal", 0, Terms()))
    assert not result.error
    assert result.seats == "1"
    assert result.turns > 0


def test_a_crash_is_a_result():
    result = play(Match(str(path_of("nim")), "tests.arena.nowhere:Agent", "random", 0, Terms()))
    assert "nowhere" in result.error
    pairing = Pairing("nim", "x", "random", [result])
    assert pairing.row()["errors"] == 1
    assert pairing.shares == []


def test_a_journal_is_taken_up_again(tmp_path):
    journal = tmp_path / "results.csv"
    game = path_of("nim")

    def tournament(rounds):
        return Tournament([game], ["random", "legal"], Terms(), rounds=rounds, journal=journal)

    played = []
    tournament(2).run(1, played.append)
    again = tournament(3)
    assert [len(p.results) for p in again.pairings] == [2]
    assert again.pairings[0].results == played
    again.run(1, played.append)
    assert sorted(r.number for r in played) == [0, 1, 2]
    assert [r.seats for r in sorted(played, key=lambda r: r.number)] == ["12", "21", "12"]
    with journal.open(newline="", encoding="utf-8") as lines:
        assert len(list(csv.DictReader(lines))) == 3


def test_a_verdict_ends_a_pairing():
    tournament = Tournament([path_of("nim")], ["a", "b"], Terms(), rounds=1000, decide=True)
    pairing = tournament.pairings[0]
    pairing.results = [Result("nim", "a", "b", i, first_score=100.0) for i in range(40)]
    assert pairing.row()["verdict"] == 1
    assert not list(tournament._matches(served=False))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=200))
def test_intervals_hold_the_mean_and_shrink(shares):
    low, high = interval(shares)
    assert 0 <= low <= sum(shares) / len(shares) + 1e-9
    assert sum(shares) / len(shares) - 1e-9 <= high <= 1
    more = interval(shares * 4)
    assert more[1] - more[0] < high - low
    assert verdict(shares) == -verdict([1 - s for s in shares])


def test_on_the_command_line():
    run = CliRunner().invoke(
        build(), ["tournament", str(path_of("nim")), "--players", "random,legal", "--rounds", "2", "--play-clock", "1", "--json"]
    )
    assert run.exit_code == 0, run.output
    [row] = json.loads(run.stdout)["results"]
    assert row["matches"] == 2
    for players in ("random", "random,random", "random,nobody"):
        assert CliRunner().invoke(build(), ["tournament", str(path_of("nim")), "--players", players]).exit_code == 2
