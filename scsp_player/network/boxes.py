"""Large relations in little: as a union of boxes, or block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scsp_player.network.cover import FORBIDDEN

Array = NDArray[Any]
Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]

Box: TypeAlias = tuple[Bools, ...]
"""For each axis the classes that a box spans."""

SEEDS = 16
"""So many cells are tried to find the box that covers most."""

BLOCK_SIDES = (4, 8, 16, 32, 64, 128)
MOST_KINDS = 64
"""Block sides that are tried, and how many kinds of blocks there may be."""


def boxes(table: Bools, limit: int) -> list[Box] | None:
    """Boxes, possibly overlapping, whose union is the set of true cells; None if ``limit`` of them, found greedily, do not do.

    >>> rows = boxes(np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1]], dtype=bool), 4) or []
    >>> sorted([mask.astype(int).tolist() for mask in box] for box in rows)
    [[[0, 1, 1], [0, 0, 1]], [[1, 1, 0], [1, 1, 0]]]
    """
    if not table.ndim:
        return [()] if table else []
    left, found = table.copy(), list[Box]()
    while left.any():
        if len(found) == limit:
            return None
        cells = np.flatnonzero(left)
        seeds = cells[np.arange(SEEDS) * len(cells) // SEEDS] if len(cells) > SEEDS else cells
        grown = [
            _grown(table, np.unravel_index(seed, table.shape), first) for seed in seeds.tolist() for first in range(table.ndim)
        ]
        best = max(grown, key=lambda box: int(left[np.ix_(*box)].sum()))
        left[np.ix_(*best)] = False
        found.append(best)
    return found


def _grown(table: Bools, cell: tuple[Any, ...], first: int) -> Box:
    """A box around a true cell that cannot be made larger, grown along one axis after the other."""
    masks = [np.arange(size) == place for size, place in zip(table.shape, cell, strict=True)]
    for step in range(table.ndim):
        axis = (first + step) % table.ndim
        span = [np.ones_like(mask) if k == axis else mask for k, mask in enumerate(masks)]
        masks[axis] = table[np.ix_(*span)].all(axis=tuple(k for k in range(table.ndim) if k != axis))
    return tuple(masks)


@dataclass(frozen=True, eq=False)
class Blocks:
    """A relation of two variables cut into blocks, of which many look alike ("less than": all, nothing, or a triangle).

    Attributes:
        block: for each axis the number of the block in which a class lies; place: its place there.
        kind: int32[blocks, blocks], what a block looks like.
        look: int32[kinds, side, side], 0, 1, or ``FORBIDDEN`` where no class is.
        cost: entries of the tables that say all this, about.
    """

    block: tuple[Ints, Ints]
    place: tuple[Ints, Ints]
    kind: Ints
    look: Ints
    cost: int


def blocks(table: Bools) -> Blocks | None:
    """The relation block by block, in the order of the classes or by the number of their partners; None if that is no gain."""
    best: Blocks | None = None
    natural = tuple(np.arange(size) for size in table.shape)
    for order in (natural, _by_partners(table)):
        for side in BLOCK_SIDES:
            if 2 * side <= max(table.shape):
                found = _cut(table, order, side)
                if found is not None and (best is None or found.cost < best.cost):
                    best = found
    return best


def _by_partners(table: Bools) -> tuple[Array, Array]:
    """Classes of both axes by the number of their partners, those with equally many by the first of these."""
    columns = np.argsort(table.sum(axis=0), kind="stable")
    sorted_table = table[:, columns]
    rows = np.lexsort((sorted_table.argmax(axis=1), table.sum(axis=1)))
    return rows, columns


def _cut(table: Bools, order: tuple[Array, ...], side: int) -> Blocks | None:
    counts = tuple(-(-size // side) for size in table.shape)
    padded = np.full((counts[0] * side, counts[1] * side), FORBIDDEN, dtype=np.int8)
    padded[: table.shape[0], : table.shape[1]] = table[np.ix_(*order)]
    cut = padded.reshape(counts[0], side, counts[1], side).transpose(0, 2, 1, 3).reshape(-1, side * side)
    kind = np.zeros(len(cut), dtype=np.int32)
    known: dict[bytes, int] = {}
    looks: list[Array] = []
    # Blocks that reach beyond the edge come last: they take the look of one that agrees with them.
    whole = (cut != FORBIDDEN).all(axis=1)
    for number in np.argsort(~whole, kind="stable").tolist():
        look = cut[number]
        inside = look != FORBIDDEN
        if not (look[inside] != look[inside][0]).any():
            look = np.full_like(look, look[inside][0])
        elif not whole[number]:
            look = next((other for other in looks if (other[inside] == look[inside]).all()), look)
        kind[number] = known.setdefault(look.tobytes(), len(looks))
        if kind[number] == len(looks):
            looks.append(look)
            if len(looks) > MOST_KINDS:
                return None
    mixed = sum(bool((look != look[0]).any()) for look in looks)
    cost = 4 * sum(table.shape) + 3 * len(kind) + 4 * (mixed * side * side + len(looks))
    block, place = [], []
    for size, chosen in zip(table.shape, order, strict=True):
        rank = np.empty(size, dtype=np.int32)
        rank[chosen] = np.arange(size, dtype=np.int32)
        block.append(rank // side)
        place.append(rank % side)
    look = np.array(looks, dtype=np.int32).reshape(-1, side, side)
    return Blocks((block[0], block[1]), (place[0], place[1]), kind.reshape(counts), look, cost)
