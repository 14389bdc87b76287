"""Kernels that take in what the engines found out for a batch: states, ends, legal moves, values; and the backup."""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import helper, kernel
from scsp_player.search.constants import (
    CHANCE,
    EXPANDED,
    KIND_CYCLE,
    KIND_DROPPED,
    KIND_KNOWN,
    KIND_NEW,
    KIND_STUCK,
    LEAF,
    OUTCOMES_IN_TURN,
    UNEVALUATED,
    VALUE,
)
from scsp_player.search.graph_kernels import (
    add_edge,
    find_child,
    find_edge,
    find_node,
    list_moves,
    moves_of,
    obtain_node,
    zobrist_hash,
)
from scsp_player.search.proof_kernels import set_terminal


@kernel
def attach(g: Any, r: Any, rows: int, states: Any, turns: Any, fresh: Any) -> int:
    """Make a node of what each row of kind ``KIND_NEW`` leads to, linked to its parent; returns how many need an evaluation.

    ``states`` uint64[k, words] are the successors for those rows whose ``leaf`` is not known, in order, and ``turns`` int32[k] the
    symmetries that made them what they are. The nodes that need an evaluation are written to ``fresh`` int64[rows], each once. A
    row for which there is no room becomes stuck.
    """
    number = 0
    used = 0
    for row in range(rows):
        if r.row[row].kind != KIND_NEW:
            continue
        leaf = r.row[row].leaf
        if leaf < 0:
            leaf = obtain_node(g, states[used])
            turn = turns[used]
            used += 1
            parent = np.int64(r.path[row, r.row[row].length - 1].node)
            if leaf >= 0 and find_edge(g, parent, r.row[row].code) < 0:
                edge = add_edge(g, parent, r.row[row].code, leaf, turn)
                if edge >= 0:
                    g.edge[edge].visits = 1
            r.row[row].leaf = leaf
        if leaf < 0:
            r.row[row].kind = KIND_STUCK
        elif g.node[leaf].status == UNEVALUATED:
            known = False
            for k in range(number):
                known = known or fresh[k] == leaf
            if not known:
                fresh[number] = leaf
                number += 1
    return number


@kernel
def record(g: Any, nodes: Any, terminal: Any, legal: Any, scores: Any, role_start: Any, most_moves: int) -> None:
    """Take in evaluations of unevaluated nodes int64[k]: terminal bool[k], legal bool[k, moves], scores int32[k, roles].

    Nodes with at most ``most_moves`` legal moves in all get them listed at once; the others stay leaves.
    """
    for k in range(nodes.size):
        node = nodes[k]
        if g.node[node].status != UNEVALUATED:
            continue
        if terminal[k]:
            set_terminal(g, node, scores[k])
            continue
        g.node[node].status = LEAF
        number = 0
        for move in range(legal.shape[1]):
            number += legal[k, move]
        if number <= most_moves:
            list_moves(g, node, legal[k], role_start)


@kernel
def expand(g: Any, nodes: Any, legal: Any, role_start: Any) -> None:
    """List the legal moves bool[k, moves] of those of the nodes int64[k] that are leaves, as far as there is room."""
    for k in range(nodes.size):
        if g.node[nodes[k]].status == LEAF:
            list_moves(g, nodes[k], legal[k], role_start)


@kernel
def list_joint_moves(g: Any, nodes: Any, most: int, owner: Any, code: Any, moves: Any) -> int:
    """List all joint moves of those nodes int64[k] that are expanded, not proven, and have at most ``most`` of them.

    Fills ``owner`` (node) and ``code`` int64[n], ``moves`` int32[n, roles]; returns how many were listed, at most n.
    """
    roles = moves.shape[1]
    used = 0
    for k in range(nodes.size):
        node = nodes[k]
        if g.node[node].status != EXPANDED or g.node[node].proven:
            continue
        joint = np.int64(1)
        for role in range(roles):
            joint = min(joint * moves_of(g, node, role), np.int64(most + 1))
        if joint > most or used + joint > owner.size:
            continue
        for c in range(joint):
            rest = c
            for back in range(roles):
                role = roles - 1 - back
                count = moves_of(g, node, role)
                moves[used, role] = g.move[g.first[node, role] + rest % count].move
                rest //= count
            owner[used] = node
            code[used] = c
            used += 1
    return used


@kernel
def link_seen(g: Any, nodes: Any, codes: Any, states: Any, turns: Any, ends: Any, scores: Any) -> None:
    """Joint moves ``codes`` of ``nodes`` (int64[n]) lead to ``states`` uint64[n, words]: link those that tell something.

    ``turns`` int32[n] are the symmetries that made the states what they are. Linked are those that are terminal (``ends`` bool[n]),
    which have ``scores`` int32[n, roles], and those that have a node already.
    """
    for k in range(nodes.size):
        child = obtain_node(g, states[k]) if ends[k] else find_node(g, states[k], zobrist_hash(g.zobrist, states[k]))
        if child < 0 or find_edge(g, nodes[k], codes[k]) >= 0:
            continue
        if ends[k] and g.node[child].status == UNEVALUATED:
            set_terminal(g, child, scores[k])
        if add_edge(g, nodes[k], codes[k], child, turns[k]) < 0:
            return


