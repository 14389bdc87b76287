"""A match as a JSON object with the fields that viewers of general game playing matches read."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from scsp_player.arena.record import MatchRecord


def match_log(
    *,
    match: str,
    roles: Sequence[str],
    players: Mapping[str, str],
    states: Sequence[Sequence[str]],
    moves: Sequence[Sequence[str]],
    clocks: tuple[float, float],
    begun: float,
    times: Sequence[float] = (),
    errors: Sequence[Sequence[str]] = (),
    goals: Sequence[int | None] | None = None,
    aborted: bool = False,
    scrambled: bool = False,
    game_url: str = "",
    rules: str = "",
) -> dict[str, Any]:
    """The object.

    Args:
        match: name of the match.
        roles: in the order of the rules.
        players: role to the name of its player.
        states: the true fluents of each state, the last one included.
        moves: the joint move of each turn, one move a role.
        clocks: start and play clock in seconds.
        begun: when it began (seconds since 1970).
        times: when each state was reached; by default all at the beginning.
        errors: what went wrong in each turn, one text a role, empty for nothing.
        goals: the scores, if it is over.
        aborted: whether it ended without scores.
        scrambled: whether players saw other names.
        game_url: address of the game's description in a repository of games.
        rules: text of the rules, for games without one.
    """
    log: dict[str, Any] = {
        "matchId": match,
        "startTime": _milliseconds(begun),
        "gameMetaURL": game_url,
        "gameRoleNames": list(roles),
        "isCompleted": goals is not None,
        "isAborted": aborted,
        "states": [f"( {' '.join(state)} )" for state in states],
        "moves": [list(move) for move in moves],
        "stateTimes": [_milliseconds(time) for time in (times or [begun] * len(states))],
        "startClock": int(clocks[0]),
        "playClock": int(clocks[1]),
        "previewClock": -1,
        "playerNamesFromHost": [players.get(role, "") for role in roles],
        "scrambled": scrambled,
    }
    if any(any(turn) for turn in errors):
        log["errors"] = [list(turn) for turn in errors]
    if goals is not None:
        log["goalValues"] = [goal or 0 for goal in goals]
    if rules:
        log["rulesheet"] = rules
    return log


def log_of(record: MatchRecord, rules: str, *, game_url: str = "") -> dict[str, Any]:
    """The object for a match that a referee has played."""
    faults = {(fault.turn, fault.role): f"{fault.kind}: {fault.detail}" for fault in record.faults}
    over = bool(record.scores)
    return match_log(
        match=record.match,
        roles=record.roles,
        players=record.players,
        states=[turn.state for turn in record.turns] + ([record.final_state] if over else []),
        moves=[list(turn.moves.values()) for turn in record.turns],
        clocks=(record.start_clock, record.play_clock),
        begun=datetime.datetime.fromisoformat(record.begun).timestamp(),
        errors=[[faults.get((turn.number, role), "") for role in record.roles] for turn in record.turns],
        goals=[record.scores.get(role, record.goals.get(role)) for role in record.roles] if over else None,
        aborted=not over,
        scrambled=record.scrambled,
        game_url=game_url,
        rules=rules,
    )


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000)
