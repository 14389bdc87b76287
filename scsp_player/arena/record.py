"""The record of a match: everything that was said and decided, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Fault:
    """Something that a player did wrong.

    Attributes:
        turn: in which turn; -1 for ``START``.
        role: the role whose player it was.
        player: the player.
        kind: ``timeout``, ``connection``, ``http``, ``unreadable`` (the reply is no term), ``illegal`` or ``refused`` (it did not
            want to play).
        detail: the reply, or what happened instead of one.
        played: the move that was played for it; empty if none was.
    """

    turn: int
    role: str
    player: str
    kind: str
    detail: str
    played: str = ""


@dataclass
class TurnRecord:
    """One turn.

    Attributes:
        number: counted from 0.
        state: the true fluents, sorted.
        replies: role to what its player replied, as it came; None if nothing did.
        seconds: role to the time that its player took, measured at the socket.
        moves: role to the move that was played.
        percepts: role to what it saw as a consequence; empty in games with perfect information.
    """

    number: int
    state: list[str]
    replies: dict[str, str | None] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    moves: dict[str, str] = field(default_factory=dict)
    percepts: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class MatchRecord:
    """One match.

    Attributes:
        match: its name in the messages.
        game: name of the game.
        source: where its rules came from.
        roles: in the order of the rules.
        players: role to the player; chance's is the referee.
        start_clock, play_clock: seconds.
        dialect: form of the messages.
        seed: of the referee's choices.
        begun: date and time (ISO 8601).
        scrambled: whether players were told other names; the record has the true ones, replies aside.
        turns: what happened.
        final_state: the true fluents at the end, sorted.
        goals: role to its score by the rules; None if they give none, or several.
        scores: role to its score: the goal, or 0 if there is none. Chance has no score.
        faults: what players did wrong.
    """

    match: str
    game: str
    source: str
    roles: list[str]
    players: dict[str, str]
    start_clock: float
    play_clock: float
    dialect: str
    seed: int
    begun: str
    scrambled: bool = False
    turns: list[TurnRecord] = field(default_factory=list)
    final_state: list[str] = field(default_factory=list)
    goals: dict[str, int | None] = field(default_factory=dict)
    scores: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The whole record, for the log."""
        return asdict(self)

    def summary(self) -> dict[str, Any]:
        """Players, scores, number of turns and faults, for the result of ``scsp-player match``."""
        return {
            "match": self.match,
            "players": self.players,
            "scores": self.scores,
            "turns": len(self.turns),
            "errors": [asdict(fault) for fault in self.faults],
        }
