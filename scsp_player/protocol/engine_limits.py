"""What an engine process may take of the machine."""

from __future__ import annotations

import contextlib
import os
import resource
from pathlib import Path
from typing import NamedTuple


class EngineLimits(NamedTuple):
    """Limits of one engine process; whatever it starts inherits them.

    Attributes:
        memory: bytes of private memory, or None for no limit of its own. An engine that wants more is replaced.
        nice: how much the agent's engine stands back behind other processes (0 to 19), the server above all.
        cores: processor cores for each match's agent, which it then has for itself as far as they last; 0 lets it run on all.
        ponder: whether agents may think while nobody waits for them, on the time of others.
    """

    memory: int | None = None
    nice: int = 0
    cores: int = 0
    ponder: bool = True

    def cores_of(self, place: int) -> tuple[int, ...]:
        """The cores of the match at a place; places beyond the machine's cores share them.

        >>> len(EngineLimits(cores=1).cores_of(3)), EngineLimits().cores_of(3)
        (1, ())
        """
        if not self.cores or not hasattr(os, "sched_getaffinity"):
            return ()
        usable = sorted(os.sched_getaffinity(0))
        return tuple(sorted({usable[(place * self.cores + i) % len(usable)] for i in range(self.cores)}))


def default_memory(matches: int) -> int | None:
    """A memory limit under which so many matches at a time leave room for the rest of the machine: 40 % of it in all."""
    try:
        return int(0.4 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / max(1, matches))
    except (ValueError, OSError, AttributeError):
        return None


def apply(memory: int | None, nice: int, cores: tuple[int, ...]) -> None:
    """Put limits on this process."""
    if memory is not None:
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        wanted = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, wanted))
    if nice:
        os.nice(nice)
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    # Should the machine run out of memory all the same, the system is to end an engine and not the server.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("700", encoding="ascii")
