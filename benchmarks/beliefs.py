"""How many histories that fit what a player has seen are found in a second: blindly, and by the constraint network.

    python -m benchmarks.beliefs ../shared/games-gdl2 games/five-dials.kif --turns 12

Matches with random moves, looked at by one role turn after turn. *Blind* draws the moves of all others from the beginning and
throws away what shows other percepts, 4,096 courses side by side. The *network* is that of all turns so far with the own moves and
percepts put in; other roles' moves are drawn among the values that propagation leaves. Both have ``--seconds`` of processor time a
turn; where one finds something at once, its rate is measured for a quarter of that. Building and unrolling the network is not
counted. Turns in which nothing is hidden (the other roles have had no choice) are left out.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from scsp_player.arena.sheet import read_game
from scsp_player.belief import HistorySampler, HistoryTree
from scsp_player.belief.histories import Past
from scsp_player.belief.joint_moves import draw_joint_moves
from scsp_player.commands.bench_rollouts import sheets_in
from scsp_player.gdl.errors import GdlError
from scsp_player.grounding import BudgetExceeded, ground
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network import NetworkTooLargeError, template
from scsp_player.propnet import Propnet

LANES = 4096
"""Courses that are drawn blindly side by side."""

SHARE = 0.25
"""Share of the time after which a method that has found something is stopped."""


@dataclass
class Count:
    """What one method found: histories, processor seconds, and turns without any."""

    found: int = 0
    seconds: float = 0.0
    failed: list[int] = field(default_factory=list)

    def add(self, turn: int, found: int, seconds: float) -> None:
        """Take in one turn."""
        self.found += found
        self.seconds += seconds
        if not found:
            self.failed.append(turn)


def blind(game: GroundGame, propnet: Propnet, role: int, past: Past, seconds: float, rng: np.random.Generator) -> tuple[int, float]:
    """Histories found by drawing blindly, and the processor seconds that it took."""
    mine, begin, found = game.percept_role == role, time.process_time(), 0
    while (used := time.process_time() - begin) < (SHARE if found else 1.0) * seconds:
        states = np.repeat(game.initial_state[None], LANES, axis=0)
        for move, row in past:
            moves = draw_joint_moves(game, propnet.legal(states), rng, {role: move})
            fits = (propnet.percepts(states, moves)[:, mine] == row[mine]).all(axis=1)
            states = propnet.successors(states[fits], moves[fits])
            states = states[~propnet.terminal(states)]
            if not len(states):
                break
        found += len(states)
    return found, used


def by_network(sampler: HistorySampler, tree: HistoryTree, past: Past, seconds: float) -> tuple[int, float]:
    """Histories found by the network, and the processor seconds that it took; each call draws a few anew."""
    begin, found = time.process_time(), 0

    def expired() -> bool:
        return time.process_time() - begin >= (SHARE if found else 1.0) * seconds

    while not expired():
        before = sampler.found
        sampler.draw(past, tree, 1, expired)
        if sampler.found == before:
            break
        found += sampler.found - before
    return found, time.process_time() - begin


def match(game: GroundGame, propnet: Propnet, role: int, turns: int, rng: np.random.Generator) -> Past:
    """Own moves and percepts of a match with random moves, up to the last turn but the one that ends it."""
    past: Past = []
    state = game.initial_state[None]
    for _ in range(turns):
        legal = propnet.legal(state)
        able = np.logical_or.reduceat(legal[0], game.role_start[:-1])
        if propnet.terminal(state)[0] or not able.all():
            break
        moves = draw_joint_moves(game, legal, rng)
        past.append((int(moves[0, role]), propnet.percepts(state, moves)[0]))
        state = propnet.successors(state, moves)
    return past[:-1] if propnet.terminal(state)[0] else past


def hidden_from(game: GroundGame, propnet: Propnet, role: int, past: Past, rng: np.random.Generator) -> bool:
    """Whether others choose at all in what came so far, as far as random courses tell."""
    states = np.repeat(game.initial_state[None], 64, axis=0)
    for move, _ in past:
        legal = propnet.legal(states)
        for other in range(len(game.roles)):
            if other != role and (legal[:, game.role_start[other] : game.role_start[other + 1]].sum(axis=1) > 1).any():
                return True
        states = propnet.successors(states, draw_joint_moves(game, legal, rng, {role: move}))
    return False


def measured(path: Path, options: argparse.Namespace) -> tuple[Count, Count, int] | None:
    """Both methods on matches of one sheet, and the number of turns; None if it has nothing hidden or is too large."""
    sheet = read_game(path)
    game = ground(sheet.program, seconds=options.grounding)
    if not len(game.percept_role):
        return None
    propnet, micro = Propnet(game), template(game, seconds=options.grounding)
    rng = np.random.default_rng(options.seed)
    counts, turns = (Count(), Count()), 0
    players = [r for r in range(len(game.roles)) if r != game.random_role]
    for number in range(options.matches):
        role = players[(number + 1) % len(players)]
        past = match(game, propnet, role, options.turns, rng)
        sampler = HistorySampler(micro, role, seed=number)
        if not past or not hidden_from(game, propnet, role, past, rng) or sampler.unroll(len(past)) is None:
            continue
        for length in range(1, len(past) + 1):
            so_far = past[:length]
            if not hidden_from(game, propnet, role, so_far, rng):
                continue
            turns += 1
            counts[0].add(turns, *blind(game, propnet, role, so_far, options.seconds, rng))
            counts[1].add(turns, *by_network(sampler, HistoryTree(game, propnet, role), so_far, options.seconds))
    return (*counts, turns) if turns else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+", help="rule sheets, or folders of them")
    parser.add_argument("--matches", type=int, default=1, help="matches of every sheet, seen by one role after the other")
    parser.add_argument("--turns", type=int, default=12, help="turns of a match that are looked at")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor seconds of either method in a turn")
    parser.add_argument("--grounding", type=float, default=60.0, help="seconds for grounding and for the network")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| sheet | turns | blind, a second | none | network, a second | none | network alone |")
    print("|---" * 7 + "|")
    total = alone = blind_none = network_none = 0
    for path in (path for given in options.games for path in (sheets_in(given) if given.is_dir() else [given])):
        try:
            found = measured(path, options)
        except (GdlError, BudgetExceeded, NetworkTooLargeError) as error:
            print(f"left out: {path.name}: {str(error)[:80]}", flush=True)
            continue
        if found is None:
            continue
        one, other, turns = found
        only = len(set(one.failed) - set(other.failed))
        rates = [f"{count.found / max(1e-9, count.seconds):,.0f} | {len(count.failed)}" for count in (one, other)]
        print(f"| {path.stem} | {turns} | {rates[0]} | {rates[1]} | {only} |", flush=True)
        total, alone = total + turns, alone + only
        blind_none, network_none = blind_none + len(one.failed), network_none + len(other.failed)
    print(f"\n{total} turns: none found blindly in {blind_none}, by the network in {network_none}; by the network alone in {alone}")


if __name__ == "__main__":
    main()
