"""The memory of one running evaluation, and a pool of such memories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scsp_player.propnet.draw_code import tree_lines
from scsp_player.propnet.emit import WORD_BYTES
from scsp_player.propnet.playout_layout import RANDOM_LINES, Status, Totals

CACHE_LINE = 64  # bytes
PAGE = 4096  # bytes; addresses that differ by a multiple of it disturb each other in the processor
GROUP_MEMORY = 1280 << 10
"""Bytes that the lane groups of one call together may take: more than a second-level cache, so that code is fetched more rarely."""
MOST_GROUPS = 8
"""Lane groups of one call at most."""


@dataclass(frozen=True)
class GroupLines:
    """Lines of one lane group: the values of the circuit first, then what playouts need.

    Attributes:
        words: words of a line.
        values: number of lines of the circuit.
        status, done, begin, totals, time, random, start, tree, drawn, ended: first line of each part; see ``playout_layout.Call``.
        end: number of lines, such that groups do not begin at the same place of a page.
    """

    words: int
    values: int
    status: int
    done: int
    begin: int
    totals: int
    time: int
    random: int
    start: int
    tree: int
    drawn: int
    ended: int
    end: int

    @classmethod
    def of(cls, words: int, values: int, phases: int, fluents: int, goals: int, moves: int, most_moves: int) -> GroupLines:
        """The parts one after the other; ``most_moves`` are those of the role that has most of all ``moves``."""
        sizes = (
            values,
            Status.LINES,
            phases,
            phases,
            Totals.GOALS + goals,
            TIME_BITS,
            RANDOM_LINES,
            fluents,
            tree_lines(max(most_moves, 1)),
            moves,
            1 + goals,
        )
        edges = [0]
        for size in sizes:
            edges.append(edges[-1] + size)
        end = whole_cache_lines(edges.pop(), words)
        if end * WORD_BYTES * words % PAGE == 0:
            end += 2 * CACHE_LINE // (WORD_BYTES * words)
        _, status, done, begin, totals, time, random, start, tree, drawn, ended = edges
        return cls(words, values, status, done, begin, totals, time, random, start, tree, drawn, ended, end)

    def groups(self) -> int:
        """How many lane groups one call should work on."""
        return max(2, min(MOST_GROUPS, GROUP_MEMORY // (self.tree * WORD_BYTES * self.words)))

    @property
    def bytes(self) -> int:
        """Memory of one lane group."""
        return self.end * self.words * WORD_BYTES


def whole_cache_lines(lines: int, words: int) -> int:
    """The least number of lines of ``words`` words that is not below ``lines`` and fills whole lines of the processor's cache."""
    together = max(1, CACHE_LINE // (WORD_BYTES * words))
    return -(-lines // together) * together


TIME_BITS = 64
"""Digits of the bit-sliced number that says when a playout began; no playout is longer than 2^63 moves."""


@dataclass(frozen=True, eq=False)
class Workspace:
    """Memory that one call uses at a time.

    Attributes:
        memory: uint64[groups, lines, words]; line 0 is "true".
        chosen: int32[moves], scratch of the draw.
        offsets: int64[64], scratch of the draw.
        waiting: int64[phases, 2], see ``playout_layout.Call``.
    """

    memory: NDArray[np.uint64]
    chosen: NDArray[np.int32]
    offsets: NDArray[np.int64]
    waiting: NDArray[np.int64]

    @classmethod
    def of(cls, groups: int, lines: int, words: int, most_moves: int, phases: int) -> Workspace:
        """Memory for so many lane groups."""
        size = groups * lines * words
        reserved = np.zeros(size + CACHE_LINE // WORD_BYTES, np.uint64)
        skipped = (-reserved.ctypes.data % CACHE_LINE) // WORD_BYTES
        memory = reserved[skipped : skipped + size].reshape(groups, lines, words)
        memory[:, 0] = ~np.uint64(0)
        return cls(
            memory, np.zeros(most_moves + 1, np.int32), np.zeros(64, np.int64), np.zeros((phases, 2), np.int64)
        )


@dataclass
class WorkspacePool:
    """Hands out workspaces; as many come into being as calls run at the same time."""

    groups: int
    lines: int
    words: int
    most_moves: int
    phases: int = 1
    _free: list[Workspace] = field(default_factory=list)

    @contextmanager
    def lend(self) -> Iterator[Workspace]:
        """A workspace for the duration of a ``with`` block."""
        try:
            workspace = self._free.pop()
        except IndexError:
            workspace = Workspace.of(self.groups, self.lines, self.words, self.most_moves, self.phases)
        try:
            yield workspace
        finally:
            self._free.append(workspace)
