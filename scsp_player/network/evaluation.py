"""A ground game evaluated directly: what random play shows about groups of fluents, and the legal moves of one state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame, pack_state, unpack_state
from scsp_player.network.evaluation_kernels import choose_moves, count_groups, evaluate

Words = NDArray[np.uint64]
OBSERVED_STEPS, LEAST_PLIES = 200_000_000, 10
"""Literals, moves and members looked at while groups are observed, about, and the fewest plies."""

ALL_LANES = np.uint64(0xFFFFFFFFFFFFFFFF)


class Evaluator:
    """64 states of one game, evaluated together; lane i of every word belongs to state i."""

    def __init__(self, game: GroundGame) -> None:
        self.game = game
        self.values: Words = np.zeros(game.atoms, dtype=np.uint64)
        self.values[0] = ALL_LANES

    def load(self, state: Words) -> None:
        """Put one state (uint64[words]) into all lanes, with no move done, and evaluate."""
        bits = unpack_state(state, self.game.fluents)
        self.values[self.game.fluent_atom] = np.where(bits, ALL_LANES, np.uint64(0))
        self.values[self.game.does_atom] = 0
        self.evaluate()

    def evaluate(self) -> None:
        """Evaluate all rules on the inputs in ``values``."""
        game = self.game
        evaluate(
            game.head_start,
            game.rule_start,
            game.rule_body,
            game.component_start,
            game.component_atoms,
            game.component_cyclic,
            self.values,
        )

    def literal(self, literals: NDArray[np.int32]) -> Words:
        """Lanes in which each literal holds."""
        words: Words = self.values[literals >> 1] ^ np.where(literals & 1, ALL_LANES, np.uint64(0))
        return words

    def terminal(self) -> np.uint64:
        """Lanes that are terminal."""
        return np.uint64(self.literal(np.array([self.game.terminal_literal], dtype=np.int32))[0])

    def legal_moves(self) -> NDArray[np.bool_]:
        """bool[moves]: the moves that are legal in lane 0."""
        legal: NDArray[np.bool_] = (self.literal(self.game.legal_literal) & np.uint64(1)) != 0
        return legal

    def draw(self, random: Words, lanes: np.uint64 = ALL_LANES) -> np.uint64:
        """Let every role do a random legal move in ``lanes``; returns the lanes in which all could."""
        game = self.game
        scratch = np.empty((2, 64), np.int64)
        return np.uint64(choose_moves(game.role_start, game.does_atom, game.legal_literal, self.values, lanes, random, *scratch))

    def advance(self, lanes: np.uint64) -> None:
        """Take ``lanes`` to their successors under the moves done, all others back to the initial state; then evaluate."""
        game = self.game
        self.evaluate()
        following = self.literal(game.next_literal)
        begin = np.where(game.initial, ALL_LANES, np.uint64(0))
        self.values[game.fluent_atom] = (following & lanes) | (begin & ~lanes)
        self.values[game.does_atom] = 0
        self.evaluate()


def generator(seed: int) -> Words:
    """State of the kernels' random generator for a seed."""
    return np.random.default_rng(seed).integers(1, 2**63, size=1, dtype=np.uint64)


def observe_groups(
    game: GroundGame, start: NDArray[np.int64], members: NDArray[np.int32], *, plies: int = 200, seed: int = 0
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which groups of fluents (CSR) random play refutes: bool[groups] "several members true", bool[groups] "no member true".

    64 matches are played side by side from the initial state, at most ``plies`` moves; fewer in large games (``OBSERVED_STEPS``).
    """
    groups = len(start) - 1
    several, missing = np.zeros(groups, dtype=np.bool_), np.zeros(groups, dtype=np.bool_)
    lanes = Evaluator(game)
    lanes.load(game.initial_state)
    random = generator(seed)
    steps = 1 + len(game.rule_body) + 64 * game.moves + len(members)
    for _ in range(min(plies, max(LEAST_PLIES, OBSERVED_STEPS // steps))):
        count_groups(start, members, game.fluent_atom, lanes.values, several, missing)
        lanes.advance(lanes.draw(random, ~lanes.terminal()))
    return several, missing


def random_walk(game: GroundGame, moves: int, seed: int) -> Words:
    """The state after ``moves`` uniformly drawn joint moves from the initial state (fewer if the match ends before)."""
    lanes = Evaluator(game)
    lanes.load(game.initial_state)
    random = generator(seed)
    state = game.initial_state
    for _ in range(moves):
        running = lanes.draw(random, ~lanes.terminal())
        if not running & np.uint64(1):
            break
        lanes.advance(running)
        state = pack_state((lanes.values[game.fluent_atom] & np.uint64(1)) != 0)
    return state
