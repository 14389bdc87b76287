"""``scsp-player bench solve``: all solutions of many instances, by our engines and by other solvers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.commands.solver_runs import Row

SUFFIXES = (".xml", ".xml.lzma", ".xml.xz")


def solve(
    paths: Annotated[list[Path], typer.Argument(help="XCSP3 documents, or folders of them.", metavar="PATH…")],
    seconds: Annotated[float, typer.Option("--seconds", help="Seconds of search allowed to each solver.", min=0.1)] = 10.0,
    engine: Annotated[
        list[str] | None,
        typer.Option("--engine", help="Only this one (may be repeated): ct, str2, python-constraint, ace-plain, ace, choco, …"),
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
    rows = _measured(list(_documents(paths)), chosen, seconds)
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


def _measured(documents: list[Path], chosen: list[str], seconds: float) -> list[Row]:
    from rich.console import Console
    from rich.progress import track

    from scsp_player.commands.solver_runs import engines, run

    known = engines()
    console = Console(stderr=True)
    pairs = [(document, name) for document in documents for name in chosen]
    return [
        run(name, known[name], document, seconds)
        for document, name in track(pairs, "solving", console=console, disable=not console.is_terminal)
    ]


def _differences(rows: list[Row]) -> list[str]:
    """Instances for which complete searches found different numbers."""
    counts: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        if row["complete"]:
            counts[row["instance"]].add(row["solutions"])
    return [instance for instance, numbers in counts.items() if len(numbers) > 1]


def _show(rows: list[Row], chosen: list[str]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("instance", "engine", "status")
    for title in ("solutions", "nodes", "start-up s", "reading s", "search s", "search CPU s", "wall s", "CPU s"):
        table.add_column(title, justify="right")
    for row in rows:
        nodes = "" if row["nodes"] is None else str(row["nodes"])
        cpu = "" if row["search_cpu_s"] is None else f"{row['search_cpu_s']:.3f}"
        status = row["status"] if row["complete"] or row["status"] == "REFUSED" else f"{row['status']} …"
        figures = [f"{value:.3f}" for value in (row["startup_s"], row["parse_s"], row["seconds"])]
        ends = [f"{row['wall_s']:.3f}", f"{row['cpu_s']:.3f}"]
        table.add_row(row["instance"], row["engine"], status, str(row["solutions"]), nodes, *figures, cpu, *ends)
    console = Console(width=170, highlight=False)
    console.print(table)
    for name in chosen:
        done = [row for row in rows if row["engine"] == name and row["complete"]]
        if done:
            search, wall = median(row["seconds"] for row in done), median(row["wall_s"] for row in done)
            console.print(f"{name}: {len(done)} finished, median search {search:.3f} s, median wall {wall:.3f} s")
