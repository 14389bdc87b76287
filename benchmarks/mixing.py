"""Regret matching against upper confidence bounds where mixed strategies matter: how much a best answer wins against either.

    python -m benchmarks.mixing games/kuhn-poker.kif games/rock-paper-scissors.kif --walks 20000

Small games, whole in sequence form. Information-set search walks from the initial state; what it would play in each information
set, by the shares of its visits (UCB), by the most visited move alone (UCB, pure), or by its average strategy (regret matching), is
a strategy for everybody. The figure is what each player gains by answering in the best way, added over the players, in points of
100; nothing is gained against an equilibrium. The last column is counterfactual regret minimisation with its own iterations.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scsp_player.arena.sheet import read_game
from scsp_player.belief import Belief, Equilibrium, InformationSetSearch, SequenceGame, Views, WalkSettings, sequence_game
from scsp_player.gdl.errors import GdlError
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

WORK = 400_000
"""Joint moves of a game that is solved whole."""

PURE, SHARES, AVERAGE = "UCB, pure", "UCB", "regret matching"


def strategy(search: InformationSetSearch, whole: SequenceGame, kind: str) -> NDArray[np.float64]:
    """float64[sequences]: what the search would play in each information set; uniform where it has not been."""
    result = np.ones(len(whole.move))
    for view, first, count in zip(whole.view.tolist(), whole.first.tolist(), whole.count.tolist(), strict=True):
        result[first : first + count] = 1.0 / count
        moves, visits, _, average = search.choices(view)
        if visits.sum() <= 0:
            continue
        share = visits / visits.sum()
        if kind == PURE:
            share = (visits == visits.max()) / (visits == visits.max()).sum()
        elif kind == AVERAGE and average.sum() > 0:
            share = average / average.sum()
        known = dict(zip(moves.tolist(), share.tolist(), strict=True))
        result[first : first + count] = [known.get(move, 0.0) for move in whole.move[first : first + count].tolist()]
    return result


def gain(solver: Equilibrium, plan: NDArray[np.float64]) -> float:
    """Points that best answers to a strategy win, of all players together."""
    return 100 * sum(solver.best_answer(role, plan) - solver.value(role, plan) for role in solver.game.players)


def row(path: Path, walks: int, seeds: int, playouts: int) -> str:
    """A line of the table."""
    game = ground(read_game(path).program)
    propnet = Propnet(game)
    whole = sequence_game(
        game, propnet, game.initial_state[None], Views(game).first(1), np.ones(1), work=WORK, expired=lambda: False
    )
    if whole is None:
        return f"| {path.stem} | too large |"
    solver, role = Equilibrium(whole), whole.players[0]
    cells = []
    for mixing in (-1.0, 0.1):
        searches = [searched(game, propnet, role, mixing, walks, seed, playouts) for seed in range(seeds)]
        for kind in (PURE, SHARES) if mixing < 0 else (AVERAGE,):
            gains = [gain(solver, strategy(search, whole, kind)) for search in searches]
            cells.append(f"{np.mean(gains):.2f} ({min(gains):.2f} – {max(gains):.2f})")
    solver.learn(2000, lambda: False)
    return f"| {path.stem} | {len(whole.owner)} | {' | '.join(cells)} | {gain(solver, solver.average()):.3f} |"


def searched(
    game: GroundGame, propnet: Propnet, role: int, mixing: float, walks: int, seed: int, playouts: int
) -> InformationSetSearch:
    """A search after so many walks from the initial state."""
    settings = WalkSettings(exploration=0.7, mixing=mixing, playouts=playouts, patience=1)
    search = InformationSetSearch(game, propnet, role, settings=settings, seed=seed)
    search.think(Belief(game, propnet, role, seed=seed), math.inf, walks=walks)
    return search


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+", help="rule sheets of small games")
    parser.add_argument("--walks", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=3, help="searches of either kind; mean, least and most are shown")
    parser.add_argument("--playouts", type=int, default=4, help="random games at the end of a walk")
    options = parser.parse_args()
    print(f"| game | information sets | {PURE} | {SHARES} | {AVERAGE} | CFR+, 2,000 iterations |")
    print("|---" * 6 + "|")
    for path in options.games:
        try:
            print(row(path, options.walks, options.seeds, options.playouts), flush=True)
        except GdlError as error:
            print(f"left out: {path.name}: {str(error)[:80]}", flush=True)


if __name__ == "__main__":
    main()
