"""Kernels that prove values: what follows for a node from its proven children, and for everything above it.

A proof is a finite tree of terminal states below a node, so cycles in the graph prove nothing and do no harm. Bounds from both
sides (score-bounded search, Cazenave and Saffidine 2010) decide a node before all of its children are proven.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from scsp_player.kernels import helper, kernel
from scsp_player.search.constants import (
    CHANCE,
    EXPANDED,
    JOINT_LIMIT,
    LEAST,
    MOST,
    NOBODY,
    PENDING,
    PLAYING,
    SUM,
    SUM_UNKNOWN,
    SUM_VARIES,
    TERMINAL,
    VALUE,
)
from scsp_player.search.graph_kernels import find_child, moves_of, push_edge

MOST_DOMINANCE: Final = 256
"""Nodes with more joint moves are not searched for dominated moves."""


@helper
def set_terminal(g: Any, node: Any, scores: Any) -> None:
    """Mark a node as terminal with ``scores`` int32[roles], and remember whether all ends give the same sum of scores."""
    total = np.int64(0)
    for role in range(scores.size):
        g.exact[node, role] = scores[role]
        if role != g.fact[CHANCE]:
            total += scores[role]
    if g.fact[SUM] == SUM_UNKNOWN:
        g.fact[SUM] = total
    elif g.fact[SUM] != total:
        g.fact[SUM] = SUM_VARIES
    g.node[node].status = TERMINAL
    _set_proven(g, node)


@helper
def _set_proven(g: Any, node: Any) -> None:
    g.node[node].proven = 1
    _tell_parents(g, node)


@helper
def _tell_parents(g: Any, node: Any) -> None:
    edge = np.int64(g.node[node].parents)
    while edge >= 0:
        push_edge(g, edge)
        edge = np.int64(g.edge[edge].next)


@helper
def _choice_value(g: Any, node: Any, choice: Any, line: Any) -> bool:
    """``g.goal[line]`` becomes the expectation after a choice of the node's chooser; False if it is not known yet."""
    roles = g.goal.shape[1]
    chance = g.fact[CHANCE]
    chooser = np.int64(g.node[node].chooser)
    outcomes = moves_of(g, node, chance) if chance >= 0 else np.int64(1)
    choices = moves_of(g, node, chooser) if chooser >= 0 else np.int64(1)
    for role in range(roles):
        g.goal[line, role] = 0.0
    for outcome in range(outcomes):
        # Only the chooser and chance have several moves, so the others do not show in the code.
        code = choice * outcomes + outcome if chooser < chance else outcome * choices + choice
        child = find_child(g, node, np.int64(code))
        if child < 0 or not g.node[child].proven:
            return False
        for role in range(roles):
            g.goal[line, role] += g.exact[child, role]
    for role in range(roles):
        g.goal[line, role] /= outcomes
    return True


@helper
def _sum_settles(g: Any, chooser: Any, best: Any) -> bool:
    """Whether the others' scores follow from the chooser's, as the sum of all scores is always the same."""
    if g.fact[PLAYING] == 1:
        return True
    if g.fact[SUM] <= SUM_UNKNOWN:
        return False
    if g.fact[PLAYING] == 2:
        return True
    least = 0.0
    for role in range(g.goal.shape[1]):
        if role != g.fact[CHANCE] and role != chooser:
            least += g.goal[LEAST, role]
    return bool(g.fact[SUM] - best == least)


@helper
def _set_by_sum(g: Any, node: Any, role: Any, score: Any) -> None:
    """Scores of all roles from that of one of them, where ``_sum_settles``."""
    for other in range(g.goal.shape[1]):
        if other == role:
            g.exact[node, other] = score
        elif other == g.fact[CHANCE]:
            g.exact[node, other] = 0.0
        elif g.fact[PLAYING] == 2:
            g.exact[node, other] = g.fact[SUM] - score
        else:
            g.exact[node, other] = g.goal[LEAST, other]


@helper
def _prove_choice(g: Any, node: Any) -> bool:
    """A node in which one role chooses, after its known moves were noted in ``move_exact``."""
    chooser = np.int64(g.node[node].chooser)
    first = g.first[node, chooser]
    count = moves_of(g, node, chooser)
    if not g.node[node].floored:
        return False
    best = g.exact[node, chooser]
    settled = _sum_settles(g, chooser, best)
    if best < g.goal[MOST, chooser] or not settled:
        for slot in range(first, first + count):
            if np.isnan(g.move[slot].exact) and g.move[slot].bound > np.float32(best):
                return False
    if settled:
        return True
    for slot in range(first, first + count):
        if g.move[slot].exact == np.float32(best):
            if not _choice_value(g, node, np.int64(slot - first), np.int64(VALUE)):
                return False  # the child was pruned after its value had been noted
            # Which of two moves that are worth the same to the chooser it takes nobody knows; the others may care.
            for role in range(g.goal.shape[1]):
                if g.goal[VALUE, role] != g.exact[node, role]:
                    return False
    return True


