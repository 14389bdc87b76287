"""Kernels of the relation store: blocks of one growing heap, tuple sets, indexes, views and interned terms.

Everything lives in five arrays, owned by ``store.Store``: ``heap`` (int32, all rows and tables), ``meta`` (int64, top of the heap,
free lists, state of an interrupted run), ``rel`` and ``idx`` (int64, one line a relation or index), ``code`` (int32, column lists,
skeletons and join plans). No kernel raises: one that needs a larger heap says so (``NO_ROOM``) and can be called again with the
same arguments.
"""

# mypy: disable-error-code="no-any-return, assignment, arg-type"
from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.compiled import entry_kernel, inner_kernel

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

# Columns of ``rel``.
BASE: Final = 0  # where the rows start in the heap
COUNT: Final = 1  # rows stored
CAPACITY: Final = 2  # rows that fit
WIDTH: Final = 3  # columns
KEY: Final = 4  # leading columns that identify a row
TABLE: Final = 5  # hash table of rows, 0 if rows may repeat
MASK: Final = 6  # size of the hash table - 1
PROCESSED: Final = 7  # rows that are in all indexes and views and have fired their triggers
FIRST_INDEX: Final = 8  # linked list of indexes, -1 ends it
FIRST_VIEW: Final = 9  # linked list of views, -1 ends it
NEXT_VIEW: Final = 10  # a view: next view of the same source
SOURCE: Final = 11  # a view: the relation it is drawn from, else -1
FED: Final = 12  # a view: rows of the source seen so far
SKELETON: Final = 13  # a view: its skeleton in ``code``
ATOM_BASE: Final = 14  # number of the atom that row 0 stands for
BITS: Final = 15  # size class of the block of rows
REL_FIELDS: Final = 16

# Columns of ``idx``.
OWNER: Final = 0  # relation
SLOTS: Final = 1  # hash table: newest row of every distinct key
SLOT_MASK: Final = 2
LINKS: Final = 3  # for every row the next older row with the same key, -1 ends the chain
LINK_CAPACITY: Final = 4
COLUMNS: Final = 5  # column list in ``code``
COLUMN_COUNT: Final = 6
ROWS: Final = 7  # rows indexed so far
DISTINCT: Final = 8  # distinct keys
NEXT_INDEX: Final = 9
LINK_BITS: Final = 10
IDX_FIELDS: Final = 11

# Entries of ``meta``.
TOP: Final = 0
NEED: Final = 1
FRESH: Final = 2
DEPTH_LIMIT: Final = 3
FREE: Final = 32  # free list of every size class
META_SIZE: Final = 72

NO_ROOM: Final = -2
TOO_DEEP: Final = -3

TERMS: Final = 0
"""Relation 0 lists all terms: (functor relation or -1 for a symbol, row in it or number of the symbol's name, depth)."""

HOLE: Final = -1
"""Marks a free place in a skeleton; every other token of a skeleton is a functor relation."""


@entry_kernel
def allocate(heap: Ints, meta: Longs, bits: int) -> int:
    """Start of a free block of ``2 ** bits`` entries, or 0 if the heap is full (``meta[NEED]`` then holds the size)."""
    start = meta[FREE + bits]
    if start > 0:
        meta[FREE + bits] = heap[start]
        return start
    size = np.int64(1) << bits
    start = meta[TOP]
    if start + size > heap.size:
        meta[NEED] = size
        return 0
    meta[TOP] = start + size
    return start


@inner_kernel
def release(heap: Ints, meta: Longs, start: int, bits: int) -> None:
    """Give a block back to the free list of its size."""
    heap[start] = meta[FREE + bits]
    meta[FREE + bits] = start


@inner_kernel
def size_class(size: int) -> int:
    """The smallest b with ``2 ** b >= size``."""
    bits = 0
    while (np.int64(1) << bits) < size:
        bits += 1
    return bits


@inner_kernel
def mixed(state: int, value: int) -> int:
    """One step of a multiplicative hash."""
    state = (state ^ value) * -7046029254386353131
    return state ^ (state >> 31)


