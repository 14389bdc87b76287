"""``scsp-player ground``: all ground rules of a game, counted or written as a sheet."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer


def command(
    game: Annotated[Path, typer.Argument(help="The rule sheet, in prefix (KIF) or infix notation.", metavar="GAME")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the ground sheet here.", metavar="OUT.kif")] = None,
    timeout: Annotated[float, typer.Option("--timeout", help="Seconds after which grounding gives up.", min=0.0)] = 60.0,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Instantiate all rules of a game.

    The outcome is "ground", "fallback" (over budget: the game is played without ground rules) or "invalid". Exit status 0: ground;
    1: fallback or invalid; 2: not a rule sheet.

    Example: `scsp-player ground game.kif -o ground.kif --timeout 10`
    """
    from scsp_player.gdl import GdlError, load_program, require_playable
    from scsp_player.grounding import BudgetExceeded, format_ground, ground, prepare_kernels
    from scsp_player.structure import find_structure

    program = load_program(game)
    prepare_kernels()
    start = time.perf_counter()
    try:
        require_playable(program)
        ground_game = ground(program, seconds=timeout)
    except (BudgetExceeded, GdlError) as error:
        outcome = "invalid" if isinstance(error, GdlError) else "fallback"
        if json_output:
            seconds = round(time.perf_counter() - start, 4)
            print(json.dumps({"outcome": outcome, "seconds": seconds, "atoms": 0, "rules": 0, "fluents": 0, "moves": {}}))
        print(f"{outcome}: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    seconds = time.perf_counter() - start
    if output is not None:
        output.write_text(format_ground(ground_game), encoding="utf-8")
    counts = ground_game.role_start[1:] - ground_game.role_start[:-1]
    answer: dict[str, Any] = {
        "outcome": "ground",
        "seconds": round(seconds, 4),
        "atoms": ground_game.atoms,
        "rules": ground_game.rules,
        "fluents": ground_game.fluents,
        "moves": dict(zip(ground_game.roles, counts.tolist(), strict=True)),
    }
    if json_output:
        print(json.dumps(answer | {"structure": find_structure(ground_game).report()}))
    else:
        moves = ", ".join(f"{role} {n}" for role, n in answer["moves"].items())
        print(f"ground in {seconds:.3f} s: {answer['atoms']} atoms, {answer['rules']} rules, {answer['fluents']} fluents")
        print(f"moves: {moves}")
        for line in find_structure(ground_game).describe():
            print(line)