@helper
def _prove_joint(g: Any, node: Any) -> bool:
    """A node in which several roles choose: two roles with a constant sum have a saddle point, or dominance leaves one value."""
    roles = g.goal.shape[1]
    joint = np.int64(1)
    row = np.int64(-1)
    column = np.int64(-1)
    choosers = 0
    for role in range(roles):
        count = moves_of(g, node, role)
        joint *= count
        if joint == 0 or joint > g.fact[JOINT_LIMIT]:
            return False
        if count > 1:
            choosers += 1
            if row < 0:
                row = np.int64(role)
            else:
                column = np.int64(role)
    chance = g.fact[CHANCE]
    if (
        choosers == 2
        and g.fact[PLAYING] == 2
        and row != chance
        and column != chance
        and g.fact[SUM] > SUM_UNKNOWN
        and _prove_saddle(g, node, row, column)
    ):
        return True
    return bool(_prove_by_dominance(g, node, joint))


@helper(allocates=True)
def _prove_by_dominance(g: Any, node: Any, joint: Any) -> bool:
    """All joint moves are proven, and those left when no role makes a move that another one always beats have the same value."""
    roles = g.goal.shape[1]
    values = np.empty((joint, roles))
    for code in range(joint):
        child = find_child(g, node, np.int64(code))
        if child < 0 or not g.node[child].proven:
            return False
        for role in range(roles):
            values[code, role] = g.exact[child, role]
    alive = np.ones(joint, np.bool_)
    changed = joint <= MOST_DOMINANCE
    while changed:
        changed = False
        weight = joint
        for role in range(roles):
            count = moves_of(g, node, role)
            weight //= count
            if role == g.fact[CHANCE]:
                continue
            for move in range(count):
                for better in range(count):
                    beaten = better != move
                    contests = 0
                    for code in range(joint):
                        if beaten and code // weight % count == move and alive[code]:
                            other = code + (better - move) * weight
                            contests += 1
                            beaten = alive[other] and values[code, role] < values[other, role]
                    if beaten and contests > 0:
                        for code in range(joint):
                            if code // weight % count == move:
                                alive[code] = False
                        changed = True
    first = np.int64(-1)
    for code in range(joint):
        if not alive[code]:
            continue
        if first < 0:
            first = np.int64(code)
        for role in range(roles):
            if values[code, role] != values[first, role]:
                return False
    for role in range(roles):
        g.exact[node, role] = values[first, role]
    return True


@helper
def _prove_saddle(g: Any, node: Any, row: Any, column: Any) -> bool:
    """A matrix game with a constant sum whose value is the same from both sides, unknown entries taken at their worst."""
    rows = moves_of(g, node, row)
    columns = moves_of(g, node, column)
    most, least = g.goal[MOST, row], g.goal[LEAST, row]
    lower = -1.0
    for i in range(rows):
        worst = most
        for j in range(columns):
            child = find_child(g, node, np.int64(i * columns + j))
            worst = min(worst, g.exact[child, row] if child >= 0 and g.node[child].proven else least)
        lower = max(lower, worst)
    upper = most
    for j in range(columns):
        highest = least
        for i in range(rows):
            child = find_child(g, node, np.int64(i * columns + j))
            highest = max(highest, g.exact[child, row] if child >= 0 and g.node[child].proven else most)
        upper = min(upper, highest)
    if lower != upper:
        return False
    _set_by_sum(g, node, row, lower)
    return True


@helper
def _touch(g: Any, node: Any, code: Any, child: Any) -> None:
    """Something is proven of the child at the end of joint move ``code``: note what that says of ``node``."""
    if g.node[node].proven or g.node[node].status != EXPANDED:
        return
    chooser = np.int64(g.node[node].chooser)
    raised = False
    done = False
    if chooser >= 0:
        chance = g.fact[CHANCE]
        outcomes = moves_of(g, node, chance) if chance >= 0 else np.int64(1)
        choice = code // outcomes if chooser < chance else code % moves_of(g, node, chooser)
        move = g.move[g.first[node, chooser] + choice]
        # With two roles, one's floor is the other's ceiling.
        mirrored = g.fact[PLAYING] == 2 and g.fact[SUM] > SUM_UNKNOWN
        if g.node[child].proven:
            if not _choice_value(g, node, np.int64(choice), np.int64(VALUE)):
                return
            value = g.goal[VALUE, chooser]
            move.exact = value
            move.bound = value
            if not g.node[node].floored or value > g.exact[node, chooser]:
                for role in range(g.goal.shape[1]):
                    g.exact[node, role] = g.goal[VALUE, role]
                g.node[node].floored = 1
                raised = mirrored
        elif mirrored and outcomes == 1 and g.node[child].chooser != chooser:
            move.bound = min(move.bound, np.float32(g.exact[child, chooser]))
        done = _prove_choice(g, node)
    elif not g.node[child].proven:
        return
    elif chooser == NOBODY:
        done = _choice_value(g, node, np.int64(0), np.int64(VALUE))
        if done:
            for role in range(g.goal.shape[1]):
                g.exact[node, role] = g.goal[VALUE, role]
    else:
        done = _prove_joint(g, node)
    if done:
        _set_proven(g, node)
    elif raised:
        _tell_parents(g, node)


@kernel
def settle(g: Any) -> None:
    """Carry new proofs to everything above them."""
    while g.used[PENDING] > 0:
        g.used[PENDING] -= 1
        edge = g.edge[g.stack[g.used[PENDING]]]
        _touch(g, np.int64(edge.node), edge.code, np.int64(edge.child))
