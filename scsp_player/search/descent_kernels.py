"""The kernel that walks down the search graph by upper confidence bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import helper, inlined, kernel
from scsp_player.search.constants import (
    CHANCE,
    EXPANDED,
    KIND_CYCLE,
    KIND_DROPPED,
    KIND_EXPAND,
    KIND_KNOWN,
    KIND_NEW,
    KIND_STUCK,
    OUTCOMES_IN_TURN,
    PATHS,
    SEVERAL,
    SIMULTANEOUS_EXPLORATION,
    TERMINAL,
    UNEVALUATED,
)
from scsp_player.search.graph_kernels import find_edge, moves_of, random_below, random_word


@inlined
def _better(i: Any, value: Any, best: Any, best_value: Any, ties: Any, generator: Any) -> Any:
    """The best so far, its value, and how many are as good as it, after one more; each of these is as likely to stay."""
    if value > best_value:
        return i, value, np.int64(1)
    if value == best_value:
        ties += 1
        if random_below(generator, ties) == 0:
            best = i
    return best, best_value, ties


@helper
def _choose(
    moves: Any, first: Any, count: Any, trials: Any, untried: Any, floor: Any, exploration: Any, bias: Any, generator: Any
) -> Any:
    """Position of the move with the largest bound, mean + C·sqrt(ln n / n_i), or ``untried`` if n_i = 0.

    Unless ``bias`` is 0, what the move was worth when it was made at any time is mixed into the mean, with a weight that makes the
    expected square of the error least (Gelly, Silver 2011): it has that squared bias, a leaf's mean has the variance 1. Then moves
    that were made in playouts need not be tried first.

    A move that is proven teaches nothing, and one that cannot beat the best proven one (``floor``) is of no use: they are only
    taken if there is no other.
    """
    factor = exploration * np.sqrt(np.log(trials + 1.0))
    best = np.int64(0)
    best_value = np.float64(-1.0e300)
    ties = np.int64(0)
    for i in range(count):
        move = moves[first + i]
        if not np.isnan(move.exact):
            value = np.float64(move.exact) - 1.0e6
        elif move.bound <= floor:
            value = np.float64(-2.0e6)
        elif bias > 0.0 and move.amaf_visits > 0.0:
            visits, others = np.float64(move.visits), np.float64(move.amaf_visits)
            weight = others / (others + visits + bias * others * visits)
            mean = weight * move.amaf_total / others
            if move.visits > 0:
                mean += (1.0 - weight) * move.total / visits
            value = np.float64(min(mean, np.float64(move.bound)) / 100.0 + factor / np.sqrt(max(visits, 1.0)))
        elif move.visits == 0:
            value = np.float64(untried)
        else:
            visits = np.float64(move.visits)
            mean = min(move.total / visits, np.float64(move.bound))
            value = np.float64(mean / 100.0 + factor / np.sqrt(visits))
        best, best_value, ties = _better(np.int64(i), value, best, best_value, ties, generator)
    return best


@helper
def _choose_shared(shared: Any, place: Any, exploration: Any, generator: Any) -> Any:
    """Of moves that several roots share, the number of the one with the largest bound; those with ``place`` < 0 are not legal here.

    -1 if none is legal here. What was never made comes first.
    """
    trials = np.float64(0.0)
    for i in range(shared.size):
        if place[i] >= 0:
            trials += shared[i].visits
    factor = exploration * np.sqrt(np.log(trials + 1.0))
    best = np.int64(-1)
    best_value = np.float64(-1.0e300)
    ties = np.int64(0)
    for i in range(shared.size):
        if place[i] < 0:
            continue
        value = np.float64(1.0e9)
        if shared[i].visits > 0:
            visits = np.float64(shared[i].visits)
            value = shared[i].total / visits / 100.0 + factor / np.sqrt(visits)
        best, best_value, ties = _better(np.int64(i), value, best, best_value, ties, generator)
    return best


@helper
def _next_outcome(g: Any, node: Any, code: Any, weight: Any, count: Any, generator: Any) -> Any:
    """Position of chance's move: one of those visited least after the others' moves, proven ones only if there are no others."""
    best = np.int64(0)
    most = np.int64(-1) << 60
    ties = np.int64(0)
    for i in range(count):
        edge = find_edge(g, node, np.int64(code + i * weight))
        visits = np.int64(g.edge[edge].visits) if edge >= 0 else np.int64(0)
        if edge >= 0 and g.node[g.edge[edge].child].proven:
            visits += np.int64(1) << 40
        best, most, ties = _better(np.int64(i), -visits, best, most, ties, generator)
    return best


@helper
def _undo(g: Any, r: Any, row: Any, shared: Any) -> None:
    """Take back the visits of a row."""
    if r.row[row].choice >= 0:
        shared[r.row[row].choice].visits -= 1
    for depth in range(r.row[row].length):
        node = r.path[row, depth].node
        g.node[node].visits -= 1
        if r.path[row, depth].edge >= 0:
            g.edge[r.path[row, depth].edge].visits -= 1
        for role in range(g.total.shape[1]):
            g.move[r.slot[row, depth, role]].visits -= 1


@helper
def _duplicate(r: Any, row: Any) -> bool:
    """Whether an earlier row of the batch goes to the same new state."""
    node = r.path[row, r.row[row].length - 1].node
    for earlier in range(row):
        if r.row[earlier].kind == KIND_NEW:
            if r.row[row].leaf >= 0:
                if r.row[earlier].leaf == r.row[row].leaf:
                    return True
            elif r.row[earlier].code == r.row[row].code and r.path[earlier, r.row[earlier].length - 1].node == node:
                return True
    return False


@kernel
def descend(
    g: Any,
    r: Any,
    rows: int,
    again: bool,
    exploration: float,
    first_play: float,
    amaf: float,
    generator: Any,
    roots: Any,
    root_cumulative: Any,
    shared_role: int,
    places: Any,
    shared: Any,
) -> int:
    """Walk ``rows`` paths from the root until there is something to do, counting every visit on the way (a virtual loss).

    Every row starts at a root drawn by ``root_cumulative``; ``again``, only rows of kind ``KIND_EXPAND`` go on from their last
    node. A row ends with one of the kinds described in ``constants``; ``code`` and ``moves`` are the joint move that leads on from
    its last node, ``r.leaf`` the node there if it is known. If several roots share the statistics of a role's moves
    (``shared_role`` ≥ 0), these are in ``shared``, one ``SHARED`` a move; int32[roots, moves] ``places`` says where each stands
    among the moves of each root, -1 where it is not legal; other moves are only made at roots where none of these is legal.

    Returns how many rows need the legal moves of their last node.
    """
    roles = g.total.shape[1]
    limit = r.path.shape[1]
    chance = g.fact[CHANCE]
    position = r.position
    waiting = 0
    for row in range(rows):
        if again and r.row[row].kind != KIND_EXPAND:
            continue
        path = g.used[PATHS] + 1
        g.used[PATHS] = path
        if again:
            length = np.int64(r.row[row].length)
            for depth in range(length):
                g.node[r.path[row, depth].node].stamp = path
        else:
            draw = np.float64(random_word(generator) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
            pick = 0
            while pick < roots.size - 1 and draw >= root_cumulative[pick]:
                pick += 1
            r.row[row].root = pick
            r.path[row, 0].node = roots[pick]
            g.node[roots[pick]].stamp = path
            length = np.int64(1)
            r.row[row].choice = -1
        r.row[row].unfinished = False
        while True:
            node = np.int64(r.path[row, length - 1].node)
            r.row[row].leaf = -1
            # Several roots share statistics of our moves: one that is proven must go on feeding them.
            if g.node[node].status == TERMINAL or (g.node[node].proven and (length > 1 or shared_role < 0)):
                r.row[row].kind = KIND_KNOWN
                break
            if g.node[node].status != EXPANDED:
                r.row[row].kind = KIND_STUCK if again else KIND_EXPAND
                r.row[row].unfinished = True
                waiting += 0 if again else 1
                break
            stuck = length == limit
            for role in range(roles):
                stuck = stuck or moves_of(g, node, role) == 0
            if stuck:
                r.row[row].kind = KIND_STUCK
                r.row[row].unfinished = True
                break
            trials = np.float64(g.node[node].visits)
            reach, bias = exploration, amaf
            if g.node[node].chooser == SEVERAL:
                reach, bias = max(exploration, SIMULTANEOUS_EXPLORATION), 0.0
            code = np.int64(0)
            chance_weight = np.int64(1)
            for role in range(roles):
                count = moves_of(g, node, role)
                first = np.int64(g.first[node, role])
                position[role] = 0
                if length == 1 and role == shared_role:
                    r.row[row].choice = _choose_shared(shared, places[r.row[row].root], reach, generator)
                if role == chance:
                    chance_weight = np.int64(1)
                elif length == 1 and role == shared_role and r.row[row].choice >= 0:
                    position[role] = places[r.row[row].root, r.row[row].choice]
                elif count > 1:
                    untried = first_play
                    if first_play < 1.0e3:
                        untried += g.total[node, role] / (100.0 * max(1.0, trials))
                    floor = np.float32(-1.0)
                    if g.node[node].floored and role == g.node[node].chooser:
                        floor = np.float32(g.exact[node, role])
                    position[role] = _choose(g.move, first, count, trials, untried, floor, reach, bias, generator)
                code = code * count + position[role]
                if role != chance:
                    chance_weight *= count
            if chance >= 0 and moves_of(g, node, chance) > 1:
                count = moves_of(g, node, chance)
                if count <= OUTCOMES_IN_TURN:
                    position[chance] = _next_outcome(g, node, code, chance_weight, count, generator)
                else:
                    position[chance] = random_below(generator, count)
                code += position[chance] * chance_weight
            for role in range(roles):
                slot = g.first[node, role] + position[role]
                r.slot[row, length - 1, role] = slot
                r.moves[row, role] = g.move[slot].move
                g.move[slot].visits += 1
                if length == 1 and role == shared_role and r.row[row].choice >= 0:
                    shared[r.row[row].choice].visits += 1
            g.node[node].visits += 1
            edge = find_edge(g, node, code)
            r.path[row, length - 1].edge = edge
            child = np.int64(-1)
            if edge >= 0:
                g.edge[edge].visits += 1
                child = np.int64(g.edge[edge].child)
            r.row[row].code = code
            r.row[row].leaf = child
            if edge < 0 or g.node[child].status == UNEVALUATED:
                r.row[row].length = length
                r.row[row].kind = KIND_NEW
                if _duplicate(r, row):
                    r.row[row].kind = KIND_DROPPED
                break
            if g.node[child].stamp == path:
                r.row[row].kind = KIND_CYCLE
                break
            r.path[row, length].node = child
            g.node[child].stamp = path
            length += 1
        r.row[row].length = length
        if r.row[row].kind == KIND_DROPPED:
            _undo(g, r, row, shared)
    return waiting
