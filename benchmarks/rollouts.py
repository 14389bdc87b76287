"""Random playouts a second beside the published figures of a propnet player.

Example: ``python benchmarks/rollouts.py ../shared/games --seconds 5`` measures every game of ``published_playouts.json`` whose
sheet is in the folder; ``--stages`` shows instead what each part of the program contributes.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from scsp_player.commands.bench_rollouts import measure_sheet
from scsp_player.commands.machine_facts import machine_facts
from scsp_player.gdl import load_program
from scsp_player.grounding import GroundGame, ground
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


def main(
    folder: Annotated[Path, typer.Argument(help="Folder with the sheets.", exists=True)],
    seconds: Annotated[float, typer.Option(help="CPU seconds of playouts a game.")] = 5.0,
    improve: Annotated[float, typer.Option(help="Seconds for simplifying each circuit before playing.")] = 10.0,
    games: Annotated[str, typer.Option(help="Only these sheets, separated by commas.")] = "",
    by_stage: Annotated[bool, typer.Option("--stages", help="What each part of the program contributes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Measures playouts per CPU second of one thread from the initial state, beside the published figures."""
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


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


if __name__ == "__main__":
    typer.run(main)
