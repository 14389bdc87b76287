"""What holds whenever a turn is played: conditions of each move's legality, and what the absence of ``terminal`` means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame
from scsp_player.network.csr import stack_rows
from scsp_player.network.rules import MoveRules

Ints = NDArray[np.int32]

MAX_PARTS = 200
"""Longer conjunctions are cut: fewer conditions are still conditions."""


class StepConditions:
    """Literals implied by a move that is done, by the plain conjunctions at the top of its legality.

    Attributes:
        impossible: bool[moves], moves that are never legal.
        start, required: CSR by move (global index): the literals, derived atoms included, that hold when it is done.
        codes: random number of every literal, to compare sets of literals by sums.
        facts: literals that hold because the state is not terminal.
        clauses: CSR of disjunctions of literals that hold for the same reason.
    """

    def __init__(self, game: GroundGame, merged: MoveRules) -> None:
        self._merged = merged
        self._known: dict[int, tuple[int, ...]] = {}
        self.impossible = game.legal_literal == FALSE
        self.start, self.required = stack_rows(
            [np.unique(np.array(self._implied(int(literal)), dtype=np.int32)) for literal in game.legal_literal]
        )
        self.codes = np.random.default_rng(1).integers(0, 2**64, size=2 * len(merged.head_start) + game.moves, dtype=np.uint64)
        self.facts: set[int] = set()
        self.clauses = stack_rows(self._deny(game.terminal_literal))

    def _implied(self, literal: int) -> tuple[int, ...]:
        """The literal and all that follow from it through rules without alternatives."""
        found = self._known.get(literal)
        if found is None:
            result: dict[int, None] = {}
            stack = [literal]
            while stack and len(result) < MAX_PARTS:
                current = stack.pop()
                if current in result or current in (TRUE, FALSE):
                    continue
                result[current] = None
                stack.extend(self._parts(current))
            found = self._known[literal] = tuple(result)
        return found

    def _parts(self, literal: int) -> list[int]:
        merged, atom = self._merged, literal >> 1
        first, last = int(merged.head_start[atom]), int(merged.head_start[atom + 1])
        if first == last or (merged.moves[first:last] >= 0).any():
            return []
        bodies = merged.body[merged.body_start[first] : merged.body_start[last]]
        if not literal & 1:
            return bodies.tolist() if last - first == 1 else []
        lengths = np.diff(merged.body_start[first : last + 1])
        begins = merged.body_start[first:last][lengths == 1]
        return list((merged.body[begins] ^ 1).tolist())

    def _deny(self, terminal: int) -> list[Ints]:
        """Collects the facts that follow from the falsity of a literal; returns the clauses."""
        merged = self._merged
        clauses: list[Ints] = []
        stack = [terminal ^ 1]
        while stack:
            literal = stack.pop()
            if literal in self.facts or literal in (TRUE, FALSE):
                continue
            self.facts.add(literal)
            atom = literal >> 1
            first, last = int(merged.head_start[atom]), int(merged.head_start[atom + 1])
            if (merged.moves[first:last] >= 0).any():
                continue
            for rule in range(first, last):
                body = merged.body[merged.body_start[rule] : merged.body_start[rule + 1]]
                if literal & 1 and len(body) > 1:
                    clauses.append(body ^ 1)
                elif literal & 1:
                    stack.append(int(body[0]) ^ 1)
                elif last - first == 1:
                    stack.extend(body.tolist())
        return clauses
