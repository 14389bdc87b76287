"""``scsp-player bench solve``: all solutions of many instances, by our engines and by other solvers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.commands.solver_runs import Row

SUFFIXES = (".xml", ".xml.lzma", ".xml.xz")

OURS = ("ct", "str2")
"""Engines that are compared with the others."""


def solve(
    paths: Annotated[list[Path], typer.Argument(help="XCSP3 documents, or folders of them.", metavar="PATH…")],
    seconds: Annotated[float, typer.Option("--seconds", help="Seconds of search allowed to each solver.", min=0.1)] = 10.0,
    engine: Annotated[
        list[str] | None,
        typer.Option("--engine", help="Only this one (may be repeated): ct, str2, python-constraint, ace-plain, ace, choco, …"),
    ] = None,
    journal: Annotated[
        Path | None, typer.Option("--journal", help="Write every result here, and go on from what is there.", dir_okay=False)
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write a cactus plot of the wall times here (SVG).")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Count all solutions of many instances, one by one, with every solver that is installed, and compare.

    A solver runs in a process of its own, one after the other. Start-up, reading and search are told apart; where two solvers
    finish with different counts, the exit status is 1. Of a document and its CSP twin only the twin is taken.

    Example: `scsp-player bench solve instances/ --seconds 10 --plot cactus.svg`
    """
    from scsp_player.commands.cactus import cactus_plot
    from scsp_player.commands.machine_facts import machine_facts
    from scsp_player.commands.solver_runs import engines

    known = engines()
    chosen = engine or list(known)
    for name in chosen:
        if name not in known:
            raise typer.BadParameter(f"{name} is not installed; there are {', '.join(known)}")
    rows = _measured(list(_documents(paths)), chosen, seconds, journal)
    different = _differences(rows)
    if plot is not None:
        times = {name: [r["wall_s"] for r in rows if r["engine"] == name and r["complete"]] for name in chosen}
        plot.write_text(cactus_plot(times, "Wall time to all solutions, start-up included"), encoding="utf-8")
    if json_output:
        print(json.dumps({"results": rows, "differences": different, "machine": machine_facts()}))
    else:
        _show(rows, chosen)
        for instance in different:
            print(f"different numbers of solutions: {instance}")
    if different:
        raise typer.Exit(1)


def _documents(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(p for p in path.iterdir() if p.name.endswith(SUFFIXES))
        names = {p.name.partition(".xml")[0] for p in found}
        yield from (p for p in found if f"{p.name.partition('.xml')[0]}.csp" not in names)


def _measured(documents: list[Path], chosen: list[str], seconds: float, journal: Path | None) -> list[Row]:
    from rich.console import Console
    from rich.progress import track

    from scsp_player.commands.solver_runs import document_name, engines, run

    known = engines()
    done = {(row["instance"], row["engine"]): row for row in _journal(journal)}
    console = Console(stderr=True)
    pairs = [(document, name) for document in documents for name in chosen]
    rows: list[Row] = []
    for document, name in track(pairs, "solving", console=console, disable=not console.is_terminal):
        row = done.get((document_name(document), name))
        if row is None:
            row = run(name, known[name], document, seconds)
            if journal is not None:
                with journal.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
        rows.append(row)
    return rows


def _journal(journal: Path | None) -> list[Row]:
    """The rows that a journal holds; a last line that was cut off counts for nothing and goes."""
    if journal is None or not journal.exists():
        return []
    text = journal.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if len(whole) < len(text):
        journal.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]


def _differences(rows: list[Row]) -> list[str]:
    """Instances for which complete searches found different numbers."""
    counts: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        if row["complete"]:
            counts[row["instance"]].add(row["solutions"])
    return [instance for instance, numbers in counts.items() if len(numbers) > 1]


def _show(rows: list[Row], chosen: list[str]) -> None:
    from scsp_player.commands.tables import show, table_of

    lines = []
    for row in rows:
        nodes = "" if row["nodes"] is None else str(row["nodes"])
        cpu = "" if row["search_cpu_s"] is None else f"{row['search_cpu_s']:.3f}"
        status = row["status"] if row["complete"] or row["status"] == "REFUSED" else f"{row['status']} …"
        figures = [f"{value:.3f}" for value in (row["startup_s"], row["parse_s"], row["seconds"])]
        ends = [f"{row['wall_s']:.3f}", f"{row['cpu_s']:.3f}"]
        lines.append((row["instance"], row["engine"], status, str(row["solutions"]), nodes, *figures, cpu, *ends))
    titles = ("solutions", "nodes", "start-up s", "reading s", "search s", "search CPU s", "wall s", "CPU s")
    show(table_of(("instance", "engine", "status"), titles, lines))
    for name in chosen:
        done = [row for row in rows if row["engine"] == name and row["complete"]]
        if done:
            search, wall = median(row["seconds"] for row in done), median(row["wall_s"] for row in done)
            show(f"{name}: {len(done)} finished, median search {search:.3f} s, median wall {wall:.3f} s")
    for ours, theirs in product([n for n in chosen if n in OURS], [n for n in chosen if n not in OURS]):
        line = _ratios(rows, ours, theirs)
        if line:
            show(line)


def _ratios(rows: list[Row], ours: str, theirs: str) -> str:
    """How two solvers compare on the instances that both finished; empty if there are none."""
    one, other = ({row["instance"]: row for row in rows if row["engine"] == name and row["complete"]} for name in (ours, theirs))
    both = [(one[instance], other[instance]) for instance in one if instance in other]
    if not both:
        return ""
    wall, cpu = (median(a[field] / max(b[field], 1e-3) for a, b in both) for field in ("wall_s", "cpu_s"))
    line = f"{ours} / {theirs}, {len(both)} instances, medians: wall {wall:.2f}, CPU {cpu:.2f}"
    searches = [(a["search_cpu_s"], b["search_cpu_s"]) for a, b in both]
    known = [(a, b) for a, b in searches if a is not None and b is not None]
    if known:
        a, b = (median(x) for x in zip(*known, strict=True))
        line += f"; search CPU {a:.4f} s against {b:.4f} s, not more in {sum(x <= y for x, y in known)} of {len(known)}"
    return line
