"""The interpreter: computes the gates of a schedule for all lanes of a row at once.

``values`` is uint64[lines, ROW_WORDS]; lane l is bit ``l % 64`` of word ``l // 64`` of every line.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from scsp_player.propnet.compiling import helper
from scsp_player.propnet.rows import entry, literal_row, load, spread, store, union


@helper
def _run_gates(values: Any, first_gate: Any, code_start: Any, code: Any, begin: Any, end: Any) -> None:
    position = code_start[begin]
    for gate in range(begin, end):
        stop = entry(code_start, gate + 1)
        # Every gate has two literals or more.
        result = literal_row(values, entry(code, position)) & literal_row(values, entry(code, position + 1))
        position += 2
        while position < stop:
            result = result & literal_row(values, entry(code, position))
            position += 1
        store(values, first_gate + gate, result)


@helper
def run_segments(
    values: Any, first_gate: Any, code_start: Any, code: Any, segment: Any, begin: Any, end: Any
) -> None:
    """Compute the segments ``begin`` … ``end - 1`` of a schedule; loops run from all-false to their least fixpoint."""
    for s in range(begin, end):
        first, feedback, last = segment[s, 0], segment[s, 1], segment[s, 2]
        for gate in range(feedback, last):
            store(values, first_gate + gate, spread(0))
        changing = True
        while changing:
            _run_gates(values, first_gate, code_start, code, first, feedback)
            changed = spread(0)
            for gate in range(feedback, last):
                result = literal_row(values, code[code_start[gate]])
                changed = changed | (result ^ load(values, first_gate + gate))
                store(values, first_gate + gate, result)
            changing = union(changed) != 0


@njit(cache=True, nogil=True)
def evaluate(values: Any, first_gate: Any, code_start: Any, code: Any, segment: Any, begin: Any, end: Any) -> None:
    """``run_segments``, callable from Python."""
    run_segments(values, first_gate, code_start, code, segment, begin, end)
