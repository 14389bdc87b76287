"""Kernels of the search graph: states to nodes, edges, listing of legal moves, what can be reached.

All arrays are those of ``GraphArrays`` (see ``graph.py`` for shapes). Joint moves of a node are numbered by *codes*: mixed radix
over the positions of the chosen moves in the roles' lists of legal moves, first role most significant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import helper, kernel
from scsp_player.search.constants import (
    CHANCE,
    EDGES,
    EXPANDED,
    MOVES,
    NOBODY,
    NODES,
    PENDING,
    PROVE,
    SEVERAL,
    UNEVALUATED,
)


@helper
def scramble(z: Any) -> Any:
    """The finishing step of splitmix64: spreads the bits of a 64-bit word."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@helper
def random_word(generator: Any) -> Any:
    """Next 64 random bits (splitmix64); ``generator`` is uint64[1]."""
    generator[0] += np.uint64(0x9E3779B97F4A7C15)
    return scramble(generator[0])


@helper
def random_below(generator: Any, bound: Any) -> Any:
    """A uniform integer below ``bound`` ≤ 2³² (multiply and shift; the bias is under 2⁻³²)."""
    return np.int64(((random_word(generator) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@helper
def zobrist_hash(zobrist: Any, state: Any) -> Any:
    """Exclusive or of the random words of the fluents that are true in ``state`` uint64[words]."""
    result = np.uint64(0)
    for w in range(state.size):
        word = state[w]
        while word != np.uint64(0):
            low = word & (~word + np.uint64(1))
            # A single bit times this constant has its number in the six upper bits, in some order: a perfect hash of 64 values.
            result ^= zobrist[w, np.int64((low * np.uint64(0x07EDD5E59A4E28C2)) >> np.uint64(58))]
            word ^= low
    return result


@helper
def moves_of(g: Any, node: Any, role: Any) -> Any:
    """How many legal moves a role has at an expanded node."""
    return np.int64(g.first[node, role + 1] - g.first[node, role])


@helper
def find_node(g: Any, state: Any, key: Any) -> Any:
    """The node of ``state``, or -1 - s if there is none and slot s of the node table is free for it."""
    mask = g.node_table.size - 1
    slot = np.int64(key & np.uint64(mask))
    while g.node_table[slot] != 0:
        node = np.int64(g.node_table[slot]) - 1
        if g.node[node].hash == key:
            same = True
            for w in range(state.size):
                if g.state[node, w] != state[w]:
                    same = False
                    break
            if same:
                return node
        slot = (slot + 1) & mask
    return -1 - slot


@helper
def obtain_node(g: Any, state: Any) -> Any:
    """The node of ``state``, made unevaluated if there was none; -1 if there is no room for it."""
    key = zobrist_hash(g.zobrist, state)
    found = find_node(g, state, key)
    if found >= 0:
        return found
    number = g.used[NODES]
    if number == g.node.size:
        return np.int64(-1)
    g.used[NODES] = number + 1
    g.node_table[-1 - found] = number + 1
    for w in range(state.size):
        g.state[number, w] = state[w]
    node = g.node[number]
    node.hash = key
    node.status = UNEVALUATED
    node.proven = 0
    node.floored = 0
    node.stamp = 0
    node.visits = 0
    node.parents = -1
    for role in range(g.total.shape[1]):
        g.total[number, role] = 0.0
    return number


@helper
def edge_slot(node: Any, code: Any, mask: Any) -> Any:
    """Where to begin looking for an edge in the edge table."""
    word = np.uint64(code) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(node) * np.uint64(0xC2B2AE3D27D4EB4F)
    return np.int64(scramble(word) & np.uint64(mask))


@helper
def find_edge(g: Any, node: Any, code: Any) -> Any:
    """The edge of joint move ``code`` of ``node``, or -1 if it was never linked."""
    mask = g.edge_table.size - 1
    slot = edge_slot(node, code, mask)
    while g.edge_table[slot] != 0:
        edge = np.int64(g.edge_table[slot]) - 1
        if g.edge[edge].node == node and g.edge[edge].code == code:
            return edge
        slot = (slot + 1) & mask
    return np.int64(-1)


@helper
def find_child(g: Any, node: Any, code: Any) -> Any:
    """The node that joint move ``code`` leads to, or -1 if that was never linked."""
    edge = find_edge(g, node, code)
    return np.int64(g.edge[edge].child) if edge >= 0 else np.int64(-1)


@helper
def add_edge(g: Any, node: Any, code: Any, child: Any, turn: Any) -> Any:
    """Link an edge that does not exist yet; -1 if there is no room for it. Symmetry ``turn`` makes the successor the child."""
    number = g.used[EDGES]
    if number == g.edge.size:
        return np.int64(-1)
    g.used[EDGES] = number + 1
    edge = g.edge[number]
    edge.node = node
    edge.code = code
    edge.child = child
    edge.visits = 0
    edge.turn = turn
    edge.next = g.node[child].parents
    g.node[child].parents = number
    _enter_edge(g, number)
    if g.node[child].proven or g.node[child].floored:
        push_edge(g, number)
    return number


@helper
def push_edge(g: Any, edge: Any) -> None:
    """Something is proven of the child of ``edge``: what that says of its parent is to be found out."""
    # Should there be no room, a proof is missed, no more.
    if g.fact[PROVE] != 0 and g.used[PENDING] < g.stack.size:
        g.stack[g.used[PENDING]] = edge
        g.used[PENDING] += 1


@helper
def _enter_edge(g: Any, edge: Any) -> None:
    mask = g.edge_table.size - 1
    slot = edge_slot(np.int64(g.edge[edge].node), g.edge[edge].code, mask)
    while g.edge_table[slot] != 0:
        slot = (slot + 1) & mask
    g.edge_table[slot] = edge + 1


@kernel
def rebuild_tables(g: Any) -> None:
    """Enter all nodes and edges into their tables, which must be empty, and chain the edges that lead to each node."""
    mask = g.node_table.size - 1
    for node in range(g.used[NODES]):
        slot = np.int64(g.node[node].hash & np.uint64(mask))
        while g.node_table[slot] != 0:
            slot = (slot + 1) & mask
        g.node_table[slot] = node + 1
        g.node[node].parents = -1
    for edge in range(g.used[EDGES]):
        child = g.edge[edge].child
        g.edge[edge].next = g.node[child].parents
        g.node[child].parents = edge
        _enter_edge(g, np.int64(edge))


@kernel
def obtain_nodes(g: Any, states: Any, nodes: Any) -> None:
    """``nodes`` int64[k] becomes the nodes of ``states`` uint64[k, words]; -1 where there is no room."""
    for k in range(states.shape[0]):
        nodes[k] = obtain_node(g, states[k])


@helper
def list_moves(g: Any, node: Any, legal: Any, role_start: Any) -> None:
    """List the legal moves bool[moves] of ``node``, if there is room for them."""
    roles = role_start.size - 1
    used = g.used[MOVES]
    chooser = np.int64(NOBODY)
    for role in range(roles):
        first = used
        g.first[node, role] = first
        for move in range(role_start[role], role_start[role + 1]):
            if legal[move]:
                if used == g.move.size:
                    return
                entry = g.move[used]
                entry.move = move
                entry.visits = 0
                entry.total = 0.0
                entry.exact = np.nan
                entry.bound = np.inf
                entry.amaf_total = 0.0
                entry.amaf_visits = 0.0
                used += 1
        if used - first > 1 and role != g.fact[CHANCE]:
            chooser = np.int64(role) if chooser == NOBODY else np.int64(SEVERAL)
    g.first[node, roles] = used
    g.node[node].chooser = chooser
    g.node[node].status = EXPANDED
    g.used[MOVES] = used


@kernel
def mark_reachable(g: Any, roots: Any, least_visits: int, kept: Any) -> int:
    """Mark in ``kept`` bool[nodes] what is worth keeping below the roots int64[k]; returns how many nodes that is.

    Nodes without proof and with fewer than ``least_visits`` visits go, and so does everything below proven nodes, whose value is
    all that matters; roots stay, and so do their children.
    """
    kept[:] = False
    # ``stamp`` marks nodes whose edges are followed.
    for node in range(kept.size):
        g.node[node].stamp = 0
    number = 0
    for k in range(roots.size):
        number += not kept[roots[k]]
        kept[roots[k]] = True
        g.node[roots[k]].stamp = 1
    changed = True
    # Edges are in the order in which they were found, mostly from the root down: few rounds suffice.
    while changed:
        changed = False
        for k in range(g.used[EDGES]):
            edge = g.edge[k]
            if g.node[edge.node].stamp == 0 or kept[edge.child]:
                continue
            child = g.node[edge.child]
            if child.proven or child.visits >= least_visits:
                kept[edge.child] = True
                number += 1
                if not child.proven:
                    child.stamp = 1
                    changed = True
    for node in range(kept.size):
        g.node[node].stamp = 0
    return number
