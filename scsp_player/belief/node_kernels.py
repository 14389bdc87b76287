"""Steps of information-set search: choosing moves by what each role knows, and taking in what came of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]
Keys = NDArray[np.uint64]

NODES, SLOTS = 0, 1
"""What is in use, in the array ``used``."""



@kernel
def find(table: Ints, key: Keys, wanted: np.uint64) -> int:
    """The place of a key in the table: its node is there, or -1 where it belongs."""
    mask = len(table) - 1
    place: int = np.int64(wanted & np.uint64(mask))  # type: ignore[assignment]
    while table[place] >= 0 and key[table[place]] != wanted:
        place = (place + 1) & mask
    return place


@kernel
def choose(
    legal: Bools,
    views: Keys,
    live: Bools,
    chances: Floats,
    role_start: Ints,
    random_role: int,
    exploration: float,
    mixing: float,
    table: Ints,
    key: Keys,
    first: Longs,
    count: Ints,
    used: Longs,
    move: Ints,
    visits: Floats,
    total: Floats,
    regret: Floats,
    average: Floats,
    moves: Ints,
    slots: Longs,
    probability: Floats,
    nodes: Longs,
    new: Bools,
) -> None:
    """One joint move for every live lane, from the statistics of what each role can tell apart.

    Roles with several legal moves choose by UCB if ``mixing`` is negative, else by regret matching with so much of the
    uniform distribution mixed in. A lane in which somebody gets to know something that nobody has been through is marked ``new``:
    a node is made, and what is in ``moves`` means nothing. Chosen slots, the probability of the choice and the nodes go into int64,
    float64, int64[lanes, roles]; -1 for roles that had no choice. ``legal`` is bool[lanes, moves], ``views`` uint64[lanes, roles],
    ``chances`` float64[lanes, roles], uniform random numbers.
    """
    for lane in range(len(live)):
        if not live[lane]:
            continue
        new[lane] = False
        for role in range(len(role_start) - 1):
            slots[lane, role], nodes[lane, role], probability[lane, role] = -1, -1, 1.0
            low, high = role_start[role], role_start[role + 1]
            options = 0
            for m in range(low, high):
                if legal[lane, m]:
                    options += 1
            if options == 0:
                moves[lane, role] = low
                continue
            if options == 1 or role == random_role:
                skip = int(chances[lane, role] * options)
                for m in range(low, high):
                    if legal[lane, m]:
                        if skip == 0:
                            moves[lane, role] = m
                            break
                        skip -= 1
                continue
            place = find(table, key, views[lane, role])
            node = table[place]
            if node < 0:
                new[lane] = True
                if used[NODES] < len(key) and used[SLOTS] + options <= len(move):
                    node = used[NODES]
                    used[NODES] += 1
                    table[place], key[node] = node, views[lane, role]
                    first[node], count[node] = used[SLOTS], options
                    for m in range(low, high):
                        if legal[lane, m]:
                            slot = used[SLOTS]
                            move[slot], visits[slot], total[slot] = m, 0.0, 0.0
                            regret[slot], average[slot] = 0.0, 0.0
                            used[SLOTS] += 1
                continue
            begin, end = first[node], first[node] + count[node]
            chosen, sure = -1, 1.0
            if mixing < 0.0:
                tried = 1.0
                for s in range(begin, end):
                    tried += visits[s]
                bonus, best = exploration * math.sqrt(math.log(tried)), -1.0
                # Ties fall to whatever comes first from a random place on.
                shift = int(chances[lane, role] * count[node])
                for i in range(count[node]):
                    s = begin + (i + shift) % count[node]
                    if not legal[lane, move[s]]:
                        continue
                    merit = 1e9 if visits[s] == 0.0 else total[s] / visits[s] + bonus / math.sqrt(visits[s])
                    if merit > best:
                        best, chosen = merit, s
            else:
                positive, usable = 0.0, 0
                for s in range(begin, end):
                    if legal[lane, move[s]]:
                        positive += max(0.0, regret[s])
                        usable += 1
                threshold = chances[lane, role]
                for s in range(begin, end):
                    if legal[lane, move[s]]:
                        share = max(0.0, regret[s]) / positive if positive > 0.0 else 1.0 / usable
                        average[s] += share
                        share = (1.0 - mixing) * share + mixing / usable
                        if threshold >= 0.0:
                            chosen, sure = s, share
                            threshold -= share
            if chosen < 0:
                # None of the moves known here is legal in this state: the rules let an own legal move depend on what is hidden.
                for m in range(low, high):
                    if legal[lane, m]:
                        moves[lane, role] = m
                continue
            visits[chosen] += 1.0
            moves[lane, role] = move[chosen]
            slots[lane, role], nodes[lane, role], probability[lane, role] = chosen, node, sure


@kernel
def back_up(
    slots: Longs,
    probability: Floats,
    nodes: Longs,
    length: Longs,
    scores: Floats,
    mixing: float,
    first: Longs,
    count: Ints,
    total: Floats,
    regret: Floats,
) -> None:
    """Add scores float64[lanes, roles] (0 to 1) to what was chosen on the way, [turns, lanes, roles] with length[lane] turns.

    With regret matching the chosen move gains score / probability and every move of the node loses the score, of which only
    differences count (outcome sampling: Lanctot, Waugh, Zinkevich and Bowling 2009).
    """
    for lane in range(len(length)):
        for turn in range(length[lane]):
            for role in range(scores.shape[1]):
                slot = slots[turn, lane, role]
                if slot < 0:
                    continue
                score = scores[lane, role]
                total[slot] += score
                if mixing >= 0.0:
                    node = nodes[turn, lane, role]
                    for s in range(first[node], first[node] + count[node]):
                        regret[s] -= score
                    regret[slot] += score / probability[turn, lane, role]
