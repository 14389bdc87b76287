"""The memory of one running evaluation, and a pool of such memories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray
from scsp_player.propnet.draw_kernels import LANE_LINES, tree_lines
from scsp_player.propnet.rows import ROW_WORDS
from scsp_player.propnet.schedule import Schedule

CACHE_LINE = 64  # bytes


@dataclass(frozen=True, eq=False)
class Workspace:
    """Lines of one row each, used by one call at a time.

    Attributes:
        values: uint64[lines, ROW_WORDS], inputs and gates.
        start: uint64[fluents, ROW_WORDS], start states.
        lanes: uint64[LANE_LINES, ROW_WORDS], what the lanes are doing; see ``draw_kernels``.
        tree: uint64[n, ROW_WORDS], scratch of the draw.
        chosen: int32[moves], scratch of the draw.
        offset: int64[64], scratch of the draw.
    """

    values: NDArray[np.uint64]
    start: NDArray[np.uint64]
    lanes: NDArray[np.uint64]
    tree: NDArray[np.uint64]
    chosen: IntArray
    offset: NDArray[np.int64]

    @classmethod
    def of(cls, schedule: Schedule, most_moves: int) -> Workspace:
        """Memory for a schedule in a game where no role has more than ``most_moves`` moves."""
        workspace = cls(
            lines_of(schedule.lines),
            lines_of(schedule.fluents),
            lines_of(LANE_LINES),
            lines_of(tree_lines(most_moves)),
            np.zeros(most_moves, np.int32),
            np.zeros(64, np.int64),
        )
        workspace.values[0] = ~np.uint64(0)
        return workspace


def lines_of(count: int) -> NDArray[np.uint64]:
    """uint64[count, ROW_WORDS] zeros whose lines do not straddle more cache lines than necessary."""
    size = count * ROW_WORDS
    words = np.zeros(size + CACHE_LINE // 8, np.uint64)
    skipped = (-words.ctypes.data % CACHE_LINE) // 8
    return words[skipped : skipped + size].reshape(count, ROW_WORDS)


@dataclass
class WorkspacePool:
    """Hands out workspaces; as many come into being as calls run at the same time."""

    schedule: Schedule
    most_moves: int
    _free: list[Workspace] = field(default_factory=list)

    @contextmanager
    def lend(self) -> Iterator[Workspace]:
        """A workspace for the duration of a ``with`` block."""
        try:
            workspace = self._free.pop()
        except IndexError:
            workspace = Workspace.of(self.schedule, self.most_moves)
        try:
            yield workspace
        finally:
            self._free.append(workspace)
