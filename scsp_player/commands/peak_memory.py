"""How much memory a piece of work has needed at its peak."""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """Begin to measure anew, where the system can (Linux); elsewhere the peak is that of the process so far."""
    with contextlib.suppress(OSError):
        _RESET.write_text("5", encoding="ascii")


def peak_bytes() -> int:
    """The most memory that the process has held since ``forget_peak``."""
    with contextlib.suppress(OSError, StopIteration):
        lines = _STATUS.read_text(encoding="ascii").splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
