"""What holds whenever a turn is played: conditions of each move's legality, and what the absence of ``terminal`` means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame
from scsp_player.network.consequences import consequences
from scsp_player.network.csr import Rows, distinct_counts, stack_rows, take_rows
from scsp_player.network.errors import Deadline
from scsp_player.network.rules import MoveRules
from scsp_player.network.step_condition_kernels import count_required

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]

SAMPLES = 8
"""So many moves of a class are looked at to find out what all of them might require."""


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
        self._merged = merged
        self.impossible = game.legal_literal == FALSE
        self.start, self.required = consequences(merged, game.legal_literal, deadline)
        self._place = np.full(2 * len(merged.head_start), -1, dtype=np.int64)
        self.codes = np.random.default_rng(1).integers(0, 2**64, size=2 * len(merged.head_start) + game.moves, dtype=np.uint64)
        self.facts: set[int] = set()
        self.clauses: Rows = stack_rows(self._deny(game.terminal_literal))

    def common(self, first: int, labels: Ints) -> tuple[Offsets, Ints]:
        """What all moves of a class require: classes, and for each a literal, in order.

        Args:
            first: index of the first move.
            labels: int32[k], classes of the moves ``first`` …; -1 for moves left out.
        """
        inside = np.flatnonzero(labels >= 0)
        counts = np.bincount(labels[inside])
        moves = first + inside[np.argsort(labels[inside], kind="stable")]
        classes, literals = self._candidates(moves, counts)
        class_start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        pair_start = np.searchsorted(classes, np.arange(len(counts) + 1)).astype(np.int64)
        times = np.zeros(len(classes), dtype=np.int64)
        count_required(moves, class_start, self.start, self.required, pair_start, literals, self._place, times)
        whole = times == counts[classes]
        return classes[whole], literals[whole].astype(np.int32)

    def _candidates(self, moves: Offsets, counts: Offsets) -> tuple[Offsets, Offsets]:
        """Classes (so many neighbours among ``moves``) and literals that may be common to them: some of the moves share these."""
        samples = SAMPLES if SAMPLES * len(counts) <= len(moves) else 1
        chosen = (np.cumsum(counts) - counts)[:, None] + counts[:, None] * np.arange(samples) // samples
        start, literals = take_rows((self.start, self.required), moves[chosen.ravel()])
        wide = np.int64(len(self._place))
        owner = np.repeat(np.arange(len(counts), dtype=np.int64), np.diff(start[::samples]))
        pairs, times = distinct_counts(owner * wide + literals)
        shared = pairs[times == samples]
        return shared // wide, shared % wide

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
