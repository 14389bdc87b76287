"""``scsp-player match``: the referee."""

from __future__ import annotations

import asyncio
import json
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

Choice = TypeVar("Choice", bound=Enum)

if TYPE_CHECKING:
    from scsp_player.arena.referee import Observer, Referee
    from scsp_player.arena.series import Series


def command(
    game: Annotated[Path, typer.Argument(help="Rule sheet.")],
    players: Annotated[
        list[str],
        typer.Argument(help="One a role: an agent's name, http://host:port, or 'cmd:COMMAND … {port} …'.", metavar="PLAYER…"),
    ],
    start_clock: Annotated[float, typer.Option(help="Seconds to prepare.", min=0.0)] = 10.0,
    play_clock: Annotated[float, typer.Option(help="Seconds for each move.", min=0.0)] = 1.0,
    grace: Annotated[float, typer.Option(help="Seconds that an answer may be late.", min=0.0)] = 1.0,
    seed: Annotated[int | None, typer.Option(help="Makes chance and the agents' choices repeatable.", min=0)] = None,
    repeat: Annotated[int, typer.Option(help="Matches to play; players move one seat on after each.", min=1)] = 1,
    shuffle: Annotated[bool, typer.Option("--shuffle", help="Draw the seats for each match, by the seed.")] = False,
    parallel: Annotated[int, typer.Option(help="Matches at a time; players have to be able to play so many.", min=1)] = 1,
    dialect: Annotated[
        str | None, typer.Option(help="Form of the messages: joint, turn, percepts or sees; by default as the game needs it.")
    ] = None,
    substitution: Annotated[
        str, typer.Option(help="What is played for a player that fails: random or first (a legal move), or forfeit (it loses).")
    ] = "random",
    ponder: Annotated[
        bool, typer.Option("--ponder", help="Let agents think on each other's time, which makes clocks unequal on few cores.")
    ] = False,
    scramble: Annotated[bool, typer.Option("--scramble", help="Tell players other names for everything in the game.")] = False,
    viewer_log: Annotated[
        Path | None, typer.Option(help="Folder for a JSON file of each match that match viewers read.", file_okay=False)
    ] = None,
    referee_log: Annotated[Path | None, typer.Option(help="File for the full record, as JSON.", dir_okay=False)] = None,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Let players play a game against each other.

    Agents are started as HTTP players on this machine, one process tree each. A role called `random` is played by the referee.

    Example: `scsp-player match games/tic-tac-toe.kif mac-ucb random --play-clock 2`
    """
    from rich.console import Console

    from scsp_player.arena.match_log import log_of
    from scsp_player.arena.narration import Narrator, print_totals
    from scsp_player.arena.referee import Clocks, Observer, Referee, Substitution
    from scsp_player.arena.series import check_seats
    from scsp_player.arena.sheet import read_game
    from scsp_player.grounding import Reasoner
    from scsp_player.protocol import Dialect, ProtocolError

    try:
        sheet = read_game(game)
        check_seats(sheet, len(players))
        if referee_log is not None and not referee_log.absolute().parent.is_dir():
            raise ProtocolError(f"there is no folder {referee_log.parent}", None, "choose another --referee-log")
        referee = Referee(
            sheet,
            Reasoner(sheet.program),
            Clocks(start_clock, play_clock, grace),
            dialect=_one_of(Dialect, dialect, "--dialect") if dialect is not None else None,
            substitution=_one_of(Substitution, substitution, "--substitution"),
            scramble=scramble,
        )
        console = Console()
        observer = Observer() if json_output or parallel > 1 else Narrator(console)
        playing = _play(referee, players, seed, observer, ponder=ponder, repeat=repeat, parallel=parallel, shuffle=shuffle)
        series = asyncio.run(playing)
    except ProtocolError as error:
        print(f"scsp-player: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        print("scsp-player: interrupted", file=sys.stderr)
        raise typer.Exit(130) from None
    if referee_log is not None:
        log = {"matches": [record.as_json() for record in series.records], "totals": series.totals}
        referee_log.write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")
    if viewer_log is not None:
        viewer_log.mkdir(parents=True, exist_ok=True)
        for record in series.records:
            text = json.dumps(log_of(record, sheet.text), indent=1)
            (viewer_log / f"{record.match}.json").write_text(text + "\n", encoding="utf-8")
    if json_output:
        print(json.dumps(series.as_json()))
    elif repeat > 1 or parallel > 1:
        print_totals(console, series)


def _one_of(kind: type[Choice], text: str, option: str) -> Choice:
    """The member of an enumeration that a text names."""
    from scsp_player.protocol import ProtocolError

    try:
        return kind(text.lower())
    except ValueError:
        raise ProtocolError(f"{option} is {text}", None, "write " + " or ".join(member.value for member in kind)) from None


async def _play(
    referee: Referee,
    names: list[str],
    seed: int | None,
    observer: Observer,
    *,
    ponder: bool,
    repeat: int,
    parallel: int,
    shuffle: bool,
) -> Series:
    from scsp_player.arena.players import seated
    from scsp_player.arena.series import play_series

    async with seated(names, seed=seed, matches=parallel, ponder=ponder) as players:
        return await play_series(
            referee, players, repeat=repeat, seed=seed, observer=observer, parallel=parallel, shuffle=shuffle
        )
