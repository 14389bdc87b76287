"""``scsp-player history``: the matches that a server has played."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from scsp_player.arena.replay import History, PlayedMatch


def command(
    data_dir: Annotated[Path, typer.Argument(help="The server's --data-dir.", file_okay=False)],
    match: Annotated[str | None, typer.Argument(help="A match, by its number or name; without one all are listed.")] = None,
    replay: Annotated[bool, typer.Option("--replay", help="Play the match through and show every position.")] = False,
    export: Annotated[Path | None, typer.Option(help="Write the match to a JSON file that match viewers read.")] = None,
    game_url: Annotated[str, typer.Option(help="Address of the game in a repository of games, for viewers.")] = "",
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """List the matches of a server, show what was said in one, play it through again, or write it for match viewers.

    The server may be running meanwhile.

    Example: `scsp-player history matches 17 --export match.json`
    """
    from rich.console import Console

    from scsp_player.arena.replay import History

    history = History(data_dir)
    if match is None:
        if replay or export is not None:
            print("scsp-player: which match? (name one of the list)", file=sys.stderr)
            raise typer.Exit(2)
        _list(history.matches(), json_output)
        return
    found = history.find(match)
    if export is not None:
        export.write_text(json.dumps(history.export(found, game_url=game_url), indent=1) + "\n", encoding="utf-8")
        return
    if json_output:
        result = {**found.as_json(), "messages": [vars(exchange) for exchange in history.exchanges(found)]}
        if replay:
            result["course"] = vars(history.replay(found))
        print(json.dumps(result))
        return
    console = Console(highlight=False)
    if replay:
        _replay(console, history, found)
    else:
        _show(console, history, found)


def _list(matches: list[PlayedMatch], json_output: bool) -> None:
    from scsp_player.commands.tables import show, table_of

    if json_output:
        print(json.dumps({"matches": [match.as_json() for match in matches]}))
        return
    rows = []
    for match in matches:
        clocks = f"{match.start_clock:g}/{match.play_clock:g} s"
        rows.append(
            (str(match.key), match.name, match.role, match.agent, clocks, match.date, str(match.turns), match.outcome)
        )
    show(table_of(("number", "match", "role", "agent", "clocks", "begun", "turns", "outcome"), (), rows))


def _show(console: Console, history: History, match: PlayedMatch) -> None:
    from rich.markup import escape

    console.print(f"[bold]{escape(match.name)}[/]: {escape(match.role)} = {escape(match.agent)}, {match.date}, {match.outcome}")
    for exchange in history.exchanges(match):
        seconds = f"{exchange.seconds:.2f} s" if exchange.seconds is not None else "no reply"
        view = " ".join(f"{key}={value:g}" for key, value in exchange.view.items())
        text = exchange.text or exchange.verb
        console.print(f"{escape(text[:300])} → {escape(str(exchange.reply))}  ({seconds}, {exchange.source}) {view}")


def _replay(console: Console, history: History, match: PlayedMatch) -> None:
    from rich.markup import escape

    from scsp_player.arena.board import boards_of
    from scsp_player.gdl.reading import parse_term

    course = history.replay(match)
    for number, moves in enumerate([None, *course.moves]):
        if moves is not None:
            named = (f"{role} {move or '?'}" for role, move in zip(course.roles, moves, strict=True))
            console.print(f"{number:4d}  {escape('   '.join(named))}")
        if number < len(course.states):
            boards, others = boards_of(map(parse_term, course.states[number]))
            for line in (line for board in boards for line in board.lines()):
                console.print("        " + escape(line))
            console.print("        " + escape(" ".join(map(str, others))), style="dim")
    if course.goals is not None:
        console.print("goals: " + ", ".join(f"{role} {goal}" for role, goal in zip(course.roles, course.goals, strict=True)))