@inner_kernel
def find_slot(heap: Ints, rel: Longs, r: int, key: Ints) -> int:
    """Slot of the row of ``r`` whose key columns equal ``key``, or of the gap where it belongs; an absolute heap position."""
    count = rel[r, KEY]
    state = np.int64(count)
    for c in range(count):
        state = mixed(state, key[c])
    mask = rel[r, MASK]
    table = rel[r, TABLE]
    base = rel[r, BASE]
    width = rel[r, WIDTH]
    slot = state & mask
    while True:
        row = heap[table + slot]
        if row < 0:
            return table + slot
        start = base + row * width
        same = True
        for c in range(count):
            if heap[start + c] != key[c]:
                same = False
                break
        if same:
            return table + slot
        slot = (slot + 1) & mask


@inner_kernel
def find_row(heap: Ints, rel: Longs, r: int, key: Ints) -> int:
    """Row of ``r`` with this key, or -1."""
    return heap[find_slot(heap, rel, r, key)]


@inner_kernel
def more_rows(heap: Ints, meta: Longs, rel: Longs, r: int) -> bool:
    """Make room for one more row of ``r``; False if the heap is full."""
    count = rel[r, COUNT]
    width = rel[r, WIDTH]
    if count >= rel[r, CAPACITY]:
        bits = size_class(max(width, 1) * 2 * max(count, 8))
        start = allocate(heap, meta, bits)
        if start == 0:
            return False
        old = rel[r, BASE]
        for i in range(count * width):
            heap[start + i] = heap[old + i]
        if old > 0:
            release(heap, meta, old, rel[r, BITS])
        rel[r, BASE] = start
        rel[r, BITS] = bits
        rel[r, CAPACITY] = (np.int64(1) << bits) // max(width, 1)
    if rel[r, TABLE] > 0 and 2 * (count + 1) > rel[r, MASK] + 1:
        bits = size_class(4 * (count + 1))
        start = allocate(heap, meta, bits)
        if start == 0:
            return False
        release(heap, meta, rel[r, TABLE], size_class(rel[r, MASK] + 1))
        mask = (np.int64(1) << bits) - 1
        for i in range(mask + 1):
            heap[start + i] = -1
        rel[r, TABLE] = start
        rel[r, MASK] = mask
        key = rel[r, KEY]
        base = rel[r, BASE]
        for row in range(count):
            state = np.int64(key)
            for c in range(key):
                state = mixed(state, heap[base + row * width + c])
            slot = state & mask
            while heap[start + slot] >= 0:
                slot = (slot + 1) & mask
            heap[start + slot] = row
    return True


@entry_kernel
def insert(heap: Ints, meta: Longs, rel: Longs, r: int, row_values: Ints) -> int:
    """Add a row unless its key is there; returns the row's number (``meta[FRESH]`` says whether it is new) or ``NO_ROOM``."""
    if not more_rows(heap, meta, rel, r):
        return NO_ROOM
    count = rel[r, COUNT]
    if rel[r, TABLE] > 0:
        slot = find_slot(heap, rel, r, row_values)
        if heap[slot] >= 0:
            meta[FRESH] = 0
            return heap[slot]
        heap[slot] = count
    width = rel[r, WIDTH]
    start = rel[r, BASE] + count * width
    for c in range(width):
        heap[start + c] = row_values[c]
    rel[r, COUNT] = count + 1
    meta[FRESH] = 1
    return count


@entry_kernel
def intern(heap: Ints, meta: Longs, rel: Longs, f: int, arguments: Ints) -> int:
    """Identifier of the term ``f(arguments)``, made if new; ``NO_ROOM`` or ``TOO_DEEP`` if that is impossible.

    ``arguments`` needs room for one entry more than the arity.
    """
    if not more_rows(heap, meta, rel, TERMS):
        return NO_ROOM
    arity = rel[f, KEY]
    identifier = rel[TERMS, COUNT]
    arguments[arity] = identifier
    row = insert(heap, meta, rel, f, arguments)
    if row < 0:
        return row
    if meta[FRESH] == 0:
        return heap[rel[f, BASE] + row * (arity + 1) + arity]
    terms = rel[TERMS, BASE]
    depth = 0
    for c in range(arity):
        depth = max(depth, heap[terms + 3 * arguments[c] + 2])
    start = terms + 3 * identifier
    heap[start] = f
    heap[start + 1] = row
    heap[start + 2] = depth + 1
    rel[TERMS, COUNT] = identifier + 1
    if depth + 1 > meta[DEPTH_LIMIT]:
        return TOO_DEEP
    return identifier


