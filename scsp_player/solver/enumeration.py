"""A search in portions: blocks of solutions, deadlines, limits and exact counts around the resumable kernel."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scsp_player.solver.choice_kernels import DOM_WDEG
from scsp_player.solver.engine_kernels import CONTRADICTION, COUNT, DONE, ENUMERATE, FULL, HUGE, PAUSED
from scsp_player.solver.question import ADAPTIVE, Question, ask
from scsp_player.solver.results import product
from scsp_player.solver.store import Store

_SLICE_SECONDS = 0.03
_FIRST_BUDGET = 4096
_FIRST_BUDGET_WITH_DEADLINE = 4
_PATIENCE = 1000
_PATIENCE_GROWTH = 4
_FIRST_BLOCK_ROWS = 64
_LARGEST_BLOCK_CELLS = 1 << 20
_NO_BUFFER = np.zeros((1, 0), dtype=np.int32)


class Enumeration:
    """The solutions of one question, found block by block while one iterates (once).

    The kernel is called for portions of a few hundredths of a second, between which deadlines and interrupts get through.

    With the adaptive ordering the search turns to the weights of tables, which tell where contradictions come from, once it has
    met ``_PATIENCE`` more dead ends than solutions. As long as no solution is known it then also begins anew, after growing
    numbers of dead ends.

    Attributes:
        width: number of projected variables.
        complete: whether the search ended by itself (so far).
        nodes: decisions taken so far.
        fails: contradictions met by propagation so far.
        seconds: wall time spent in the search so far.
    """

    def __init__(
        self,
        store: Store | None,
        question: Question,
        limit: int | None,
        seconds: float | None,
    ) -> None:
        """Takes what ``Solver.stream`` prepared; ``store`` None stands for an instance known to have no solution."""
        self.width = len(question.project)
        self.complete = store is None
        self.nodes = 0
        self.fails = 0
        self.seconds = 0.0
        self._store = store
        self._question = question
        self._limit = limit
        self._allowed = seconds
        self._budget = _FIRST_BUDGET if seconds is None else _FIRST_BUDGET_WITH_DEADLINE
        self._start_number = 0
        self._adaptive = question.ordering == ADAPTIVE
        self._patience = _PATIENCE
        self._found = 0
        self._nodes_before = 0
        self._fails_before = 0

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        """int32[rows, width]: solutions, at least one a block.

        Raises:
            RuntimeError: if the solver was asked something else since the last block.
        """
        found = 0
        largest = max(1, _LARGEST_BLOCK_CELLS // max(1, self.width))
        rows = min(_FIRST_BLOCK_ROWS, largest)
        while not self.complete and (self._limit is None or found < self._limit):
            if self._limit is not None:
                rows = min(rows, self._limit - found)
            buffer = np.empty((rows, self.width), dtype=np.int32)
            reason, written = self._search(ENUMERATE, buffer)
            found += written
            if written:
                yield buffer[:written]
            if reason == FULL:
                rows = min(8 * rows, largest)
            if self._late():
                break

    def count(self) -> int:
        """The number of solutions left; may stop as soon as it is at least the limit."""
        number = 0
        while not self.complete and (self._limit is None or number < self._limit):
            reason, _ = self._search(COUNT, _NO_BUFFER)
            number += self._drain(reason == HUGE)
            if self._late():
                break
        return number

    def _search(self, task: int, buffer: NDArray[np.int32]) -> tuple[int, int]:
        """One call of the kernel; the next budget follows from the time it took."""
        store = self._store
        assert store is not None
        control = store.control
        fresh = self._start_number == 0
        if not fresh and control["starts"][0] != self._start_number:
            raise RuntimeError("the solver was asked something else meanwhile; this enumeration cannot go on")
        began = time.perf_counter()
        reason, written = ask(store, task, 0 if fresh else -1, self._question, self._budget, buffer)
        elapsed = time.perf_counter() - began
        self.seconds += elapsed
        self._start_number = int(control["starts"][0])
        self.nodes = self._nodes_before + int(control["nodes"][0])
        self.fails = self._fails_before + int(control["fails"][0])
        self._found += written + int(control["count"][0])
        self.complete = reason in (DONE, CONTRADICTION)
        if reason == PAUSED:
            self._budget = max(1, int(self._budget * min(8.0, _SLICE_SECONDS / max(elapsed, 1e-6))))
            if self._adaptive and self.fails - self._fails_before > self._patience + self._found:
                self._turn_to_weights()
        return reason, written

    def _turn_to_weights(self) -> None:
        """Go on by weights; anew, if there was no solution so far, since what the first decisions should be is known only now."""
        self._question = self._question._replace(ordering=DOM_WDEG)
        self._patience *= _PATIENCE_GROWTH
        if self._found:
            self._adaptive = False
        else:
            self._start_number = 0
            self._nodes_before, self._fails_before = self.nodes, self.fails

    def _drain(self, huge: bool) -> int:
        """What was counted since the last call; with ``huge`` also the node at which the kernel gave up multiplying."""
        assert self._store is not None
        control, variables = self._store.control, self._store.variables[:-1]
        number = int(control["count"][0])
        control["count"][0] = 0
        if huge:
            number += product(variables["alive"][variables["projected"] == 1].tolist())
        return number

    def _late(self) -> bool:
        return not self.complete and self._allowed is not None and self.seconds >= self._allowed
