"""Matches that a server has played, read from its database and played through again."""

from __future__ import annotations

import datetime
import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scsp_player.agents.base import Turn
from scsp_player.arena.match_log import match_log
from scsp_player.gdl.terms import Term
from scsp_player.grounding import Reasoner
from scsp_player.protocol.archive import FILE, connect
from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.messages import Play, Start, format_rules, parse_message
from scsp_player.protocol.view import MatchView


@dataclass(frozen=True)
class PlayedMatch:
    """A line of the table of matches; clocks in seconds, dates in seconds since 1970.

    Attributes:
        key: number of the match in the database.
        name, role, agent: as the manager and the server called them.
        outcome: ``running``, ``done``, ``aborted``, ``expired`` or ``refused``.
        turns: questions asked.
    """

    key: int
    name: str
    role: str
    agent: str
    start_clock: float
    play_clock: float
    begun: float
    ended: float | None
    outcome: str
    turns: int

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return vars(self)

    @property
    def date(self) -> str:
        """When it began, in local time."""
        return datetime.datetime.fromtimestamp(self.begun).isoformat(" ", "seconds")


@dataclass(frozen=True)
class Exchange:
    """A message and its reply."""

    verb: str
    turn: int
    text: str
    received: float
    reply: str | None
    source: str | None
    seconds: float | None
    view: Mapping[str, float]


@dataclass(frozen=True)
class Course:
    """A match played through again.

    Attributes:
        roles: in the order of the rules.
        moves: the joint moves; None for each role whose move the player was not told.
        states: fluents of each state as far as it is known, sorted.
        goals: scores of the last state, if it is terminal.
    """

    roles: tuple[str, ...]
    moves: list[tuple[str | None, ...]]
    states: list[list[str]]
    goals: tuple[int | None, ...] | None


class History:
    """The database of a server; a server may be using it.

    Raises:
        ProtocolError: if there is none in the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        if not self._path.exists():
            raise ProtocolError(f"there is no {FILE} in {folder}", None, "name the --data-dir of a server")

    def matches(self) -> list[PlayedMatch]:
        """All matches, oldest first."""
        rows = self._rows(
            "SELECT m.id, m.name, m.role, m.agent, m.start_clock, m.play_clock, m.begun, m.ended, m.outcome,"
            " (SELECT count(DISTINCT turn) FROM messages WHERE match = m.id AND verb = 'PLAY' AND source != 'rejected')"
            " FROM matches m ORDER BY m.id"
        )
        return [PlayedMatch(*row) for row in rows]

    def find(self, name: str) -> PlayedMatch:
        """The match with a key, or else the latest with a name.

        Raises:
            ProtocolError: if there is none.
        """
        for match in reversed(self.matches()):
            if name == str(match.key) or name.lower() == match.name.lower():
                return match
        raise ProtocolError(f"there is no match {name}", None, "the list of matches shows which there are")

    def exchanges(self, match: PlayedMatch) -> list[Exchange]:
        """Everything that was said in a match, START aside."""
        rows = self._rows(
            "SELECT verb, turn, text, received, reply, source, seconds, view FROM messages WHERE match = ? ORDER BY id", match.key
        )
        return [
            Exchange(verb, turn, text, received, reply, source, seconds, json.loads(view or "{}"))
            for verb, turn, text, received, reply, source, seconds, view in rows
        ]

    def start_of(self, match: PlayedMatch) -> Start:
        """The message that started a match."""
        [(text,)] = self._rows("SELECT start FROM matches WHERE id = ?", match.key)
        start = parse_message(text)
        assert isinstance(start, Start)
        return start

    def replay(self, match: PlayedMatch) -> Course:
        """Play a match through again by its rules, as far as its player was told of it.

        Raises:
            GdlError: if the rules cannot be played.
        """
        view = MatchView(self.start_of(match))
        replied: str | None = None
        turns: list[Turn] = []
        for exchange in self.exchanges(match):
            if exchange.verb in ("PLAY", "STOP") and exchange.source not in ("rejected", "again"):
                play = parse_message(exchange.text)
                assert isinstance(play, Play)
                try:
                    turns.append(view.turn(play, exchange.turn, replied))
                except ProtocolError:
                    break  # a STOP that tells nothing
                replied = exchange.reply
        return _course(view, turns)

    def export(self, match: PlayedMatch, *, game_url: str = "") -> dict[str, Any]:
        """A match in the form that match viewers read.

        Raises:
            GdlError: if the rules cannot be played.
        """
        course, start = self.replay(match), self.start_of(match)
        role = start.role.lower()
        times = [exchange.received for exchange in self.exchanges(match) if exchange.verb in ("PLAY", "STOP")]
        states = course.states
        return match_log(
            match=match.name,
            roles=course.roles,
            players={role: match.agent},
            states=states,
            moves=[[move or "" for move in moves] for moves in course.moves],
            clocks=(match.start_clock, match.play_clock),
            begun=match.begun,
            times=times[: len(states)] if len(times) >= len(states) else (),
            goals=course.goals,
            aborted=match.outcome not in ("done", "running"),
            game_url=game_url,
            rules=format_rules(start.rules),
        )

    def _rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            database = connect(self._path, read_only=True)
            try:
                return database.execute(statement, values).fetchall()
            finally:
                database.close()
        except sqlite3.Error as error:
            raise ProtocolError(f"cannot read {self._path}: {error}", None, "is it the database of a server?") from None


def _course(view: MatchView, turns: Sequence[Turn]) -> Course:
    machine = Reasoner(view.program)
    own = machine.roles.index(view.role)
    state = machine.initial_state()
    states = [sorted(map(str, machine.fluents(state)))]
    moves: list[tuple[str | None, ...]] = []
    for turn in turns:
        if turn.joint_move is not None:
            joint_move: tuple[Term, ...] = turn.joint_move
            moves.append(tuple(map(view.spell, joint_move)))
            state = machine.successor(state, joint_move)
            states.append(sorted(map(str, machine.fluents(state))))
        elif turn.own_move is not None:  # hidden information: nobody knows the state
            known: list[str | None] = [None] * len(machine.roles)
            known[own] = view.spell(turn.own_move)
            moves.append(tuple(known))
    complete = len(states) == len(moves) + 1
    goals = machine.goals(state) if complete and machine.is_terminal(state) else None
    return Course(tuple(machine.roles), moves, states, goals)
