"""Everything that is known of the structure of a game, and how it is told."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet.circuit import Circuit, build_circuit
from scsp_player.structure.counters import Counters, find_counters
from scsp_player.structure.dependence import prepare_kernels
from scsp_player.structure.latches import find_latches
from scsp_player.structure.sub_games import SubGames, find_sub_games

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class GameStructure:
    """Structure of a game, as far as it shows in the ground rules.

    Attributes:
        game: the game.
        counters: the fluents that no move has influence on.
        latched_true: bool[fluents], fluents that stay true once they are.
        latched_false: bool[fluents], fluents that stay false once they are.
        sub_games: None if there are not several, or if it is not known.
    """

    game: GroundGame
    counters: Counters
    latched_true: Bools
    latched_false: Bools
    sub_games: SubGames | None

    def report(self) -> dict[str, object]:
        """What a reader wants to know, as plain values.

        ``autonomous``: number of fluents that no move has influence on; ``counter_length``: how many values they go through
        together, and ``counter_repeats``: the one after the last, from 0 (null if not known); ``latched_true``, ``latched_false``:
        numbers of fluents that never change back; ``sub_games_kind``: "interleaved", "simultaneous", "serial", or null if there
        are no sub-games; ``sub_games``: for each of them its ``fluents`` and ``moves``, by name (``SubGame``).
        """
        found = self.sub_games
        return {
            "autonomous": int(self.counters.fluents.sum()),
            "counter_length": self.counters.length,
            "counter_repeats": self.counters.repeats,
            "latched_true": int(self.latched_true.sum()),
            "latched_false": int(self.latched_false.sum()),
            "sub_games_kind": None if found is None else found.kind.value,
            "sub_games": []
            if found is None
            else [
                {
                    "fluents": [str(self.game.fluent(f)) for f in part.fluents.tolist()],
                    "moves": [str(self.game.move(m)) for m in part.moves.tolist()],
                }
                for part in found.games
            ],
        }

    def describe(self) -> list[str]:
        """Lines for a reader."""
        counters, found = self.counters, self.sub_games
        lines = []
        if counters.fluents.any():
            course = "" if counters.length is None else f", which go through {counters.length} values"
            lines.append(f"counters: {int(counters.fluents.sum())} fluents that no move touches{course}")
        if (self.latched_true | self.latched_false).any():
            lines.append(f"latches: {int(self.latched_true.sum())} fluents stay true, {int(self.latched_false.sum())} stay false")
        if found is not None:
            sizes = ", ".join(f"{len(part.fluents)} fluents and {len(part.moves)} moves" for part in found.games)
            lines.append(f"sub-games: {len(found.games)} {found.kind.value} ({sizes})")
        return lines


def find_structure(game: GroundGame, circuit: Circuit | None = None, seconds: float = 0.3) -> GameStructure:
    """Structure of a game.

    Args:
        game: the game.
        circuit: its circuit if there is one already.
        seconds: of processor time, after which sub-games are no longer looked for.
    """
    prepare_kernels()
    deadline = time.process_time() + seconds
    counters = find_counters(game)
    circuit = build_circuit(game) if circuit is None else circuit
    return GameStructure(game, counters, *find_latches(game), find_sub_games(game, circuit, counters, deadline))
