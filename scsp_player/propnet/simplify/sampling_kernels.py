"""Evaluating a circuit node by node on many assignments at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import kernel
from scsp_player.propnet.circuit_kernels import FEEDBACK, GATE


@kernel
def evaluate_nodes(kind: Any, child_start: Any, child: Any, values: Any) -> None:
    """Compute all gates and feedback nodes.

    ``values`` is uint64[nodes, words]; the lines of the constant and of the inputs are given.
    """
    nodes = kind.size
    words = values.shape[1]
    loops = False
    for node in range(nodes):
        if kind[node] == FEEDBACK:
            loops = True
            values[node, :] = np.uint64(0)
    while True:
        for node in range(nodes):
            if kind[node] != GATE:
                continue
            for word in range(words):
                row = ~np.uint64(0)
                for j in range(child_start[node], child_start[node + 1]):
                    row &= values[child[j] >> 1, word] ^ (np.uint64(0) - np.uint64(child[j] & 1))
                values[node, word] = row
        changed = False
        if loops:
            for node in range(nodes):
                if kind[node] == FEEDBACK:
                    literal = child[child_start[node]]
                    for word in range(words):
                        row = values[literal >> 1, word] ^ (np.uint64(0) - np.uint64(literal & 1))
                        if row != values[node, word]:
                            values[node, word] = row
                            changed = True
        if not changed:
            break


@kernel
def mark_refuted(rows: Any, start: Any, members: Any, refuted: Any) -> None:
    """Set ``refuted`` (bool[groups]) where two members of a group (lines of ``rows``, uint64[n, words]) share a bit."""
    for group in range(start.size - 1):
        if refuted[group]:
            continue
        for word in range(rows.shape[1]):
            once = np.uint64(0)
            twice = np.uint64(0)
            for i in range(start[group], start[group + 1]):
                row = rows[members[i], word]
                twice |= once & row
                once |= row
            if twice:
                refuted[group] = True
                break
