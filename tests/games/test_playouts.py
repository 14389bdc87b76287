"""Bit-parallel playouts against the exact chances of random play, on every sheet small enough to know them."""

import numpy as np
import pytest

from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from tests.games.sheets import SHEETS, expected, path_of

PLAYOUTS = 20_000
DEVIATIONS = 5
"""Standard deviations allowed; the seed is fixed, so the outcome is too."""


def marginals(roles, outcomes):
    """(role, score) to probability."""
    chances = {}
    for text, probability in outcomes.items():
        for role, score in zip(roles, map(int, text.split()), strict=True):
            chances[role, score] = chances.get((role, score), 0.0) + probability
    return chances


@pytest.mark.parametrize("sheet", [s for s in SHEETS if expected()[s]["complete"]])
def test_chances_of_random_play(sheet):
    game = ground(load_program(path_of(sheet)))
    players = [role for role in game.roles if role != "random"]
    chances = marginals(players, expected()[sheet]["complete"]["random_outcomes"])
    result = Propnet(game).playouts(game.initial_state[None, :], lanes_per_state=256, playouts_per_state=PLAYOUTS, seed=7)
    assert result.complete
    assert result.finished[0] == PLAYOUTS
    assert result.truncated[0] == 0
    counted = {}
    for role, value, count in zip(game.goal_role, game.goal_value, result.goal_count[0], strict=True):
        key = game.roles[role], int(value)
        counted[key] = counted.get(key, 0) + int(count)
    for (role, score), chance in chances.items():
        spread = np.sqrt(PLAYOUTS * chance * (1 - chance)) + 1e-6 * PLAYOUTS
        assert abs(counted[role, score] - PLAYOUTS * chance) <= DEVIATIONS * spread, (role, score)
    for r, role in enumerate(game.roles):
        if role != "random":
            assert result.score_sum[0, r] == sum(score * n for (name, score), n in counted.items() if name == role)
