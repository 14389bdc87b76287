"""Strongly connected components of ground rules, in order of evaluation (Tarjan's algorithm without recursion)."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit("Tuple((i4[::1], i8))(i8[::1], i4[::1], i8[::1], i4[::1])", cache=True, nogil=True)
def strong_components(
    head_start: NDArray[np.int64], rule_head: NDArray[np.int32], rule_start: NDArray[np.int64], rule_body: NDArray[np.int32]
) -> tuple[NDArray[np.int32], int]:
    """Component number of every atom; a number is larger than those of all components that it depends on.

    Takes the CSR arrays of a ``GroundGame``. Returns int32[atoms] and the number of components; atoms without rules form
    components of their own.
    """
    atoms = head_start.size - 1
    unseen = -1
    index = np.full(atoms, unseen, np.int32)
    low = np.zeros(atoms, np.int32)
    component = np.full(atoms, -1, np.int32)
    open_atoms = np.empty(atoms, np.int32)
    open_count = 0
    path = np.empty(atoms, np.int32)
    cursor = np.empty(atoms, np.int64)
    counter = 0
    components = 0
    for root in range(atoms):
        if index[root] != unseen:
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
                if index[child] == unseen:
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
    return component, components


def evaluation_order(
    head_start: NDArray[np.int64], rule_head: NDArray[np.int32], rule_start: NDArray[np.int64], rule_body: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_], NDArray[np.int32]]:
    """``component_start``, ``component_atoms`` and ``component_cyclic`` of a ``GroundGame``, and one negative edge in a cycle.

    The last array is int32[0] if the rules are stratified, else int32[2]: the head and the negated atom of an edge that lies in
    a cycle.
    """
    component, components = strong_components(head_start, rule_head, rule_start, rule_body)
    has_rules = np.diff(head_start) > 0
    atoms = np.flatnonzero(has_rules).astype(np.int32)
    order = atoms[np.argsort(component[atoms], kind="stable")]
    numbers = component[order]
    first = np.flatnonzero(np.diff(numbers, prepend=-1)) if len(order) else np.zeros(0, dtype=np.int64)
    component_start = np.append(first, len(order)).astype(np.int64)
    edge_head = np.repeat(rule_head, np.diff(rule_start))
    inside = component[edge_head] == component[rule_body >> 1]
    cyclic_numbers = np.zeros(components, dtype=np.bool_)
    cyclic_numbers[component[edge_head[inside]]] = True
    component_cyclic = cyclic_numbers[numbers[first]] if len(order) else np.zeros(0, dtype=np.bool_)
    negative = np.flatnonzero(inside & ((rule_body & 1) == 1))
    offending = (
        np.array([edge_head[negative[0]], rule_body[negative[0]] >> 1], dtype=np.int32) if len(negative) else np.zeros(0, np.int32)
    )
    return component_start, order, component_cyclic, offending