@inner_kernel
def key_slot(heap: Ints, rel: Longs, idx: Longs, code: Ints, i: int, key: Ints) -> int:
    """Absolute position of the slot of index ``i`` that holds this key, or of the gap where it belongs."""
    count = idx[i, COLUMN_COUNT]
    columns = idx[i, COLUMNS]
    owner = idx[i, OWNER]
    base = rel[owner, BASE]
    width = rel[owner, WIDTH]
    state = np.int64(count)
    for c in range(count):
        state = mixed(state, key[c])
    mask = idx[i, SLOT_MASK]
    slots = idx[i, SLOTS]
    slot = state & mask
    while True:
        row = heap[slots + slot]
        if row < 0:
            return slots + slot
        start = base + row * width
        same = True
        for c in range(count):
            if heap[start + code[columns + c]] != key[c]:
                same = False
                break
        if same:
            return slots + slot
        slot = (slot + 1) & mask


@inner_kernel
def more_links(heap: Ints, meta: Longs, rel: Longs, idx: Longs, code: Ints, i: int, key: Ints) -> bool:
    """Make room in index ``i`` for one more row; False if the heap is full. ``key`` is scratch."""
    rows = idx[i, ROWS]
    if rows >= idx[i, LINK_CAPACITY]:
        bits = size_class(max(2 * rows, 8))
        start = allocate(heap, meta, bits)
        if start == 0:
            return False
        old = idx[i, LINKS]
        for k in range(rows):
            heap[start + k] = heap[old + k]
        if old > 0:
            release(heap, meta, old, idx[i, LINK_BITS])
        idx[i, LINKS] = start
        idx[i, LINK_BITS] = bits
        idx[i, LINK_CAPACITY] = np.int64(1) << bits
    if idx[i, SLOTS] == 0 or 2 * (idx[i, DISTINCT] + 1) > idx[i, SLOT_MASK] + 1:
        bits = size_class(4 * (idx[i, DISTINCT] + 1))
        start = allocate(heap, meta, bits)
        if start == 0:
            return False
        old = idx[i, SLOTS]
        old_size = idx[i, SLOT_MASK] + 1
        mask = (np.int64(1) << bits) - 1
        for k in range(mask + 1):
            heap[start + k] = -1
        idx[i, SLOTS] = start
        idx[i, SLOT_MASK] = mask
        if old > 0:
            base = rel[idx[i, OWNER], BASE]
            width = rel[idx[i, OWNER], WIDTH]
            columns = idx[i, COLUMNS]
            for k in range(old_size):
                row = heap[old + k]
                if row >= 0:
                    for c in range(idx[i, COLUMN_COUNT]):
                        key[c] = heap[base + row * width + code[columns + c]]
                    heap[key_slot(heap, rel, idx, code, i, key)] = row
            release(heap, meta, old, size_class(old_size))
    return True


@inner_kernel
def index_until(heap: Ints, meta: Longs, rel: Longs, idx: Longs, code: Ints, i: int, limit: int, key: Ints) -> bool:
    """Enter the rows below ``limit`` into index ``i``; False if the heap is full. ``key`` is scratch."""
    owner = idx[i, OWNER]
    columns = idx[i, COLUMNS]
    width = rel[owner, WIDTH]
    while idx[i, ROWS] < limit:
        if not more_links(heap, meta, rel, idx, code, i, key):
            return False
        row = idx[i, ROWS]
        start = rel[owner, BASE] + row * width
        for c in range(idx[i, COLUMN_COUNT]):
            key[c] = heap[start + code[columns + c]]
        slot = key_slot(heap, rel, idx, code, i, key)
        older = heap[slot]
        heap[idx[i, LINKS] + row] = older
        heap[slot] = row
        if older < 0:
            idx[i, DISTINCT] += 1
        idx[i, ROWS] = row + 1
    return True


