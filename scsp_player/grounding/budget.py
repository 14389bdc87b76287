"""Bounds on time and memory, so that no rule sheet can take the program down."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

TRIAL_BYTES: Final = 10
"""Memory for each step that a trial may take: rows that are new cost much more time than rows that are known."""


class BudgetExceeded(Exception):  # noqa: N818
    """Grounding needs more time or memory than it was given; the game can still be played through ``Reasoner``."""


class EndlessTerms(BudgetExceeded):
    """Terms are nested deeper and deeper; some recursion does not end, or ends by a negation only that depends on the state."""

    remedy: Final = "bound the depth of terms by a positive condition"


class TrialOver(BudgetExceeded):
    """A trial has taken its share of work; another way may do better."""


class Budget:
    """Seconds from now on, and bytes for the largest arrays together.

    Attributes:
        spent: steps of the join machine so far.

    >>> Budget(seconds=10.0, memory_bytes=1 << 30).check()
    """

    def __init__(self, seconds: float, memory_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.memory_bytes = memory_bytes
        self.spent = 0
        self._clock = clock
        self._end = clock() + seconds
        self._trial_steps = self._trial_bytes = 1 << 62
        self._look_at = 1 << 62
        self._look: Callable[[], None] = lambda: None

    def start_trial(self, steps: int | None) -> None:
        """From now on allow so many steps, and some bytes of the store for each of them; None: no bound but those of the budget."""
        self._trial_steps = 1 << 62 if steps is None else self.spent + steps
        self._trial_bytes = 1 << 62 if steps is None else TRIAL_BYTES * steps
        self._look_at = 1 << 62

    def look_after(self, steps: int, look: Callable[[], None]) -> None:
        """Call ``look`` once when so many more steps have been taken; it may raise ``TrialOver``. A new trial forgets about it."""
        self._look_at, self._look = self.spent + steps, look

    @contextmanager
    def part(self, steps: int, used_bytes: int) -> Iterator[None]:
        """A part of the work: ``TrialOver`` after so many steps, or some bytes for each of them beyond ``used_bytes``."""
        outer = self._trial_steps, self._trial_bytes
        self._trial_steps = min(self._trial_steps, self.spent + steps)
        self._trial_bytes = min(self._trial_bytes, used_bytes + TRIAL_BYTES * steps)
        try:
            yield
        finally:
            self._trial_steps, self._trial_bytes = outer

    def check(self, ahead: float = 0.0) -> None:
        """Raise ``BudgetExceeded`` if the time is up in ``ahead`` seconds, ``TrialOver`` if the trial is over."""
        if self._clock() + ahead >= self._end:
            raise BudgetExceeded(f"grounding takes longer than {self.seconds:g} s")
        if self.spent >= self._look_at:
            self._look_at = 1 << 62
            self._look()
        if self.spent >= self._trial_steps:
            raise TrialOver("a trial takes too many steps")

    def check_bytes(self, wanted: int, *, of_trial: bool = True) -> None:
        """Raise ``BudgetExceeded`` if ``wanted`` bytes are more than the bound, ``TrialOver`` if more than the trial's."""
        if wanted > self.memory_bytes:
            raise BudgetExceeded(f"grounding needs more than {self.memory_bytes >> 20} MiB")
        if of_trial and wanted > self._trial_bytes:
            raise TrialOver("a trial takes too much memory")
