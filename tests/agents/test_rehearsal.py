"""The tiny match that compiles everything before a clock runs."""

import subprocess
import sys
from pathlib import Path

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


def test_no_match_needs_a_kernel_that_is_not_compiled_before():
    root = Path(__file__).resolve().parents[2]
    # One player, several that move at the same time, and hidden information; in a process that has played nothing else.
    games = [str(root / "games" / f"{name}.kif") for name in ("eight-puzzle", "light-trails", "kuhn-poker")]
    script = [sys.executable, "-m", "tests.agents.kernels_in_use", "mac-ucb", *games]
    number, *added = subprocess.run(script, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    assert int(number) > 20
    assert added == [""] * len(games)


def test_the_search_rehearses_looking_ahead():
    # Alone in a process: whether matches before have looked ahead depends on their games.
    code = "\n".join(
        [
            "from scsp_player.search import MacUcb, batch_kernels",
            "MacUcb.rehearse()",
            "kernels = (batch_kernels.list_joint_moves, batch_kernels.link_seen, batch_kernels.link_solutions)",
            "print([len(kernel.signatures) for kernel in kernels])",
        ]
    )
    root = Path(__file__).resolve().parents[2]
    result = subprocess.run([sys.executable, "-c", code], cwd=root, check=True, capture_output=True, text=True)
    assert result.stdout == "[1, 1, 1]\n"
