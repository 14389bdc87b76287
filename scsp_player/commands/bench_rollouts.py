"""``scsp-player bench rollouts``: how many random games a second."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from scsp_player.grounding.ground_game import GroundGame
    from scsp_player.propnet import PlayoutResult, Propnet

WARM_UP = "(role player) (init start) (legal player go) (<= (next end) (does player go)) (<= terminal (true end)) (goal player 100)"
"""The smallest game; playing it loads or compiles every kernel."""

BATCH_SECONDS = 0.25
"""Playouts are asked for in batches of about this length, so that the clock is read often enough."""


def rollouts(
    paths: Annotated[list[Path], typer.Argument(help="Rule sheets, or folders of them.", metavar="PATH…", exists=True)],
    seconds: Annotated[float, typer.Option(help="CPU seconds of playouts a game and thread.", min=0.01)] = 5.0,
    threads: Annotated[int, typer.Option(help="Threads that play at the same time.", min=1)] = 1,
    improve: Annotated[float, typer.Option(help="Seconds for simplifying each circuit before playing.", min=0.0)] = 5.0,
    timeout: Annotated[float, typer.Option(help="Seconds that grounding a sheet may take.", min=0.0)] = 60.0,
    max_depth: Annotated[int, typer.Option(help="Moves after which a game is cut off.", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of all random moves.", min=0)] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Play random games from the initial state and report the rate and the mean scores.

    Rates count whole games, moves drawn and goals read. `playouts_per_s` is per CPU second of the threads that play,
    `playouts_per_wall_s` per second of the clock. Exit status 2 if a sheet cannot be measured.

    Example: `scsp-player bench rollouts games/tic-tac-toe.kif --seconds 2`
    """
    from rich.console import Console
    from rich.progress import track

    from scsp_player.commands.machine_facts import machine_facts

    files = [file for path in paths for file in (sheets_in(path) if path.is_dir() else [path])]
    kernel_seconds = load_kernels()
    console = Console(file=sys.stderr)
    rows: list[dict[str, Any]] = []
    for file in track(files, "playing", console=console, transient=True, disable=not console.is_terminal):
        row = measure_sheet(file, seconds, threads, improve, timeout, max_depth, seed)
        rows.append(row if "error" in row else {**row, "kernels_s": kernel_seconds})
    if json_output:
        print(json.dumps({"results": rows, "machine": machine_facts()}))
    else:
        _show(rows)
    raise typer.Exit(2 if any("error" in row for row in rows) else 0)


def sheets_in(folder: Path) -> list[Path]:
    """The rule sheets of a folder, by their endings."""
    return sorted(file for file in folder.iterdir() if file.suffix in (".kif", ".gdl"))


def load_kernels() -> float:
    """CPU seconds until the code that serves all games is loaded, or compiled if it is not on disk."""
    import time

    from scsp_player.gdl import parse_program
    from scsp_player.grounding import ground
    from scsp_player.propnet import Propnet

    begin = time.process_time()
    game = ground(parse_program(WARM_UP))
    Propnet(game).playouts(game.initial_state[None])
    return time.process_time() - begin


def measure_sheet(
    file: Path, seconds: float, threads: int = 1, improve: float = 5.0, timeout: float = 60.0, max_depth: int = 1000, seed: int = 0
) -> dict[str, Any]:
    """The measurements of one sheet, or what kept it from being measured.

    ``setup_s`` is the time from the sheet to the first playouts, ``compile_s`` what was spent on simplifying and compiling further.
    """
    import time

    from scsp_player.gdl import GdlError, load_program
    from scsp_player.grounding import BudgetExceeded, ground
    from scsp_player.propnet import Propnet

    begin = time.process_time()
    try:
        game = ground(load_program(file), seconds=timeout)
        net = Propnet(game)
    except (GdlError, BudgetExceeded, ValueError, OSError) as error:
        return {"game": file.name, "error": str(error)}
    setup = time.process_time() - begin
    if improve:
        net.improve(improve)
    compiled = time.process_time() - begin - setup
    result, cpu, wall = _measure(net, game, seconds, threads, max_depth, seed)
    finished = int(result.finished.sum())
    means = result.score_sum.sum(axis=0) / max(1, finished)
    return {
        "game": file.name,
        "playouts_per_s": finished / cpu,
        "steps_per_s": int(result.plies.sum()) / cpu,
        "playouts_per_wall_s": finished / wall,
        "steps_per_wall_s": int(result.plies.sum()) / wall,
        "playouts": finished,
        "truncated": int(result.truncated.sum()),
        "setup_s": setup,
        "compile_s": compiled,
        "gates": sum(code.plan.gates for code in net.player.program.codes),
        "literals": sum(code.plan.literals for code in net.player.program.codes),
        "phases": len(net.phases),
        "code_bytes": net.player.program.code_bytes,
        "lanes": net.lanes,
        "threads": threads,
        "mean_scores": {role: (float(mean) if finished else None) for role, mean in zip(game.roles, means, strict=True)},
        "cpu_s": cpu,
        "complete": result.complete,
    }


def _measure(
    net: Propnet, game: GroundGame, seconds: float, threads: int, max_depth: int, seed: int
) -> tuple[PlayoutResult, float, float]:
    """Playouts of all threads together (one result row a batch), their CPU seconds and the wall-clock seconds."""
    import time
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np

    from scsp_player.propnet import PlayoutResult

    begin = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        streams = np.random.default_rng(seed).spawn(threads)
        batches = [
            batch
            for batches in pool.map(lambda stream: _play(net, game, seconds, max_depth, stream), streams)
            for batch in batches
        ]
    wall = time.perf_counter() - begin
    results = [result for result, _ in batches]
    merged = PlayoutResult(
        np.concatenate([result.score_sum for result in results]),
        np.concatenate([result.finished for result in results]),
        np.concatenate([result.truncated for result in results]),
        np.concatenate([result.plies for result in results]),
        np.concatenate([result.goal_count for result in results]),
        all(result.complete for result in results),
    )
    return merged, sum(cpu for _, cpu in batches), wall


def _play(
    net: Propnet, game: GroundGame, seconds: float, max_depth: int, stream: Any
) -> list[tuple[PlayoutResult, float]]:
    """Batches of one thread with their CPU seconds, growing to ``BATCH_SECONDS``, until the time is spent."""
    import time

    state = game.initial_state[None]
    batches: list[tuple[PlayoutResult, float]] = []
    playouts, spent = net.lanes, 0.0
    while spent < seconds:
        begin = time.thread_time()
        result = net.playouts(
            state,
            lanes_per_state=net.lanes,
            playouts_per_state=playouts,
            seed=stream,
            max_depth=max_depth,
            seconds=max(4 * seconds, 1.0),
        )
        used = max(time.thread_time() - begin, 1e-9)
        batches.append((result, used))
        spent += used
        if used < BATCH_SECONDS / 2:
            playouts *= 2
    return batches


def _show(rows: list[dict[str, Any]]) -> None:
    from scsp_player.commands.tables import show, table_of

    lines = []
    for row in rows:
        if "error" in row:
            lines.append((row["game"], *["-"] * 4, row["error"]))
            continue
        scores = ", ".join(f"{role} {'-' if mean is None else f'{mean:.2f}'}" for role, mean in row["mean_scores"].items())
        numbers = [f"{row[key]:,.0f}" for key in ("playouts_per_s", "playouts_per_wall_s", "gates")]
        lines.append((row["game"], *numbers, f"{row['setup_s']:.2f}", scores))
    show(table_of(("game",), ("playouts/s", "per wall s", "gates", "set-up s"), lines, last="mean scores"))
