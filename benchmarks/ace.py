"""The official XCSP3 parser and checker and the solver ACE, as they come with the package pycsp3 (extra ``bench``); needs Java."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from scsp_player.commands import solver_runs

PARSE = """
import org.xcsp.parser.XParser;
import java.io.FileInputStream;

class Parse {
    public static void main(String[] files) {
        for (String file : files) {
            try {
                XParser parser = new XParser(new FileInputStream(file));
                System.out.println("loaded " + parser.vEntries.size() + " " + parser.cEntries.size() + " " + file);
            } catch (Throwable error) {
                System.out.println("refused " + file + " " + error);
            }
        }
    }
}
"""


def jar() -> Path | None:
    """ACE's jar, or None if pycsp3 or Java is not installed."""
    return solver_runs.jar("ace")


def _java(*arguments: str) -> str:
    run = subprocess.run(["java", *arguments], capture_output=True, text=True, check=False, timeout=600)
    return run.stdout + run.stderr


def refused_by_parser(files: list[Path]) -> dict[str, str]:
    """File to message, for every file that the official parser does not load."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "Parse.java"
        source.write_text(PARSE, encoding="utf-8")
        output = _java("-cp", str(jar()), str(source), *map(str, files))
    loaded = {line.split()[-1] for line in output.splitlines() if line.startswith("loaded ")}
    return {str(f): next((x for x in output.splitlines() if str(f) in x), "no answer") for f in files if str(f) not in loaded}


def count(file: Path) -> int | None:
    """Number of solutions according to ACE, None if it says none."""
    output = _java("-XX:+UseSerialGC", "-jar", str(jar()), str(file), "-s=all", "-npc")
    if "s UNSATISFIABLE" in output:
        return 0
    # Thousands are set off by commas or spaces.
    found = re.search(r"d FOUND SOLUTIONS +(\d[\d,. ]*)", output)
    complete = "d COMPLETE EXPLORATION" in output
    return int(re.sub(r"\D", "", found.group(1))) if found and complete else None


def checks(instance: Path, solution_lines: str) -> bool:
    """Whether the official checker accepts the competition lines of a solver."""
    with tempfile.NamedTemporaryFile("w", suffix=".out", delete=False) as handle:
        handle.write(solution_lines)
    output = _java("-cp", str(jar()), "org.xcsp.parser.callbacks.SolutionChecker", str(instance), handle.name, "-cm")
    Path(handle.name).unlink()
    return bool(re.search(r"^OK\b", output, re.MULTILINE))
