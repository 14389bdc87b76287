"""How much memory this process holds."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path


def resident_bytes() -> int:
    """Memory that this process holds; where the system does not tell, the most that it has held.

    The latter will not do on Linux: a process begins there with the most that the one that has started it ever held.
    """
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return pages * os.sysconf("SC_PAGE_SIZE")
