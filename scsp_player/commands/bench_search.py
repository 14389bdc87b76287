"""``scsp-player bench search``: how fast the search grows its graph, and how long proofs take."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

SYMMETRY_SHARE = 0.1
"""Share of the time to enumerate that looking for symmetries may take."""

if TYPE_CHECKING:
    from scsp_player.propnet import Propnet
    from scsp_player.search import MacUcb
    from scsp_player.search.puzzle import PuzzleSearch


def search(
    paths: Annotated[list[Path], typer.Argument(help="Rule sheets, or folders of them.", metavar="PATH…", exists=True)],
    seconds: Annotated[float, typer.Option(help="CPU seconds of search a game.", min=0.01)] = 5.0,
    agent: Annotated[str, typer.Option(help="Agent whose search is measured; settings as `mac-ucb+batch=16`.")] = "mac-ucb",
    timeout: Annotated[float, typer.Option(help="CPU seconds that setting a game up may take.", min=0.0)] = 60.0,
    prove: Annotated[
        float, typer.Option(help="CPU seconds for enumerating all states where the search has not decided the value.", min=0.0)
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of all random choices.", min=0)] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Search from the initial state and report leaves, playouts and nodes per CPU second, mean depth, and proven values.

    Values are those of the first role that is not chance; `prove_s` says after how many CPU seconds the value was certain. Games
    with one player are searched as puzzles: leaves are the moves looked at by the enumeration of their states. With
    `--prove` all reachable states are enumerated where the search leaves the value open, and backward induction gives bounds for it
    (`low`, `high`). Exit status 2 if a sheet cannot be measured.

    Example: `scsp-player bench search games/tic-tac-toe.kif games/connect-four.kif --seconds 3`
    """
    from rich.console import Console
    from rich.progress import track

    from scsp_player.arena.contest import make_agent
    from scsp_player.commands.bench_rollouts import sheets_in
    from scsp_player.commands.machine_facts import machine_facts

    try:
        make_agent(agent)
    except (LookupError, ValueError) as error:
        print(f"scsp-player: {error.args[0]}", file=sys.stderr)
        raise typer.Exit(2) from None
    files = [file for path in paths for file in (sheets_in(path) if path.is_dir() else [path])]
    console = Console(file=sys.stderr)
    rows = [
        _row(file, agent, seconds, timeout, prove, seed)
        for file in track(files, "searching", console=console, transient=True, disable=not console.is_terminal)
    ]
    if json_output:
        print(json.dumps({"results": rows, "machine": machine_facts()}))
    else:
        _show(rows)
    raise typer.Exit(2 if any("error" in row for row in rows) else 0)


def _row(file: Path, spec: str, seconds: float, timeout: float, prove: float, seed: int) -> dict[str, Any]:
    """The measurements of one sheet, or what kept it from being measured."""
    import time

    from scsp_player.agents.searching import SearchingAgent
    from scsp_player.arena.contest import make_agent
    from scsp_player.arena.sheet import CHANCE, read_game
    from scsp_player.gdl import GdlError
    from scsp_player.grounding import BudgetExceeded, ground
    from scsp_player.propnet import Propnet
    from scsp_player.search import MacUcb
    from scsp_player.search.puzzle import PuzzleSearch

    agent = make_agent(spec)
    if not isinstance(agent, SearchingAgent) or not issubclass(agent.search_class, MacUcb):
        return {"game": file.name, "error": f"{spec} has no graph to measure"}
    agent.clock = time.thread_time
    begin = time.thread_time()
    try:
        sheet = read_game(file)
        game = ground(sheet.program, seconds=timeout, clock=time.thread_time)
        role = next(role for role in game.roles if role != CHANCE)
        agent.set_up(game, role, deadline=begin + timeout, seed=seed)
    except (GdlError, BudgetExceeded, StopIteration, OSError) as error:
        return {"game": file.name, "error": str(error)}
    search = agent.search
    assert isinstance(search, MacUcb | PuzzleSearch)
    search.think(time.thread_time() + 1e6, leaves=1)  # loads the kernels
    begin, before = time.thread_time(), _counts(search)
    search.think(begin + seconds)
    used = max(time.thread_time() - begin, 1e-9)
    leaves, playouts, depth = (after - start for after, start in zip(_counts(search), before, strict=True))
    row = {
        "game": file.name,
        "agent": spec,
        "expander": search.expander.name if isinstance(search, MacUcb) else "puzzle",
        "leaves_per_s": leaves / used,
        "playouts_per_s": playouts / used,
        "nodes": search.graph.nodes if isinstance(search, MacUcb) else search.nodes,
        "edges": search.graph.edges if isinstance(search, MacUcb) else search.leaves,
        "bytes": search.graph.bytes_used if isinstance(search, MacUcb) else search.bytes_used,
        "depth": depth / max(1, leaves),
        "cpu_s": used,
        "decided": search.decided,
        "value": search.value,
        "prove_s": used if search.decided else None,
        "low": search.value,
        "high": search.value,
    }
    return row if search.decided or not prove else row | _enumerate(Propnet(game), search.role, prove)


