"""Kernels of the search tree: descent by UCB, linking of new nodes, backup of means and of proven values.

All arrays belong to ``SearchTree`` (see there for shapes). Joint moves of a node are numbered by *codes*: mixed radix over the
positions of the chosen moves in the roles' lists of legal moves, first role most significant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from scsp_player.search.constants import (
    EXPANDED,
    KIND_DROPPED,
    KIND_EXPAND,
    KIND_KNOWN,
    KIND_NEW,
    KIND_STUCK,
    TERMINAL,
    UNEVALUATED,
)


@njit(cache=True, nogil=True, inline="always")
def _random(generator: Any) -> Any:
    """Next 64 random bits (splitmix64); ``generator`` is uint64[1]."""
    generator[0] += np.uint64(0x9E3779B97F4A7C15)
    z = generator[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True, inline="always")
def _below(generator: Any, bound: int) -> Any:
    """A uniform integer below ``bound`` ≤ 2³² (multiply and shift; the bias is under 2⁻³²)."""
    return np.int64(((_random(generator) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@njit(cache=True, nogil=True, inline="always")
def _slot_of(node: int, code: int, mask: int) -> Any:
    h = np.uint64(code) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(node) * np.uint64(0xC2B2AE3D27D4EB4F)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    h ^= h >> np.uint64(32)
    return np.int64(h & np.uint64(mask))


@njit(cache=True, nogil=True)
def find_child(edge_node: Any, edge_code: Any, edge_child: Any, node: int, code: Any) -> Any:
    """The child that joint move ``code`` leads to, or -1 if it was never linked."""
    mask = edge_node.size - 1
    slot = _slot_of(node, code, mask)
    while edge_node[slot] != -1:
        if edge_node[slot] == node and edge_code[slot] == code:
            return edge_child[slot]
        slot = (slot + 1) & mask
    return -1


@njit(cache=True, nogil=True)
def link_child(edge_node: Any, edge_code: Any, edge_child: Any, node: int, code: int, child: int) -> None:
    """Record that ``code`` leads from ``node`` to ``child``; the table must have room."""
    mask = edge_node.size - 1
    slot = _slot_of(node, code, mask)
    while edge_node[slot] != -1:
        slot = (slot + 1) & mask
    edge_node[slot] = node
    edge_code[slot] = code
    edge_child[slot] = child


@njit(cache=True, nogil=True)
def link_children(edge_node: Any, edge_code: Any, edge_child: Any, nodes: Any, codes: Any, children: Any) -> None:
    """``link_child`` for arrays of equal length."""
    for i in range(nodes.size):
        link_child(edge_node, edge_code, edge_child, nodes[i], codes[i], children[i])


@njit(cache=True, nogil=True)
def add_legal_moves(
    nodes: Any, legal: Any, role_start: Any, legal_count: Any, stat_start: Any, stat_move: Any, status: Any, used: int
) -> int:
    """Expand ``nodes`` int32[k] by the legal moves in bool[k, moves]; returns how much of the move arena is used then."""
    roles = role_start.size - 1
    for k in range(nodes.size):
        node = nodes[k]
        for role in range(roles):
            stat_start[node, role] = used
            for move in range(role_start[role], role_start[role + 1]):
                if legal[k, move]:
                    stat_move[used] = move
                    used += 1
            legal_count[node, role] = used - stat_start[node, role]
        status[node] = EXPANDED
    return used


@njit(cache=True, nogil=True)
def _choose(
    node: int,
    role: int,
    single: int,
    exploration: float,
    generator: Any,
    legal_count: Any,
    stat_start: Any,
    stat_visits: Any,
    stat_total: Any,
    shared_visits: Any,
    shared_total: Any,
    use_shared: bool,
    has_proven_child: Any,
    proven: Any,
    exact: Any,
    edge_node: Any,
    edge_code: Any,
    edge_child: Any,
) -> int:
    """Position of the move that UCB picks for ``role``: the largest mean + C·sqrt(ln n / n_i), untried moves first."""
    start = stat_start[node, role]
    count = legal_count[node, role]
    trials = 0
    for i in range(count):
        trials += shared_visits[i] if use_shared else stat_visits[start + i]
    log_trials = np.log(trials + 1.0)
    best = -1
    best_value = -1.0e300
    ties = 0
    look = single == role and has_proven_child[node] and not use_shared
    for i in range(count):
        visits = shared_visits[i] if use_shared else stat_visits[start + i]
        total = shared_total[i] if use_shared else stat_total[start + i]
        if look:
            child = find_child(edge_node, edge_code, edge_child, node, i)
            if child >= 0 and proven[child]:
                # The value is certain: no bonus, and one more visit teaches nothing, so it only wins if it is really best.
                value = exact[child, role] / 100.0
                if value > best_value:
                    best_value = value
                    best = i
                    ties = 1
                continue
        if visits == 0:
            value = 1.0e9
        else:
            value = total / (100.0 * visits) + exploration * np.sqrt(log_trials / visits)
        if value > best_value:
            best_value = value
            best = i
            ties = 1
        elif value == best_value:
            ties += 1
            if _below(generator, ties) == 0:
                best = i
    return best


@njit(cache=True, nogil=True)
def descend(
    fresh: bool,
    exploration: float,
    chance_role: int,
    generator: Any,
    roots: Any,
    root_cumulative: Any,
    shared_role: int,
    shared_visits: Any,
    shared_total: Any,
    status: Any,
    proven: Any,
    exact: Any,
    has_proven_child: Any,
    node_visits: Any,
    legal_count: Any,
    stat_start: Any,
    stat_move: Any,
    stat_visits: Any,
    stat_total: Any,
    edge_node: Any,
    edge_code: Any,
    edge_child: Any,
    path_node: Any,
    path_slot: Any,
    path_length: Any,
    path_kind: Any,
    leaf_code: Any,
    leaf_moves: Any,
) -> None:
    """Walk one path a row from the root until there is something to do, counting every visit on the way (a virtual loss).

    With ``fresh`` every row starts at a root drawn by ``root_cumulative``; else only rows of kind ``KIND_EXPAND`` go on from
    their last node. A row ends with kind ``KIND_KNOWN`` (its last node is terminal or proven), ``KIND_EXPAND`` (the last node
    needs its legal moves), ``KIND_NEW`` (joint move ``leaf_code``/``leaf_moves`` of the last node leads to an unvisited state),
    ``KIND_STUCK`` (a role of the last node has no legal move, or the path is full), or ``KIND_DROPPED`` (another row of the batch
    goes the same way; its visits have been taken back).
    """
    roles = legal_count.shape[1]
    limit = path_node.shape[1]
    for row in range(path_node.shape[0]):
        if fresh:
            draw = (_random(generator) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
            pick = 0
            while pick < roots.size - 1 and draw >= root_cumulative[pick]:
                pick += 1
            path_node[row, 0] = roots[pick]
            length = 1
        else:
            if path_kind[row] != KIND_EXPAND:
                continue
            length = path_length[row]
        while True:
            node = path_node[row, length - 1]
            # Several roots share statistics of our moves: one that is proven must go on feeding them.
            if status[node] == TERMINAL or (proven[node] and (length > 1 or shared_role < 0)):
                path_kind[row] = KIND_KNOWN
                break
            if status[node] != EXPANDED:
                path_kind[row] = KIND_EXPAND
                break
            single = -1
            choosers = 0
            stuck = length == limit
            for role in range(roles):
                if legal_count[node, role] == 0:
                    stuck = True
                elif legal_count[node, role] > 1:
                    choosers += 1
                    single = role
            if stuck:
                path_kind[row] = KIND_STUCK
                break
            if choosers != 1:
                single = -1
            code = np.int64(0)
            for role in range(roles):
                count = legal_count[node, role]
                if count == 1:
                    position = 0
                elif role == chance_role:
                    position = _below(generator, count)
                else:
                    position = _choose(
                        node,
                        role,
                        single,
                        exploration,
                        generator,
                        legal_count,
                        stat_start,
                        stat_visits,
                        stat_total,
                        shared_visits,
                        shared_total,
                        length == 1 and role == shared_role,
                        has_proven_child,
                        proven,
                        exact,
                        edge_node,
                        edge_code,
                        edge_child,
                    )
                slot = stat_start[node, role] + position
                path_slot[row, length - 1, role] = slot
                leaf_moves[row, role] = stat_move[slot]
                stat_visits[slot] += 1
                if length == 1 and role == shared_role:
                    shared_visits[position] += 1
                code = code * count + position
            node_visits[node] += 1
            child = find_child(edge_node, edge_code, edge_child, node, code)
            if child < 0 or status[child] == UNEVALUATED:
                leaf_code[row] = code
                path_kind[row] = KIND_NEW
                for earlier in range(row):
                    if (
                        path_kind[earlier] == KIND_NEW
                        and leaf_code[earlier] == code
                        and path_node[earlier, path_length[earlier] - 1] == node
                    ):
                        path_kind[row] = KIND_DROPPED
                        break
                break
            path_node[row, length] = child
            length += 1
        path_length[row] = length
        if path_kind[row] == KIND_DROPPED:
            for depth in range(length):
                node = path_node[row, depth]
                node_visits[node] -= 1
                for role in range(roles):
                    slot = path_slot[row, depth, role]
                    stat_visits[slot] -= 1
                    if depth == 0 and role == shared_role:
                        shared_visits[slot - stat_start[node, role]] -= 1


@njit(cache=True, nogil=True)
def back_up(
    scores: Any,
    shared_role: int,
    shared_total: Any,
    stat_start: Any,
    stat_total: Any,
    path_node: Any,
    path_slot: Any,
    path_length: Any,
    path_kind: Any,
) -> None:
    """Add ``scores`` float64[rows, roles] to the moves along each path that was not dropped."""
    roles = scores.shape[1]
    for row in range(scores.shape[0]):
        if path_kind[row] == KIND_DROPPED:
            continue
        steps = path_length[row] if path_kind[row] == KIND_NEW else path_length[row] - 1
        for depth in range(steps):
            for role in range(roles):
                slot = path_slot[row, depth, role]
                stat_total[slot] += scores[row, role]
                if depth == 0 and role == shared_role:
                    shared_total[slot - stat_start[path_node[row, 0], role]] += scores[row, role]


@njit(cache=True, nogil=True)
def _prove(
    node: int,
    chance_role: int,
    best_scores: Any,
    legal_count: Any,
    proven: Any,
    exact: Any,
    edge_node: Any,
    edge_code: Any,
    edge_child: Any,
    joint_limit: int,
) -> bool:
    """Whether the value of ``node`` follows from its children; if so it is stored in ``exact[node]``.

    Sound for nodes where at most one role chooses (expectation over chance; ties of the chooser only if all roles score alike),
    and for any node all of whose children have the same value.
    """
    roles = legal_count.shape[1]
    mover = -1
    movers = 0
    joint = 1
    for role in range(roles):
        count = legal_count[node, role]
        if count == 0:
            return False
        joint *= count
        if joint > joint_limit:
            return False
        if role != chance_role and count > 1:
            movers += 1
            mover = role
    outcomes = legal_count[node, chance_role] if chance_role >= 0 else 1
    if movers > 1:
        first = -1
        for code in range(joint):
            child = find_child(edge_node, edge_code, edge_child, node, code)
            if child < 0 or not proven[child]:
                return False
            if first < 0:
                first = child
            for role in range(roles):
                if exact[child, role] != exact[first, role]:
                    return False
        for role in range(roles):
            exact[node, role] = exact[first, role]
        return True
    choices = legal_count[node, mover] if mover >= 0 else 1
    mean = np.zeros(roles)
    best = np.zeros(roles)
    found = False
    complete = True
    unequal = False
    for choice in range(choices):
        mean[:] = 0.0
        known = True
        for outcome in range(outcomes):
            # The two roles with several moves determine the code; all others contribute a factor of one.
            code = choice * outcomes + outcome if mover < chance_role else outcome * choices + choice
            child = find_child(edge_node, edge_code, edge_child, node, code)
            if child < 0 or not proven[child]:
                known = False
                break
            for role in range(roles):
                mean[role] += exact[child, role]
        if not known:
            complete = False
            continue
        for role in range(roles):
            mean[role] /= outcomes
        if not found or mean[mover] > best[mover]:
            best[:] = mean
            found = True
            unequal = False
        elif mean[mover] == best[mover]:
            for role in range(roles):
                unequal = unequal or mean[role] != best[role]
    if not found or unequal:
        return False
    if not complete and best[mover] < best_scores[mover]:
        return False
    if not complete:
        # The chooser cannot do better, but what the others get is only certain if nothing else can tie: two-role sums are.
        for role in range(roles):
            if role != mover and role != chance_role and roles - (1 if chance_role >= 0 else 0) > 2:
                return False
    exact[node, :] = best
    return True


@njit(cache=True, nogil=True)
def prove_upwards(
    chance_role: int,
    best_scores: Any,
    joint_limit: int,
    legal_count: Any,
    status: Any,
    proven: Any,
    exact: Any,
    has_proven_child: Any,
    edge_node: Any,
    edge_code: Any,
    edge_child: Any,
    path_node: Any,
    path_length: Any,
    path_kind: Any,
    leaf: Any,
) -> None:
    """Propagate proofs along the paths whose leaf (``leaf`` int32[rows], -1 for none) is proven."""
    for row in range(path_node.shape[0]):
        if path_kind[row] == KIND_DROPPED:
            continue
        depth = path_length[row] - 1
        if path_kind[row] == KIND_NEW:
            if leaf[row] < 0 or not proven[leaf[row]]:
                continue
        else:
            if not proven[path_node[row, depth]]:
                continue
            depth -= 1
        while depth >= 0:
            node = path_node[row, depth]
            has_proven_child[node] = True
            if proven[node]:
                depth -= 1
                continue
            if status[node] != EXPANDED or not _prove(
                node, chance_role, best_scores, legal_count, proven, exact, edge_node, edge_code, edge_child, joint_limit
            ):
                break
            proven[node] = True
            depth -= 1


@njit(cache=True, nogil=True)
def number_subtree(root: int, parent: Any) -> Any:
    """New number of every node below ``root`` (itself 0), -1 for the others: int32[nodes]; order is kept.

    ``parent`` is int32[nodes]; a parent has a smaller number than its children.
    """
    number = np.full(parent.size, -1, np.int32)
    number[root] = 0
    count = 1
    for node in range(root + 1, parent.size):
        above = parent[node]
        if above >= 0 and number[above] >= 0:
            number[node] = count
            count += 1
    return number


@njit(cache=True, nogil=True)
def copy_edges(number: Any, from_node: Any, from_code: Any, from_child: Any, to_node: Any, to_code: Any, to_child: Any) -> None:
    """Insert the edges between renumbered nodes into an empty table."""
    for slot in range(from_node.size):
        node = from_node[slot]
        if node >= 0 and number[node] >= 0:
            link_child(to_node, to_code, to_child, number[node], from_code[slot], number[from_child[slot]])
