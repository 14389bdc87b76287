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
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scsp_player.agents.base import Turn
from scsp_player.agents.information_set import InformationSetPlayer
from scsp_player.agents.pimc import PimcAgent
from scsp_player.agents.searching import BELIEF_SHARE, LATE_BELIEF_SHARE
from scsp_player.arena.sheet import Sheet, read_game
from scsp_player.belief import Belief
from scsp_player.gdl.terms import Term
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import GroundGame, unpack_state
from scsp_player.propnet import Propnet

TURN_LIMIT = 80
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


class Table:
    """Plays matches of one game in this process."""

    def __init__(self, sheet: Sheet, seconds: float) -> None:
        self.sheet, self.game, self._seconds = sheet, ground(sheet.program), seconds
        self.propnet = Propnet(self.game)
        self.scores = Score(), Score()

    def play(self, seed: int) -> None:
        """One match."""
        game, propnet, generator = self.game, self.propnet, np.random.default_rng(seed)
        players = [role for role in range(len(game.roles)) if role != game.random_role]
        agents = {role: self._agent(role, seed) for role in players}
        beliefs = {role: self._beliefs(role, seed) for role in players}
        state, turns = game.initial_state[None], dict.fromkeys(players, Turn(0))
        for number in range(1, TURN_LIMIT + 1):
            legal = propnet.legal(state)[0]
            joint = np.zeros((1, len(game.roles)), np.int32)
            for role in range(len(game.roles)):
                moves = game.role_start[role] + np.flatnonzero(legal[game.role_start[role] : game.role_start[role + 1]])
                joint[0, role] = generator.choice(moves)
                if role in agents:
                    said = agents[role].play(turns[role], time.thread_time() + (self._seconds if len(moves) > 1 else 0.0))
                    move = game.move_index[role].get(said, -1)
                    joint[0, role] = move if move in moves else joint[0, role]
            seen = np.flatnonzero(propnet.percepts(state, joint)[0])
            state = propnet.successors(state, joint)
            if propnet.terminal(state)[0]:
                return
            for role in players:
                percepts = frozenset(game.terms.term(int(game.percept_term[p])) for p in seen if game.percept_role[p] == role)
                own = game.move(int(joint[0, role]))
                turns[role] = Turn(number, own_move=own, percepts=percepts)
                for belief, score in zip(beliefs[role], self.scores, strict=True):
                    self._follow(belief, own, percepts)
                    score.add(game, belief, state[0])

    def _agent(self, role: int, seed: int) -> PimcAgent:
        agent = PimcAgent()
        agent.clock = time.thread_time
        deadline = time.thread_time() + 10 * self._seconds
        agent.start(self.sheet.program, self.game.roles[role], play_seconds=self._seconds, deadline=deadline, seed=10 * seed + role)
        return agent

    def _beliefs(self, role: int, seed: int) -> tuple[Belief, Belief]:
        random = Belief(self.game, self.propnet, role, seed=seed, clock=time.thread_time)
        player = InformationSetPlayer(self.game, self.propnet, role, seed=seed, clock=time.thread_time)
        for belief in (random, player.belief):
            belief.prove_exclusions(self._seconds)
        player.prepare(time.thread_time() + 10 * self._seconds, self._seconds)
        return random, player.belief

    def _follow(self, belief: Belief, own: Term, percepts: frozenset[Term]) -> None:
        begin = time.thread_time()
        end, late = begin + BELIEF_SHARE * self._seconds, begin + LATE_BELIEF_SHARE * self._seconds
        belief.update(own, percepts, lambda: time.thread_time() >= end, lambda: time.thread_time() >= late)
        belief.keep_pace(late - begin)


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
        table = Table(read_game(path), options.seconds)
        for number in range(options.matches):
            table.play(options.seed + number)
        print(f"| {path.stem} | {len(table.scores[0].states)} | {table.scores[0]} | {table.scores[1]} |", flush=True)


if __name__ == "__main__":
    main()
