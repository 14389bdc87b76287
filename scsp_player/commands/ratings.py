"""``scsp-player ratings``: how strong players are, over many games and roles."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.arena.ratings import Ratings


def command(
    journals: Annotated[
        list[Path],
        typer.Argument(help="Journals of tournaments (CSV) and logs of the referee (JSON).", metavar="JOURNAL…", exists=True),
    ],
    samples: Annotated[int, typer.Option(help="Bootstrap samples for the intervals.", min=1)] = 200,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Rate players from the matches in journals, with the difficulty of each game's roles taken into account.

    A Bradley–Terry model with draws (Davidson), fitted with SciPy (`pip install 'scsp-player[ratings]'`). Points are on the usual
    scale, on which 400 more are odds of ten to one; their mean is 0. Intervals are of 95 %.

    Example: `scsp-player ratings breakthrough.csv connect-four.csv`
    """
    from scsp_player.arena.rating_input import read_encounters
    from scsp_player.arena.ratings import rate

    try:
        encounters = [encounter for path in journals for encounter in read_encounters(path)]
        ratings = rate(encounters, samples=samples, seed=seed)
    except (ValueError, OSError, RuntimeError) as error:
        print(f"scsp-player: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
    if json_output:
        print(json.dumps(ratings.as_json()))
    else:
        _show(ratings)


def _show(ratings: Ratings) -> None:
    from scsp_player.commands.tables import show, table_of

    players = [
        (row.player, f"{row.elo:+.0f}", f"{row.low:+.0f} to {row.high:+.0f}", str(row.encounters)) for row in ratings.players
    ]
    roles = [(game, role, f"{value:+.0f}") for (game, role), value in ratings.roles.items()]
    show(
        table_of(("player",), ("points", "95 % interval", "encounters"), players),
        table_of(("game", "role"), ("advantage",), roles),
        f"chance of a draw between equals: {100 * ratings.draws:.0f} %",
    )
