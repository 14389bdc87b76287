"""Many questions in one call of the kernel: the solutions for each of many sets of told values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.solver.engine_kernels import DONE, ENUMERATE, FULL
from scsp_player.solver.question import Question, ask
from scsp_player.solver.store import Store

_NODES_AT_ONCE = 1 << 16  # between two looks at the keyboard
_FIRST_ROWS_PER_SET = 16
_LEAST_ROWS = 64
_LARGEST_BLOCK_CELLS = 1 << 22
_ONE_SET = np.zeros(1, dtype=np.int64)


def solutions_of_sets(store: Store | None, question: Question) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The solutions for each set of values in ``question``, whose sets may stand in any order.

    Returns:
        int64[r + 1], where the solutions of each set begin and, last, how many there are; int32[total, p], the solutions.
    """
    sets, width = len(question.numbers), len(question.project)
    offsets = np.zeros(sets + 1, dtype=np.int64)
    if store is None or not sets:
        return offsets, np.zeros((0, width), dtype=np.int32)
    question, order = _sorted(question)
    ends = np.zeros(sets, dtype=np.int64)
    rows = min(max(_LEAST_ROWS, _FIRST_ROWS_PER_SET * sets), max(1, _LARGEST_BLOCK_CELLS // max(1, width)))
    blocks = []
    depth, outcome = 0, FULL
    while outcome != DONE:
        buffer = np.empty((rows, width), dtype=np.int32)
        outcome, written = ask(store, ENUMERATE, depth, question, _NODES_AT_ONCE, buffer, ends)
        blocks.append(buffer[:written])
        depth = -1
    found = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
    if sets == 1:
        offsets[1] = len(found)
        return offsets, found
    counts = ends.copy()
    counts[1:] -= ends[:-1]
    begins = np.empty(sets, dtype=np.int64)
    begins[order] = ends - counts
    offsets[1 + order] = counts
    np.cumsum(offsets, out=offsets)
    places = np.repeat(begins - offsets[:-1], offsets[1:] - offsets[:-1]) + np.arange(len(found))
    return offsets, found[places]


def _sorted(question: Question) -> tuple[Question, NDArray[np.int64]]:
    """The question with its sets in an order in which neighbours share many of their first values; the order.

    The values that differ between the fewest sets come first.
    """
    numbers = question.numbers
    sets, width = numbers.shape
    if sets == 1:
        return question, _ONE_SET
    if width == 0:
        return question._replace(shared=np.zeros(sets, dtype=np.int32)), np.arange(sets)
    different = np.count_nonzero(numbers[1:] != numbers[0], axis=0)
    columns = np.argsort(different, kind="stable")
    numbers = np.ascontiguousarray(numbers[:, columns])
    order = np.argsort(numbers.view(np.dtype((np.void, 4 * width)))[:, 0], kind="stable")
    numbers = numbers[order]
    differs = numbers[1:] != numbers[:-1]
    shared = np.zeros(sets, dtype=np.int32)
    shared[1:] = np.where(differs.any(axis=1), differs.argmax(axis=1), width)
    return question._replace(variables=question.variables[columns], numbers=numbers, shared=shared), order
