"""Agents that think on others' time, and those that must not."""

import itertools
import time

import pytest

from scsp_player.agents.base import Turn
from scsp_player.agents.mac_ucb import MacUcbAgent
from scsp_player.agents.registry import AGENTS
from scsp_player.gdl.reading import parse_program, parse_term
from scsp_player.search.settings import SearchSettings
from tests.protocol.games import COIN
from tests.search.test_mac_ucb import PILE


def after(calls):
    asked = itertools.count(1)
    return lambda: next(asked) >= calls


def started(agent, text, role, clock=time.monotonic):
    agent.clock = clock
    agent.settings = SearchSettings(prove=False, exploration=0.02)
    agent.start(parse_program(text), role, play_seconds=0.01, deadline=clock() + 30, seed=1)
    return agent


@pytest.fixture
def agent():
    agent = started(MacUcbAgent(), PILE, "first")
    yield agent
    agent.stop()


def joint(*moves):
    return tuple(map(parse_term, moves))


def test_search_goes_on_after_the_move_and_the_match_may_go_another_way(agent):
    agent.ponder(after(5))
    move = str(agent.play(Turn(0), time.monotonic() + 0.05))
    before = agent.search.leaves
    agent.ponder(after(20))
    assert agent.search.leaves > before
    other = {"(take 1)": "(take 2)", "(take 2)": "(take 1)"}[move]
    assert str(agent.play(Turn(1, joint(other, "wait")), time.monotonic() + 0.05)) == "wait"
    agent.ponder(after(5))
    last = str(agent.play(Turn(2, joint("wait", "(take 2)")), time.monotonic() + 0.05))
    assert last in {"(take 1)", "(take 2)"}
    agent.ponder(after(5))
    with pytest.raises(ValueError, match="jump"):
        agent.play(Turn(3, joint("jump", "wait")), time.monotonic() + 0.05)
    agent.ponder(after(5))
    agent.observe(Turn(3, joint(last, "wait")))


def test_not_by_the_clock_of_the_processor():
    agent = started(MacUcbAgent(), PILE, "first", time.thread_time)
    before = agent.search.leaves
    agent.ponder(lambda: False)
    assert agent.search.leaves == before


@pytest.mark.parametrize("name", ["mac-ucb", "woodstock", "ismcts", "random"])
def test_hidden_states_and_other_agents_are_left_alone(name):
    agent = AGENTS[name].make()
    deadline = time.monotonic() + 30
    agent.start(parse_program(COIN), "guesser", play_seconds=0.01, deadline=deadline, seed=1)
    agent.ponder(lambda: False)
    agent.stop()
