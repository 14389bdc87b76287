"""The messages of a game manager: their forms in all dialects, read and written.

===========================  ==============================================================================================
``INFO``, ``PING``           is the player there, and free?
``PREVIEW``, ``ANALYZE``     rules and a clock: time to look at a game before it is started
``START``                    match, role, rules, start clock, play clock
``PLAY``                     match and what happened in the last turn (see ``Dialect``); asks for a move
``SEES``                     ``PLAY`` of one dialect for games with hidden information
``STOP``                     as ``PLAY``, but the match is over
``ABORT``                    match
===========================  ==============================================================================================

Verbs may be in any case. Surplus arguments are ignored; peers have been seen to add some.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from scsp_player.gdl.errors import GdlError, Position
from scsp_player.gdl.sexpr import Expression, Group, Word, format_expression, read_expressions
from scsp_player.protocol.errors import ProtocolError

SOURCE = "<message>"
"""Name of the source in positions."""


class Dialect(Enum):
    """How ``PLAY`` and ``STOP`` tell what happened.

    Attributes:
        JOINT: ``(PLAY match (move…))``, the joint move; ``NIL`` in the first turn. Games with perfect information.
        TURN: ``(PLAY match turn move (percept…))``, own move and percepts, numbered from 0.
        PERCEPTS: ``(PLAY match (percept…))``, percepts only; the own move is the player's last reply.
        SEES: ``(SEES match (percept…))``, the same under another verb, and ``(STOP match (percept…))``.
    """

    JOINT = "joint"
    TURN = "turn"
    PERCEPTS = "percepts"
    SEES = "sees"


@dataclass(frozen=True, slots=True)
class Info:
    """Is the player free? ``bare`` if the old verb was used, which expects a bare word as an answer."""

    bare: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """Rules shown ahead of a match."""

    rules: tuple[Expression, ...]
    clock: float


@dataclass(frozen=True, slots=True)
class Start:
    """A match begins. Clocks are in seconds; ``role`` is spelled as the manager spells it."""

    match: str
    role: str
    rules: tuple[Expression, ...]
    start_clock: float
    play_clock: float


@dataclass(frozen=True, slots=True)
class Play:
    """Asks for a move, or with ``last`` tells how the match ended.

    Attributes:
        match: the match.
        turn: its number, if the dialect says it.
        items: the list that the message carries, moves or percepts; None for ``NIL``.
        own_move: the player's own last move, if the dialect says it.
        dialect: ``JOINT`` if the message is a list after the match, which ``PERCEPTS`` is too: only the rules can tell them apart.
        last: whether this is ``STOP``.
    """

    match: str
    turn: int | None = None
    items: tuple[Expression, ...] | None = None
    own_move: Expression | None = None
    dialect: Dialect = Dialect.JOINT
    last: bool = False


@dataclass(frozen=True, slots=True)
class Abort:
    """The match is over without a result."""

    match: str


Message = Info | Preview | Start | Play | Abort


def parse_message(text: str) -> Message:
    """The message that a text is.

    >>> parse_message("(play M1 NIL)")
    Play(match='M1', turn=None, items=None, own_move=None, dialect=<Dialect.JOINT: 'joint'>, last=False)

    An empty text asks for ``INFO``, as a manager does that merely looks whether somebody answers.

    Raises:
        ProtocolError: if it is none; with the position.
    """
    try:
        expressions = read_expressions(text, SOURCE)
    except GdlError as error:
        raise ProtocolError.of(error) from None
    if not expressions:
        return Info()
    # One list, or (a bare INFO is common) the words of a message without parentheses around them.
    whole = expressions[0]
    items = whole.items if isinstance(whole, Group) else expressions
    verb = items[0] if items else whole
    if not isinstance(verb, Word):
        raise ProtocolError("a message starts with its verb", whole.position, "send for example (INFO)")
    reader = _READERS.get(verb.text.upper())
    if reader is None:
        raise ProtocolError(f"unknown message {verb.text[:40]}", verb.position, "the verbs are " + ", ".join(sorted(_READERS)))
    return reader(_Arguments(verb, items[1:]))


LONG_MESSAGE = 20_000
"""Characters from which a message is only read as far as a server needs it."""


def parse_long_message(text: str) -> Message:
    """As ``parse_message``, but the lists in a long message come out empty, so that reading it takes little memory.

    >>> long = "(START m r (" + "(f a)" * 10_000 + ") 10 5)"
    >>> parse_long_message(long)
    Start(match='m', role='r', rules=(), start_clock=10.0, play_clock=5.0)

    Raises:
        ProtocolError: if it is no message; with the position.
    """
    return parse_message(_without_lists(text) if len(text) > LONG_MESSAGE else text)


_TOKEN = re.compile(r"[()]|;[^\r\n]*")


def _without_lists(text: str) -> str:
    """A message with ``()`` for each list that is an argument."""
    kept: list[str] = []
    outer = 1 if _COMMENTS.sub(" ", text[:LONG_MESSAGE]).lstrip().startswith("(") else 0
    depth, begun = 0, 0
    for token in _TOKEN.finditer(text):
        match token.group()[0]:
            case "(":
                depth += 1
                if depth == outer + 1:
                    kept.append(text[begun : token.start()])
            case ")":
                depth -= 1
                if depth == outer:
                    kept.append("()")
                    begun = token.end()
                elif depth < 0:
                    break
    if depth > outer:
        kept.append("(")  # read as what it is: a list that does not end
    else:
        kept.append(text[begun:])
    return "".join(kept)


_COMMENTS = re.compile(r";[^\r\n]*")


def is_nil(expression: Expression) -> bool:
    """Whether an expression stands for "nothing": ``NIL`` in any case, or an empty list."""
    return not expression.items if isinstance(expression, Group) else expression.text.upper() == "NIL"


class _Arguments:
    """What follows the verb, with complaints that name the argument."""

    def __init__(self, verb: Word, items: Sequence[Expression]) -> None:
        self.verb = verb.text.upper()
        self.items = items
        self._end: Position = verb.position

    def get(self, index: int, what: str) -> Expression:
        if index >= len(self.items):
            raise ProtocolError(f"{self.verb} lacks {what}", self._end, f"argument {index + 1} after {self.verb}")
        self._end = self.items[index].position
        return self.items[index]

    def word(self, index: int, what: str) -> str:
        item = self.get(index, what)
        if not isinstance(item, Word):
            raise ProtocolError(f"{what} is a list", item.position, "write one word")
        return item.text

    def seconds(self, index: int, what: str) -> float:
        text = self.word(index, what)
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 <= value < math.inf:
            raise ProtocolError(f"{what} is {text[:40]}", self.items[index].position, "write a number of seconds, at least 0")
        return value

    def rules(self, index: int) -> tuple[Expression, ...]:
        item = self.get(index, "the rules")
        if not isinstance(item, Group):
            raise ProtocolError("the rules are not a list", item.position, "write ((role …) …)")
        return tuple(item.items)

    def listed(self, index: int) -> tuple[Expression, ...] | None:
        """A list, where ``NIL`` and a missing argument are None, and a word counts as a list of one."""
        if index >= len(self.items) or is_nil(self.items[index]):
            return None
        item = self.items[index]
        return tuple(item.items) if isinstance(item, Group) else (item,)


def _info(arguments: _Arguments) -> Info:
    return Info(bare=arguments.verb == "PING")


def _preview(arguments: _Arguments) -> Preview:
    return Preview(arguments.rules(0), arguments.seconds(1, "the clock"))


def _start(arguments: _Arguments) -> Start:
    return Start(
        arguments.word(0, "the match"),
        arguments.word(1, "the role"),
        arguments.rules(2),
        arguments.seconds(3, "the start clock"),
        arguments.seconds(4, "the play clock"),
    )


def _play(arguments: _Arguments) -> Play:
    match, last = arguments.word(0, "the match"), arguments.verb == "STOP"
    second = arguments.items[1] if len(arguments.items) > 1 else None
    if arguments.verb == "SEES":
        return Play(match, None, arguments.listed(1), None, Dialect.SEES)
    if isinstance(second, Word) and second.text.isdecimal() and len(arguments.items) >= 3:
        move = arguments.items[2]
        return Play(
            match, int(second.text), arguments.listed(3), None if is_nil(move) else move, dialect=Dialect.TURN, last=last
        )
    return Play(match, None, arguments.listed(1), None, Dialect.JOINT, last)


def _abort(arguments: _Arguments) -> Abort:
    return Abort(arguments.word(0, "the match"))


_READERS: dict[str, Callable[[_Arguments], Message]] = {
    "INFO": _info,
    "PING": _info,
    "PREVIEW": _preview,
    "ANALYZE": _preview,
    "START": _start,
    "PLAY": _play,
    "SEES": _play,
    "STOP": _play,
    "ABORT": _abort,
}


def format_start(match: str, role: str, rules: str, start_clock: float, play_clock: float) -> str:
    """A ``START`` message; ``rules`` is the text of the rules in prefix notation without the list around them.

    >>> format_start("m1", "r", "(role r)", 10, 5)
    '(START m1 r ((role r)) 10 5)'
    """
    return f"(START {match} {role} ({rules}) {_seconds(start_clock)} {_seconds(play_clock)})"


def format_play(
    match: str, dialect: Dialect, *, turn: int, items: Sequence[str] | None, own_move: str | None = None, last: bool = False
) -> str:
    """A ``PLAY`` or ``STOP`` message of a dialect.

    >>> format_play("m1", Dialect.TURN, turn=1, items=["(at 2)"], own_move="go")
    '(PLAY m1 1 go ((at 2)))'

    Args:
        match: the match.
        dialect: the form of the message.
        turn: number of joint moves played so far.
        items: moves (dialect ``JOINT``) or percepts; None in turn 0.
        own_move: the player's own last move, or None in turn 0; used in dialect ``TURN`` only.
        last: whether the match is over.
    """
    verb = "STOP" if last else "SEES" if dialect is Dialect.SEES else "PLAY"
    listed = "NIL" if items is None else f"({' '.join(items)})"
    if dialect is Dialect.TURN:
        return f"({verb} {match} {turn} {own_move or 'NIL'} {listed})"
    return f"({verb} {match} {listed})"


def format_rules(rules: Sequence[Expression]) -> str:
    """Rules as a ``START`` message carries them: one line, without the list around them."""
    return " ".join(format_expression(rule) for rule in rules)


def _seconds(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)
