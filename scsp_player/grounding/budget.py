"""Bounds on time and memory, so that no rule sheet can take the program down."""

from __future__ import annotations

import time
from collections.abc import Callable


class BudgetExceeded(Exception):  # noqa: N818
    """Grounding needs more time or memory than it was given; the game can still be played through ``Reasoner``."""


class EndlessTerms(BudgetExceeded):
    """Terms are nested deeper and deeper; some recursion does not end."""


class Budget:
    """Seconds from now on, and bytes for the largest arrays together.

    >>> Budget(seconds=10.0, memory_bytes=1 << 30).check()
    """

    def __init__(self, seconds: float, memory_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.memory_bytes = memory_bytes
        self._clock = clock
        self._end = clock() + seconds

    def check(self) -> None:
        """Raise ``BudgetExceeded`` if the time is up."""
        if self._clock() >= self._end:
            raise BudgetExceeded(f"grounding takes longer than {self.seconds:g} s")

    def check_bytes(self, wanted: int) -> None:
        """Raise ``BudgetExceeded`` if ``wanted`` bytes are more than the bound."""
        if wanted > self.memory_bytes:
            raise BudgetExceeded(f"grounding needs more than {self.memory_bytes >> 20} MiB")
