"""Which parts of a game the end of a match and its scores speak of together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.circuit_kernels import FEEDBACK


def ending_sets(circuit: Circuit, numbers: NDArray[np.int64]) -> dict[int, int]:
    """Of which blocks the conditions speak which decide whether the match is over, and what it scores.

    Args:
        circuit: of the game.
        numbers: int64[fluents], the number of each fluent's block, -1 if it belongs to none.

    Returns:
        For each node of the circuit on which the end or the scores depend, blocks as the bits of an integer.
    """
    blocks = [0] * len(circuit.kind)
    for fluent, number in enumerate(numbers.tolist()):
        blocks[1 + fluent] = 1 << number if number >= 0 else 0
    start, child, kind = circuit.child_start.tolist(), circuit.child.tolist(), circuit.kind.tolist()
    order = _below(circuit)
    cyclic = any(kind[node] == FEEDBACK for node in order)
    changed = True
    while changed:
        changed = False
        for node in order:
            here = blocks[node]
            for position in range(start[node], start[node + 1]):
                here |= blocks[child[position] >> 1]
            if here != blocks[node]:
                blocks[node] = here
                changed = cyclic
    return {node: blocks[node] for node in order}


def _below(circuit: Circuit) -> list[int]:
    """The nodes that the end and the scores depend on, ascending."""
    found: set[int] = set()
    stack = [int(literal) >> 1 for literal in (circuit.terminal, *circuit.goal.tolist())]
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack.extend((circuit.child[circuit.child_start[node] : circuit.child_start[node + 1]] >> 1).tolist())
    return sorted(found)
