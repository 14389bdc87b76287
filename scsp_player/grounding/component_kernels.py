"""Tarjan's algorithm without recursion, on the rules of a ground program."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import kernel


@kernel
def number_components(
    head_start: NDArray[np.int64],
    rule_start: NDArray[np.int64],
    rule_body: NDArray[np.int32],
    component: NDArray[np.int32],
    index: NDArray[np.int32],
    low: NDArray[np.int32],
    open_atoms: NDArray[np.int32],
    path: NDArray[np.int32],
    cursor: NDArray[np.int64],
) -> int:
    """Give every atom the number of its strongly connected component, larger than those of all components that it depends on.

    ``component`` and ``index``, int32[atoms], are all -1 on entry; ``component`` is the result. The last four arrays, one entry an
    atom, are scratch. Returns the number of components.
    """
    atoms = len(head_start) - 1
    open_count = 0
    counter = 0
    components = 0
    for root in range(atoms):
        if index[root] >= 0:
            continue
        depth = 0
        path[0] = root
        cursor[root] = rule_start[head_start[root]]
        index[root] = counter
        low[root] = counter
        counter += 1
        open_atoms[open_count] = root
        open_count += 1
        while depth >= 0:
            atom = path[depth]
            if cursor[atom] < rule_start[head_start[atom + 1]]:
                child = rule_body[cursor[atom]] >> 1
                cursor[atom] += 1
                if index[child] < 0:
                    depth += 1
                    path[depth] = child
                    cursor[child] = rule_start[head_start[child]]
                    index[child] = counter
                    low[child] = counter
                    counter += 1
                    open_atoms[open_count] = child
                    open_count += 1
                elif component[child] == -1:
                    low[atom] = min(low[atom], index[child])
                continue
            if low[atom] == index[atom]:
                while True:
                    open_count -= 1
                    member = open_atoms[open_count]
                    component[member] = components
                    if member == atom:
                        break
                components += 1
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[atom])
    return components
