"""What a search knows of our moves in the position at hand, and which of them it would play."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scsp_player.search.graph import SearchGraph
from scsp_player.search.settings import MoveStatistics


def statistics_of(graph: SearchGraph, roots: Sequence[int], role: int, move: int) -> MoveStatistics:
    """What is known of a move (global index) of a role at expanded nodes; proofs count where there is one node only."""
    visits, total, exact, bound = 0, 0.0, None, 100.0
    for root in roots:
        moves = graph.moves_of(root, role)
        position = int(np.searchsorted(moves, move))
        if position == len(moves) or moves[position] != move:
            continue
        entry = graph.arrays.move[graph.slots(root, role).start + position]
        visits += int(entry["visits"])
        total += float(entry["total"])
        if len(roots) == 1:
            bound = min(bound, float(entry["bound"]))
            exact = None if np.isnan(entry["exact"]) else float(entry["exact"])
    mean = min(bound, total / visits if visits else 0.0) if exact is None else exact
    return MoveStatistics(move, visits, mean, exact is not None)


def ranked(found: Sequence[MoveStatistics], serious: float) -> list[MoveStatistics]:
    """Moves, the best ones first; those with less than a share ``serious`` of the visits of the most visited one come last."""
    most = max((s.visits for s in found), default=0)

    def merit(entry: MoveStatistics) -> tuple[bool, float, bool, int]:
        # A mean over few visits is a guess; only moves that UCB took seriously compete.
        return entry.proven or entry.visits >= serious * most, entry.mean, entry.proven, entry.visits

    return sorted(found, key=merit, reverse=True)
