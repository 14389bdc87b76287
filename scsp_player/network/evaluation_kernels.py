"""Direct evaluation of ground rules on 64 states at once, one bit a state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import kernel


@kernel
def evaluate(
    head_start: NDArray[np.int64],
    rule_start: NDArray[np.int64],
    rule_body: NDArray[np.int32],
    component_start: NDArray[np.int64],
    component_atoms: NDArray[np.int32],
    component_cyclic: NDArray[np.bool_],
    values: NDArray[np.uint64],
) -> None:
    """Fill ``values`` (uint64[atoms], one lane a bit) of all atoms that have rules; inputs and atom 0 are given."""
    every = ~np.uint64(0)
    for component in range(component_start.size - 1):
        first = component_start[component]
        last = component_start[component + 1]
        if component_cyclic[component]:
            for position in range(first, last):
                values[component_atoms[position]] = 0
        changed = True
        while changed:
            changed = False
            for position in range(first, last):
                atom = component_atoms[position]
                found = np.uint64(0)
                for rule in range(head_start[atom], head_start[atom + 1]):
                    body = every
                    for k in range(rule_start[rule], rule_start[rule + 1]):
                        literal = rule_body[k]
                        value = values[literal >> 1]
                        body &= ~value if literal & 1 else value
                        if body == 0:
                            break
                    found |= body
                    if found == every:
                        break
                if component_cyclic[component] and found != values[atom]:
                    changed = True
                values[atom] = found


@kernel
def choose_moves(
    role_start: NDArray[np.int32],
    does_atom: NDArray[np.int32],
    legal_literal: NDArray[np.int32],
    values: NDArray[np.uint64],
    lanes: np.uint64,
    random: NDArray[np.uint64],
    count: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> np.uint64:
    """Set the ``does`` atoms to one uniformly drawn legal move a role in each lane of ``lanes``.

    ``random`` (uint64[1]) is the state of the generator (xorshift); ``count`` and ``chosen``, int64[64], are scratch. Returns the
    lanes in which every role has a legal move.
    """
    playable = lanes
    for role in range(role_start.size - 1):
        for lane in range(64):
            count[lane] = 0
            chosen[lane] = -1
        for move in range(role_start[role], role_start[role + 1]):
            values[does_atom[move]] = 0
            literal = legal_literal[move]
            word = values[literal >> 1]
            if literal & 1:
                word = ~word
            word &= lanes
            lane = 0
            while word != 0:
                if word & np.uint64(1):
                    count[lane] += 1
                    x = random[0]
                    x ^= x << np.uint64(13)
                    x ^= x >> np.uint64(7)
                    x ^= x << np.uint64(17)
                    random[0] = x
                    if (x >> np.uint64(11)) % np.uint64(count[lane]) == 0:
                        chosen[lane] = move
                word >>= np.uint64(1)
                lane += 1
        for lane in range(64):
            bit = np.uint64(1) << np.uint64(lane)
            if chosen[lane] >= 0:
                values[does_atom[chosen[lane]]] |= bit
            else:
                playable &= ~bit
    return playable


@kernel
def count_groups(
    start: NDArray[np.int64],
    members: NDArray[np.int32],
    fluent_atom: NDArray[np.int32],
    values: NDArray[np.uint64],
    several: NDArray[np.bool_],
    missing: NDArray[np.bool_],
) -> None:
    """Mark the groups of fluents (CSR ``start``, ``members``) of which some lane has several true members, or none."""
    every = ~np.uint64(0)
    for group in range(start.size - 1):
        once = np.uint64(0)
        twice = np.uint64(0)
        for k in range(start[group], start[group + 1]):
            value = values[fluent_atom[members[k]]]
            twice |= once & value
            once |= value
        if twice != 0:
            several[group] = True
        if once != every:
            missing[group] = True
