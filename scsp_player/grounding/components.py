"""Strongly connected components of ground rules, in order of evaluation (Tarjan's algorithm without recursion)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.component_kernels import number_components


def strong_components(
    head_start: NDArray[np.int64], rule_head: NDArray[np.int32], rule_start: NDArray[np.int64], rule_body: NDArray[np.int32]
) -> tuple[NDArray[np.int32], int]:
    """Component number of every atom; a number is larger than those of all components that it depends on.

    Takes the CSR arrays of a ``GroundGame``. Returns int32[atoms] and the number of components; atoms without rules form
    components of their own.
    """
    atoms = head_start.size - 1
    component, index = np.full(atoms, -1, np.int32), np.full(atoms, -1, np.int32)
    low, waiting, path = np.empty(atoms, np.int32), np.empty(atoms, np.int32), np.empty(atoms, np.int32)
    cursor = np.empty(atoms, np.int64)
    return component, number_components(head_start, rule_start, rule_body, component, index, low, waiting, path, cursor)


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
