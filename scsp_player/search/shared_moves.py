"""Our moves where several states are possible: one list for all of them, with statistics of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.search.constants import EXPANDED
from scsp_player.search.graph import SearchGraph
from scsp_player.search.settings import MoveStatistics

SHARED = np.dtype([("total", np.float64), ("visits", np.int64)])
"""Sum of our scores 0-100 after a move, and how often it was made."""


class SharedMoves:
    """The moves of a role that are legal at every root, or else at most of them, as only they can be played for sure.

    Args:
        graph: holds the roots.
        roots: int64[roots], nodes; one may stand there several times.
        role: whose moves.

    Attributes:
        role: the role, or -1 at a single root, which keeps the statistics itself.
        moves: int32[moves], global indices, ascending.
        places: int32[roots, moves], where each stands among the legal moves of each root; -1 where it is not legal.
        entries: ``SHARED``[moves].
        root: number of the first root with legal moves, -1 if there is none.
    """

    def __init__(self, graph: SearchGraph, roots: NDArray[np.int64], role: int) -> None:
        first = graph.arrays.first[roots, role]
        listed = graph.arrays.node["status"][roots] == EXPANDED
        counts = np.where(listed, graph.arrays.first[roots, role + 1] - first, 0)
        row = np.repeat(np.arange(len(roots)), counts)
        place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        move = graph.arrays.move["move"][first[row] + place]
        legal_at = np.bincount(move)
        self.moves: NDArray[np.int32] = np.flatnonzero((legal_at > 0) & (legal_at == legal_at.max(initial=0))).astype(np.int32)
        self.role = role if listed.sum() > 1 else -1
        self.root = int(listed.argmax()) if listed.any() else -1
        self.places: NDArray[np.int32] = np.full((len(roots), len(self.moves)), -1, np.int32)
        shared = np.isin(move, self.moves)
        self.places[row[shared], np.searchsorted(self.moves, move[shared])] = place[shared]
        self.entries: NDArray[np.void] = np.zeros(len(self.moves), SHARED)

    def statistics(self) -> list[MoveStatistics]:
        """What is known of each move, if there are several roots."""
        return [
            MoveStatistics(int(move), int(entry["visits"]), float(entry["total"] / max(1, entry["visits"])), False)
            for move, entry in zip(self.moves, self.entries, strict=True)
        ]
