"""The agents that do not think, and the table of agents."""

import time

import pytest

from scsp_player.agents.base import Agent, Turn
from scsp_player.agents.legal import LegalAgent
from scsp_player.agents.random import RandomAgent
from scsp_player.agents.reasoning import ReasonerAgent
from scsp_player.agents.registry import AGENTS, agent_kind
from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.reading import parse_program, parse_term
from scsp_player.kernels import PLAIN
from tests.protocol.games import COIN, DUEL


@pytest.fixture(scope="module", autouse=True)
def _prepared():
    RandomAgent.prepare()


def playing(kind, rules, role, seed=1):
    agent = kind()
    agent.start(parse_program(rules), role, play_seconds=1.0, deadline=time.monotonic() + 60.0, seed=seed)
    return agent


def joint(*texts):
    return tuple(parse_term(text) for text in texts)


def test_legal_plays_the_first_move():
    agent = playing(LegalAgent, DUEL, "left")
    assert str(agent.play(Turn(0), 0.0)) == "(choose 1)"
    assert str(agent.play(Turn(1, joint("(choose 1)", "(choose 3)")), 0.0)) == "(choose 1)"
    assert list(map(str, agent.legal)) == ["(choose 1)", "(choose 2)", "(choose 3)"]


def test_random_plays_all_moves_alike():
    counts = dict.fromkeys(("(choose 1)", "(choose 2)", "(choose 3)"), 0)
    agent = playing(RandomAgent, DUEL, "left")
    agent.play(Turn(0), 0.0)
    for turn in range(300):
        counts[str(agent.choose(agent.legal, Turn(turn)))] += 1
    assert min(counts.values()) > 70


def test_p19_same_seed_same_moves_and_catching_up_changes_nothing():
    turns = [Turn(0), Turn(1, joint("(choose 1)", "(choose 3)")), Turn(2, joint("(choose 2)", "(choose 1)"))]
    first, second, late = (playing(RandomAgent, DUEL, "right", seed=11) for _ in range(3))
    moves = [first.play(turn, 0.0) for turn in turns]
    assert [second.play(turn, 0.0) for turn in turns] == moves
    for turn in turns[:2]:
        late.observe(turn)
    assert late.play(turns[2], 0.0) == moves[2]


def test_p20_chance_and_hidden_information():
    agent = playing(RandomAgent, COIN, "guesser")
    agent.play(Turn(0), 0.0)
    assert str(agent.play(Turn(1, None, parse_term("noop"), frozenset()), 0.0)) == "peek"
    assert str(agent.play(Turn(2, None, parse_term("peek"), frozenset(joint("tails"))), 0.0)) == "(name tails)"


LOCK = """
; Chance sets three dials of twelve; who opens the lock sees them, and has to say what the first one shows.
(role random) (role opener) (init start) {}
(<= (legal random (set ?a ?b ?c)) (true start) (digit ?a) (digit ?b) (digit ?c)) (<= (legal random rest) (not (true start)))
(<= (legal opener wait) (true start)) (<= (legal opener (say ?a)) (true (first ?a)))
(<= (next (first ?a)) (does random (set ?a ?b ?c))) (<= (sees opener (dials ?a ?b ?c)) (does random (set ?a ?b ?c)))
(<= terminal (not (true start)) (not (true (first d0))) (true over)) (goal opener 50)
""".format(" ".join(f"(digit d{i})" for i in range(12)))


@pytest.mark.skipif(PLAIN, reason="beliefs are kept only by compiled kernels")
def test_a_percept_that_is_one_of_many_is_explained():
    agent = playing(RandomAgent, LOCK, "opener")
    agent.play(Turn(0), 0.0)
    assert str(agent.play(Turn(1, None, parse_term("wait"), frozenset(joint("(dials d3 d7 d11)"))), 0.0)) == "(say d3)"
    assert list(map(str, agent.legal)) == ["(say d3)"]


def test_only_where_not_everything_is_seen_the_rules_are_grounded():
    assert playing(RandomAgent, DUEL, "left")._believing is None
    assert (playing(RandomAgent, COIN, "guesser")._believing is None) == PLAIN
    assert playing(ReasonerAgent, COIN, "guesser")._believing is None
    agent = playing(RandomAgent, COIN, "guesser")
    agent.play(Turn(0), 0.0)
    agent.play(Turn(1, None, parse_term("fly"), frozenset()), 0.0)  # no move of the game: it may have been any
    assert list(map(str, agent.legal)) == ["peek"]
    # A manager that tells everything is understood as well.
    agent = playing(RandomAgent, COIN, "guesser")
    agent.play(Turn(1, joint("(toss heads)", "noop")), 0.0)
    assert str(agent.play(Turn(2, joint("noop", "peek")), 0.0)) == "(name heads)"


def test_no_legal_move_is_the_sheet_s_fault():
    agent = playing(RandomAgent, DUEL.replace("(role ?p) (number ?n)", "(true (round 2)) (role ?p) (number ?n)"), "left")
    with pytest.raises(GdlError, match="no legal move in turn 0"):
        agent.play(Turn(0), 0.0)


def test_the_table_of_agents():
    assert {"mac-ucb", "uct", "random", "legal"} <= set(AGENTS)
    for name, kind in AGENTS.items():
        assert kind.name == name
        assert kind.description
    assert isinstance(AGENTS["random"].make(), RandomAgent)


def test_agents_from_elsewhere_are_named_by_module():
    assert isinstance(agent_kind("scsp_player.agents.legal:LegalAgent").make(), Agent)
    for name in ("nobody", "module:", "a b:C", "module:not-a-name"):
        with pytest.raises(LookupError, match="mac-ucb"):
            agent_kind(name)