def _counts(search: MacUcb | PuzzleSearch) -> tuple[int, int, int]:
    """Leaves, playouts, and the sum of the leaves' depths so far; the enumeration of a puzzle's states plays nothing out."""
    from scsp_player.search import MacUcb

    if isinstance(search, MacUcb):
        return search.leaves, search.leaves * search.settings.playouts, search.depth
    return search.leaves, 0, 0


def _enumerate(propnet: Propnet, role: int, seconds: float) -> dict[str, Any]:
    """What all reachable states say about the value of the first one."""
    import math
    import time

    from scsp_player.search.backward import backward_induction
    from scsp_player.search.reduction import Reduction
    from scsp_player.search.state_space import StateSpace
    from scsp_player.search.symmetry import find_symmetries

    rehearsal = StateSpace(propnet, propnet.game.initial_state, 1 << 20, Reduction.rehearsal(propnet.game))
    rehearsal.explore(time.thread_time() + 0.01, clock=time.thread_time)
    backward_induction(rehearsal, math.inf)
    begin = time.thread_time()
    symmetries = find_symmetries(propnet.game, SYMMETRY_SHARE * seconds)
    space = StateSpace(propnet, propnet.game.initial_state, reduction=Reduction.of(propnet.game, symmetries))
    space.explore(begin + seconds, clock=time.thread_time)
    values = backward_induction(space, begin + 1.5 * seconds, clock=time.thread_time)
    value = values.value(0, role)
    return {
        "states": space.count,
        "symmetries": symmetries.order,
        "value": value,
        "low": float(values.low[0, role]),
        "high": float(values.high[0, role]),
        "prove_s": None if value is None else time.thread_time() - begin,
    }


def _show(rows: list[dict[str, Any]]) -> None:
    from scsp_player.commands.tables import show, table_of

    lines = []
    for row in rows:
        if "error" in row:
            lines.append((row["game"], *["-"] * 7, row["error"]))
            continue
        proof = "-" if row["prove_s"] is None else f"{row['prove_s']:.2f}"
        bounds = "-" if row["low"] is None else f"{row['low']:g} - {row['high']:g}"
        lines.append(
            (
                row["game"],
                *(f"{row[key]:,.0f}" for key in ("leaves_per_s", "playouts_per_s", "nodes")),
                f"{row['depth']:.1f}",
                f"{row['bytes'] / 1e6:.1f}",
                bounds if row["value"] is None else f"{row['value']:g}",
                proof,
                row["expander"],
            )
        )
    figures = ("leaves/s", "playouts/s", "nodes", "depth", "MB", "value", "proved in s")
    show(table_of(("game",), figures, lines, last="expander"))
