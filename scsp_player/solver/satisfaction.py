"""One solution, by restarts with nogoods: orderings that learn from contradictions should not stick to what they decided before."""

from __future__ import annotations

import time

import numpy as np

from scsp_player.solver.choice_kernels import DOM_WDEG, RANDOM
from scsp_player.solver.engine_kernels import CONTRADICTION, DONE, ENUMERATE, FULL, PAUSED, RESTART
from scsp_player.solver.nogood_kernels import COLUMNS
from scsp_player.solver.question import ADAPTIVE, Question, ask
from scsp_player.solver.results import Solutions
from scsp_player.solver.store import Store

_FIRST_RUN = 100
_GROWTH = 1.5
_LONGEST_SLICE = 1 << 16
_FIRST_SLICE = 4
_SLICE_SECONDS = 0.03
_SEEDS = 2**31 - 2
_NOGOOD_ENTRIES = 1 << 22  # pages that no nogood reaches take no memory


def first_solution(store: Store | None, question: Question, seconds: float | None, seed: int | None = None) -> Solutions:
    """At most one solution, found by runs of geometrically growing length.

    The weights of tables outlast the runs, so with the ordering ``dom/wdeg`` every run begins where it is hardest. What the
    branch at which a run ends has refuted is kept as nogoods (``nogood_kernels``), so no run goes where an earlier one has been.
    Runs become as long as it takes, so the search is complete.

    Args:
        store: the network; None stands for an instance known to have no solution.
        question: what is told, projected, and how to search.
        seconds: stop after so much wall time.
        seed: take values in a random order, another for each seed.
    """
    buffer = np.empty((1, len(question.project)), dtype=np.int32)
    nodes = fails = 0
    outcome, written = CONTRADICTION, 0
    began = time.perf_counter()
    if question.ordering == ADAPTIVE:
        question = question._replace(ordering=DOM_WDEG)
    if store is not None:
        budget, depth = float(_FIRST_RUN), 0
        outcome = PAUSED
        most = _LONGEST_SLICE if seconds is None else _FIRST_SLICE
        if seed is not None:
            question = question._replace(value_order=RANDOM)
            store.control["random"] = 1 + seed % _SEEDS
        while outcome == PAUSED and not _late(began, seconds):
            left = int(budget)
            while outcome == PAUSED and left > 0 and not _late(began, seconds):
                piece = min(left, most)
                asked = time.perf_counter()
                outcome, written = ask(store, ENUMERATE, depth, question, piece, buffer)
                depth, left = -1, left - piece
                if seconds is not None:
                    # A decision may take a hundred nanoseconds or, with thousands of variables, a tenth of a second.
                    quicker = min(8.0, _SLICE_SECONDS / max(time.perf_counter() - asked, 1e-6))
                    most = min(_LONGEST_SLICE, max(1, int(piece * quicker)))
            if store.nogoods is None or not len(store.nogoods):
                entries = COLUMNS * len(store.values) + _NOGOOD_ENTRIES
                store = store._replace(nogoods=np.zeros(entries, dtype=np.int32))
            depth = RESTART
            budget *= _GROWTH
        if depth:
            nodes, fails = int(store.control["nodes"][0]), int(store.control["fails"][0])
    complete = outcome in (DONE, CONTRADICTION)
    values = buffer[: written if outcome == FULL else 0]
    return Solutions(values, complete, nodes, fails, time.perf_counter() - began)


def _late(began: float, seconds: float | None) -> bool:
    return seconds is not None and time.perf_counter() - began >= seconds
