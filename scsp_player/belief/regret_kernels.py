"""Steps of counterfactual regret minimisation on a game in sequence form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import kernel

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]



@kernel
def gain(
    owner: Ints,
    parent: Ints,
    first: Ints,
    count: Ints,
    end_sequence: Ints,
    end_chance: Floats,
    end_score: Floats,
    player: int,
    plan: Floats,
    result: Floats,
) -> None:
    """What each sequence of a player brings if the others realise theirs with the probabilities ``plan``; into ``result``."""
    result[:] = 0.0
    for end in range(len(end_chance)):
        weight = end_chance[end] * end_score[end, player]
        if weight != 0.0:
            for other in range(end_sequence.shape[1]):
                if other != player:
                    weight *= plan[end_sequence[end, other]]
            result[end_sequence[end, player]] += weight


@kernel
def iterate(
    owner: Ints,
    parent: Ints,
    first: Ints,
    count: Ints,
    end_sequence: Ints,
    end_chance: Floats,
    end_score: Floats,
    begin: int,
    end: int,
    regret: Floats,
    strategy: Floats,
    plan: Floats,
    total: Floats,
    scratch: Floats,
) -> int:
    """Iterations ``begin`` to ``end`` of CFR+ (Tammelin 2014), players in turn, averages weighted by the iteration.

    ``regret``, ``strategy`` (one number a move), ``plan`` (probabilities of sequences) and ``total`` (their weighted sum) are
    float64[sequences] and are changed.
    """
    players = end_sequence.shape[1]
    for step in range(begin, end):
        for player in range(players):
            gain(owner, parent, first, count, end_sequence, end_chance, end_score, player, plan, scratch)
            for s in range(len(owner) - 1, -1, -1):
                if owner[s] != player:
                    continue
                low, high = first[s], first[s] + count[s]
                value = 0.0
                for a in range(low, high):
                    value += strategy[a] * scratch[a]
                scratch[parent[s]] += value
                positive = 0.0
                for a in range(low, high):
                    regret[a] = max(0.0, regret[a] + scratch[a] - value)
                    positive += regret[a]
                for a in range(low, high):
                    strategy[a] = regret[a] / positive if positive > 0.0 else 1.0 / count[s]
            for s in range(len(owner)):
                if owner[s] == player:
                    for a in range(first[s], first[s] + count[s]):
                        plan[a] = plan[parent[s]] * strategy[a]
                        total[a] += (step + 1) * plan[a]
    return end
