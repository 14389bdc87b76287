"""What a measurement should say about the machine it was taken on."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine_description() -> dict[str, str | int | float]:
    """Processor, number of CPUs, load, and versions of Python and numba."""
    from importlib.metadata import version

    return {
        "processor": _processor(),
        "cpus": os.cpu_count() or 1,
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else -1.0,
        "system": platform.platform(),
        "python": platform.python_version(),
        "numba": version("numba"),
    }


def _processor() -> str:
    """The processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
