"""How much knowing the state is worth in a game with hidden information: `pimc` that is told the state against `pimc` that is not.

    python -m benchmarks.knowing ../shared/games-gdl2/ggpmck__meier.gdl --matches 16 --play-clock 0.06

Where the share is near 50 %, what a player believes decides little, and no player can be much better than another by it. The two
take turns on the seats. Processor time counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scsp_player.agents.base import Turn
from scsp_player.agents.pimc import PimcAgent
from scsp_player.arena.sheet import Sheet, read_game
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

Words = NDArray[np.uint64]

TURN_LIMIT = 80


def ignore(role: int, turn: Turn, state: Words) -> None:
    """Watch nothing."""


class Informed(PimcAgent):
    """Takes ``state``, uint64[words], for what is the case, whatever it has seen."""

    state = np.zeros(0, np.uint64)

    def _take_in(self, turn: Turn, end: float, late: float) -> None:
        super()._take_in(turn, end, late)
        self._belief.certain(self.state)
        self.search.set_roots(*self._belief.marginal())


class Table:
    """Plays matches of one game in this process."""

    def __init__(self, sheet: Sheet, start_clock: float, play_clock: float) -> None:
        self.sheet, self.game = sheet, ground(sheet.program)
        self.propnet = Propnet(self.game)
        self._start_clock, self._play_clock = start_clock, play_clock

    def play(self, kinds: Sequence[type[PimcAgent]], seed: int, watch: Callable[[int, Turn, Words], None] = ignore) -> list[int]:
        """The scores of players of some kinds, seat by seat, 0 to 100; -1 for none.

        Args:
            kinds: a kind of player for each seat.
            seed: of chance and of the players.
            watch: called in each turn for each role that is played, with what the role is told, and the state, uint64[words].
        """
        game, propnet, generator = self.game, self.propnet, np.random.default_rng(seed)
        agents = {game.roles.index(role): kind() for role, kind in zip(self.sheet.seats, kinds, strict=True)}
        for role, agent in agents.items():
            agent.clock = time.thread_time
            clocks = {"play_seconds": self._play_clock, "deadline": time.thread_time() + self._start_clock}
            agent.start(self.sheet.program, game.roles[role], **clocks, seed=10 * seed + role)
        state, turns = game.initial_state[None], dict.fromkeys(agents, Turn(0))
        for number in range(1, TURN_LIMIT + 1):
            legal = propnet.legal(state)[0]
            joint = np.zeros((1, len(game.roles)), np.int32)
            for role in range(len(game.roles)):
                moves = game.role_start[role] + np.flatnonzero(legal[game.role_start[role] : game.role_start[role + 1]])
                if not len(moves):
                    raise RuntimeError(f"the rules leave {game.roles[role]} without a move")
                joint[0, role] = generator.choice(moves)
                if role in agents:
                    joint[0, role] = self._ask(agents[role], state[0], turns[role], moves, int(joint[0, role]))
            shown = propnet.percepts(state, joint)[0]
            state = propnet.successors(state, joint)
            if propnet.terminal(state)[0]:
                break
            turns = {role: _turn(game, number, role, int(joint[0, role]), shown) for role in agents}
            for role, turn in turns.items():
                watch(role, turn, state[0])
        for agent in agents.values():
            agent.stop()
        scores = propnet.goals(state)[0]
        return [int(scores[game.roles.index(role)]) for role in self.sheet.seats]

    def _ask(self, agent: PimcAgent, state: Words, turn: Turn, moves: NDArray[np.int64], instead: int) -> int:
        """The agent's move, a global index; another one where it has no choice or its own is illegal."""
        if isinstance(agent, Informed):
            agent.state = state
        move = agent.play(turn, time.thread_time() + (self._play_clock if len(moves) > 1 else 0.0))
        named = [int(m) for m in moves if self.game.move(int(m)) == move]
        return named[0] if named else instead


def _turn(game: GroundGame, number: int, role: int, move: int, shown: NDArray[np.bool_]) -> Turn:
    seen = game.percept_term[shown & (game.percept_role == role)]
    return Turn(number, own_move=game.move(move), percepts=frozenset(game.terms.term(int(term)) for term in seen))


def main() -> None:
    """Print one line for each sheet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheets", type=Path, nargs="+", help="rule sheets with two players")
    parser.add_argument("--matches", type=int, default=16)
    parser.add_argument("--start-clock", type=float, default=1.0)
    parser.add_argument("--play-clock", type=float, default=0.06)
    options = parser.parse_args()
    print("| sheet | matches | score when told | score of the other | share of the one told |\n|---|---|---|---|---|")
    for path in options.sheets:
        table = Table(read_game(path), options.start_clock, options.play_clock)
        seats = [(Informed, PimcAgent), (PimcAgent, Informed)]
        scores = np.array([table.play(seats[seed % 2], seed)[:: 1 - 2 * (seed % 2)] for seed in range(options.matches)])
        share = 50.0 * (1.0 + np.sign(scores[:, 0] - scores[:, 1])).mean()
        means = scores.mean(axis=0)
        print(f"| {path.stem} | {len(scores)} | {means[0]:.1f} | {means[1]:.1f} | {share:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
