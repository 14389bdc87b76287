"""Flat Monte Carlo on the rules themselves."""

import itertools
from types import SimpleNamespace

import pytest

from scsp_player.agents import reasoning
from scsp_player.agents.base import Turn
from scsp_player.agents.reasoning import ReasonerAgent
from scsp_player.gdl.reading import parse_program, parse_term
from tests.protocol.games import COIN, DUEL

TRAP = """
(role r) (init (at start))
(<= (legal r ?m) (true (at start)) (door ?m)) (<= (legal r rest) (not (true (at start))))
(door a) (door b) (door c) (door d)
(<= (next (at ?d)) (does r ?d) (door ?d))
(<= (next (at ?d)) (true (at ?d)) (door ?d)) (<= (next late) (true (at ?d)) (door ?d))
(<= terminal (true late))
(<= (goal r 100) (true (at c))) (<= (goal r 10) (not (true (at c))))
"""


@pytest.fixture
def ticks(monkeypatch):
    """A clock that goes on by one whenever somebody looks at it."""
    clock = itertools.count()
    monkeypatch.setattr(reasoning, "time", SimpleNamespace(monotonic=lambda: next(clock)))


def playing(rules, role, reports):
    agent = ReasonerAgent(reports.append)
    agent.start(parse_program(rules), role, play_seconds=1.0, deadline=0.0, seed=1)
    return agent


def test_it_finds_the_best_door_and_tells_when_it_changes_its_mind(ticks):
    reports = []
    agent = playing(TRAP, "r", reports)
    assert agent.play(Turn(0), 100) == parse_term("c")
    assert reports[-1] == parse_term("c")
    assert all(a != b for a, b in itertools.pairwise(reports))
    assert agent.play(Turn(1, (parse_term("c"),)), 200) == parse_term("rest")


def test_without_time_it_plays_a_legal_move(ticks):
    reports = []
    move = playing(DUEL, "left", reports).play(Turn(0), -1)
    assert reports == [move]
    assert str(move) in ("(choose 1)", "(choose 2)", "(choose 3)")



def test_hidden_information(ticks):
    agent = playing(COIN, "guesser", [])
    assert agent.play(Turn(0), 50) == parse_term("noop")
    assert agent.play(Turn(1, None, parse_term("noop"), frozenset()), 100) == parse_term("peek")
    heads = frozenset([parse_term("heads")])
    assert agent.play(Turn(2, None, parse_term("peek"), heads), 150) == parse_term("(name heads)")
