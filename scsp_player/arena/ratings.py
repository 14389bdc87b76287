"""Ratings of players from matches in many games and roles, fair or not.

A Bradley–Terry model with draws after Davidson (1970): the strength of a side is the rating of its player plus an advantage of the
role in that game. So a game in which one role nearly always wins says little about who plays better, and ratings stay comparable
when players did not sit on all seats equally often; the idea is that of the Agon rating. All is fitted at once to the highest
posterior likelihood, with weak normal priors that keep players who won everything finite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ELO = 400 / math.log(10)
"""Points of the usual scale for each unit of log-odds."""

PRIOR_DEVIATION = 3.0
"""Standard deviation, in log-odds, of the prior of ratings and role advantages."""

TIE_DEVIATION = 2.0
"""The same for the logarithm of the draw parameter."""

Floats = NDArray[np.float64]


class Encounter(NamedTuple):
    """Two sides of one match.

    Attributes:
        game: name of the game.
        first, second: the players.
        first_role, second_role: the roles they had, numbers or names; with more than two roles each two sides meet.
        score: 1 if the first did better, 0 if the second did, a half for equal scores.
    """

    game: str
    first: str
    second: str
    first_role: str
    second_role: str
    score: float


@dataclass(frozen=True)
class Rating:
    """What is known about a player.

    Attributes:
        player: the player.
        elo: rating in points; their mean over all players is 0.
        low, high: 95 % interval by bootstrap.
        encounters: how many there were.
    """

    player: str
    elo: float
    low: float
    high: float
    encounters: int


@dataclass(frozen=True)
class Ratings:
    """The result of a fit.

    Attributes:
        players: ratings, best first.
        roles: (game, role) to the advantage in points over the mean of the game's roles.
        draws: chance of a draw between equals.
    """

    players: tuple[Rating, ...]
    roles: dict[tuple[str, str], float]
    draws: float

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "players": [vars(rating) for rating in self.players],
            "roles": [{"game": game, "role": role, "advantage": value} for (game, role), value in self.roles.items()],
            "draws": self.draws,
        }


class _Design:
    """Encounters as arrays; parameters are ratings, advantages of roles, and the logarithm of the draw parameter."""

    def __init__(self, encounters: Sequence[Encounter]) -> None:
        self.players = sorted({player for e in encounters for player in (e.first, e.second)})
        self.roles = sorted({(e.game, role) for e in encounters for role in (e.first_role, e.second_role)})
        player = {name: i for i, name in enumerate(self.players)}
        role = {name: len(player) + i for i, name in enumerate(self.roles)}
        self.size = len(player) + len(role) + 1
        rows = [(player[e.first], role[e.game, e.first_role], player[e.second], role[e.game, e.second_role]) for e in encounters]
        self.parts = np.array(rows, dtype=np.intp).reshape(-1, 4)
        self.scores = np.array([e.score for e in encounters])

    def fit(self, weights: Floats, start: Floats | None = None) -> Floats:
        """The most likely parameters.

        Raises:
            RuntimeError: if SciPy is not installed.
        """
        try:
            from scipy.optimize import minimize
        except ImportError:
            raise RuntimeError("ratings need SciPy: pip install 'scsp-player[ratings]'") from None
        start = np.zeros(self.size) if start is None else start
        found = minimize(self._loss, start, args=(weights,), jac=True, method="L-BFGS-B", options={"maxiter": 500})
        return np.asarray(found.x)

    def _loss(self, x: Floats, weights: Floats) -> tuple[float, Floats]:
        """Negative logarithm of the posterior, and its gradient."""
        a, ra, b, rb = self.parts.T
        difference = x[a] + x[ra] - x[b] - x[rb]
        # Logarithms of the three outcomes' weights, the draw's being nu * sqrt(strength a * strength b).
        logits = np.stack([difference / 2, -difference / 2, np.full_like(difference, x[-1])])
        top = logits.max(axis=0)
        total = top + np.log(np.exp(logits - top).sum(axis=0))
        chance = np.exp(logits - total)
        happened = np.stack([self.scores == 1, self.scores == 0, self.scores == 0.5]).astype(float)
        deviation = np.full(self.size, PRIOR_DEVIATION)
        deviation[-1] = TIE_DEVIATION
        loss = float((weights * (total - (happened * logits).sum(axis=0))).sum() + 0.5 * ((x / deviation) ** 2).sum())
        slope = weights * ((chance[0] - chance[1]) - (happened[0] - happened[1])) / 2
        gradient = np.zeros(self.size)
        for index, sign in ((a, 1), (ra, 1), (b, -1), (rb, -1)):
            np.add.at(gradient, index, sign * slope)
        gradient[-1] = float((weights * (chance[2] - happened[2])).sum())
        return loss, gradient + x / deviation**2


def rate(encounters: Sequence[Encounter], *, samples: int = 200, seed: int = 0) -> Ratings:
    """Fit the model.

    Args:
        encounters: at least one.
        samples: bootstrap samples for the intervals; encounters are drawn with repetition.
        seed: of the bootstrap.

    Raises:
        ValueError: if there is no encounter.
        RuntimeError: if SciPy is not installed.
    """
    if not encounters:
        raise ValueError("there are no matches to rate")
    design = _Design(encounters)
    count, players = len(encounters), len(design.players)
    best = design.fit(np.ones(count))
    rng = np.random.default_rng(seed)
    drawn = [design.fit(np.bincount(rng.integers(count, size=count), minlength=count).astype(float), best) for _ in range(samples)]
    sampled = np.array([_centred(x[:players]) for x in drawn or [best]]) * ELO
    low, high = np.percentile(sampled, [2.5, 97.5], axis=0)
    elo = _centred(best[:players]) * ELO
    met = np.bincount(design.parts[:, [0, 2]].ravel(), minlength=players)
    rows = [
        Rating(name, round(float(elo[i]), 1), round(float(low[i]), 1), round(float(high[i]), 1), int(met[i]))
        for i, name in enumerate(design.players)
    ]
    nu = math.exp(best[-1])
    return Ratings(tuple(sorted(rows, key=lambda row: -row.elo)), _advantages(design, best[players:-1]), round(nu / (2 + nu), 3))


def _centred(values: Floats) -> Floats:
    return values - float(values.mean())


def _advantages(design: _Design, values: Floats) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for game in sorted({game for game, _ in design.roles}):
        own = [i for i, (name, _) in enumerate(design.roles) if name == game]
        mean = sum(float(values[i]) for i in own) / len(own)
        found |= {design.roles[i]: round((float(values[i]) - mean) * ELO, 1) for i in own}
    return found
