"""A rule sheet as the referee needs it: to judge, and to send."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scsp_player.gdl.checks import require_playable
from scsp_player.gdl.infix import looks_infix, read_infix
from scsp_player.gdl.program import Program
from scsp_player.gdl.reading import program_from_expressions
from scsp_player.gdl.sexpr import read_expressions
from scsp_player.gdl.sheet_file import read_sheet
from scsp_player.gdl.terms import signature
from scsp_player.protocol.messages import Dialect, format_rules

CHANCE = "random"
"""The role that the referee plays."""


@dataclass(frozen=True)
class Sheet:
    """A game to play.

    Attributes:
        name: how to call it.
        program: the rules.
        text: the rules as they are sent to players: prefix notation in lower case, which even players that mind case read right.
    """

    name: str
    program: Program
    text: str

    @property
    def hidden(self) -> bool:
        """Whether players are told percepts instead of joint moves (GDL-II): the rules say what is seen.

        A game with a role for chance that has no ``sees`` is one of perfect information: players that are told nothing would not
        even know what is legal.
        """
        return any(signature(rule.head) == ("sees", 2) for rule in self.program.rules)

    @property
    def dialect(self) -> Dialect:
        """The form of the messages if no other is asked for."""
        return Dialect.TURN if self.hidden else Dialect.JOINT

    @property
    def seats(self) -> tuple[str, ...]:
        """The roles that need a player."""
        return tuple(role for role in self.program.roles if role != CHANCE)


def read_game(path: str | Path) -> Sheet:
    """The rule sheet in a file, in prefix or infix notation.

    Raises:
        GdlError: if it cannot be read or played.
    """
    return game_of(read_sheet(path), Path(path).stem, str(path))


def game_of(text: str, name: str = "game", source: str = "<rules>") -> Sheet:
    """The rule sheet in a text.

    Raises:
        GdlError: if it cannot be read or played.
    """
    expressions = read_infix(text, source) if looks_infix(text) else read_expressions(text, source)
    program = program_from_expressions(expressions, source)
    require_playable(program)
    return Sheet(name, program, format_rules(expressions).lower())

