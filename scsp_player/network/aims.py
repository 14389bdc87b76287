"""What is asked of an unrolled game: which role must reach which score, and who is met on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from scsp_player.gdl.errors import GdlError


@dataclass(frozen=True)
class Aim:
    """An aim for ``unroll``.

    Attributes:
        goal: role and score, or None.
        opponents: the roles that are met.
        threshold: least probability of reaching the goal.
        drawn: the roles that are not decided, opponents and chance: ``explicit_legality`` for ``template``.
    """

    goal: tuple[int, int] | None
    opponents: tuple[int, ...]
    threshold: Fraction
    drawn: tuple[int, ...]


def aim(roles: Sequence[str], horizon: int | None, goal: str | None, threshold: str = "1") -> Aim:
    """The aim in words of the command line.

    Args:
        roles: the roles of the game.
        horizon: number of turns, or None for a single turn.
        goal: ``ROLE=SCORE``, or None.
        threshold: a fraction between 0 and 1.

    Raises:
        GdlError: if that makes no sense for the game.

    >>> aim(["x", "o"], 5, "x=100").opponents
    (1,)
    """
    probability = _probability(threshold)
    if horizon is None:
        if goal is not None or probability != 1:
            raise GdlError("--goal and --threshold are about several turns", remedy="add --horizon M")
        return Aim(None, (), probability, ())
    chance = [r for r, role in enumerate(roles) if role == "random"]
    if goal is None:
        return Aim(None, (), probability, tuple(chance))
    name, _, number = goal.partition("=")
    if name not in roles or name == "random" or not number.isdecimal() or int(number) > 100:
        players = ", ".join(role for role in roles if role != "random")
        raise GdlError(f"{goal} is no goal", remedy=f"write ROLE=SCORE with a role of {players} and a score from 0 to 100")
    role = list(roles).index(name)
    opponents = tuple(r for r in range(len(roles)) if r != role and r not in chance)
    if opponents and probability < 1:
        raise GdlError(
            "how probable a goal is made against opponents depends on how they play",
            remedy="leave out --threshold: 1 is a forced win",
        )
    return Aim((role, int(number)), opponents, probability, (*opponents, *chance))


def _probability(text: str) -> Fraction:
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 <= value <= 1:
        raise GdlError(f"{text} is no probability", remedy="write a fraction such as 2/3")
    return value
