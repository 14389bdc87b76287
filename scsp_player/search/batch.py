"""The buffers of one batch of paths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.search.constants import KIND_DROPPED, KIND_KNOWN
from scsp_player.search.graph import PATH_LIMIT, GraphArrays

ROW = np.dtype(
    [
        ("code", np.int64),  # the joint move that leads on from the last node
        ("leaf", np.int64),  # the node that it leads to, -1 if unknown
        ("length", np.int32),  # nodes on the path
        ("root", np.int32),  # number of the root that it begins at
        ("choice", np.int32),  # number of the move made there, of those that several roots share; -1 if it is none of these
        ("kind", np.int8),  # how it ends, see ``constants``
        ("unfinished", np.int8),  # 1 if the last node made no move
    ],
    align=True,
)
STEP = np.dtype(
    [
        ("node", np.int32),
        ("edge", np.int32),  # the edge taken, -1 for a new one
    ],
    align=True,
)


LEAVES_AT_ONCE = 4
"""Leaves that the vectors of the playouts hold side by side, 64 games each: a batch of fewer takes as long."""

SHORT, LONG = 0.05, 0.2
"""Batches that take less than this share of the time that is left grow, those that take more shrink."""


class Pace:
    """How many leaves a batch has: more while batches stay short beside what is left, so that slow games keep to the clock too.

    Attributes:
        leaves: of the next batch.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._least = self.leaves = min(LEAVES_AT_ONCE, most)

    def note(self, used: float, left: float) -> None:
        """A batch took ``used`` seconds, and so many are left."""
        if self.leaves < self._most and used < SHORT * left:
            self.leaves = min(2 * self.leaves, self._most)
        elif self.leaves > self._least and used > LONG * left:
            self.leaves = max(self._least, self.leaves // 2)


class Rows(NamedTuple):
    """One row a path; see ``descent_kernels.descend``.

    Attributes:
        row: ``ROW``[rows].
        path: ``STEP``[rows, PATH_LIMIT], from the root on.
        slot: int64[rows, PATH_LIMIT, roles], the chosen entries of the move arena.
        position: int64[roles], scratch.
        moves: int32[rows, roles], the joint move that leads on from the last node.
        score: float64[rows, roles], what is backed up.
    """

    row: NDArray[np.void]
    path: NDArray[np.void]
    slot: NDArray[np.int64]
    position: NDArray[np.int64]
    moves: NDArray[np.int32]
    score: NDArray[np.float64]


def make_rows(rows: int, roles: int) -> Rows:
    """Buffers for so many paths."""
    return Rows(
        row=np.zeros(rows, ROW),
        path=np.zeros((rows, PATH_LIMIT), STEP),
        slot=np.zeros((rows, PATH_LIMIT, roles), np.int64),
        position=np.zeros(roles, np.int64),
        moves=np.zeros((rows, roles), np.int32),
        score=np.zeros((rows, roles)),
    )


def take_back(g: GraphArrays, rows: Rows, count: int) -> None:
    """Undo the visits of the first ``count`` paths, whose evaluation was given up."""
    row = rows.row[:count]
    steps = row["length"] - ((row["kind"] == KIND_KNOWN) | (row["unfinished"] != 0))
    taken = (np.arange(PATH_LIMIT) < steps[:, None]) & (row["kind"] != KIND_DROPPED)[:, None]
    path = rows.path[:count][taken]
    np.subtract.at(g.node["visits"], path["node"], 1)
    np.subtract.at(g.edge["visits"], path["edge"][path["edge"] >= 0], 1)
    np.subtract.at(g.move["visits"], rows.slot[:count][taken].ravel(), 1)
