"""What is asked of a store, in the form that the kernel takes."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scsp_player.solver.choice_kernels import DOM, DOM_DDEG, DOM_WDEG, GREATEST, LEAST, LEX, PROJECT, RANDOM
from scsp_player.solver.engine_kernels import run
from scsp_player.solver.store import Store

Assumptions: TypeAlias = tuple[ArrayLike, ArrayLike]
"""Indices of variables and the values they take."""

ADAPTIVE = 5
"""Not known to the kernel, which takes it for DOM_DDEG."""

ORDERINGS = {
    "adaptive": ADAPTIVE,
    "dom/ddeg": DOM_DDEG,
    "dom/wdeg": DOM_WDEG,
    "dom": DOM,
    "lex": LEX,
    "project": PROJECT,
}
"""Variable orderings by name. ``adaptive`` is dom/ddeg until there are many more dead ends than solutions, then dom/wdeg (always
dom/wdeg when one solution is looked for); ``project`` takes the projected variables in the order in which they were given."""

VALUE_ORDERS = {"first": LEAST, "last": GREATEST, "random": RANDOM}
"""Value orders by name: least or greatest first, or any, as the seed has it (see ``Solver.first``)."""

NOTHING = np.zeros(0, dtype=np.int32)
_NO_BUFFER = np.zeros((1, 0), dtype=np.int32)
_ONE_SET = np.zeros(1, dtype=np.int32)
_ONE_END = np.zeros(1, dtype=np.int64)
_NO_LIMIT = 1 << 62


class Question(NamedTuple):
    """Told values, and how to search.

    Attributes:
        variables: int32[k], variables whose values are told.
        numbers: int32[r, k], sets of their values.
        project: int32[p], variables that tell solutions apart.
        ordering: one of the numbers in ``ORDERINGS``.
        value_order: one of the numbers in ``VALUE_ORDERS``.
        shared: int32[r], how many of its first values each set has in common with the one before.
        limit: most solutions for each set.
    """

    variables: NDArray[np.int32]
    numbers: NDArray[np.int32]
    project: NDArray[np.int32] = NOTHING
    ordering: int = DOM_DDEG
    value_order: int = LEAST
    shared: NDArray[np.int32] = _ONE_SET
    limit: int = _NO_LIMIT


def told_arrays(assumptions: Assumptions | None) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Assumptions as arrays: variables, int32[k], and values, int32[1, k].

    Raises:
        ValueError: if the values are not one a variable.
    """
    if assumptions is None:
        return NOTHING, _NO_BUFFER
    variables = np.ascontiguousarray(assumptions[0], dtype=np.int32)
    return variables, np.ascontiguousarray(assumptions[1], dtype=np.int32)[None]


def ask(
    store: Store,
    task: int,
    depth: int,
    question: Question,
    budget: int,
    buffer: NDArray[np.int32] = _NO_BUFFER,
    ends: NDArray[np.int64] = _ONE_END,
) -> tuple[int, int]:
    """One call of the kernel; arguments and answer as for ``run``."""
    outcome: tuple[int, int] = run(
        store,
        task,
        depth,
        question.variables,
        question.numbers,
        question.shared,
        question.project,
        question.ordering,
        question.value_order,
        question.limit,
        budget,
        buffer,
        ends,
    )
    return outcome
