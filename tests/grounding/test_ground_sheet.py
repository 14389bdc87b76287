"""A ground game written as a sheet is the same game for engines that share nothing with the grounder."""

from __future__ import annotations

from pathlib import Path

import pytest

from scsp_player.gdl import load_program
from scsp_player.grounding import format_ground, ground
from tests.grounding.walks import assert_same_along_random_matches
from tests.oracles import naive_grounder
from tests.oracles.ground_machine import GroundMachine

SHEETS = Path(__file__).resolve().parents[2] / "games"


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "monty-hall", "kriegspiel-tic-tac-toe", "three-colours"])
def test_same_game(name):
    game = ground(load_program(SHEETS / f"{name}.kif"))
    written = naive_grounder.ground(format_ground(game))
    assert_same_along_random_matches(GroundMachine(game), GroundMachine(written), matches=3, seed=5)
