"""What holds whenever a turn is played: conditions of each move's legality, and what the absence of ``terminal`` means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame
from scsp_player.network.csr import Rows, stack_rows
from scsp_player.network.errors import Deadline
from scsp_player.network.rules import MoveRules

Ints = NDArray[np.int32]

MAX_CONDITIONS = 200
"""No more literals are kept for one literal: fewer conditions are still conditions."""

MAX_ALTERNATIVES = 16
"""Atoms with more rules than that are not looked into."""


class StepConditions:
    """Literals implied by a move that is done, and by the fact that the state is not terminal.

    Attributes:
        impossible: bool[moves], moves that are never legal.
        start, required: CSR by move (global index): the literals, derived atoms included, that hold when it is done.
        codes: random number of every literal (and more behind), to compare sets of literals by sums.
        facts: literals that hold because the state is not terminal.
        clauses: CSR of disjunctions of literals that hold for the same reason.
    """

    def __init__(self, game: GroundGame, merged: MoveRules, deadline: Deadline) -> None:
        self._deadline = deadline
        self._merged = merged
        self._implied: dict[int, frozenset[int]] = {TRUE: frozenset(), FALSE: frozenset()}
        self.impossible = game.legal_literal == FALSE
        self._imply(np.unique(game.legal_literal).tolist())
        self.start, self.required = stack_rows(
            [np.array(sorted(self._implied[literal]), dtype=np.int32) for literal in game.legal_literal.tolist()]
        )
        self.codes = np.random.default_rng(1).integers(0, 2**64, size=2 * len(merged.head_start) + game.moves, dtype=np.uint64)
        self.facts: set[int] = set()
        self.clauses: Rows = stack_rows(self._deny(game.terminal_literal))

    def _imply(self, literals: list[int]) -> None:
        """Fill ``_implied`` for literals: themselves, and what all alternatives of their definitions have in common."""
        stack = list(literals)
        while stack:
            literal = stack[-1]
            if literal in self._implied:
                stack.pop()
                continue
            alternatives = self._alternatives(literal)
            missing = [x for body in alternatives for x in body if x not in self._implied]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self._deadline.check()
            unions = [frozenset[int]().union(*(self._implied[x] for x in body)) for body in alternatives]
            common = sorted(frozenset.intersection(*unions))[:MAX_CONDITIONS] if unions else []
            self._implied[literal] = frozenset([literal, *common])

    def _alternatives(self, literal: int) -> list[list[int]]:
        """Conjunctions of which one holds if the literal does; empty if nothing is known."""
        merged, atom = self._merged, literal >> 1
        first, last = int(merged.head_start[atom]), int(merged.head_start[atom + 1])
        if first == last or last - first > MAX_ALTERNATIVES or (merged.moves[first:last] >= 0).any():
            return []
        bodies = [merged.body[merged.body_start[r] : merged.body_start[r + 1]] for r in range(first, last)]
        if not literal & 1:
            return [body.tolist() for body in bodies]
        # A false atom has only false rules; those of one literal say which.
        denied = [int(body[0]) ^ 1 for body in bodies if len(body) == 1]
        return [denied] if denied else []

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
