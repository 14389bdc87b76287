"""Encounters for ratings, from journals of tournaments and from logs of the referee."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scsp_player.arena.ratings import Encounter


def read_encounters(path: Path) -> list[Encounter]:
    """The encounters in a journal (CSV) of ``scsp-player tournament``, or in a log (JSON) of ``scsp-player match``.

    Matches that were broken off count for nothing. Of sides that were played by the same player nothing can be learned.

    Raises:
        ValueError: if the file is neither.
        OSError: if it cannot be read.
    """
    text = path.read_text(encoding="utf-8")
    try:
        if text.lstrip().startswith("{"):
            return [e for record in json.loads(text)["matches"] for e in _of_record(record)]
        return [e for row in csv.DictReader(text.splitlines()) for e in _of_row(row)]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path} is neither a journal of a tournament nor a log of the referee ({error!r})") from None


def _of_record(record: dict[str, Any]) -> Iterator[Encounter]:
    sides = [(record["players"][role], role, float(score)) for role, score in record["scores"].items()]
    yield from _pairs(record["game"], sides)


def _of_row(row: dict[str, str]) -> Iterator[Encounter]:
    scores = {"1": float(row["first_score"]), "2": float(row["second_score"])}
    players = {"1": row["first"], "2": row["second"]}
    seats = row["seats"]
    if row["error"] or not seats:
        return
    if len(seats) == 1:  # one role: both played it
        yield from _pairs(row["game"], [(players[who], "1", scores[who]) for who in "12"])
        return
    # The journal has one score a player, so a player's seats stand for one role.
    roles = {who: "+".join(str(i + 1) for i, seat in enumerate(seats) if seat == who) for who in "12"}
    yield from _pairs(row["game"], [(players[who], roles[who], scores[who]) for who in "12"])


def _pairs(game: str, sides: Sequence[tuple[str, str, float]]) -> Iterator[Encounter]:
    for (first, first_role, mine), (second, second_role, other) in itertools.combinations(sides, 2):
        if first != second:
            score = 0.5 if mine == other else float(mine > other)
            yield Encounter(game, first, second, first_role, second_role, score)
