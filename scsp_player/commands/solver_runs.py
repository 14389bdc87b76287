"""Other solvers and ours on one document, each in a process of its own: what they answer and what it takes."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict

_GRACE_SECONDS = 15.0  # start-up and parsing, beyond the time that a solver may search

PLAIN_MAC = (
    "-rr= -varh=DdegOnDom -wt=UNIT -valh=First -lc=0 -ng=NO -r_c=2147483647 -positive=CT -sing=ANY -omv=false".split()  # noqa: SIM905
)
"""Options of ACE for plain MAC: one run, dom/ddeg, first value, compact-table, no nogoods, all variables kept."""

_CPMPY = """
import sys, time, json
began = time.perf_counter()
from cpmpy.tools.io.xcsp3 import load_xcsp3
from cpmpy.transformations.get_variables import get_variables
path, sys.argv = sys.argv[1], sys.argv[:1]
middle = time.perf_counter()
model = load_xcsp3(path)
parsed = time.perf_counter()
found = [0]
def one():
    found[0] += 1
model.solveAll(solver="ortools", display=one)
print(json.dumps({"solutions": found[0], "complete": True, "parse": parsed - middle, "seconds": time.perf_counter() - parsed}))
"""


class Row(TypedDict):
    """One solver on one instance.

    ``status`` is "SAT", "UNSAT", "UNKNOWN" (nothing found in time) or "REFUSED"; ``complete`` whether all solutions were found.
    ``nodes`` are decisions for our engines and wrong decisions for ACE. ``seconds`` is the time of the search, ``parse_s`` of
    reading and building, ``startup_s`` the rest of the wall time ``wall_s``; ``cpu_s`` is the CPU time of the whole process and
    ``search_cpu_s`` that of the search, where it is known.
    """

    instance: str
    engine: str
    status: str
    complete: bool
    solutions: int
    seconds: float
    nodes: int | None
    parse_s: float
    startup_s: float
    wall_s: float
    cpu_s: float
    search_cpu_s: float | None


@dataclass(frozen=True)
class _Finding:
    """What the output of a solver says."""

    solutions: int
    complete: bool
    parse_s: float
    seconds: float
    nodes: int | None = None
    search_cpu_s: float | None = None
    refused: bool = False


@dataclass(frozen=True)
class Engine:
    """A solver: its command for a document and a number of seconds, and how its output is read."""

    command: Callable[[Path, float], list[str]]
    read: Callable[[str], _Finding]
    silent: bool = False
    """Whether it says neither how long its phases took nor that its time was up."""


def engines() -> dict[str, Engine]:
    """All solvers that are installed, by name."""
    found = {name: Engine(_our_command(name), _read_ours) for name in ("ct", "str2", "python-constraint")}
    ace, choco = jar("ace"), jar("choco")
    if ace is not None:
        found["ace-plain"] = Engine(lambda file, s: [*_java(ace), str(file), *_ace(s), *PLAIN_MAC], _read_ace)
        found["ace"] = Engine(lambda file, s: [*_java(ace), str(file), *_ace(s), "-omv=false"], _read_ace)
    if choco is not None:
        main = "org.chocosolver.parser.xcsp.ChocoXCSP"
        found["choco"] = Engine(
            lambda file, s: ["java", "-XX:+UseSerialGC", "-cp", str(choco), main, str(file), "-a", f"-limit=[{max(1, int(s))}s]"],
            _read_choco,
            silent=True,
        )
    if importlib.util.find_spec("cpmpy") and importlib.util.find_spec("ortools"):
        found["cpmpy-ortools"] = Engine(lambda file, s: [sys.executable, "-c", _CPMPY, str(file)], _read_cpmpy)
    return found


def jar(solver: str) -> Path | None:
    """The jar of ``ace`` or ``choco`` that the package pycsp3 brings; None if it or Java is not installed."""
    spec = importlib.util.find_spec("pycsp3")
    if spec is None or spec.origin is None or shutil.which("java") is None:
        return None
    found = sorted((Path(spec.origin).parent / "solvers" / solver).glob("*.jar"))
    return found[-1] if found else None


def run(name: str, engine: Engine, document: Path, seconds: float) -> Row:
    """All solutions of a document, counted by one solver within so many seconds of search."""
    with _plain(document) as file, tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        process = subprocess.Popen(engine.command(file, seconds), stdout=output, stderr=subprocess.DEVNULL)
        deadline, killed = began + seconds + _GRACE_SECONDS, False
        while True:
            pid, _, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.perf_counter() > deadline:
                process.kill()
                killed = True
                _, _, usage = os.wait4(process.pid, 0)
                break
            time.sleep(0.002)
        process.returncode = 0  # it was waited for here, to learn what it took
        wall = time.perf_counter() - began
        output.seek(0)
        finding = engine.read(output.read().decode(errors="replace"))
    if engine.silent:
        finding = replace(finding, seconds=wall, complete=finding.complete and wall < seconds)
    status = "SAT" if finding.solutions else "UNSAT" if finding.complete else "UNKNOWN"
    return Row(
        instance=document_name(document),
        engine=name,
        status="REFUSED" if finding.refused and not killed else status,
        complete=finding.complete,
        solutions=finding.solutions,
        seconds=round(finding.seconds, 4),
        nodes=finding.nodes,
        parse_s=round(finding.parse_s, 4),
        startup_s=round(max(0.0, wall - finding.parse_s - finding.seconds), 4),
        wall_s=round(wall, 4),
        cpu_s=round(usage.ru_utime + usage.ru_stime, 4),
        search_cpu_s=None if finding.search_cpu_s is None else round(finding.search_cpu_s, 4),
    )


def document_name(document: Path) -> str:
    """The name of an instance: that of its document without what says how it is written."""
    return document.name.removesuffix(".lzma").removesuffix(".xz").removesuffix(".xml")


@contextlib.contextmanager
def _plain(document: Path) -> Iterator[Path]:
    """The document, unpacked if it is compressed, since not every solver unpacks."""
    if document.suffix not in (".lzma", ".xz"):
        yield document
        return
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / document.name.removesuffix(document.suffix)
        with lzma.open(document) as source, plain.open("wb") as target:
            shutil.copyfileobj(source, target)
        yield plain


def _our_command(engine: str) -> Callable[[Path, float], list[str]]:
    def command(file: Path, seconds: float) -> list[str]:
        options = ["--engine", engine, "--all", "--count", "--time-limit", str(seconds), "--json"]
        return [sys.executable, "-m", "scsp_player", "solve", str(file), *options]

    return command


def _read_ours(output: str) -> _Finding:
    try:
        answer = json.loads(output)
    except json.JSONDecodeError:
        return _Finding(0, False, 0.0, 0.0, refused=True)
    return _Finding(
        answer["solutions"],
        answer["complete"],
        answer["parse_seconds"] + answer["setup_seconds"],
        answer["seconds"],
        answer["nodes"],
        answer["cpu_seconds"],
    )


def _java(program: Path) -> list[str]:
    return ["java", "-XX:+UseSerialGC", "-jar", str(program)]


def _ace(seconds: float) -> list[str]:
    return ["-s=all", "-npc", f"-t={max(1, int(seconds))}s"]


def _read_ace(output: str) -> _Finding:
    found = re.search(r"d FOUND SOLUTIONS +([0-9., ]+)", output)
    complete = "d COMPLETE EXPLORATION" in output
    if found is None and not complete and "s UNSATISFIABLE" not in output:
        return _Finding(0, False, 0.0, 0.0, refused="d INCOMPLETE" not in output)
    clocks = list(re.finditer(r"\n  (\w+)\n(?:    .*\n)*?    wck:([\d.]+)  cpu:([\d.]+)", output))
    parts = {clock[1]: float(clock[2]) for clock in clocks}
    cpu = {clock[1]: float(clock[3]) for clock in clocks}
    before = cpu.get("preprocessing", cpu.get("solver", 0.0))
    wrong = re.search(r"d WRONG DECISIONS +([0-9.,]+)", output)
    return _Finding(
        _integer(found[1]) if found else 0,
        complete,
        parts.get("constraints", 0.0) + parts.get("solver", 0.0),
        max(0.0, parts.get("global", 0.0)),
        _integer(wrong[1]) if wrong else None,
        max(0.0, cpu.get("global", before) - before),
    )


def _integer(text: str) -> int:
    return int(re.sub(r"\D", "", text) or 0)  # thousands are set apart by the rules of the locale


def _read_choco(output: str) -> _Finding:
    found = re.search(r"d FOUND SOLUTIONS (\d+)", output)
    status = re.search(r"s (SATISFIABLE|UNSATISFIABLE)", output)
    return _Finding(int(found[1]) if found else 0, status is not None, 0.0, 0.0, refused=found is None)


def _read_cpmpy(output: str) -> _Finding:
    try:
        answer = json.loads(output.splitlines()[-1])
    except (json.JSONDecodeError, IndexError):
        return _Finding(0, False, 0.0, 0.0, refused=True)
    return _Finding(answer["solutions"], answer["complete"], answer["parse"], answer["seconds"])
