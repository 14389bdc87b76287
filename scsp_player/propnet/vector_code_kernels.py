"""Polarity and memory lines of gates; see ``vector_code``."""

from __future__ import annotations

from typing import Any

from scsp_player.kernels import kernel


@kernel
def assign_polarity(first_gate: Any, code_start: Any, code: Any, flipped: Any, positive: Any) -> None:
    """Decide which gates are stored complemented, and sort every gate's literals: those of stored-positive values first.

    Args:
        first_gate: number of the first gate as an operand; inputs are stored as they are.
        code_start: int64[gates + 1].
        code: int32[literals], ``2 * operand + sign``; the signs become those that the stored values have.
        flipped: uint8[operands], zeros; set to 1 for gates that are stored complemented.
        positive: int32[gates], set to the number of positive literals of each gate. A gate with none is stored complemented: as
            the disjunction of its operands.
    """
    for gate in range(len(code_start) - 1):
        front = code_start[gate]
        for i in range(code_start[gate], code_start[gate + 1]):
            literal = code[i] ^ flipped[code[i] >> 1]
            if literal & 1:
                code[i] = literal
            else:
                code[i] = code[front]
                code[front] = literal
                front += 1
        positive[gate] = front - code_start[gate]
        if positive[gate] == 0:
            flipped[first_gate + gate] = 1


@kernel
def assign_lines(last_use: Any, line: Any, first_free: Any, ends: Any, following: Any, free: Any) -> Any:
    """Give each gate a line of memory, before all others those of gates that nothing reads any more.

    Args:
        last_use: int64[gates], the last gate that reads a gate's value.
        line: int32[gates], -1 for gates that are to get a line; others have theirs already.
        first_free: the first line that may be used.
        ends: int64[gates], scratch, like ``following`` and ``free``.
        following: scratch.
        free: scratch.

    Returns:
        The number of lines, those before ``first_free`` included.
    """
    gates = len(line)
    ends[:] = -1
    for gate in range(gates):
        if line[gate] < 0:
            last = max(last_use[gate], gate)
            following[gate] = ends[last]
            ends[last] = gate
    free_count = 0
    used = first_free
    for gate in range(gates):
        if line[gate] < 0:
            if free_count > 0:
                free_count -= 1
                line[gate] = free[free_count]
            else:
                line[gate] = used
                used += 1
        other = ends[gate]
        while other >= 0:
            free[free_count] = line[other]
            free_count += 1
            other = following[other]
    return used
