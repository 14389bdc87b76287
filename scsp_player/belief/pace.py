"""How many entries of a belief can be followed in the time of a turn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scsp_player.belief.joint_moves import draw_joint_moves
from scsp_player.belief.samples import States
from scsp_player.belief.views import Views
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

TRIAL, TRIALS_A_TURN = 256, 12
"""States with which is tried how long a turn takes, and how often each entry is looked at in one, roughly."""


def affordable(game: GroundGame, propnet: Propnet, states: States, seconds: float, clock: Callable[[], float]) -> int:
    """Entries that can probably be followed in a time, by a trial with copies of some states, uint64[k, words]."""
    states, views = states[np.arange(TRIAL) % len(states)], Views(game)
    for _ in range(2):  # the first time may compile
        begin = clock()
        moves = draw_joint_moves(game, propnet.evaluate(states)[1], np.random.default_rng(0))
        views.observe(propnet, states, moves)
        taken = clock() - begin
    return int(seconds * TRIAL / max(1e-9, TRIALS_A_TURN * taken))