@kernel
def link_solutions(g: Any, nodes: Any, joint_moves: Any, states: Any, turns: Any) -> None:
    """Record that joint moves int32[n, roles] of expanded nodes int64[n] lead to ``states`` uint64[n, words], by ``turns``."""
    roles = joint_moves.shape[1]
    for k in range(nodes.size):
        node = nodes[k]
        if g.node[node].status != EXPANDED:
            continue
        code = np.int64(0)
        for role in range(roles):
            count = moves_of(g, node, role)
            position = np.int64(0)
            while position < count - 1 and g.move[g.first[node, role] + position].move != joint_moves[k, role]:
                position += 1
            code = code * count + position
        child = obtain_node(g, states[k])
        if child < 0 or (find_edge(g, node, code) < 0 and add_edge(g, node, code, child, turns[k]) < 0):
            return


@helper
def _expect(g: Any, r: Any, row: Any, depth: Any, node: Any) -> None:
    """Replace a row's score by the expectation over chance's outcomes at ``node``, where there are few, as far as it is known."""
    chance = g.fact[CHANCE]
    outcomes = moves_of(g, node, chance)
    if outcomes == 1 or outcomes > OUTCOMES_IN_TURN:
        return
    roles = g.total.shape[1]
    code = np.int64(0)
    weight = np.int64(1)
    for role in range(roles):
        count = moves_of(g, node, role)
        code *= count
        if role == chance:
            weight = np.int64(1)
        else:
            code += r.slot[row, depth, role] - g.first[node, role]
            weight *= count
    known = 0
    for role in range(roles):
        g.goal[VALUE, role] = 0.0
    for outcome in range(outcomes):
        child = find_child(g, node, np.int64(code + outcome * weight))
        if child < 0 or (not g.node[child].proven and g.node[child].visits == 0):
            continue
        known += 1
        for role in range(roles):
            if g.node[child].proven:
                g.goal[VALUE, role] += g.exact[child, role]
            else:
                g.goal[VALUE, role] += g.total[child, role] / g.node[child].visits
    if known > 0:
        for role in range(roles):
            r.score[row, role] = g.goal[VALUE, role] / known


@kernel
def back_up(g: Any, r: Any, rows: int, fresh: Any, values: Any, shared_role: int, shared: Any) -> None:
    """Add what the batch has found to the means along its paths.

    ``values`` float64[k, roles] are the mean scores of the playouts from ``fresh`` int64[k]. Rows that are stuck bring their score
    along; a row that ends in a node seen before takes that node's mean, or its exact score.
    """
    roles = values.shape[1]
    for k in range(fresh.size):
        if g.node[fresh[k]].status != UNEVALUATED:
            g.node[fresh[k]].visits += 1
            for role in range(roles):
                g.total[fresh[k], role] += values[k, role]
    # Rows that met their own path again come last, when the mean of what they met is up to date.
    for turn in range(2):
        for row in range(rows):
            kind = r.row[row].kind
            if kind == KIND_DROPPED or (kind == KIND_CYCLE) != (turn == 1):
                continue
            steps = r.row[row].length
            if kind != KIND_STUCK:
                leaf = np.int64(r.row[row].leaf)
                if kind == KIND_KNOWN:
                    steps -= 1
                    leaf = np.int64(r.path[row, steps].node)
                for role in range(roles):
                    if g.node[leaf].proven:
                        r.score[row, role] = g.exact[leaf, role]
                    else:
                        r.score[row, role] = g.total[leaf, role] / max(1, g.node[leaf].visits)
            elif r.row[row].unfinished:
                steps -= 1
            for back in range(steps):
                depth = steps - 1 - back
                node = np.int64(r.path[row, depth].node)
                if g.fact[CHANCE] >= 0:
                    _expect(g, r, row, depth, node)
                for role in range(roles):
                    score = r.score[row, role]
                    slot = r.slot[row, depth, role]
                    g.move[slot].total += score
                    if depth == 0 and role == shared_role and r.row[row].choice >= 0:
                        shared[r.row[row].choice].total += score
                # Whatever was tried, the node is worth what its chooser can make sure of.
                chooser = np.int64(g.node[node].chooser)
                certain = g.node[node].proven != 0
                if not certain and g.node[node].floored and r.score[row, chooser] < g.exact[node, chooser]:
                    certain = True
                for role in range(roles):
                    if certain:
                        r.score[row, role] = g.exact[node, role]
                    g.total[node, role] += r.score[row, role]
