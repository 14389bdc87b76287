"""Several matches of one game, with the players changing seats."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scsp_player.arena.players import Player
from scsp_player.arena.record import MatchRecord
from scsp_player.arena.referee import Observer, Referee
from scsp_player.arena.sheet import Sheet
from scsp_player.protocol.errors import ProtocolError


@dataclass(frozen=True)
class Series:
    """The matches that were played.

    Attributes:
        players: labels.
        records: one a match.
    """

    players: tuple[str, ...]
    records: tuple[MatchRecord, ...]

    @property
    def totals(self) -> dict[str, int]:
        """Player to the sum of its scores."""
        return {
            player: sum(record.scores[role] for record in self.records for role, who in record.players.items() if who == player)
            for player in self.players
        }

    def as_json(self) -> dict[str, Any]:
        """The result of ``scsp-player match``."""
        return {"matches": [record.summary() for record in self.records], "totals": self.totals}


def check_seats(sheet: Sheet, players: int) -> None:
    """Complain if there are not as many players as roles.

    Raises:
        ProtocolError: if so.
    """
    seats = sheet.seats
    if players != len(seats):
        roles = "1 role" if len(seats) == 1 else f"{len(seats)} roles"
        raise ProtocolError(f"{sheet.name} has {roles} to play ({', '.join(seats)}), not {players}", None, "name one player a role")


async def play_series(
    referee: Referee,
    players: Sequence[Player],
    *,
    repeat: int = 1,
    seed: int | None = None,
    observer: Observer | None = None,
    parallel: int = 1,
    shuffle: bool = False,
) -> Series:
    """Play ``repeat`` matches; from one to the next every player moves one seat on.

    Args:
        referee: conducts the matches.
        players: one a role, chance's aside; in the first match in the order of the rules.
        repeat: how many matches.
        seed: of the referee's choices; None for a new one.
        observer: is told what happens.
        parallel: matches at a time; the players have to be able to play so many.
        shuffle: draw the seats for each match instead.

    Raises:
        ProtocolError: if there are not as many players as roles.
        GdlError: if the game cannot be played to an end.
    """
    check_seats(referee.sheet, len(players))
    seats = referee.sheet.seats
    seed = secrets.randbelow(2**31) if seed is None else seed
    series = secrets.token_hex(4)
    slots = asyncio.Semaphore(parallel)

    async def one(number: int) -> MatchRecord:
        if shuffle:
            order = random.Random(f"seats {seed} {number}").sample(list(players), len(players))
        else:
            order = [players[(place + number) % len(players)] for place in range(len(players))]
        async with slots:
            seating = dict(zip(seats, order, strict=True))
            return await referee.play(f"{series}.{number + 1}", seating, seed=seed + number, observer=observer)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(number)) for number in range(repeat)]
    except ExceptionGroup as failed:  # the first error has ended the other matches
        raise failed.exceptions[0] from None
    return Series(tuple(player.label for player in players), tuple(task.result() for task in tasks))
