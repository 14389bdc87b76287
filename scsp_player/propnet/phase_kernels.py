"""What depends on what in a circuit, and the values of its nodes in one state; see ``phases``."""

from __future__ import annotations

from typing import Any

from scsp_player.kernels import kernel
from scsp_player.propnet.circuit_kernels import FEEDBACK, INPUT


@kernel
def spread_marks(kind: Any, child_start: Any, child: Any, mark: Any) -> None:
    """Mark (uint8[nodes]) all nodes that depend on a marked input or on a positive cycle."""
    for node in range(len(kind)):
        if kind[node] == FEEDBACK:
            mark[node] = 1
        elif kind[node] != INPUT:
            mark[node] = 0
            for i in range(child_start[node], child_start[node + 1]):
                if mark[child[i] >> 1]:
                    mark[node] = 1
                    break


@kernel
def evaluate_nodes(kind: Any, child_start: Any, child: Any, value: Any) -> None:
    """Set the gates of ``value`` (uint8[nodes], inputs given); feedback nodes count as false."""
    for node in range(len(kind)):
        if kind[node] == FEEDBACK:
            value[node] = 0
        elif kind[node] != INPUT:
            value[node] = 1
            for i in range(child_start[node], child_start[node + 1]):
                if value[child[i] >> 1] == child[i] & 1:
                    value[node] = 0
                    break
