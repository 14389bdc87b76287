"""``scsp-player check``: is this a rule sheet that can be played, and if not, why not?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

if TYPE_CHECKING:
    from rich.text import Text

    from scsp_player.gdl import Message
    from scsp_player.gdl.source_text import SourceText

KILL_FACTOR, KILL_SECONDS = 2.0, 10.0
"""Random matches that take so many times their time, and so many seconds more, are ended from outside."""

MEMORY_BYTES = 4 << 30
"""Memory for random matches."""

STYLES = {"error": "bold red", "warning": "yellow"}


def command(
    game: Annotated[Path, typer.Argument(help="The rule sheet, in prefix (KIF) or infix notation.", metavar="GAME")],
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    simulation: Annotated[bool, typer.Option("--simulation/--no-simulation", help="Also play random matches.")] = True,
    seconds: Annotated[float, typer.Option("--seconds", help="Processor seconds for random matches.", min=0.0)] = 5.0,
    matches: Annotated[int, typer.Option("--matches", help="Random matches at most.", min=1)] = 100,
    moves: Annotated[int, typer.Option("--moves", help="Moves after which a random match is given up.", min=1)] = 1000,
    case_sensitive: Annotated[bool, typer.Option("--case-sensitive", help="Tell Win and win apart.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Check a rule sheet: read it, and play random matches to see whether it can be played.

    Says what is wrong, where, and what to write instead. An error means that the sheet cannot be played as it is; a warning,
    that something in it is probably not meant. Exit status 0: valid; 1: not valid; 2: not a rule sheet.

    Example: `scsp-player check game.kif --strict`
    """
    from scsp_player.gdl import Message
    from scsp_player.gdl.sheet_file import read_sheet
    from scsp_player.gdl.source_text import SourceText

    sheet = SourceText(str(game), read_sheet(game))
    messages = _messages(sheet, case_sensitive)
    simulated = None
    if simulation and all(message.level != "error" for message in messages):
        messages, simulated = _simulated(sheet, case_sensitive, messages, seconds, matches, moves)
    if strict:
        messages = [Message("error", m.check, m.position, m.text) for m in messages]
    valid = all(message.level != "error" for message in messages)
    if json_output:
        played = None if simulated is None else simulated._asdict()
        print(json.dumps({"valid": valid, "messages": [_as_dict(message) for message in messages], "simulation": played}))
    else:
        _show(sheet, messages, simulated)
    raise typer.Exit(0 if valid else 1)


class Played(NamedTuple):
    """Random matches played, states looked at, and why there are no more of them."""

    matches: int
    states: int
    stopped: str


def _messages(sheet: SourceText, case_sensitive: bool) -> list[Message]:
    """What the checks say, or what keeps the sheet from being read."""
    from scsp_player.gdl import GdlError, Message, Position, check_program, parse_program

    try:
        return check_program(parse_program(sheet.text, sheet.name, case_sensitive=case_sensitive))
    except GdlError as error:
        text = error.message + (f"; {error.remedy}" if error.remedy else "")
        return [Message("error", "syntax", error.position or Position(sheet.name, 1, 1), text)]


def _simulated(
    sheet: SourceText, case_sensitive: bool, messages: list[Message], seconds: float, matches: int, moves: int
) -> tuple[list[Message], Played]:
    """The messages completed by random matches; these are played in a process that can be ended whatever the sheet makes it do."""
    from scsp_player.commands.bench_ground import prepare
    from scsp_player.commands.limited_tasks import Limits, Stopped, collect_limited

    task = (sheet.text, sheet.name, case_sensitive, messages, seconds, matches, moves)
    limits = Limits(KILL_FACTOR * seconds + KILL_SECONDS, MEMORY_BYTES)
    (result,) = collect_limited("playing random matches", play, [task], limits, processes=1, prepare=prepare)
    if isinstance(result, Stopped):
        return messages, Played(0, 0, f"given up: {result.text}")
    return result


def play(
    text: str, name: str, case_sensitive: bool, messages: list[Message], seconds: float, matches: int, moves: int
) -> tuple[list[Message], Played]:
    """Play random matches of a sheet without errors; runs in a worker process."""
    from scsp_player.arena.simulation import Scope
    from scsp_player.arena.simulation_checks import simulate
    from scsp_player.gdl import parse_program

    program = parse_program(text, name, case_sensitive=case_sensitive)
    completed, simulation = simulate(program, messages, Scope(seconds, matches, moves))
    return completed, Played(simulation.matches, simulation.states, simulation.stopped)


def _as_dict(message: Message) -> dict[str, str | int]:
    return {
        "level": message.level,
        "check": message.check,
        "line": message.position.line,
        "column": message.position.column,
        "text": message.text,
    }


def _show(sheet: SourceText, messages: list[Message], simulated: Played | None) -> None:
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    for message in messages:
        for line in _lines(sheet, message, console.width):
            console.print(line)
    errors = sum(message.level == "error" for message in messages)
    warnings = len(messages) - errors
    counted = f"{_counted(errors, 'error')}, {_counted(warnings, 'warning')}"
    if simulated is not None:
        played = f"{_counted(simulated.matches, 'random match', 'random matches')}, {_counted(simulated.states, 'state')}"
        console.print(f"{played}{f'; {simulated.stopped}' if simulated.stopped else ''}", markup=False)
    console.print(f"{sheet.name}: {'not valid' if errors else 'valid'} ({counted})", markup=False)


def _counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def _lines(sheet: SourceText, message: Message, width: int) -> list[Text]:
    """A message with the line of the sheet that it is about, cut to ``width``, and a mark under the column."""
    from rich.text import Text

    level = (message.level, STYLES[message.level])
    title = Text.assemble((str(message.position), "bold"), ": ", level, f": {message.text} ", (f"[{message.check}]", "dim"))
    number = f"{message.position.line:>6} | "
    column = message.position.column - 1
    room = max(width - len(number) - 1, 20)
    first = max(0, column - room // 2) if column >= room else 0
    visible = sheet.line(message.position.line)[first : first + room]
    clean = "".join(c if c.isprintable() else " " if c == "\t" else "\ufffd" for c in visible)
    mark = " " * (len(number) - 2) + "| " + " " * (column - first) + "^"
    return [title, Text(number + clean, "cyan"), Text(mark, "cyan")]
