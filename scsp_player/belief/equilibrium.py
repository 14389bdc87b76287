"""Strategies for games in sequence form: learning them, reading them, and what the best answer to them is worth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief import regret_kernels
from scsp_player.belief.sequence_game import SequenceGame

Floats = NDArray[np.float64]

CHUNK_WORK = 200_000
"""Ends and information sets visited between two looks at the clock."""


class Equilibrium:
    """Self-play by counterfactual regret minimisation; the average strategies of two opposed players tend to an equilibrium.

    Attributes:
        game: the game.
        iterations: how often all players have adapted.
    """

    def __init__(self, game: SequenceGame) -> None:
        self.game = game
        self.iterations = 0
        players, sequences = len(game.players), len(game.move)
        self._arrays = (
            game.owner,
            game.parent,
            game.first,
            game.count,
            game.end_sequence,
            game.end_chance,
            game.end_score,
        )
        self._regret, self._total, self._scratch = (np.zeros(sequences) for _ in range(3))
        self._strategy, self._plan = np.zeros(sequences), np.zeros(sequences)
        self._strategy[players:] = np.repeat(1.0 / np.maximum(1, game.count), game.count)
        self._plan = self._realised(self._strategy)
        self._set_of_view = {(int(o), int(v)): s for s, (o, v) in enumerate(zip(game.owner, game.view, strict=True))}

    def learn(self, iterations: int, expired: Callable[[], bool]) -> None:
        """Iterate so often, or until time is up."""
        goal = self.iterations + iterations
        chunk = max(1, CHUNK_WORK // (len(self.game.players) * (len(self.game.end_chance) + len(self.game.owner) + 1)))
        while self.iterations < goal and not expired():
            self.iterations = regret_kernels.iterate(
                *self._arrays,
                self.iterations,
                min(goal, self.iterations + chunk),
                self._regret,
                self._strategy,
                self._plan,
                self._total,
                self._scratch,
            )

    def average(self) -> Floats:
        """float64[sequences]: the probability of each move in its information set, by the average strategies."""
        game, result = self.game, np.ones(len(self.game.move))
        if len(game.count):
            sums = np.add.reduceat(self._total[len(game.players) :], game.first - len(game.players))
            share = np.repeat(np.where(sums > 0, 1.0 / np.maximum(sums, 1e-300), 0.0), game.count)
            even = np.repeat(1.0 / game.count, game.count)
            result[len(game.players) :] = np.where(share > 0, self._total[len(game.players) :] * share, even)
        return result

    def policy(self, role: int, view: int) -> tuple[NDArray[np.int32], Floats] | None:
        """The moves of a role that has gone through ``view`` and their probabilities, or None if it does not choose there."""
        found = self._set_of_view.get((self.game.players.index(role), view))
        if found is None:
            return None
        moves = slice(int(self.game.first[found]), int(self.game.first[found] + self.game.count[found]))
        total = self._total[moves].sum()
        probabilities = self._total[moves] / total if total > 0 else np.full(moves.stop - moves.start, 1 / self.game.count[found])
        return self.game.move[moves], probabilities

    def value(self, role: int, strategy: Floats | None = None) -> float:
        """Expected score, 0 to 1, of a role if all play a strategy (float64[sequences]; the average one if left out)."""
        plan = self._realised(self.average() if strategy is None else strategy)
        game, player = self.game, self.game.players.index(role)
        return float((game.end_chance * game.end_score[:, player] * plan[game.end_sequence].prod(axis=1)).sum())

    def best_answer(self, role: int, strategy: Floats | None = None) -> float:
        """Expected score, 0 to 1, of a role that answers in the best way to the others' strategy (the average one if left out)."""
        return float(self._worth(role, strategy)[self.game.players.index(role)])

    def best_answers(self, role: int, strategy: Floats | None = None) -> Floats:
        """float64[sequences]: the strategy (the average one if left out), but for the role, which answers in the best way."""
        game, player = self.game, self.game.players.index(role)
        worth = self._worth(role, strategy)
        result = (self.average() if strategy is None else strategy).copy()
        for first, count in zip(game.first[game.owner == player], game.count[game.owner == player], strict=True):
            result[first : first + count] = np.arange(count) == worth[first : first + count].argmax()
        return result

    def _worth(self, role: int, strategy: Floats | None) -> Floats:
        """float64[sequences]: what each sequence of a role brings, with others' by the strategy and its own best moves below."""
        plan = self._realised(self.average() if strategy is None else strategy)
        game, player = self.game, self.game.players.index(role)
        result = np.zeros(len(plan))
        regret_kernels.gain(*self._arrays, player, plan, result)
        for s in range(len(game.owner) - 1, -1, -1):
            if game.owner[s] == player:
                result[game.parent[s]] += result[game.first[s] : game.first[s] + game.count[s]].max()
        return result

    def _realised(self, strategy: Floats) -> Floats:
        plan = np.ones(len(strategy))
        for parent, first, count in zip(self.game.parent, self.game.first, self.game.count, strict=True):
            plan[first : first + count] = plan[parent] * strategy[first : first + count]
        return plan
