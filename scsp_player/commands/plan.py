"""``scsp-player plan``: the best plan for a game with one player."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.grounding.ground_game import GroundGame
    from scsp_player.network.planning import Plan
    from scsp_player.search.puzzle import PuzzleSearch

FIRST_SHARE = 0.5
"""Share of the time for searching states before the network is built."""

LEAST_PROOF = 2.0
"""Seconds to look for a proof that a plan with the best score is the shortest, if finding it took less."""

NETWORK_SHARE = 0.75
"""Share of what is left for the network; then states are searched again."""


class Backend(StrEnum):
    """What solves the network of so many turns."""

    TABLES = "tables"
    CPSAT = "cpsat"


def command(
    game: Annotated[Path, typer.Argument(help="The rule sheet.", metavar="GAME")],
    horizon: Annotated[int | None, typer.Option(help="Plans of at most that many moves.", min=0)] = None,
    backend: Annotated[
        Backend, typer.Option(help="Who answers for the network; with cpsat (OR-tools, extra bench) no states are searched.")
    ] = Backend.TABLES,
    time_limit: Annotated[float, typer.Option(help="Seconds for grounding, translation and search.", min=0.0)] = 60.0,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Find moves for a one-player game that score as much as possible, in as few moves as possible.

    Two ways share the time. Turns are chained to one constraint network, whose solutions are the plans; each horizon that has none
    is proved to have none. And states are searched: all of them in the order of their distance, by beams, and by playouts that
    learn; not if a horizon or another back-end is given. Exit status 1 if no plan is found.

    Example: `scsp-player plan hanoi.kif --time-limit 30`
    """
    from scsp_player.gdl import GdlError, load_program, require_playable
    from scsp_player.grounding import BudgetExceeded, ground
    from scsp_player.grounding.budget import EndlessTerms
    from scsp_player.network import NetworkTooLargeError

    start = time.perf_counter()
    program = load_program(game)
    require_playable(program)
    if len(program.roles) != 1:
        raise GdlError(
            f"{game} has {len(program.roles)} roles", remedy="plan is for games with one; see translate --horizon for the others"
        )
    try:
        ground_game = ground(program, seconds=time_limit)
        plan, found_by = _plan(ground_game, start + time_limit, horizon, backend)
    except (BudgetExceeded, NetworkTooLargeError) as error:
        remedy = error.remedy if isinstance(error, EndlessTerms) else "raise --time-limit, or choose a smaller game"
        raise GdlError(f"{game}: {error}", remedy=remedy) from error
    report = {
        "status": status(plan),
        "score": plan.score,
        "plan": [str(move) for move in plan.moves],
        "proved_optimal": plan.proved_optimal,
        "found_by": found_by,
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


def _plan(game: GroundGame, end: float, horizon: int | None, backend: Backend) -> tuple[Plan, str]:
    """The better one of the plans of both ways, by ``end`` of ``time.perf_counter``, and which way it was."""
    from scsp_player.commands.time_limit import OutOfTimeError, interrupted_after
    from scsp_player.grounding import BudgetExceeded
    from scsp_player.network import NetworkTooLargeError, template
    from scsp_player.network.planning import Plan, Planner
    from scsp_player.propnet import Propnet
    from scsp_player.search.puzzle import PuzzleSearch

    def left(share: float) -> float:
        return max(0.0, share * (end - time.perf_counter()))

    search: PuzzleSearch | None = None
    planner: Planner | None = None
    begin = time.perf_counter()
    with suppress(OutOfTimeError), interrupted_after(left(1.0)):
        if horizon is None and backend is Backend.TABLES:
            search = PuzzleSearch(game, Propnet(game), clock=time.perf_counter)
            search.think(begin + left(FIRST_SHARE))
    if search is not None and search.line.certain:
        # The rest is a matter of proof, which may take as long as finding did; half of that time for each way.
        end = min(end, time.perf_counter() + max(LEAST_PROOF, time.perf_counter() - begin))
        with suppress(OutOfTimeError), interrupted_after(left(1.0)):
            search.think(time.perf_counter() + left(0.5), shortest=True)
        if search.line.shortest or search.line.score < 0:
            return _plan_of(search), "search"
    with suppress(OutOfTimeError), interrupted_after(left(1.0)):
        share = 1.0 if search is None or search.line.certain else NETWORK_SHARE
        try:
            planner = Planner(template(game, seconds=left(share)), cpsat=backend is Backend.CPSAT)
            planner.run(left(share), horizon)
        except (BudgetExceeded, NetworkTooLargeError):
            if search is None:
                raise
        if search is not None and not search.line.certain and not (planner and planner.plan.best_possible):
            search.think(end)
    plan = Plan() if planner is None else planner.conclude()
    if search is None or plan.proved_optimal:
        return plan, "network"
    found = _plan_of(search)
    return (found, "search") if _merit(found) > _merit(plan) else (plan, "network")


def _merit(plan: Plan) -> tuple[int, bool, int]:
    """The score counts first, then that it is known to be the best, then the number of moves."""
    return -1 if plan.score is None else plan.score, plan.best_possible, -len(plan.moves)


def _plan_of(search: PuzzleSearch) -> Plan:
    """The best line of a search as a plan."""
    from scsp_player.network.planning import Plan

    line = search.line
    return Plan(
        score=None if line.score < 0 else int(line.score),
        moves=[search.game.move(int(move)) for move in line.moves[:, 0]],
        proved_optimal=line.certain and line.shortest,
        best_possible=line.certain,
        horizon=len(line.moves),
    )


def status(plan: Plan) -> str:
    """``optimal``: best score, shortest; ``solved``: best score; ``found``: a plan; ``impossible``: no end; ``unknown``."""
    if plan.score is None:
        return "unknown" if plan.open or not plan.best_possible else "impossible"
    if plan.proved_optimal:
        return "optimal"
    return "solved" if plan.best_possible else "found"
