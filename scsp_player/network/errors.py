"""What can keep a game from becoming a network."""

from __future__ import annotations

import math
import time

from scsp_player.gdl.errors import GdlError


class NetworkTooLargeError(GdlError):
    """The tables of a game exceed the bounds under which its network is of use."""


class Deadline:
    """A time after which a translation is given up; what is finished before does not depend on it."""

    def __init__(self, seconds: float = math.inf) -> None:
        self._seconds = seconds
        self._end = time.perf_counter() + seconds

    def check(self) -> None:
        """Go on.

        Raises:
            NetworkTooLargeError: if the time is over.
        """
        if time.perf_counter() > self._end:
            raise NetworkTooLargeError(
                f"the translation takes longer than {self._seconds:g} s", remedy="allow more time, or do without the network"
            )
