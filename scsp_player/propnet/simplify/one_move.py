"""Rewriting under the assumption that every role makes exactly one legal move."""

from __future__ import annotations

from collections.abc import Sequence

from scsp_player.grounding.ground_game import GroundGame, IntArray
from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.simplify.arrivals import with_arrivals
from scsp_player.propnet.simplify.draft import Draft, redraw
from scsp_player.propnet.simplify.move_sets import OneMove, implied_by


def with_one_move(circuit: Circuit, game: GroundGame, excluded: Sequence[frozenset[int]], deadline: float) -> Circuit:
    """The circuit rewritten for lanes in which every role makes one move, and a legal one.

    Args:
        circuit: the circuit.
        game: its game.
        excluded: for each fluent the ones that are never true together with it.
        deadline: value of ``time.perf_counter()`` from when on conjunctions are left as they are.
    """
    one = OneMove(game, circuit.fluents)

    def before_moves(draft: Draft, legal: IntArray) -> None:
        required = []
        for literal in legal.tolist():
            implied = implied_by(draft, literal)
            for known in implied[:]:
                if not known & 1 and 0 < known >> 1 <= circuit.fluents:
                    implied += (2 * (1 + fluent) + 1 for fluent in excluded[(known >> 1) - 1])
            required.append(frozenset(implied))
        one.require(required)

    draft, outputs = redraw(circuit, one.conjunction, before_moves, deadline)
    outputs = with_arrivals(draft, one, outputs)
    return draft.freeze(circuit, outputs)
