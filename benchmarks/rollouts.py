"""Random playouts a second beside the published figures of a propnet player.

Example: ``python benchmarks/rollouts.py ../shared/games --seconds 5`` measures every game of ``published_playouts.json`` whose
sheet is in the folder; ``--stages`` shows instead what each part of the program contributes; ``--first`` how soon every sheet of
the folder plays, each in a process of its own.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from scsp_player.commands.bench_rollouts import load_kernels, measure_sheet, sheets_in
from scsp_player.commands.machine_facts import machine_facts
from scsp_player.commands.peak_memory import forget_peak, peak_bytes
from scsp_player.gdl import GdlError, load_program
from scsp_player.grounding import BudgetExceeded, GroundGame, ground
from scsp_player.propnet import Propnet

PUBLISHED = Path(__file__).with_name("published_playouts.json")


def published() -> dict[str, int]:
    """Sheet to the larger of its two published rates."""
    rows = json.loads(PUBLISHED.read_text(encoding="utf-8"))["playouts_per_s"]
    return {row["sheet"]: max(row["own_loop"] or 0, row["called_from_outside"] or 0) for row in rows}


def rate(net: Propnet, game: GroundGame, seconds: float, *, restart: bool = True) -> float:
    """Playouts per CPU second of this thread; without ``restart`` a lane whose playout has ended stays idle until all have."""
    state = game.initial_state[None]
    count, finished, begin = net.lanes, 0, time.thread_time()
    while (spent := time.thread_time() - begin) < seconds:
        before = time.thread_time()
        result = net.playouts(state, lanes_per_state=net.lanes, playouts_per_state=count, seed=finished)
        finished += int(result.finished.sum())
        if restart and time.thread_time() - before < seconds / 10:
            count *= 2
    return finished / spent


def stages(sheet: Path, seconds: float) -> dict[str, float]:
    """Rates as one part of the program after the other is added."""
    game = ground(load_program(sheet))

    def improved(net: Propnet) -> Propnet:
        net.improve(10.0)
        return net

    variants: dict[str, Callable[[], Propnet]] = {
        "interpreter": lambda: Propnet(game, native=False, split=False),
        "simplified": lambda: improved(Propnet(game, native=False, split=False)),
        "phases": lambda: improved(Propnet(game, native=False)),
        "machine code": lambda: improved(Propnet(game)),
    }
    rates = {}
    for name, build in variants.items():
        rates[name] = rate(build(), game, seconds, restart=False)
    rates["restart"] = rate(improved(Propnet(game)), game, seconds)
    return rates


def first_playout(sheet: Path, grounding: float) -> dict[str, Any]:
    """CPU seconds to ground a sheet (at most ``grounding``), to compile it completely, and to the end of the first playout.

    Also the memory of 512 lanes and the growth of the process's peak, both in MiB.
    """
    forget_peak()
    before, begin = peak_bytes(), time.process_time()
    try:
        game = ground(load_program(sheet), seconds=grounding)
    except (GdlError, BudgetExceeded) as error:
        return {"game": sheet.name, "error": str(error)}
    grounded = time.process_time()
    try:
        net = Propnet(game)
    except ValueError as error:
        return {"game": sheet.name, "error": str(error)}
    compiled = time.process_time()
    net.playouts(game.initial_state[None], playouts_per_state=1, max_depth=200)
    return {
        "game": sheet.name,
        "ground_s": grounded - begin,
        "compile_s": compiled - grounded,
        "first_s": time.process_time() - grounded,
        "gates": sum(code.plan.gates for code in net.player.program.codes),
        "lanes_mib": (2 * net.player.group_bytes + net.player.program.code_bytes) / 2**20,
        "peak_mib": (peak_bytes() - before) / 2**20,
    }


def first_playouts(folder: Path, grounding: float) -> list[dict[str, Any]]:
    """``first_playout`` of all sheets of a folder."""
    load_kernels()
    sheets = sheets_in(folder)
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        results = pool.imap(partial(first_playout, grounding=grounding), sheets)
        return list(track(results, "playing", len(sheets), console=Console(stderr=True), transient=True))


def main(
    folder: Annotated[Path, typer.Argument(help="Folder with the sheets.", exists=True)],
    seconds: Annotated[float, typer.Option(help="CPU seconds of playouts a game.")] = 5.0,
    improve: Annotated[float, typer.Option(help="Seconds for simplifying each circuit before playing.")] = 10.0,
    games: Annotated[str, typer.Option(help="Only these sheets, separated by commas.")] = "",
    by_stage: Annotated[bool, typer.Option("--stages", help="What each part of the program contributes.")] = False,
    first: Annotated[bool, typer.Option("--first", help="How soon every sheet of the folder plays, and in what memory.")] = False,
    grounding: Annotated[float, typer.Option(help="With --first, seconds that grounding a sheet may take.")] = 5.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Measures playouts per CPU second of one thread from the initial state, beside the published figures."""
    if first:
        _show_first(first_playouts(folder, grounding), as_json)
        return
    reference = published()
    chosen = [name for name in (games.split(",") if games else reference) if (folder / name).exists()]
    errors = Console(stderr=True)
    rows: list[dict[str, Any]] = []
    for name in track(chosen, "playing", console=errors, transient=True):
        if by_stage:
            rows.append({"game": name, **stages(folder / name, seconds)})
        else:
            row = measure_sheet(folder / name, seconds, improve=improve)
            if "error" not in row and name in reference:
                row |= {"published": reference[name], "ratio": row["playouts_per_s"] / reference[name]}
            rows.append(row)
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None
    if as_json:
        print(json.dumps({"results": rows, "geometric_mean": mean, "machine": machine_facts()}))
        return
    columns = list(rows[0])[1:] if by_stage and rows else ["playouts_per_s", "published", "ratio", "gates", "setup_s", "compile_s"]
    table = Table("game", box=None)
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(row["game"], *(_shown(row.get(column)) for column in columns))
    Console().print(table)
    if mean is not None:
        Console().print(f"geometric mean of {len(ratios)} ratios: {mean:.0f}; smallest: {min(ratios):.1f}")


def _show_first(rows: list[dict[str, Any]], as_json: bool) -> None:
    """The rows that miss a limit, and a summary; or everything."""
    if as_json:
        print(json.dumps({"results": rows, "machine": machine_facts()}))
        return
    measured = [row for row in rows if "error" not in row]
    late = [row for row in measured if row["ground_s"] < 1 <= row["first_s"]]
    slow = [row for row in measured if row["gates"] < 20_000 and row["compile_s"] > 5]
    large = [row for row in measured if row["lanes_mib"] > 1024 or row["peak_mib"] > 1024]
    for name, found in (("first playout after 1 s", late), ("20,000 gates in over 5 s", slow), ("over 1 GiB", large)):
        Console().print(f"{name}: {len(found)}", *(json.dumps(row) for row in found), sep="\n")
    Console().print(f"{len(measured)} of {len(rows)} sheets grounded in time")


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


if __name__ == "__main__":
    typer.run(main)
