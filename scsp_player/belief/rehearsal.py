"""A tiny game in which two players move at once without seeing it, so that everything here is compiled before a clock runs."""

from __future__ import annotations

import math

import numpy as np

from scsp_player.belief.equilibrium import Equilibrium
from scsp_player.belief.information_set import Belief
from scsp_player.belief.information_set_search import InformationSetSearch, WalkSettings
from scsp_player.belief.sequence_game import sequence_game
from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet

RULES = """
(role one) (role two) (init open) (side left) (side right)
(<= (legal ?r ?s) (role ?r) (side ?s))
(<= (next same) (does one ?s) (does two ?s)) (<= terminal (not (true open)))
(init (light red)) (<= (next (light green)) (true (light red))) (<= (next (light red)) (true (light green)))
(<= (sees ?r (shines ?c)) (role ?r) (true (light ?c)))
(<= (goal one 100) (true same)) (<= (goal one 0) (not (true same))) (<= (goal two 50) (role two))
"""


def rehearse() -> None:
    """Walk, and improve strategies, a few times."""
    game = ground(parse_program(RULES, "<rehearsal>"))
    propnet = Propnet(game)
    belief = Belief(game, propnet, 0, seed=0)
    belief.prove_exclusions(1.0)
    search = InformationSetSearch(game, propnet, 0, settings=WalkSettings(nodes=64), seed=0)
    search.think(belief, math.inf, walks=8)
    search.choices(0)
    whole = sequence_game(
        game, propnet, game.initial_state[None], belief.views[:1], np.ones(1), work=16, expired=lambda: False
    )
    assert whole is not None
    Equilibrium(whole).learn(2, lambda: False)
