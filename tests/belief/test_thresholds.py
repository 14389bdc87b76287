"""Chance in exported networks: a threshold can be met exactly if enumeration says so."""

from fractions import Fraction

import pytest

from scsp_player.network import template, unroll
from scsp_player.solver import sfc
from tests.oracles.naive_grounder import ground

# A die of which one face is doubled: low twice, middle and high once each. The player bets before it falls.
DICE = """
(role player) (role random)
(init open)
(face low-a low) (face low-b low) (face middle middle) (face high high)
(bet low) (bet high) (bet not-low)
(pays low low) (pays high high) (pays not-low middle) (pays not-low high)
(<= (legal player (bet ?b)) (true open) (bet ?b))
(<= (legal random (fall ?f)) (true open) (face ?f ?k))
(<= (next won) (does player (bet ?b)) (does random (fall ?f)) (face ?f ?k) (pays ?b ?k))
(<= (next over) (true open))
(<= terminal (true over))
(<= (goal player 100) (true won))
(<= (goal player 0) (not (true won)))
(goal random 0)
"""


@pytest.mark.parametrize(
    ("threshold", "policies"), [(Fraction(1, 4), 3), (Fraction(1, 2), 2), (Fraction(51, 100), 0), (Fraction(1), 0)]
)
def test_bets_that_win_often_enough(threshold, policies):
    """Bets win with probability 1/2 (two of four faces), 1/4, and 1/2."""
    game = ground(DICE)
    micro = template(game, explicit_legality=(1,))
    network = unroll(micro, 1, state=game.initial_state, goal=(0, 100), threshold=threshold)
    assert len(sfc.solution_policies(network.instance)) == policies
