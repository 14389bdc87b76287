"""``scsp-player tournament``: which player is stronger, and how sure that is."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.arena.tournament import Tournament


def command(
    games: Annotated[list[Path], typer.Argument(help="Rule sheets.", metavar="GAME…", exists=True, dir_okay=False)],
    players: Annotated[
        str,
        typer.Option(help="With commas between: agents, or `mac-ucb+exploration=0.2`, http://host:port, 'cmd:COMMAND {port}'."),
    ],
    rounds: Annotated[int, typer.Option(help="Matches of every two players in every game.", min=1)] = 20,
    start_clock: Annotated[float, typer.Option(help="Seconds to prepare.", min=0.0)] = 10.0,
    play_clock: Annotated[float, typer.Option(help="Seconds for each move.", min=0.0)] = 0.3,
    processes: Annotated[int, typer.Option(help="Matches played at the same time.", min=1)] = 1,
    decide: Annotated[bool, typer.Option("--decide", help="End a pairing once one player is shown to be better.")] = False,
    journal: Annotated[Path | None, typer.Option(help="CSV file of results; what is in it is not played again.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Let every two players meet in every game, on all seats, and show shares of the score with 95 % intervals.

    A match between agents runs in one process; clocks of agents that search count processor time, so both sides get the same
    whatever else the machine does. As soon as an address or a command takes part, the match is played over HTTP by the clock on the
    wall, with a second of grace and one match at a time. A name that has a comma in it is put in double quotes.

    A share is 50 % plus half the difference of the mean scores. With `--decide` a pairing ends when a sequential test of 45 %
    against 55 % comes to a verdict. Exit status 1 if a move was late or illegal, or a match was broken off.

    Example: `scsp-player tournament games/breakthrough-6x6.kif --players mac-ucb,uct --rounds 60 --journal breakthrough.csv`
    """
    from rich.console import Console
    from rich.progress import Progress

    from scsp_player.arena.contest import Terms, make_agent
    from scsp_player.arena.served import is_elsewhere
    from scsp_player.arena.tournament import Tournament
    from scsp_player.commands.machine_facts import machine_facts
    from scsp_player.protocol import ProtocolError

    names = [name.strip() for name in next(csv.reader([players], skipinitialspace=True))]
    try:
        if len(set(names)) < max(2, len(names)):
            raise LookupError("a tournament needs at least two players, all different")
        for name in names:
            if not is_elsewhere(name):
                make_agent(name)
    except (LookupError, ValueError) as error:
        print(f"scsp-player: {error.args[0]}", file=sys.stderr)
        raise typer.Exit(2) from None
    tournament = Tournament(games, names, Terms(start_clock, play_clock), rounds=rounds, decide=decide, journal=journal)
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("matches", total=rounds * len(tournament.pairings))
        bar.update(task, completed=sum(len(p.results) for p in tournament.pairings))
        try:
            tournament.run(processes, lambda result: bar.advance(task))
        except ProtocolError as error:
            print(f"scsp-player: {error}", file=sys.stderr)
            raise typer.Exit(2) from None
    rows = [pairing.row() for pairing in tournament.pairings]
    if json_output:
        print(json.dumps({"results": rows, "machine": machine_facts()}))
    else:
        _show(tournament)
    raise typer.Exit(1 if any(row["late"] or row["illegal"] or row["errors"] for row in rows) else 0)


def _show(tournament: Tournament) -> None:
    from scsp_player.commands.tables import show, table_of

    rows = []
    for pairing in tournament.pairings:
        row = pairing.row()
        mark = {1: " >", -1: " <", 0: ""}[int(str(row["verdict"]))]
        rows.append(
            (
                *(str(row[key]) for key in ("game", "first", "second", "matches")),
                f"{row['share']}{mark}",
                f"{row['low']} - {row['high']}",
                f"{row['first_score']} : {row['second_score']}",
                *(str(row[key]) for key in ("late", "illegal", "errors")),
            )
        )
    figures = ("matches", "share", "95 % interval", "scores", "late", "illegal", "errors")
    show(table_of(("game", "first", "second"), figures, rows))
