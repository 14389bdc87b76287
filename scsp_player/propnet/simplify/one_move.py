"""Rewriting under the assumption that every role makes exactly one legal move."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from scsp_player.grounding.ground_game import GroundGame, IntArray
from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.simplify.arrivals import with_arrivals
from scsp_player.propnet.simplify.draft import Draft, redraw
from scsp_player.propnet.simplify.move_sets import OneMove, implied_by


@dataclass(frozen=True, eq=False)
class Rewritten:
    """A circuit rewritten for lanes in which every role makes one move, and a legal one.

    Attributes:
        like: the circuit before.
        draft: the one now.
        outputs: its output literals, in the order of ``outputs_of``.
        one: what is known about its nodes.
        required: for each move the literals of the state alone that it needs to be legal.
        complete: whether there was time to rewrite all of it.
    """

    like: Circuit
    draft: Draft
    outputs: IntArray
    one: OneMove
    required: list[frozenset[int]]
    complete: bool

    def circuit(self) -> Circuit:
        """What came out, to be cleaned."""
        return self.draft.freeze(self.like, self.outputs)


def with_one_move(
    circuit: Circuit, game: GroundGame, deadline: float, *, excluded: Sequence[frozenset[int]] | None = None
) -> Rewritten:
    """The circuit rewritten for lanes in which every role makes one move, and a legal one.

    Args:
        circuit: the circuit.
        game: its game.
        deadline: value of ``time.thread_time()`` from when on conjunctions are left as they are.
        excluded: for each fluent the ones that are never true together with it. If given, what moves bring is rewritten, too.
    """
    one = OneMove(game, circuit.fluents)
    required: list[frozenset[int]] = []

    def before_moves(draft: Draft, legal: IntArray) -> None:
        for literal in legal.tolist():
            implied = implied_by(draft, literal)
            for known in implied[:]:
                if excluded is None:
                    break
                fluents = [(x >> 1) - 1 if not x & 1 else -1 for x in draft.alternatives(known)]
                if all(0 <= fluent < circuit.fluents for fluent in fluents):
                    ruled_out = frozenset.intersection(*(excluded[fluent] for fluent in fluents))
                    implied += (2 * (1 + fluent) + 1 for fluent in ruled_out)
            required.append(frozenset(implied))
        one.require(required)

    draft, outputs = redraw(circuit, one.conjunction, before_moves, deadline)
    complete = time.thread_time() <= deadline
    if excluded is not None:
        outputs = with_arrivals(draft, one, outputs, deadline)
    return Rewritten(circuit, draft, outputs, one, required, complete)
