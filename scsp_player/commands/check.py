"""``scsp-player check``: is this a rule sheet that can be played, and if not, why not?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.text import Text

    from scsp_player.arena.simulation import Scope, Simulation
    from scsp_player.gdl import Message
    from scsp_player.gdl.source_text import SourceText

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
    from scsp_player.arena.simulation import Scope
    from scsp_player.gdl import Message
    from scsp_player.gdl.sheet_file import read_sheet
    from scsp_player.gdl.source_text import SourceText

    sheet = SourceText(str(game), read_sheet(game))
    scope = Scope(seconds, matches, moves) if simulation else None
    messages, simulated = _messages(sheet, case_sensitive, scope)
    if strict:
        messages = [Message("error", m.check, m.position, m.text) for m in messages]
    valid = all(message.level != "error" for message in messages)
    if json_output:
        played = {"matches": simulated.matches, "states": simulated.states, "stopped": simulated.stopped} if simulated else None
        print(json.dumps({"valid": valid, "messages": [_as_dict(message) for message in messages], "simulation": played}))
    else:
        _show(sheet, messages, simulated)
    raise typer.Exit(0 if valid else 1)


def _messages(sheet: SourceText, case_sensitive: bool, scope: Scope | None) -> tuple[list[Message], Simulation | None]:
    """What the checks say, or what keeps the sheet from being read; only a sheet that reads without errors is simulated."""
    from scsp_player.arena.simulation_checks import simulate
    from scsp_player.gdl import GdlError, Message, Position, check_program, parse_program

    try:
        program = parse_program(sheet.text, sheet.name, case_sensitive=case_sensitive)
    except GdlError as error:
        text = error.message + (f"; {error.remedy}" if error.remedy else "")
        return [Message("error", "syntax", error.position or Position(sheet.name, 1, 1), text)], None
    messages = check_program(program)
    if scope is None or any(message.level == "error" for message in messages):
        return messages, None
    return simulate(program, messages, scope)


def _as_dict(message: Message) -> dict[str, str | int]:
    return {
        "level": message.level,
        "check": message.check,
        "line": message.position.line,
        "column": message.position.column,
        "text": message.text,
    }


def _show(sheet: SourceText, messages: list[Message], simulated: Simulation | None) -> None:
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
