"""``scsp-player plan``: the best plan for a game with one player."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.network.planning import Plan


def command(
    game: Annotated[Path, typer.Argument(help="The rule sheet.", metavar="GAME")],
    horizon: Annotated[int | None, typer.Option(help="Plans of at most that many moves.", min=0)] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for grounding, translation and search.", min=0.0)] = 60.0,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Find moves for a one-player game that score as much as possible, in as few moves as possible.

    Turns are chained to one constraint network, whose solutions are the plans; each horizon that has none is proved to have none.
    Exit status 1 if no plan is found. Example: `scsp-player plan hanoi.kif --time-limit 30`
    """
    from scsp_player.gdl import GdlError, load_program, require_playable
    from scsp_player.grounding import BudgetExceeded, ground
    from scsp_player.network import NetworkTooLargeError, template
    from scsp_player.network.planning import Planner

    start = time.perf_counter()
    program = load_program(game)
    require_playable(program)
    if len(program.roles) != 1:
        raise GdlError(
            f"{game} has {len(program.roles)} roles", remedy="plan is for games with one; see translate --horizon for the others"
        )
    try:
        ground_game = ground(program, seconds=time_limit)
        planner = Planner(template(ground_game, seconds=max(0.0, start + time_limit - time.perf_counter())))
    except (BudgetExceeded, NetworkTooLargeError) as error:
        raise GdlError(f"{game}: {error}", remedy="raise --time-limit, or choose a smaller game") from error
    plan = planner.run(start + time_limit - time.perf_counter(), horizon)
    report = {
        "status": status(plan),
        "score": plan.score,
        "plan": [str(move) for move in plan.moves],
        "proved_optimal": plan.proved_optimal,
        "horizon": plan.horizon,
        "nodes": plan.nodes,
        "seconds": round(time.perf_counter() - start, 3),
    }
    if json_output:
        print(json.dumps(report))
    else:
        for number, move in enumerate(plan.moves, 1):
            print(f"{number:3} {move}")
        print(f"{report['status']}: score {plan.score}, {len(plan.moves)} moves, {report['seconds']} s")
    raise typer.Exit(0 if plan.score is not None else 1)


def status(plan: Plan) -> str:
    """``optimal``: best score, shortest; ``solved``: best score; ``found``: a plan; ``impossible``: no end; ``unknown``."""
    if plan.score is None:
        return "unknown" if plan.open or not plan.best_possible else "impossible"
    if plan.proved_optimal:
        return "optimal"
    return "solved" if plan.best_possible else "found"
