"""The network against the recorded answers of independent engines, on games of every kind."""

from __future__ import annotations

import pytest

from scsp_player.arena.conform import conform
from scsp_player.grounding import ground
from scsp_player.propnet import PropnetMachine
from tests.shared_data import SHARED, needs_shared

GAMES = [
    "ticTacToe_v0",
    "connectFour_v0",
    "blocker_v0",
    "nim1_v0",
    "breakthrough_v0",
    "reversi_v0",
    "checkers_v1",
    "hexPie_v0",
    "pentago_v0",
    "eightPuzzle_v0",
    "hanoi_v0",
    "cubicup_3player_v0",
    "chineseCheckers6_v2",
    "ghostMaze2p_v0",
    "biddingTicTacToe_v0",
]
GAMES_OF_CHANCE = ["scully__montyhall.gdl", "unsw__KriegTictactoe.gdl", "scully__pennies.gdl", "unsw__blackjack.gdl"]


@needs_shared
@pytest.mark.parametrize(
    "trace", [f"traces/{name}.json.gz" for name in GAMES] + [f"traces-gdl2/{name}.json.gz" for name in GAMES_OF_CHANCE]
)
def test_recorded_answers(trace):
    outcome = conform(SHARED / trace, "propnet", lambda program: PropnetMachine(ground(program)))
    assert not outcome.skipped, outcome.skipped
    assert outcome.states > 0
    assert not outcome.mismatches, outcome.mismatches[0]
