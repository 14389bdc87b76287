"""``scsp-player translate``: a game's turn, or several turns in a row, as an XCSP3 document."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.network.position import Position
    from xcsp import Instance


def command(
    game: Annotated[Path, typer.Argument(help="The rule sheet.", metavar="GAME")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The document to write.", metavar="OUT.xml", dir_okay=False)],
    at: Annotated[
        str, typer.Option(help="template (any state), init, or random:N (N random joint moves from the start).")
    ] = "template",
    seed: Annotated[int, typer.Option(help="Seed of the random moves.", min=0)] = 0,
    moves: Annotated[
        Path | None, typer.Option(help="File of joint moves to play first, one a line, the moves of all roles in their order.")
    ] = None,
    horizon: Annotated[
        int | None, typer.Option(help="So many turns in a row, from the initial state unless --at says otherwise.", min=0)
    ] = None,
    goal: Annotated[
        str | None, typer.Option(help="With --horizon: the match is over at the end, and ROLE has SCORE.", metavar="ROLE=SCORE")
    ] = None,
    threshold: Annotated[str, typer.Option(help="With --goal: how probable the goal must be made, as p/q.")] = "1",
    hard_part: Annotated[
        bool, typer.Option("--hard-part", help="Only what does not depend on chance (algorithm 1 of WoodStock).")
    ] = False,
    timeout: Annotated[float, typer.Option(help="Seconds that grounding may take.", min=0.0)] = 60.0,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Write one turn of a game, or several, as a constraint problem in XCSP3.

    The solutions of a document with a state are the legal joint moves of that state, each with its successor, terminal flag,
    scores and percepts. Where chance moves, OUT.xml is the stochastic problem and OUT.csp.xml beside it its plain twin, which every
    solver reads; otherwise OUT.xml itself is plain.

    With --horizon M the solutions are the plays of M turns (a match that ends earlier stays as it is). With --goal they are those
    in which the role reaches its score: plans, where it plays alone; otherwise its opponents become stochastic, and a policy that
    satisfies the problem with certainty is a forced win. Chance is stochastic too, uniform over what is legal.

    Examples: `scsp-player translate game.kif -o turn.xml --at random:4 --seed 1`,
    `scsp-player translate puzzle.kif -o plan.xml --horizon 7 --goal robot=100`
    """
    from scsp_player.gdl import GdlError, load_program, require_playable
    from scsp_player.grounding import BudgetExceeded, ground
    from scsp_player.grounding.budget import EndlessTerms
    from scsp_player.network import NetworkTooLargeError, injected_instance, template, unroll
    from scsp_player.network.aims import aim
    from scsp_player.network.position import position
    from scsp_player.solver import sfc
    from xcsp import write_instance

    start = time.process_time()
    program = load_program(game)
    require_playable(program)
    wanted = aim(program.roles, horizon, goal, threshold)
    place: Position | None = None
    try:
        ground_game = ground(program, seconds=timeout)
        micro = template(ground_game, explicit_legality=wanted.drawn)
        instance = micro.instance
        if at != "template" or moves is not None or horizon is not None:
            place = position(program, "init" if at == "template" else at, seed=seed, moves=moves)
            state = ground_game.state_of(place.fluents)
            if horizon is None:
                instance = injected_instance(micro, state)
            else:
                instance = unroll(
                    micro, horizon, state=state, goal=wanted.goal, opponents=wanted.opponents, threshold=wanted.threshold
                ).instance
    except (BudgetExceeded, NetworkTooLargeError) as error:
        remedy = error.remedy if isinstance(error, EndlessTerms) else "raise --timeout, or translate a smaller game"
        raise GdlError(f"{game}: {error}", remedy=remedy) from error
    if hard_part:
        instance = sfc.hard_part(instance)
    try:
        write_instance(instance, output)
        written = [output]
        if instance.stochastic:
            written.append(output.with_suffix(".csp.xml"))
            write_instance(instance, written[1], stochastic=False)
    except OSError as error:
        raise GdlError(f"cannot write {output}: {error.strerror or error}", remedy="choose another --output") from error
    report = _report(instance, written, place)
    report["seconds"] = round(time.process_time() - start, 3)
    if json_output:
        print(json.dumps(report))
    else:
        names = " and ".join(map(str, written))
        print(f"{names}: {report['variables']} variables, {report['constraints']} tables, {report['tuples']} tuples")


def _report(instance: Instance, written: list[Path], place: Position | None) -> dict[str, object]:
    report: dict[str, object] = {
        "variables": len(instance.variables),
        "constraints": len(instance.constraints),
        "tuples": sum(len(table.tuples) for table in instance.constraints),
        "bytes": sum(path.stat().st_size for path in written),
        "files": [str(path) for path in written],
    }
    if place is not None:
        report["moves"] = [[str(move) for move in joint] for joint in place.moves]
        report["state"] = sorted(map(str, place.fluents))
    return report
