"""What a measurement was taken on."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine_facts() -> dict[str, str | int | float]:
    """Processor, number of processors, load, Python: the ``machine`` entry of every ``bench`` report."""
    facts: dict[str, str | int | float] = {
        "processor": _processor(),
        "processors": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    if hasattr(os, "getloadavg"):
        facts["load"] = round(os.getloadavg()[0], 2)
    return facts


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())
