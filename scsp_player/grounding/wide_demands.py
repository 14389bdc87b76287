"""Demands that restrict nothing, noticed while they are computed.

What is asked for may be far more than there is: a relation of all free lines between two cells, asked for every pair of cells.
Listing such a demand costs more than computing the relation for fewer given values, those of a few columns. How large demand and
relation become is seen on the way: a trial that is over leaves both behind.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.pairs import numbered_rows
from scsp_player.grounding.rulebase import Rulebase

LARGE: Final = 4096
"""Rows of a demand from which on it may be worth less than it costs."""

WIDER: Final = 2
"""How many times as many rows as its relation a demand has that is too wide."""

BEGUN: Final = 32
"""Rows of a relation from which on its size says something; when a trial is over, some have hardly been begun."""

NARROWER: Final = 16
"""How many times fewer rows a demand is to have instead."""


def wide_demands(rules: Rulebase) -> dict[int, frozenset[int]]:
    """For each relation whose demand is much larger than the relation itself, the columns that should not be asked for by value."""
    store = rules.store
    found: dict[int, frozenset[int]] = {}
    for relation, wanted in rules.wanted.items():
        asked, there = store.count(wanted.relation), store.count(relation)
        if asked >= LARGE and BEGUN <= there < asked // WIDER:
            rows = store.rows(wanted.relation)[: 4 * LARGE]
            kept = narrowed(rows, len(rows) // NARROWER)
            found[relation] = frozenset(wanted.columns) - {wanted.columns[c] for c in kept}
    return found


def narrowed(rows: NDArray[np.int32], most: int) -> list[int]:
    """Columns of different rows, int32[n, k], whose values form at most ``most`` rows; those that multiply most are left out.

    >>> narrowed(np.array([[a, b, b] for a in range(9) for b in range(4)], dtype=np.int32), 5)
    [1, 2]
    """
    kept = list(range(rows.shape[1]))
    left = len(rows)
    while kept and left > most:
        sizes = [len(numbered_rows(rows[:, [c for c in kept if c != out]])[0]) for out in kept]
        left = min(sizes)
        del kept[sizes.index(left)]
    return kept
