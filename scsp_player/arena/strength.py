"""How much stronger one player is than another: shares of the score, their intervals, and when enough has been played."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z = 1.959964
"""Two-sided 95 % quantile of the normal distribution."""

INDIFFERENCE = 0.05
"""A player is called better when a share of 50 % minus this is refuted in favour of 50 % plus this."""

ERROR = 0.05
"""Chance of calling the wrong player better."""


def share_of(mine: float, other: float) -> float:
    """The share of a match from the mean scores (0-100) of both sides: 1 for 100 to 0, a half for equal scores.

    >>> share_of(100, 0), share_of(70, 70), share_of(25, 75)
    (1.0, 0.5, 0.25)
    """
    return 0.5 + (mine - other) / 200.0


def interval(shares: Sequence[float]) -> tuple[float, float]:
    """95 % interval of the mean of shares in [0, 1], after Wilson.

    Wilson's interval is meant for wins and losses; no other shares with the same mean vary more, so it is wide enough for all.

    >>> [round(x, 3) for x in interval([1.0] * 20)]
    [0.839, 1.0]
    >>> interval([])
    (0.0, 1.0)
    """
    n = len(shares)
    if n == 0:
        return 0.0, 1.0
    mean = sum(shares) / n
    centre = (mean + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(mean * (1 - mean) / n + Z * Z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def verdict(shares: Sequence[float]) -> int:
    """1 if the first player is better, -1 if the second is, 0 if that is open yet; may be asked after every match.

    Wald's sequential test of 45 % against 55 %. For shares between 0 and 1 the likelihood ratio stays a supermartingale, since
    its exponential is convex in the share, so the chance of a wrong verdict is at most 5 % whenever one stops.

    >>> verdict([1.0] * 20), verdict([0.0] * 20), verdict([0.5] * 500)
    (1, -1, 0)
    """
    step = math.log((0.5 + INDIFFERENCE) / (0.5 - INDIFFERENCE))
    evidence = sum(2 * share - 1 for share in shares) * step
    limit = math.log((1 - ERROR) / ERROR)
    return 1 if evidence >= limit else -1 if evidence <= -limit else 0
