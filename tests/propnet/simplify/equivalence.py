"""Two circuits compared on the positions of random matches."""

from __future__ import annotations

from itertools import islice

import numpy as np

from scsp_player.propnet.circuit import outputs_of
from scsp_player.propnet.simplify.sampling import evaluated, literal_rows, random_positions, unpacked


def assert_same_in_play(reference, circuit, game, *, lanes=128, turns=50, seed=0):
    """All outputs agree wherever random play with the reference gets to; returns the number of positions."""
    positions = 0
    for inputs in islice(random_positions(reference, game, lanes, np.random.default_rng(seed)), turns):
        ours = unpacked(literal_rows(evaluated(circuit, inputs), outputs_of(circuit)), inputs.shape[1])
        theirs = unpacked(literal_rows(evaluated(reference, inputs), outputs_of(reference)), inputs.shape[1])
        np.testing.assert_array_equal(ours, theirs)
        positions += inputs.shape[1]
    return positions
