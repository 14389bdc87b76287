"""Steps of information-set search on lines of lanes: choosing by what each role knows, going on, and taking in what came of it.

Lanes, lines and groups are those of ``propnet.stepping``. A *node* is a view of a role; its *slots* are the role's moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import helper, kernel
from scsp_player.search.graph_kernels import random_below, random_word, scramble

NODES, SLOTS = 0, 1
"""What is in use, in the array ``used``."""

NODE = np.dtype([("key", np.uint64), ("first", np.int64), ("count", np.int32), ("visits", np.int32)])
"""A view, its slots, and how often a move was chosen there."""

SLOT = np.dtype([("total", np.float32), ("visits", np.float32), ("move", np.int32)])
"""A move, the sum of the scores after it, and its visits."""

STEP = np.dtype([("slot", np.int32), ("node", np.int32), ("probability", np.float32)])
"""A choice: its slot, -1 if there was none to make, its node, and how likely it was."""


@helper
def _place(table: Any, node: Any, wanted: Any) -> Any:
    mask = table.size - 1
    place = np.int64(wanted & np.uint64(mask))
    while table[place] >= 0 and node[table[place]].key != wanted:
        place = (place + 1) & mask
    return place


@kernel
def find(table: Any, node: Any, wanted: Any) -> Any:
    """The node of a view, -1 if it has none."""
    return np.int64(table[_place(table, node, wanted)])


@helper
def _is_legal(memory: Any, group: Any, line: Any, word: Any, bit: Any) -> Any:
    return (memory[group, line, word] >> bit) & np.uint64(1) != np.uint64(0)


@helper
def _new_node(table: Any, node: Any, slot: Any, used: Any, place: Any, view: Any, options: Any) -> Any:
    """Make a node with so many slots, whose moves are still to be written; -1 if there is no room."""
    if used[NODES] >= node.size or used[SLOTS] + options > slot.size:
        return np.int64(-1)
    number = np.int64(used[NODES])
    used[NODES] += 1
    table[place] = number
    node[number].key = view
    node[number].first = used[SLOTS]
    node[number].count = options
    node[number].visits = 0
    for s in range(used[SLOTS], used[SLOTS] + options):
        slot[s].total = np.float32(0.0)
        slot[s].visits = np.float32(0.0)
    used[SLOTS] += options
    return number


@helper
def _bound(
    memory: Any, group: Any, word: Any, bit: Any, move_line: Any, node: Any, slot: Any, exploration: Any, generator: Any
) -> Any:
    """The slot with the largest upper confidence bound among moves that are legal here, -1 if none is."""
    reach = np.float32(exploration * np.sqrt(np.log(1.0 + node.visits)))
    count = np.int64(node.count)
    i = random_below(generator, count)
    chosen = np.int64(-1)
    best = np.float32(-1.0)
    for _ in range(count):
        s = node.first + i
        i += 1
        if i == count:
            i = np.int64(0)
        if not _is_legal(memory, group, move_line + slot[s].move, word, bit):
            continue
        visits = slot[s].visits
        if visits == 0.0:
            merit = np.float32(1.0e9)
        else:
            inverse = np.float32(1.0) / visits
            merit = slot[s].total * inverse + reach * np.sqrt(inverse)
        if merit > best:
            best = merit
            chosen = s
    return chosen


@helper
def _match(
    memory: Any,
    group: Any,
    word: Any,
    bit: Any,
    move_line: Any,
    node: Any,
    slot: Any,
    regret: Any,
    average: Any,
    mixing: Any,
    step: Any,
    generator: Any,
) -> Any:
    """A slot by regret matching with the share ``mixing`` of the uniform distribution, -1 if no move is legal here."""
    positive = 0.0
    usable = 0
    for s in range(node.first, node.first + node.count):
        if _is_legal(memory, group, move_line + slot[s].move, word, bit):
            positive += max(0.0, regret[s])
            usable += 1
    chosen = np.int64(-1)
    threshold = np.float64(random_word(generator) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    for s in range(node.first, node.first + node.count):
        if _is_legal(memory, group, move_line + slot[s].move, word, bit):
            share = max(0.0, regret[s]) / positive if positive > 0.0 else 1.0 / usable
            average[s] += share
            share = (1.0 - mixing) * share + mixing / usable
            if threshold >= 0.0:
                chosen = np.int64(s)
                step.probability = share
                threshold -= share
    return chosen


@kernel
def choose(
    memory: Any,
    live: Any,
    new: Any,
    views: Any,
    forced: Any,
    last: Any,
    role_start: Any,
    random_role: int,
    move_line: int,
    exploration: float,
    mixing: float,
    patience: float,
    table: Any,
    node: Any,
    slot: Any,
    used: Any,
    regret: Any,
    average: Any,
    generator: Any,
    moves: Any,
    steps: Any,
) -> int:
    """One joint move for every live lane, from the statistics of what each role can tell apart; how many lanes go on.

    Roles with several legal moves choose by upper confidence bounds if ``mixing`` is negative, else by regret matching; moves that
    are ``forced`` int32[lanes, roles] (-1: not) are made without a choice. A lane in which somebody gets to know something that
    nobody has been through is not live any more but ``new`` (both uint64[groups, words]): a node is made if there is room, and if
    the role's ``last`` choice int32[lanes, roles] (-1: none yet) has been made ``patience`` times. ``views`` is uint64[lanes,
    roles]; ``moves`` int32[lanes, roles] and ``steps`` STEP[lanes, roles] become the moves and how they were chosen, and joint
    moves are written into their lines.
    """
    groups, words = live.shape
    roles = role_start.size - 1
    going = 0
    for group in range(groups):
        for word in range(words):
            lanes = live[group, word]
            if lanes == np.uint64(0):
                continue
            kept = lanes
            for position in range(64):
                bit = np.uint64(position)
                if (lanes >> bit) & np.uint64(1) == np.uint64(0):
                    continue
                lane = (group * words + word) * 64 + position
                fresh = False
                for role in range(roles):
                    steps[lane, role].slot = -1
                    low, high = np.int64(role_start[role]), np.int64(role_start[role + 1])
                    options = 0
                    only = low
                    for m in range(low, high):
                        if _is_legal(memory, group, move_line + m, word, bit):
                            options += 1
                            only = np.int64(m)
                            if options == 2 and role != random_role:
                                break
                    moves[lane, role] = only
                    if options < 2:
                        continue
                    if role == random_role:
                        skip = random_below(generator, options)
                        for m in range(low, high):
                            if _is_legal(memory, group, move_line + m, word, bit):
                                if skip == 0:
                                    moves[lane, role] = m
                                    break
                                skip -= 1
                        continue
                    if forced[lane, role] >= 0 and _is_legal(memory, group, move_line + forced[lane, role], word, bit):
                        moves[lane, role] = forced[lane, role]
                        continue
                    place = _place(table, node, views[lane, role])
                    number = np.int64(table[place])
                    if number < 0:
                        fresh = True
                        if last[lane, role] >= 0 and slot[last[lane, role]].visits < patience:
                            continue
                        options = 0
                        for m in range(low, high):
                            if _is_legal(memory, group, move_line + m, word, bit):
                                options += 1
                        number = _new_node(table, node, slot, used, place, views[lane, role], options)
                        if number >= 0:
                            s = node[number].first
                            for m in range(low, high):
                                if _is_legal(memory, group, move_line + m, word, bit):
                                    slot[s].move = m
                                    s += 1
                        continue
                    steps[lane, role].probability = 1.0
                    if mixing < 0.0:
                        chosen = _bound(
                            memory, group, word, bit, move_line, node[number], slot, exploration, generator
                        )
                    else:
                        chosen = _match(
                            memory,
                            group,
                            word,
                            bit,
                            move_line,
                            node[number],
                            slot,
                            regret,
                            average,
                            mixing,
                            steps[lane, role],
                            generator,
                        )
                    # If no move known here is legal, the rules let legal moves depend on what is hidden: any will do.
                    if chosen >= 0:
                        node[number].visits += 1
                        slot[chosen].visits += np.float32(1.0)
                        moves[lane, role] = slot[chosen].move
                        steps[lane, role].slot = chosen
                        steps[lane, role].node = number
                if fresh:
                    kept ^= np.uint64(1) << bit
                    # What was chosen with a new view beside it does not count.
                    for role in range(roles):
                        if steps[lane, role].slot >= 0:
                            slot[steps[lane, role].slot].visits -= np.float32(1.0)
                            node[steps[lane, role].node].visits -= 1
                else:
                    for role in range(roles):
                        if steps[lane, role].slot >= 0:
                            last[lane, role] = steps[lane, role].slot
            live[group, word] = kept
            new[group, word] |= lanes ^ kept
            for m in range(role_start[roles]):
                memory[group, move_line + m, word] = np.uint64(0)
            for position in range(64):
                bit = np.uint64(position)
                if (kept >> bit) & np.uint64(1) != np.uint64(0):
                    going += 1
                    lane = (group * words + word) * 64 + position
                    for role in range(roles):
                        memory[group, move_line + moves[lane, role], word] |= np.uint64(1) << bit
    return going


@kernel
def advance(
    memory: Any,
    live: Any,
    fluents: int,
    next_line: int,
    percept_line: int,
    percept_role: Any,
    move_hash: Any,
    percept_hash: Any,
    multiplier: Any,
    moves: Any,
    shown: Any,
    views: Any,
    length: Any,
) -> None:
    """Live lanes take over the next state, and every role what it has seen; the others stay as they are.

    ``shown`` uint64[roles, 64] is scratch; the rest is as in ``belief.views``, and ``length`` int32[lanes] counts steps.
    """
    groups, words = live.shape
    roles = views.shape[1]
    for group in range(groups):
        for word in range(words):
            lanes = live[group, word]
            if lanes == np.uint64(0):
                continue
            for f in range(fluents):
                old = memory[group, 1 + f, word]
                memory[group, 1 + f, word] = old ^ ((old ^ memory[group, next_line + f, word]) & lanes)
            for role in range(roles):
                for position in range(64):
                    shown[role, position] = np.uint64(0)
            for p in range(percept_role.size):
                seen = memory[group, percept_line + p, word] & lanes
                if seen == np.uint64(0):
                    continue
                role = percept_role[p]
                value = percept_hash[p]
                for position in range(64):
                    shown[role, position] += value * ((seen >> np.uint64(position)) & np.uint64(1))
            for position in range(64):
                if (lanes >> np.uint64(position)) & np.uint64(1) == np.uint64(0):
                    continue
                lane = (group * words + word) * 64 + position
                length[lane] += 1
                for role in range(roles):
                    views[lane, role] = scramble(
                        views[lane, role] * multiplier + move_hash[moves[lane, role]] + shown[role, position]
                    )


@kernel
def collect(lanes: Any, goals: Any, first_line: int, goal_start: Any, goal_value: Any, share: float, scores: Any) -> None:
    """Add a share of the scores of ``lanes`` uint64[groups, words] to float64[lanes, roles], 0 to 1, from lines of goals.

    ``goals`` is uint64[groups, lines, words] with the first goal, sorted by role, in ``first_line``. Nobody scores without a goal,
    or with several.
    """
    groups, words = lanes.shape
    for group in range(groups):
        for word in range(words):
            if lanes[group, word] == np.uint64(0):
                continue
            for role in range(goal_start.size - 1):
                once, twice = np.uint64(0), np.uint64(0)
                for goal in range(goal_start[role], goal_start[role + 1]):
                    holds = goals[group, first_line + goal, word]
                    twice |= once & holds
                    once |= holds
                for goal in range(goal_start[role], goal_start[role + 1]):
                    holds = goals[group, first_line + goal, word] & lanes[group, word] & ~twice
                    if goal_value[goal] == 0 or holds == np.uint64(0):
                        continue
                    for position in range(64):
                        if (holds >> np.uint64(position)) & np.uint64(1) != np.uint64(0):
                            scores[(group * words + word) * 64 + position, role] += share * goal_value[goal] / 100.0


@kernel
def back_up(
    steps: Any,
    length: Any,
    counts: Any,
    scores: Any,
    mixing: float,
    node: Any,
    slot: Any,
    regret: Any,
) -> None:
    """Add scores float64[lanes, roles] (0 to 1) to what was chosen on the way, STEP[turns, lanes, roles] with length[lane] turns.

    Lanes that do not count (``counts`` bool[lanes]) lose their visits. With regret matching the chosen move gains score /
    probability and every move of the node loses the score, of which only differences count (outcome sampling: Lanctot, Waugh,
    Zinkevich and Bowling 2009).
    """
    for lane in range(length.size):
        for back in range(length[lane]):
            turn = length[lane] - 1 - back
            for role in range(scores.shape[1]):
                chosen = np.int64(steps[turn, lane, role].slot)
                if chosen < 0:
                    continue
                here = np.int64(steps[turn, lane, role].node)
                if not counts[lane]:
                    slot[chosen].visits -= np.float32(1.0)
                    node[here].visits -= 1
                    continue
                score = scores[lane, role]
                slot[chosen].total += np.float32(score)
                if mixing >= 0.0:
                    for s in range(node[here].first, node[here].first + node[here].count):
                        regret[s] -= score
                    regret[chosen] += score / steps[turn, lane, role].probability
