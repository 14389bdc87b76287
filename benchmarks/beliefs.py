"""How many histories that fit what a player has seen are found in a second: blindly, by the constraint network, by changes.

    python -m benchmarks.beliefs ../shared/games-gdl2 games/five-dials.kif --turns 12

Matches with random moves, looked at by one role turn after turn. *Blind* draws the moves of all others from the beginning and
throws away what shows other percepts, 4,096 courses side by side. The *network* is that of all turns so far with the own moves
and percepts put in; other roles' moves are drawn among the values that propagation leaves. *Changes* are made in the histories
that were found so in the turns before, and each history counts once, so that there are none left where all have been found. Every
method has ``--seconds`` of processor time a turn; where one finds something at once, its rate is measured for a quarter of that.
Building and unrolling the network is not counted. Turns in which nothing is hidden (the other roles have had no choice) are left
out.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from scsp_player.arena.sheet import read_game
from scsp_player.belief import HistorySampler, HistoryTree, Rejuvenation
from scsp_player.belief.history_tree import Past
from scsp_player.belief.joint_moves import draw_joint_moves
from scsp_player.commands.bench_rollouts import sheets_in
from scsp_player.gdl.errors import GdlError
from scsp_player.grounding import BudgetExceeded, ground
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network import NetworkTooLargeError, template
from scsp_player.propnet import Propnet

LANES = 4096
"""Courses that are drawn blindly side by side."""

MOST_CHANGES = 1 << 30
"""More histories than are ever found."""

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


def by_changes(rejuvenation: Rejuvenation, past: Past, seconds: float) -> tuple[int, float]:
    """Histories found by changing those of earlier turns, and the processor seconds that it took; 0 if none is known at all."""
    begin, tree = time.process_time(), rejuvenation.tree

    def expired() -> bool:
        return time.process_time() - begin >= (SHARE if tree.turns == len(past) else 1.0) * seconds

    rejuvenation.find(past, MOST_CHANGES, expired)
    return len(tree.layers[-1].states) if tree.turns == len(past) else 0, time.process_time() - begin


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


def measured(path: Path, options: argparse.Namespace) -> tuple[tuple[Count, ...], int] | None:
    """All methods on matches of one sheet, and the number of turns; None if it has nothing hidden or is too large."""
    sheet = read_game(path)
    game = ground(sheet.program, seconds=options.grounding)
    if not len(game.percept_role):
        return None
    propnet, micro = Propnet(game), template(game, seconds=options.grounding)
    rng = np.random.default_rng(options.seed)
    counts, turns = (Count(), Count(), Count()), 0
    players = [r for r in range(len(game.roles)) if r != game.random_role]
    for number in range(options.matches):
        role = players[(number + 1) % len(players)]
        past = match(game, propnet, role, options.turns, rng)
        sampler = HistorySampler(micro, role, seed=number)
        if not past or not hidden_from(game, propnet, role, past, rng) or sampler.unroll(len(past)) is None:
            continue
        rejuvenation = Rejuvenation(HistoryTree(game, propnet, role), seed=number)
        for length in range(1, len(past) + 1):
            so_far = past[:length]
            changes = by_changes(rejuvenation, so_far, options.seconds)
            if not hidden_from(game, propnet, role, so_far, rng):
                continue
            turns += 1
            counts[0].add(turns, *blind(game, propnet, role, so_far, options.seconds, rng))
            counts[1].add(turns, *by_network(sampler, HistoryTree(game, propnet, role), so_far, options.seconds))
            counts[2].add(turns, *changes)
    return (counts, turns) if turns else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+", help="rule sheets, or folders of them")
    parser.add_argument("--matches", type=int, default=1, help="matches of every sheet, seen by one role after the other")
    parser.add_argument("--turns", type=int, default=12, help="turns of a match that are looked at")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor seconds of each method in a turn")
    parser.add_argument("--grounding", type=float, default=60.0, help="seconds for grounding and for the network")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| sheet | turns | blind, a second | none | network, a second | none | changes, a second | none |")
    print("|---" * 8 + "|")
    total, none = 0, [0] * 3
    for path in (path for given in options.games for path in (sheets_in(given) if given.is_dir() else [given])):
        try:
            found = measured(path, options)
        except (GdlError, BudgetExceeded, NetworkTooLargeError) as error:
            print(f"left out: {path.name}: {str(error)[:80]}", flush=True)
            continue
        if found is None:
            continue
        counts, turns = found
        rates = " | ".join(f"{count.found / max(1e-9, count.seconds):,.0f} | {len(count.failed)}" for count in counts)
        print(f"| {path.stem} | {turns} | {rates} |", flush=True)
        total += turns
        none = [number + len(count.failed) for number, count in zip(none, counts, strict=True)]
    print(f"\n{total} turns: none found blindly in {none[0]}, by the network in {none[1]}, by changes in {none[2]}")


if __name__ == "__main__":
    main()
