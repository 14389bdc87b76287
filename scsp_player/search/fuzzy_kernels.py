"""The kernel that says how far conditions are from being satisfied."""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import kernel


@kernel
def truth(
    states: Any,
    fluent_atom: Any,
    order: Any,
    head_start: Any,
    rule_start: Any,
    rule_body: Any,
    literals: Any,
    value: Any,
    result: Any,
) -> None:
    """Degrees of truth of literals in states: a rule's is the mean of its conditions', an atom's that of its best rule.

    Args:
        states: uint64[k, words].
        fluent_atom: int32[fluents].
        order: int32[a], the atoms with rules that matter, each after those that it depends on.
        head_start: int64[atoms + 1], rules of each atom.
        rule_start: int64[rules + 1], bodies of rules.
        rule_body: int32[n], literals.
        literals: int32[l], what is asked for.
        value: float32[atoms], scratch.
        result: float32[k, l], becomes the degrees, 0 to 1.
    """
    for k in range(states.shape[0]):
        value[:] = 0.0
        value[0] = 1.0
        for fluent in range(fluent_atom.size):
            if states[k, fluent >> 6] >> np.uint64(fluent & 63) & np.uint64(1):
                value[fluent_atom[fluent]] = 1.0
        for i in range(order.size):
            atom = order[i]
            best = np.float32(0.0)
            for rule in range(head_start[atom], head_start[atom + 1]):
                total = np.float32(0.0)
                for place in range(rule_start[rule], rule_start[rule + 1]):
                    literal = rule_body[place]
                    here = value[literal >> 1]
                    total += here if literal & 1 == 0 else np.float32(1.0) - here
                total /= np.float32(rule_start[rule + 1] - rule_start[rule])
                best = total if total > best else best
            value[atom] = best
        for i in range(literals.size):
            here = value[literals[i] >> 1]
            result[k, i] = here if literals[i] & 1 == 0 else np.float32(1.0) - here
