"""Do bit-parallel playouts have the same mean scores and lengths as random games of the slow reasoner?

Example: ``python benchmarks/playout_means.py games/tic-tac-toe.kif games/connect-four.kif --games 2000``
"""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import track

from scsp_player.arena.engines import machine
from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from scsp_player.machine import StateMachine
from scsp_player.propnet import Propnet

SUSPICIOUS = 4.5
"""Standard errors between two means that should not occur."""


def random_game(engine: StateMachine, rng: Random) -> list[float]:
    """Scores of all roles and the number of moves of one random game."""
    state, moves = engine.initial_state(), 0
    while not engine.is_terminal(state):
        state = engine.successor(state, [rng.choice(legal) for legal in engine.legal_moves(state)])
        moves += 1
    return [*(float(score or 0) for score in engine.goals(state)), float(moves)]


def main(
    sheets: Annotated[list[Path], typer.Argument(help="Rule sheets of games that always end.")],
    games: Annotated[int, typer.Option(help="Random games of the reasoner a sheet.")] = 1000,
    playouts: Annotated[int, typer.Option(help="Bit-parallel playouts a sheet.")] = 1_000_000,
    improve: Annotated[float, typer.Option(help="Seconds for simplifying each circuit before playing.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Of all random moves.")] = 0,
) -> None:
    """Compares means; exit status 1 if some are too far apart."""
    console, worst = Console(stderr=True), 0.0
    print("| sheet | what | reasoner | playouts | standard errors |\n|---|---|---|---|---|")
    for sheet in sheets:
        program = load_program(sheet)
        engine, rng = machine("reasoner", program), Random(seed)
        sample = np.array([random_game(engine, rng) for _ in track(range(games), sheet.stem, console=console, transient=True)])
        game = ground(program)
        net = Propnet(game)
        net.improve(improve)
        result = net.playouts(game.initial_state[None], lanes_per_state=net.lanes, playouts_per_state=playouts, seed=seed)
        means = [*result.mean_scores()[0], float(result.plies[0]) / playouts]
        errors = sample.std(axis=0, ddof=1) / math.sqrt(games)
        for name, ours, theirs, error in zip([*game.roles, "moves"], means, sample.mean(axis=0), errors, strict=True):
            error = max(error, abs(theirs) / games)  # what all games agree in one in so many may still miss
            distance = abs(ours - theirs) / error if error else (0.0 if ours == theirs else math.inf)
            worst = max(worst, distance)
            print(f"| {sheet.stem} | {name} | {theirs:.3f} | {ours:.3f} | {distance:.1f} |", flush=True)
    raise typer.Exit(int(worst > SUSPICIOUS))


if __name__ == "__main__":
    typer.run(main)
