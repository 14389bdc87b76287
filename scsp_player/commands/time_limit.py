"""A limit that holds for code that does not look at the clock itself."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTimeError(Exception):
    """The time is over; whatever was being done is left as it is."""


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raise ``OutOfTimeError`` in the block after so many seconds of wall time, as soon as compiled code returns.

    Does nothing outside the main thread, or where the system has no timers: there the block has to keep the time itself.

    Raises:
        OutOfTimeError: when the time is over.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
