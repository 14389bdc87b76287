"""One solution, by restarts: orderings that learn from contradictions should not stick to what they decided before they had."""

from __future__ import annotations

import time

import numpy as np

from scsp_player.solver.engine_kernels import CONTRADICTION, DONE, ENUMERATE, FULL, PAUSED
from scsp_player.solver.question import Question, ask
from scsp_player.solver.results import Solutions
from scsp_player.solver.store import Store

_FIRST_RUN = 100
_GROWTH = 1.5
_NODES_AT_ONCE = 1000
_LONGEST_SLICE = 1 << 16


def first_solution(store: Store | None, question: Question, seconds: float | None) -> Solutions:
    """At most one solution, found by runs of geometrically growing length.

    The weights of tables outlast the runs, so with the ordering ``dom/wdeg`` every run begins where it is hardest. Runs become as
    long as it takes, so the search is complete.

    Args:
        store: the network; None stands for an instance known to have no solution.
        question: what is told, projected, and how to search.
        seconds: stop after so much wall time.
    """
    buffer = np.empty((1, len(question.project)), dtype=np.int32)
    nodes = fails = 0
    outcome, written = CONTRADICTION, 0
    began = time.perf_counter()
    if store is not None:
        budget = float(_FIRST_RUN)
        outcome = PAUSED
        while outcome == PAUSED and not _late(began, seconds):
            depth, left = 0, int(budget)
            outcome = PAUSED
            while outcome == PAUSED and left > 0 and not _late(began, seconds):
                piece = min(left, _NODES_AT_ONCE if seconds is not None else _LONGEST_SLICE)
                outcome, written = ask(store, ENUMERATE, depth, question, piece, buffer)
                depth, left = -1, left - piece
            nodes += int(store.control["nodes"][0])
            fails += int(store.control["fails"][0])
            budget *= _GROWTH
    complete = outcome in (DONE, CONTRADICTION)
    values = buffer[: written if outcome == FULL else 0]
    return Solutions(values, complete, nodes, fails, time.perf_counter() - began)


def _late(began: float, seconds: float | None) -> bool:
    return seconds is not None and time.perf_counter() - began >= seconds
