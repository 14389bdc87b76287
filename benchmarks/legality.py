"""Whether what a player has seen tells its legal moves, by exact information sets in random matches.

    python -m benchmarks.legality ../shared/games-gdl2/scully__stratego.gdl --matches 3 --turns 60

For every turn in which the information set can still be kept whole, the legal moves of its states are compared. *Differ*: they are
not the same in all of them. *None*: no move is legal in all, so nobody can be sure not to make an illegal one; *best* is how
likely the most widely legal move is legal in these turns. *Unsure*: turns in which unit propagation (``belief.knowledge``) finds no
move that is certainly legal. *Wrong*: turns in which it contradicts the real state or its legal moves; there must be none. What
fluents exclude each other is proved before, in ``--proofs`` seconds at most.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from scsp_player.arena.sheet import read_game
from scsp_player.belief import Belief
from scsp_player.belief.exclusion import exclusive
from scsp_player.belief.joint_moves import draw_joint_moves
from scsp_player.belief.legality import SAME
from scsp_player.commands.bench_rollouts import sheets_in
from scsp_player.gdl.errors import GdlError
from scsp_player.grounding import BudgetExceeded, ground
from scsp_player.propnet import Propnet


@dataclass
class Counts:
    """What was seen in the turns of all matches."""

    turns: int = 0
    differ: int = 0
    none: int = 0
    unsure: int = 0
    wrong: int = 0
    too_large: int = 0
    best: list[float] = field(default_factory=list)

    def look(self, belief: Belief, propnet: Propnet, state: np.ndarray) -> None:
        """Take in one turn of one role: its exact belief, and the real state, uint64[1, words]."""
        first, last = belief.game.role_start[belief.role : belief.role + 2]
        support = belief.probabilities @ propnet.legal(belief.states)[:, first:last]
        certain, legal = belief.knowledge.legal, propnet.legal(state)[0, first:last]
        self.turns += 1
        self.differ += bool(((support > SAME) & (support < 1.0 - SAME)).any())
        self.unsure += not (belief.knowledge.legal > 0).any()
        refuted = (belief.knowledge.corrected(state) != state).any() or (legal & (certain < 0) | ~legal & (certain > 0)).any()
        self.wrong += bool(refuted)
        if support.max(initial=0.0) < 1.0 - SAME:
            self.none += 1
            self.best.append(float(support.max(initial=0.0)))


def measured(path: Path, options: argparse.Namespace) -> Counts:
    """Random matches of one sheet."""
    game = ground(read_game(path).program, seconds=options.grounding)
    propnet, rng, counts = Propnet(game), np.random.default_rng(options.seed), Counts()
    groups = exclusive(game, options.proofs)
    begin = time.process_time()
    for _ in range(options.matches):
        beliefs = [
            Belief(game, propnet, role, limit=options.limit) for role in range(len(game.roles)) if role != game.random_role
        ]
        for belief in beliefs:
            belief.knowledge.groups = groups
        state = game.initial_state[None]
        for _ in range(options.turns):
            legal = propnet.legal(state)
            able = np.logical_or.reduceat(legal[0], game.role_start[:-1])
            if propnet.terminal(state)[0] or not able.all() or time.process_time() - begin > options.seconds:
                break
            for belief in beliefs:
                if belief.exact and not belief.lost:
                    counts.look(belief, propnet, state)
                else:
                    counts.too_large += 1
            moves = draw_joint_moves(game, legal, rng)
            seen = propnet.percepts(state, moves)[0]
            state = propnet.successors(state, moves)
            for belief in beliefs:
                if belief.exact:
                    columns = np.flatnonzero(seen & (game.percept_role == belief.role))
                    percepts = frozenset(game.terms.term(int(game.percept_term[c])) for c in columns)
                    belief.update(game.move(int(moves[0, belief.role])), percepts)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+", help="rule sheets, or folders of them")
    parser.add_argument("--matches", type=int, default=4, help="matches of every sheet, seen by all roles")
    parser.add_argument("--turns", type=int, default=30, help="turns of a match that are looked at")
    parser.add_argument("--limit", type=int, default=30_000, help="states up to which an information set is kept")
    parser.add_argument("--seconds", type=float, default=30.0, help="processor seconds for each sheet")
    parser.add_argument("--grounding", type=float, default=60.0, help="seconds for grounding")
    parser.add_argument("--proofs", type=float, default=5.0, help="seconds for proving exclusions; 0 does without them")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| sheet | turns | differ | none | best | unsure | wrong | too large |")
    print("|---" * 8 + "|")
    for path in (path for given in options.games for path in (sheets_in(given) if given.is_dir() else [given])):
        try:
            c = measured(path, options)
        except (GdlError, BudgetExceeded) as error:
            print(f"left out: {path.name}: {str(error)[:80]}", flush=True)
            continue
        best = f"{np.mean(c.best):.2f}" if c.best else "-"
        print(
            f"| {path.stem} | {c.turns} | {c.differ} | {c.none} | {best} | {c.unsure} | {c.wrong} | {c.too_large} |", flush=True
        )


if __name__ == "__main__":
    main()
