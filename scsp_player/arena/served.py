"""Matches of a tournament in which players from elsewhere take part: over HTTP, by the clock on the wall."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from scsp_player.arena.contest import Outcome
from scsp_player.arena.engines import judged
from scsp_player.arena.players import COMMAND, Player, is_address, seated
from scsp_player.arena.record import MatchRecord
from scsp_player.arena.referee import Clocks, Referee
from scsp_player.arena.results import Match, Result, blank, chance_seed, result_of, runs_of
from scsp_player.gdl.errors import GdlError
from scsp_player.protocol.errors import ProtocolError

GRACE = 1.0
"""Seconds that an answer may be late, for the way there and back; what managers commonly grant."""


def is_elsewhere(name: str) -> bool:
    """Whether a player is no agent of this program: an address or a command.

    >>> is_elsewhere("http://localhost:9147"), is_elsewhere("cmd:play {port}"), is_elsewhere("mac-ucb+exploration=0.2")
    (True, True, False)
    """
    return is_address(name) or name.startswith(COMMAND)


@contextlib.asynccontextmanager
async def served(names: Sequence[str], games: Sequence[str]) -> AsyncIterator[Served]:
    """All the players of a tournament, ready to play; agents and commands are started once, and as often as they have seats.

    Args:
        names: see ``players.seated``; agents without settings.
        games: paths of all rule sheets.

    Raises:
        ProtocolError: if a player cannot be started or does not answer, or cannot have all the seats that it is to have.
        GdlError: if a game cannot be read or played.
    """
    most = max(max(1, len(judged(game)[0].seats) - 1) for game in games)
    for name in names:
        if most > 1 and is_address(name):
            raise ProtocolError(f"{name} plays one role at a time", None, "use games of two roles, or a command")
        if "+" in name and not is_elsewhere(name):
            raise ProtocolError(f"{name} has settings", None, "let it play with other agents only: settings do not go over HTTP")
    copies = [name for name in names for _ in range(most)]
    async with seated(copies) as players:
        yield Served({name: players[i * most : (i + 1) * most] for i, name in enumerate(names)})


class Served:
    """Players that are ready; see ``served``.

    Args:
        players: name to the player, as often as it runs.
    """

    def __init__(self, players: dict[str, list[Player]]) -> None:
        self._players = players

    async def play(self, match: Match) -> Result:
        """Play one match; what breaks it off ends up in the result."""
        sheet, machine = judged(match.game)
        clocks = Clocks(match.terms.start, match.terms.play, GRACE)
        referee = Referee(sheet, machine, clocks, turn_limit=match.terms.turn_limit)
        runs = runs_of(match, len(sheet.seats))
        outcomes = []
        try:
            for run in runs:
                free = {"1": iter(self._players[match.first]), "2": iter(self._players[match.second])}
                seating = {role: next(free[who]) for role, who in zip(sheet.seats, run, strict=True)}
                record = await referee.play(f"t{secrets.token_hex(6)}", seating, seed=chance_seed(match, len(sheet.seats)))
                outcomes.append(outcome_of(record, sheet.seats))
        except GdlError as error:  # the turn limit, or rules that do not go on
            return replace(blank(match), error=str(error)[:200])
        return result_of(match, runs, outcomes)


def outcome_of(record: MatchRecord, seats: Sequence[str]) -> Outcome:
    """How a match that the referee has conducted ended; no answer at all counts as late, one that is no move as illegal."""
    wrong = ("illegal", "unreadable")
    return Outcome(
        scores={role: record.scores[role] for role in seats},
        turns=len(record.turns),
        late={role: sum(f.role == role and f.kind not in wrong for f in record.faults) for role in seats},
        illegal={role: sum(f.role == role and f.kind in wrong for f in record.faults) for role in seats},
        seconds={role: sum(turn.seconds.get(role, 0.0) for turn in record.turns) for role in seats},
    )