@inner_kernel
def feed_view(heap: Ints, meta: Longs, rel: Longs, code: Ints, view: int, limit: int, stack: Ints, found: Ints) -> bool:
    """Draw the rows of the source below ``limit`` into a view; False if the heap is full. ``stack`` and ``found`` are scratch.

    A skeleton is the number of its tokens, then the tokens in prefix order: ``HOLE`` takes any term, a functor relation takes
    only its own terms and goes on with their arguments. A row of the view holds the terms in the holes, then the source row.
    """
    source = rel[view, SOURCE]
    width = rel[source, WIDTH]
    tokens = rel[view, SKELETON]
    terms = rel[TERMS, BASE]
    while rel[view, FED] < limit:
        row = rel[view, FED]
        start = rel[source, BASE] + row * width
        for c in range(width):
            stack[c] = heap[start + width - 1 - c]
        depth = width
        holes = 0
        fits = True
        for t in range(code[tokens]):
            token = code[tokens + 1 + t]
            depth -= 1
            term = stack[depth]
            if token == HOLE:
                found[holes] = term
                holes += 1
                continue
            if heap[terms + 3 * term] != token:
                fits = False
                break
            arity = rel[token, KEY]
            arguments = rel[token, BASE] + heap[terms + 3 * term + 1] * (arity + 1)
            for c in range(arity):
                stack[depth + c] = heap[arguments + arity - 1 - c]
            depth += arity
        if fits:
            found[holes] = row
            if insert(heap, meta, rel, view, found) < 0:
                return False
        rel[view, FED] = row + 1
    return True


@entry_kernel
def absorb(heap: Ints, meta: Longs, rel: Longs, idx: Longs, code: Ints, r: int, limit: int, stack: Ints, found: Ints) -> bool:
    """Bring all indexes and views of ``r`` up to the row ``limit``; False if the heap is full."""
    i = rel[r, FIRST_INDEX]
    while i >= 0:
        if not index_until(heap, meta, rel, idx, code, i, limit, found):
            return False
        i = idx[i, NEXT_INDEX]
    view = rel[r, FIRST_VIEW]
    while view >= 0:
        if not feed_view(heap, meta, rel, code, view, limit, stack, found):
            return False
        view = rel[view, NEXT_VIEW]
    return True


@entry_kernel
def insert_rows(heap: Ints, meta: Longs, rel: Longs, r: int, rows: NDArray[np.int32], done: int) -> int:
    """Add the rows from ``done`` on; returns how many are in when the heap is full or all are there."""
    while done < len(rows):
        if insert(heap, meta, rel, r, rows[done]) < 0:
            break
        done += 1
    return done


@entry_kernel
def intern_rows(heap: Ints, meta: Longs, rel: Longs, f: int, rows: NDArray[np.int32], found: Ints, done: int) -> int:
    """Intern ``f(row)`` for the rows (a column wider than the arity) from ``done`` on into ``found``. Returns as above."""
    while done < len(rows):
        term = intern(heap, meta, rel, f, rows[done])
        if term == NO_ROOM:
            break
        found[done] = term
        done += 1
    return done


@entry_kernel
def distinct_values(heap: Ints, rel: Longs, r: int, columns: int, terms: int) -> Longs:
    """Number of distinct terms in the first columns of a relation; ``terms`` bounds the term identifiers."""
    width = rel[r, WIDTH]
    base = rel[r, BASE]
    seen = np.zeros(terms, np.int32)
    counts = np.zeros(columns, np.int64)
    for c in range(columns):
        for row in range(rel[r, COUNT]):
            value = heap[base + row * width + c]
            if seen[value] != c + 1:
                seen[value] = c + 1
                counts[c] += 1
    return counts
