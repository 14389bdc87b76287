"""What a search knows of our moves in the position at hand, and which of them it would play."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scsp_player.search.graph import SearchGraph
from scsp_player.search.settings import MoveStatistics


def statistics_at(graph: SearchGraph, root: int, role: int) -> list[MoveStatistics]:
    """What is known of each move of a role at an expanded node."""
    found = []
    for entry in graph.arrays.move[graph.slots(root, role)]:
        visits, proven = int(entry["visits"]), not np.isnan(entry["exact"])
        mean = min(float(entry["bound"]), float(entry["total"]) / visits if visits else 0.0)
        found.append(MoveStatistics(int(entry["move"]), visits, float(entry["exact"]) if proven else mean, proven))
    return found


def ranked(found: Sequence[MoveStatistics], serious: float) -> list[MoveStatistics]:
    """Moves, the best ones first; those with less than a share ``serious`` of the visits of the most visited one come last."""
    most = max((s.visits for s in found), default=0)

    def merit(entry: MoveStatistics) -> tuple[bool, float, bool, int]:
        # A mean over few visits is a guess; only moves that UCB took seriously compete.
        return entry.proven or entry.visits >= serious * most, entry.mean, entry.proven, entry.visits

    return sorted(found, key=merit, reverse=True)
