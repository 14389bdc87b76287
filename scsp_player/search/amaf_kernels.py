"""All moves as first: what moves are worth that are made at any time in the playouts below a node.

A playout tells something of all its moves, whatever their order (Gelly and Silver 2011). The bit-parallel playouts note for each
move in which of the games of a leaf it was drawn, so that one leaf says of most moves how such games end. Nodes along the path add
that up, move by move, with the moves of the path itself, which were made in all games of the leaf; descending mixes it into the
means of moves that were visited seldom, or never.

A state that is turned by a symmetry has turned moves. The path of a leaf is followed upwards, and the symmetries of its edges are
multiplied, so that for each node it is known what its moves are called in the frame of the leaf.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import helper, kernel
from scsp_player.search.constants import EXPANDED, KIND_NEW
from scsp_player.search.graph_kernels import find_edge, moves_of


@helper
def _add(g: Any, node: Any, number: Any, score_sum: Any, k: Any, playouts: Any, images: Any, turn: Any) -> None:
    """Add what is known of leaf ``k`` to the moves of ``node`` between which a role can choose."""
    for role in range(g.total.shape[1]):
        if moves_of(g, node, role) < 2:
            continue
        for slot in range(g.first[node, role], g.first[node, role + 1]):
            entry = g.move[slot]
            move = images[turn, entry.move]
            if number[k, move] > np.float32(0.0):
                entry.amaf_visits += number[k, move] / playouts
                entry.amaf_total += score_sum[k, move] / playouts


@kernel
def learn(
    g: Any,
    r: Any,
    rows: int,
    leaves: Any,
    values: Any,
    playouts: int,
    number: Any,
    score_sum: Any,
    images: Any,
    product: Any,
) -> None:
    """Tell the nodes on the first ``rows`` paths what became of moves in the playouts from ``leaves`` int64[k].

    There were ``playouts`` from each, with the mean scores ``values`` float64[k, roles]. A move was drawn in ``number`` of them,
    with the scores ``score_sum`` in all, float32[k, moves] both; moves of the paths are added. ``images``, ``product``: see
    ``Frames``.
    """
    share = np.float32(playouts)
    for k in range(leaves.size):
        if g.node[leaves[k]].status == EXPANDED:
            _add(g, np.int64(leaves[k]), number, score_sum, k, share, images, 0)
    for row in range(rows):
        if r.row[row].kind != KIND_NEW:
            continue
        k = 0
        while k < leaves.size and leaves[k] != r.row[row].leaf:
            k += 1
        if k == leaves.size:
            continue
        turn = np.int64(0)
        steps = r.row[row].length
        for back in range(steps):
            depth = steps - 1 - back
            node = np.int64(r.path[row, depth].node)
            edge = np.int64(r.path[row, depth].edge)
            if back == 0:
                edge = find_edge(g, node, r.row[row].code)
            if edge < 0:
                break
            turn = np.int64(product[turn, g.edge[edge].turn])
            for role in range(g.total.shape[1]):
                move = images[turn, g.move[r.slot[row, depth, role]].move]
                number[k, move] = share
                score_sum[k, move] = share * np.float32(values[k, role])
            _add(g, node, number, score_sum, k, share, images, turn)
