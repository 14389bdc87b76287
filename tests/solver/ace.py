"""The official tools in the jar that pycsp3 brings: the solver ACE and the solution checker."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

_PYCSP3 = importlib.util.find_spec("pycsp3")
_FOLDER = Path(_PYCSP3.origin or "").parent / "solvers" / "ace" if _PYCSP3 else Path("nowhere")
JAR = next(iter(sorted(_FOLDER.glob("ACE-*.jar"))), None)

needs_ace = pytest.mark.skipif(
    JAR is None or shutil.which("java") is None, reason="needs Java and the package pycsp3 (extra bench), which brings ACE"
)


def count_with_ace(document: Path) -> int:
    """Number of solutions by ACE, after a complete search."""
    # Variables in no constraint would be left out by default.
    output = _java("-jar", str(JAR), str(document), "-s=all", "-npc", "-omv=false")
    assert "COMPLETE EXPLORATION" in output, output
    found = re.search(r"d FOUND SOLUTIONS(.+)", output)
    assert found, output
    return int(re.sub(r"\D", "", found[1]))  # thousands are set apart by the rules of the locale


def check_solution(document: Path, solution: Path, *options: str) -> str:
    """What the official checker says."""
    return _java("-cp", str(JAR), "org.xcsp.parser.callbacks.SolutionChecker", str(document), str(solution), *options)


def _java(*arguments: str) -> str:
    command = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout
