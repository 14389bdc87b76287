"""The tiny match that compiles everything before a clock runs."""

import pytest

from scsp_player.agents.base import Turn
from scsp_player.agents.registry import AGENTS
from scsp_player.agents.rehearsal import RULES
from scsp_player.gdl import check_program, parse_program
from tests.oracles.naive_grounder import ground


def test_the_rules_are_a_proper_game():
    assert not check_program(parse_program(RULES))
    assert ground(RULES).roles == ("left", "right")


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_of_ours_plays_both_turns(name, monkeypatch):
    turns = []
    kind = AGENTS[name]
    factory = type(kind.make())
    play = factory.play

    def noting(self, turn: Turn, deadline: float):
        turns.append(turn.number)
        return play(self, turn, deadline)

    monkeypatch.setattr(factory, "play", noting)
    kind.load()
    assert [n for i, n in enumerate(turns) if n not in turns[:i]] == [0, 1]
