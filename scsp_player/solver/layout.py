"""Where the tables of a network lie in memory: as rows, supports also as bitsets of rows with a mask for every value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.solver.encoding import Encoded, chunks

SUPPORT_ROWS, CONFLICT_ROWS, SUPPORT_BITS, SUM_INSIDE, SUM_OUTSIDE, DIFFERENT = 0, 1, 2, 3, 4, 5
"""Kinds of constraints: supports or conflicts as rows (``str_kernels``), supports as bitsets (``ct_kernels``); sums that lie
between two bounds, or do not (``sum_kernels``); variables that are all different (``different_kernels``)."""

MOST_MASK_WORDS = 1 << 21
"""Masks of a table with more words than this are not worth their memory."""

_MOST_WORDS_TOGETHER = 1 << 26


def lay_out(
    encoded: Encoded, constraints: NDArray[np.void], slots: NDArray[np.void], most_mask_words: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Fills in the places in the records of ``constraints`` and ``slots``; gives the arrays ``tables`` and ``bits`` of a store."""
    arity, rows = np.diff(encoded.first_slot), np.diff(encoded.first_row)
    slot_table = np.repeat(np.arange(len(arity)), arity)
    size = np.diff(encoded.first_value)[encoded.scopes].astype(np.int64)
    first_cell = np.append(0, np.cumsum(arity * rows))
    starred = _starred_slots(encoded, slot_table, first_cell)
    as_bits = _choose(encoded, rows, size * (1 + starred), most_mask_words)
    words = np.where(as_bits, -(-rows // 64), 0)
    constraints["kind"][:-1] = np.where(
        as_bits, SUPPORT_BITS, np.where(encoded.positive, SUPPORT_ROWS, CONFLICT_ROWS)
    )
    constraints["words"][:-1] = words
    constraints["current"][:-1] = np.where(as_bits, words, rows)
    constraints["first_word"] = np.append(0, np.cumsum(words))
    # The array ``tables``: rows, cells, orders of words, residues.
    row_counts, order_counts = np.where(as_bits, 0, rows), np.where(words > 1, words, 0)
    residues = np.where(words[slot_table] > 1, size, 0)
    cells_begin = int(row_counts.sum())
    order_begin = cells_begin + int((row_counts * arity).sum())
    residue_begin = order_begin + int(order_counts.sum())
    constraints["first_row"] = np.append(0, np.cumsum(row_counts))
    constraints["first_cell"] = cells_begin + np.append(0, np.cumsum(row_counts * arity))
    constraints["first_order"] = order_begin + np.append(0, np.cumsum(order_counts))
    slots["first_residue"] = residue_begin + np.cumsum(residues) - residues
    tables = np.concatenate(
        [
            _counting(row_counts),
            encoded.cells[np.repeat(~as_bits, arity * rows)],
            _counting(order_counts),
            np.zeros(residues.sum(), np.int32),
        ],
        dtype=np.int32,
    )
    # The array ``bits``: current words, stamps, masks of supports, masks without stars.
    mask_words = size * words[slot_table]
    exact_words = np.where(starred, mask_words, 0)
    masks_begin = 2 * int(words.sum())
    exact_begin = masks_begin + int(mask_words.sum())
    slots["first_support"] = masks_begin + np.cumsum(mask_words) - mask_words
    slots["first_exact"] = np.where(starred, exact_begin + np.cumsum(exact_words) - exact_words, slots["first_support"])
    bits = np.zeros(exact_begin + int(exact_words.sum()), dtype=np.uint64)
    bits[: masks_begin // 2] = _full_words(rows[as_bits], words[as_bits])
    for start, end in chunks(arity * rows):
        _set_masks(encoded, start, end, first_cell, words, slots, bits)
    _add_stars(encoded, starred, words[slot_table], size, slot_table, first_cell, slots, bits)
    _count_conflicts(encoded, size, slot_table, first_cell, constraints)
    return tables, bits.view(np.int64)


def _starred_slots(encoded: Encoded, slot_table: NDArray[np.int64], first_cell: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool[slots]: whether some row has a star there."""
    starred = np.zeros(len(encoded.scopes), dtype=np.bool_)
    cells = np.flatnonzero(encoded.cells == len(encoded.domain))
    table = np.searchsorted(first_cell, cells, side="right") - 1
    arity = np.diff(encoded.first_slot)[table]
    starred[encoded.first_slot[table] + (cells - first_cell[table]) % arity] = True
    return starred


def _choose(encoded: Encoded, rows: NDArray[np.int64], size: NDArray[np.int64], most: int) -> NDArray[np.bool_]:
    """bool[m]: which tables become bitsets."""
    if not len(rows):
        return np.zeros(0, dtype=np.bool_)
    cost = np.add.reduceat(size, encoded.first_slot[:-1]) * -(-rows // 64)
    fits = (cost <= most) & encoded.positive
    order = np.argsort(cost, kind="stable")
    together = np.cumsum(np.where(fits, cost, 0)[order])
    fits[order[together > _MOST_WORDS_TOGETHER]] = False
    return fits


def _counting(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, … up to each of ``counts``, one after the other."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def _full_words(rows: NDArray[np.int64], words: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The words of tables all of whose rows are current."""
    left = np.repeat(rows, words) - 64 * _counting(words)
    return np.where(left >= 64, ~np.uint64(0), (np.uint64(1) << np.minimum(left, 63).astype(np.uint64)) - np.uint64(1))


def _set_masks(
    encoded: Encoded,
    start: int,
    end: int,
    first_cell: NDArray[np.int64],
    words: NDArray[np.int64],
    slots: NDArray[np.void],
    bits: NDArray[np.uint64],
) -> None:
    """Sets the bits of the rows of tables ``start`` to ``end`` (stars excepted) in all masks."""
    arity = np.diff(encoded.first_slot)[start:end].astype(np.int64)
    rows = np.diff(encoded.first_row)[start:end]
    cell_table = np.repeat(np.arange(start, end), arity * rows)
    within = np.arange(first_cell[start], first_cell[end]) - first_cell[cell_table]
    row, column = np.divmod(within, arity[cell_table - start])
    cells = encoded.cells[first_cell[start] : first_cell[end]]
    kept = (cells < len(encoded.domain)) & (words[cell_table] > 0)
    cells, row, cell_table, column = cells[kept], row[kept], cell_table[kept], column[kept]
    slot = encoded.first_slot[cell_table] + column
    offset = (cells - encoded.first_value[encoded.scopes[slot]]) * words[cell_table] + (row >> 6)
    bit = np.uint64(1) << (row & 63).astype(np.uint64)
    np.bitwise_or.at(bits, slots["first_support"][slot] + offset, bit)
    exact = slots["first_exact"][slot] != slots["first_support"][slot]
    np.bitwise_or.at(bits, slots["first_exact"][slot[exact]] + offset[exact], bit[exact])


def _add_stars(
    encoded: Encoded,
    starred: NDArray[np.bool_],
    words: NDArray[np.int64],
    size: NDArray[np.int64],
    slot_table: NDArray[np.int64],
    first_cell: NDArray[np.int64],
    slots: NDArray[np.void],
    bits: NDArray[np.uint64],
) -> None:
    """Adds the rows with a star in a slot to the masks of all its values."""
    arity = np.diff(encoded.first_slot)
    for s in np.flatnonzero(starred & (words > 0)).tolist():
        table = slot_table[s]
        column = encoded.cells[first_cell[table] : first_cell[table + 1]][s - encoded.first_slot[table] :: arity[table]]
        mask = np.zeros(int(words[s]) * 64, dtype=np.bool_)
        mask[: len(column)] = column == len(encoded.domain)
        begin = int(slots["first_support"][s])
        of_values = bits[begin : begin + int(size[s] * words[s])].reshape(-1, int(words[s]))
        of_values |= np.packbits(mask, bitorder="little").view(np.uint64)


def _count_conflicts(
    encoded: Encoded,
    size: NDArray[np.int64],
    slot_table: NDArray[np.int64],
    first_cell: NDArray[np.int64],
    constraints: NDArray[np.void],
) -> None:
    """The most conflicts that a value of each conflict table has."""
    first_tally = np.append(0, np.cumsum(np.where(encoded.positive[slot_table], 0, size)))
    tally = np.zeros(first_tally[-1], dtype=np.int32)
    arity = np.diff(encoded.first_slot)
    weights = np.where(encoded.positive, 0, arity * np.diff(encoded.first_row))
    for start, end in chunks(weights):
        cell_table = np.repeat(np.arange(start, end), weights[start:end])
        within = _counting(weights[start:end])
        slot = encoded.first_slot[cell_table] + within % arity[cell_table]
        values = encoded.cells[first_cell[cell_table] + within] - encoded.first_value[encoded.scopes[slot]]
        tally += np.bincount(first_tally[slot] + values, minlength=len(tally)).astype(np.int32)
    for table in np.flatnonzero(~encoded.positive).tolist():
        part = tally[first_tally[encoded.first_slot[table]] : first_tally[encoded.first_slot[table + 1]]]
        constraints["most"][table] = part.max(initial=0)
