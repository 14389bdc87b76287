"""What matches of a tournament are, who sits where in them, and what is kept of each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scsp_player.arena.contest import Outcome, Terms


@dataclass(frozen=True)
class Match:
    """A match to play: everything that a process needs to know.

    Attributes:
        game: path of the rule sheet.
        first, second: the players.
        number: which match of the pairing this is; says who sits where, and seeds everything.
        terms: clocks.
    """

    game: str
    first: str
    second: str
    number: int
    terms: Terms


@dataclass(frozen=True)
class Result:
    """A line of the journal.

    Attributes:
        game: name of the game.
        first, second: the players.
        number: of the match.
        seats: "1" or "2" for each role in turn, the player who had it.
        first_score, second_score: mean scores (0-100) on their seats.
        turns: joint moves.
        first_late, second_late, first_illegal, second_illegal: moves that were late, or illegal.
        first_seconds, second_seconds: processor seconds of each side.
        error: what broke the match off, empty for nothing; such matches count for nobody.
    """

    game: str
    first: str
    second: str
    number: int
    seats: str = ""
    first_score: float = 0.0
    second_score: float = 0.0
    turns: int = 0
    first_late: int = 0
    second_late: int = 0
    first_illegal: int = 0
    second_illegal: int = 0
    first_seconds: float = 0.0
    second_seconds: float = 0.0
    error: str = ""


def seatings(roles: int) -> list[str]:
    """Who has which role, as strings of "1" and "2", in an order in which neighbours are each other's opposite.

    With one role each player plays alone, and the scores are compared.

    >>> seatings(2), seatings(1)
    (['12', '21'], ['1'])
    >>> seatings(3)
    ['112', '221', '121', '212', '122', '211']
    """
    if roles == 1:
        return ["1"]
    halves = ["1" + "".join(rest) for rest in itertools.product("12", repeat=roles - 1) if "2" in rest]
    return [seating for half in halves for seating in (half, half.translate(str.maketrans("12", "21")))]


def blank(match: Match) -> Result:
    """The result of a match of which nothing is known yet."""
    return Result(Path(match.game).stem, match.first, match.second, match.number)


def runs_of(match: Match, roles: int) -> list[str]:
    """The seatings to play for a match, see ``seatings``: one, or one for each player alone in games of one role.

    >>> runs_of(Match("nim.kif", "a", "b", 3, Terms()), 2), runs_of(Match("hanoi.kif", "a", "b", 3, Terms()), 1)
    (['21'], ['1', '2'])
    """
    order = seatings(roles)
    return ["1", "2"] if roles == 1 else [order[match.number % len(order)]]


def chance_seed(match: Match, roles: int) -> int:
    """Seed of a match: two matches on opposite seats get the same chance moves, and so do two players that play alone.

    >>> [chance_seed(Match("nim.kif", "a", "b", number, Terms()), 2) for number in range(4)]
    [0, 0, 1, 1]
    >>> [chance_seed(Match("hanoi.kif", "a", "b", number, Terms()), 1) for number in range(4)]
    [0, 1, 2, 3]
    """
    return match.number if roles == 1 else match.number // 2


def result_of(match: Match, runs: Sequence[str], outcomes: Sequence[Outcome]) -> Result:
    """Sum up how the runs of a match ended; ``outcomes`` list their roles in the order of the seats."""
    scores: dict[str, list[int]] = {"1": [], "2": []}
    late, illegal, seconds = (dict.fromkeys("12", 0.0) for _ in range(3))
    for run, outcome in zip(runs, outcomes, strict=True):
        for role, who in zip(outcome.late, run, strict=True):
            scores[who].append(outcome.scores[role])
            late[who] += outcome.late[role]
            illegal[who] += outcome.illegal[role]
            seconds[who] += outcome.seconds[role]
    first, second = (sum(values) / len(values) for values in scores.values())
    return replace(
        blank(match),
        seats=runs[0],
        first_score=first,
        second_score=second,
        turns=max(outcome.turns for outcome in outcomes),
        first_late=int(late["1"]),
        second_late=int(late["2"]),
        first_illegal=int(illegal["1"]),
        second_illegal=int(illegal["2"]),
        first_seconds=round(seconds["1"], 3),
        second_seconds=round(seconds["2"], 3),
    )
