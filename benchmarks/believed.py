"""How likely the state that a match is really in is held to be: by a belief in which others move at random, and by `mac-ucb`'s.

    python -m benchmarks.believed ../shared/games-gdl2/ggpmck__transit.gdl --matches 3

Two `pimc` players play; beside each of them sit the beliefs that are compared, see what it sees, and have as much processor time
to follow as they would have in a turn. *State* is the mean logarithm (base 2) of the probability of the true state, -13.3 at
least, and the turns in which it was held possible at all; *fluents* is the same, of each fluent's being as it is (-6.6 at least),
added up over fluents.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.knowing import Table
from scsp_player.agents.base import Turn
from scsp_player.agents.information_set import InformationSetPlayer
from scsp_player.agents.pimc import PimcAgent
from scsp_player.agents.searching import BELIEF_SHARE, LATE_BELIEF_SHARE
from scsp_player.arena.sheet import read_game
from scsp_player.belief import Belief
from scsp_player.grounding.ground_game import GroundGame, unpack_state

LEAST_STATE, LEAST_FLUENT = 1e-4, 1e-2


@dataclass
class Score:
    """What a belief said of the true state, turn by turn."""

    states: list[float] = field(default_factory=list)
    fluents: list[float] = field(default_factory=list)
    possible: int = 0

    def add(self, game: GroundGame, belief: Belief, state: NDArray[np.uint64]) -> None:
        """Take in one turn."""
        states, probabilities = belief.marginal()
        same = (states == state).all(axis=1)
        self.possible += int(same.any())
        self.states.append(float(np.log2(max(LEAST_STATE, probabilities[same].sum()))))
        true = probabilities @ unpack_state(states, game.fluents)
        right = np.where(unpack_state(state, game.fluents), true, 1.0 - true)
        self.fluents.append(float(np.log2(np.clip(right, LEAST_FLUENT, 1.0)).sum()))

    def __str__(self) -> str:
        return f"{np.mean(self.states):.2f} ({self.possible}) | {np.mean(self.fluents):.2f}"


def after(moment: float) -> Callable[[], bool]:
    """Whether this thread has used so many seconds of processor time."""
    return lambda: time.thread_time() >= moment


class Watcher:
    """Follows a match of a game with both kinds of belief, for every role."""

    def __init__(self, table: Table, seconds: float, scores: tuple[Score, Score], seed: int) -> None:
        self._game, self._seconds, self._scores = table.game, seconds, scores
        roles = [role for role in range(len(table.game.roles)) if role != table.game.random_role]
        self._beliefs = {role: self._pair(table, role, seed) for role in roles}

    def watch(self, role: int, turn: Turn, state: NDArray[np.uint64]) -> None:
        """What a role was told, and the true state after it."""
        assert turn.percepts is not None
        for belief, score in zip(self._beliefs[role], self._scores, strict=True):
            begin = time.thread_time()
            expired, late = (after(begin + share * self._seconds) for share in (BELIEF_SHARE, LATE_BELIEF_SHARE))
            belief.update(turn.own_move, turn.percepts, expired, late)
            belief.keep_pace(LATE_BELIEF_SHARE * self._seconds)
            score.add(self._game, belief, state)

    def _pair(self, table: Table, role: int, seed: int) -> tuple[Belief, Belief]:
        random = Belief(table.game, table.propnet, role, seed=seed, clock=time.thread_time)
        player = InformationSetPlayer(table.game, table.propnet, role, seed=seed, clock=time.thread_time)
        for belief in (random, player.belief):
            belief.prove_exclusions(self._seconds)
        player.prepare(time.thread_time() + 10 * self._seconds, self._seconds)
        return random, player.belief


def main() -> None:
    """Print a line for each sheet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheets", type=Path, nargs="+")
    parser.add_argument("--matches", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3, help="processor time of a turn")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{options.matches} matches, {options.seconds} s a turn, load {os.getloadavg()[0]:.1f}\n")
    print("| sheet | turns | at random: state | fluents | mac-ucb: state | fluents |\n|---|---|---|---|---|---|")
    for path in options.sheets:
        table, scores = Table(read_game(path), 10 * options.seconds, options.seconds), (Score(), Score())
        for seed in range(options.seed, options.seed + options.matches):
            watcher = Watcher(table, options.seconds, scores, seed)
            table.play([PimcAgent] * len(table.sheet.seats), seed, watcher.watch)
        print(f"| {path.stem} | {len(scores[0].states)} | {scores[0]} | {scores[1]} |", flush=True)


if __name__ == "__main__":
    main()
