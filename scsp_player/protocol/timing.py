"""When answers have to leave, learned from when they did leave."""

from __future__ import annotations

import math
import socket
import struct
from collections import deque
from dataclasses import dataclass

SAMPLES = 200
"""Replies that are remembered; the worst of them decides."""

SAFETY = 1.5
"""How much worse than the worst delay seen the next one may be."""

_ROUND_TRIP_OFFSET = 68
"""Place of the smoothed round-trip time, in microseconds, in Linux's ``struct tcp_info``."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How answers are timed.

    Attributes:
        margin: seconds before the end of a clock at which the answer leaves; less on short clocks (see ``margin_of``).
        hang_seconds: how long an engine whose answer is due may give no sign of life before it is replaced.
        grace: silence of the manager, beyond its own clocks, after which the match is taken to be dead.
    """

    margin: float = 0.5
    hang_seconds: float = 2.0
    grace: float = 60.0

    def margin_of(self, clock: float) -> float:
        """The margin for a clock: never more than a quarter of it.

        >>> Timing(margin=0.5).margin_of(10), Timing(margin=0.5).margin_of(1)
        (0.5, 0.25)
        """
        return min(self.margin, clock / 4)


class Margin:
    """The margin that delays of the past call for: at least the configured one, never more than half a clock.

    A delay is the time from when a reply should have left to when it had been handed over to the network, two round trips
    included: the manager's clock may run while a connection is made, and stops only when the answer is there.

    >>> margin = Margin(Timing(margin=0.5))
    >>> margin.of(10)
    0.5
    >>> margin.note(0.6)
    >>> round(margin.of(10), 3), margin.of(1)
    (0.9, 0.5)
    """

    def __init__(self, timing: Timing) -> None:
        self.timing = timing
        self._delays: deque[float] = deque(maxlen=SAMPLES)

    @property
    def worst(self) -> float:
        """The longest delay that is remembered; 0 if there was none."""
        return max(self._delays, default=0.0)

    def note(self, delay: float) -> None:
        """A reply had a delay."""
        if 0 <= delay < math.inf:
            self._delays.append(delay)

    def of(self, clock: float) -> float:
        """Seconds before the end of a clock at which an answer has to leave."""
        return max(self.timing.margin_of(clock), min(SAFETY * self.worst, clock / 2))


def round_trip(connection: socket.socket | None) -> float:
    """Seconds that a packet takes to the peer and back, as the system has measured it on a connection; 0 where it does not tell."""
    if connection is None or not hasattr(socket, "TCP_INFO"):
        return 0.0
    try:
        facts = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
        microseconds: int = struct.unpack_from("=I", facts, _ROUND_TRIP_OFFSET)[0]
    except (OSError, struct.error):
        return 0.0
    return microseconds / 1e6
