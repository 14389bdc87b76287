"""Many hands of a small game of cards, against opponents that could not be better: what a player loses to them.

    python -m benchmarks.hands games/kuhn-poker.kif --hands 10000 --pot 50

The player prepares itself once for each seat; each hand is then dealt by the rules, and it follows the hand by its own moves and
what it sees, as in a match. Two opponents know the rules as strategies in sequence form: one plays an equilibrium (counterfactual
regret minimisation, many more iterations than the player has), the other the best answer to the strategies that the player has
found, which nobody who plays can know. The loss is what the value of the game promises the seat, less what the player scored.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scsp_player.agents.information_set import InformationSetPlayer
from scsp_player.arena.sheet import read_game
from scsp_player.belief import Belief, Equilibrium, Views
from scsp_player.belief.joint_moves import draw_joint_moves
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

Floats = NDArray[np.float64]

ITERATIONS = 1_000_000
"""Iterations after which an opponent's strategies are taken for an equilibrium."""


class Strategist:
    """Plays one role by a strategy, float64[sequences] of the game in sequence form."""

    def __init__(self, solver: Equilibrium, strategy: Floats) -> None:
        game = solver.game
        self._moves = {
            (game.players[owner], int(view)): (game.move[first : first + count], strategy[first : first + count])
            for owner, view, first, count in zip(game.owner, game.view, game.first, game.count, strict=True)
        }

    def choose(self, role: int, view: int, generator: np.random.Generator) -> int | None:
        """The move of a role that has gone through ``view``; None if it has no choice there."""
        if (role, view) not in self._moves:
            return None
        moves, probabilities = self._moves[role, view]
        return int(generator.choice(moves, p=probabilities / probabilities.sum()))


class Dealer:
    """Deals hands of a game."""

    def __init__(self, game: GroundGame) -> None:
        self.game, self.propnet, self._views = game, Propnet(game), Views(game)

    def play(self, player: InformationSetPlayer, other: Strategist, seconds: float, seed: int) -> int:
        """One hand; the player's score, 0 to 100."""
        game, propnet, generator = self.game, self.propnet, np.random.default_rng(seed)
        player.belief = belief = Belief(game, propnet, player.role, seed=seed, model=player.minds)
        state, views = game.initial_state[None], self._views.first(1)
        while not propnet.terminal(state)[0]:
            legal = propnet.legal(state)
            joint = draw_joint_moves(game, legal, generator)
            for role in range(len(game.roles)):
                if role == player.role:
                    joint[0, role] = player.choose(time.monotonic() + seconds, lambda move: None)
                    if not legal[0, joint[0, role]]:
                        raise RuntimeError(f"{game.move(int(joint[0, role]))} is illegal")
                elif (move := other.choose(role, int(views[0, role]), generator)) is not None:
                    joint[0, role] = move
            shown = propnet.percepts(state, joint)
            seen = np.flatnonzero(shown[0] & (game.percept_role == player.role))
            state, hashes = self._views.observe(propnet, state, joint)
            views = self._views.after(views, joint, hashes)
            if not propnet.terminal(state)[0]:
                percepts = frozenset(game.terms.term(int(term)) for term in game.percept_term[seen])
                belief.update(game.move(int(joint[0, player.role])), percepts)
        return int(propnet.goals(state)[0, player.role])


def main() -> None:
    """Print one line for each seat and opponent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheet", type=Path)
    parser.add_argument("--hands", type=int, default=10_000, help="for each seat and opponent")
    parser.add_argument("--seconds", type=float, default=1.0, help="time to prepare, and to choose a move where that needs any")
    parser.add_argument("--pot", type=float, default=50.0, help="points that the pot of a hand is worth")
    options = parser.parse_args()
    game = ground(read_game(options.sheet).program)
    dealer = Dealer(game)
    print(f"{options.sheet.stem}, {options.hands} hands each, load {os.getloadavg()[0]:.1f}")
    for role in range(len(game.roles)):
        if role == game.random_role:
            continue
        player = InformationSetPlayer(game, dealer.propnet, role, seed=1)
        player.prepare(time.monotonic() + options.seconds, options.seconds)
        if player.equilibrium is None:
            raise SystemExit("the game is too large for a sequence form in that time")
        exact = Equilibrium(player.equilibrium.game)
        exact.learn(ITERATIONS, lambda: False)
        rival = next(r for r in exact.game.players if r != role)
        value = 100 * exact.value(role)
        opponents = {
            "equilibrium": Strategist(exact, exact.average()),
            "best answer": Strategist(player.equilibrium, player.equilibrium.best_answers(rival)),
        }
        for name, other in opponents.items():
            begin = time.process_time()
            scores = np.array([dealer.play(player, other, options.seconds, seed) for seed in range(options.hands)])
            loss, doubt = value - scores.mean(), 1.96 * scores.std() / np.sqrt(options.hands)
            print(
                f"{game.roles[role]} against {name}: {scores.mean():.2f} points, the game is worth {value:.2f}; loss"
                f" {loss / options.pot:.4f} ± {doubt / options.pot:.4f} of the pot;"
                f" {1000 * (time.process_time() - begin) / options.hands:.1f} ms a hand",
                flush=True,
            )


if __name__ == "__main__":
    main()
