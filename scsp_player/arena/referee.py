"""The referee: plays one match by the rules, with the clock in its hand."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from scsp_player.arena.players import Player
from scsp_player.arena.record import Fault, MatchRecord, TurnRecord
from scsp_player.arena.replies import move_in
from scsp_player.arena.scramble import Names
from scsp_player.arena.sheet import CHANCE, Sheet
from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.terms import Term
from scsp_player.machine import State, StateMachine
from scsp_player.protocol.client import PeerError, ask
from scsp_player.protocol.messages import Dialect, format_play, format_start

STOP_SECONDS = 2.0
"""Time for a player to take note of the end of a match; its answer means nothing."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """Seconds for a match.

    Attributes:
        start: from ``START`` to the answer.
        play: for each move.
        grace: what a player may be late before its answer no longer counts; covers the way there and back.
    """

    start: float = 10.0
    play: float = 1.0
    grace: float = 1.0

    def __post_init__(self) -> None:
        if not all(0 <= seconds < math.inf for seconds in (self.start, self.play, self.grace)):
            raise ValueError("clocks are numbers of seconds, at least 0")


class Substitution(StrEnum):
    """What is played for a player that does not answer with a legal move in time.

    Attributes:
        RANDOM: a legal move, every one with the same chance.
        FIRST: the first legal move in alphabetical order.
        FORFEIT: nothing; the match is over, and the player scores 0 and every other one 100.
    """

    RANDOM = "random"
    FIRST = "first"
    FORFEIT = "forfeit"


class Observer:
    """Is told of a match as it goes; this one does nothing."""

    def begun(self, record: MatchRecord) -> None:
        """The players are about to be told."""

    def moved(self, record: MatchRecord) -> None:
        """The last turn of the record is complete."""

    def over(self, record: MatchRecord) -> None:
        """The scores are known."""


class Referee:
    """Plays matches of one game.

    Moves that are missing, late, unreadable or illegal are replaced, by a random legal move if nothing else is asked for, and
    recorded as faults; everybody is told the move that was really played. Chance's moves are drawn by the referee, every legal one
    with the same chance.

    Args:
        sheet: the game.
        machine: judges it.
        clocks: seconds for the players.
        dialect: form of the messages; by default that of the kind of game.
        turn_limit: joint moves after which a match without an end is broken off.
        substitution: what is played for a player that fails.
        scramble: whether players are told other names, new ones for each match, for everything in the game.
    """

    def __init__(
        self,
        sheet: Sheet,
        machine: StateMachine,
        clocks: Clocks,
        *,
        dialect: Dialect | None = None,
        turn_limit: int = 10_000,
        substitution: Substitution = Substitution.RANDOM,
        scramble: bool = False,
    ) -> None:
        self.sheet = sheet
        self.machine = machine
        self.clocks = clocks
        self.dialect = dialect or sheet.dialect
        self.turn_limit = turn_limit
        self.substitution = substitution
        self.scramble = scramble

    async def play(
        self, match: str, players: Mapping[str, Player], *, seed: int = 0, observer: Observer | None = None
    ) -> MatchRecord:
        """Play a match.

        Args:
            match: its name.
            players: role to player, for every role but chance.
            seed: of chance, and of moves played for players.
            observer: is told what happens.

        Raises:
            GdlError: if the rules give a role no legal move, or the match does not end.
        """
        return await _Course(self, match, players, seed, observer or Observer()).run()


@dataclass(frozen=True, slots=True)
class _Miss:
    """Why an answer cannot be played; see ``Fault``."""

    kind: str
    detail: str


class _Course:
    """One match under way."""

    def __init__(self, referee: Referee, match: str, players: Mapping[str, Player], seed: int, observer: Observer) -> None:
        self.referee = referee
        self.machine = referee.machine
        self.players = players
        self.observer = observer
        self.names = Names(referee.sheet.text, seed) if referee.scramble else None
        self.forfeits: set[str] = set()
        self.rng = np.random.default_rng(seed)
        clocks = referee.clocks
        roles = self.machine.roles
        self.record = MatchRecord(
            match=match,
            game=referee.sheet.name,
            source=referee.sheet.program.source,
            roles=list(roles),
            players={role: players[role].label for role in roles if role != CHANCE},
            start_clock=clocks.start,
            play_clock=clocks.play,
            dialect=referee.dialect.value,
            seed=seed,
            begun=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            scrambled=referee.scramble,
        )

    async def run(self) -> MatchRecord:
        try:
            return await self._run()
        except BaseException:
            # Players must not be left waiting for a match that nobody conducts any more.
            await self._tell_all(dict.fromkeys(self.players, f"(ABORT {self.record.match})"))
            raise

    async def _run(self) -> MatchRecord:
        record, machine = self.record, self.machine
        self.observer.begun(record)
        await asyncio.gather(*(self._start(role) for role in self.players))
        state = machine.initial_state()
        while not machine.is_terminal(state) and not self.forfeits:
            if len(record.turns) >= self.referee.turn_limit:
                raise GdlError(f"the match has not ended after {self.referee.turn_limit} turns", None, "does the game always end?")
            state = await self._turn(state)
            self.observer.moved(record)
        record.final_state = sorted(map(str, machine.fluents(state)))
        if self.forfeits:
            record.scores = {role: 100 * (role not in self.forfeits) for role in record.players}
            await self._tell_all(dict.fromkeys(self.players, f"(ABORT {self.record.match})"))
        else:
            record.goals = dict(zip(machine.roles, machine.goals(state), strict=True))
            record.scores = {role: record.goals[role] or 0 for role in record.players}
            await self._tell_all({role: self._message(role, last=True) for role in self.players})
        self.observer.over(record)
        return record

    async def _start(self, role: str) -> None:
        clocks = self.referee.clocks
        message = format_start(self.record.match, self._told(role), self._told(self.referee.sheet.text), clocks.start, clocks.play)
        try:
            answer = await ask(self.players[role].address, message, clocks.start + clocks.grace)
        except PeerError as error:
            miss = _Miss(error.kind, error.text)
        else:
            if answer.text.strip("() \t\r\n").lower() != "busy":
                return
            miss = _Miss("refused", answer.text)
        self.record.faults.append(Fault(-1, role, self.record.players[role], miss.kind, miss.detail[:400]))

    async def _turn(self, state: State) -> State:
        record, machine = self.record, self.machine
        turn = TurnRecord(len(record.turns), sorted(map(str, machine.fluents(state))))
        legal = dict(zip(machine.roles, machine.legal_moves(state), strict=True))
        for role, moves in legal.items():
            if not moves:
                raise GdlError(f"the rules give {role} no legal move in turn {turn.number}", None, "this game cannot be played on")
        answers = await asyncio.gather(*(self._ask(role, legal[role], turn) for role in self.players))
        given = dict(zip(self.players, answers, strict=True))
        # Drawn in the order of the rules, after all answers are in: the same seed gives the same course.
        joint_move = tuple(
            move if isinstance(move := given.get(role), Term) else self._substitute(role, legal[role]) for role in machine.roles
        )
        turn.moves = {role: str(move) for role, move in zip(machine.roles, joint_move, strict=True)}
        for role, answer in given.items():
            if isinstance(answer, _Miss):
                forfeit = self.referee.substitution is Substitution.FORFEIT
                self.forfeits |= {role} if forfeit else set()
                played = "" if forfeit else turn.moves[role]
                record.faults.append(Fault(turn.number, role, record.players[role], answer.kind, answer.detail[:400], played))
        if self.forfeits:
            return state
        if self.referee.dialect is not Dialect.JOINT:
            seen = machine.percepts(state, joint_move)
            turn.percepts = {r: sorted(map(str, percepts)) for r, percepts in zip(machine.roles, seen, strict=True)}
        record.turns.append(turn)
        return machine.successor(state, joint_move)

    def _substitute(self, role: str, legal: tuple[Term, ...]) -> Term:
        """A move of chance, or for a player that has none."""
        if role != CHANCE and self.referee.substitution is Substitution.FIRST:
            return legal[0]
        return legal[self.rng.integers(len(legal))]

    def _told(self, text: str) -> str:
        """A text as players see it."""
        return self.names.out(text) if self.names is not None else text

    async def _ask(self, role: str, legal: tuple[Term, ...], turn: TurnRecord) -> Term | _Miss:
        """The player's move."""
        clocks = self.referee.clocks
        try:
            answer = await ask(self.players[role].address, self._message(role), clocks.play + clocks.grace)
        except PeerError as error:
            turn.replies[role], turn.seconds[role] = None, round(error.seconds, 4)
            return _Miss(error.kind, error.text)
        turn.replies[role], turn.seconds[role] = answer.text, round(answer.seconds, 4)
        move = move_in(self.names.back(answer.text) if self.names is not None else answer.text, legal)
        if move is None:
            return _Miss("unreadable", answer.text)
        return move if move in legal else _Miss("illegal", answer.text)

    def _message(self, role: str, *, last: bool = False) -> str:
        """``PLAY`` or ``STOP`` for a role, which tells of the last complete turn."""
        turns, dialect = self.record.turns, self.referee.dialect
        own_move: str | None = None
        items: list[str] | None = None
        if turns:
            own_move = self._told(turns[-1].moves[role])
            shown = list(turns[-1].moves.values()) if dialect is Dialect.JOINT else turns[-1].percepts[role]
            items = sorted(map(self._told, shown)) if dialect is not Dialect.JOINT else list(map(self._told, shown))
        return format_play(self.record.match, dialect, turn=len(turns), items=items, own_move=own_move, last=last)

    async def _tell_all(self, messages: Mapping[str, str]) -> None:
        async def tell(role: str, message: str) -> None:
            with contextlib.suppress(PeerError):  # the match is over all the same
                await ask(self.players[role].address, message, STOP_SECONDS)

        await asyncio.gather(*(tell(role, message) for role, message in messages.items()))

