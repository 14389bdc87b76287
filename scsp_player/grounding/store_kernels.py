"""Kernels of the relation store: blocks of one growing heap, relations, indexes, views and interned terms.

Everything lives in a few arrays, owned by ``store.Store``: ``heap`` (int32, all rows and tables), ``meta`` (one record: top of the
heap, state of an interrupted run), ``rel`` and ``idx`` (a record for each relation and index), ``steps`` and ``code`` (compiled
plans). No kernel raises: one that needs a larger heap says so and can be called again with the same arguments.
"""
# mypy: disable-error-code="no-any-return, return-value"

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.kernels import helper, inlined, kernel

Ints = NDArray[np.int32]
Records = NDArray[np.void]
Record = Any
"""One record of a table, passed by reference."""


def _fields(*names: str) -> np.dtype[np.void]:
    return np.dtype([(name, np.int64) for name in names])


RELATION: Final = _fields(
    "base",  # where the rows start in the heap
    "count",  # rows stored
    "capacity",  # rows that fit
    "bits",  # size class of the block of rows
    "width",  # columns
    "unique",  # index by which a row is found before it is added, -1 if rows may repeat
    "processed",  # rows that are in all indexes and views and have fired their triggers
    "first_index",  # linked list of the other indexes, -1 ends it
    "first_view",  # linked list of views, -1 ends it
    "next_view",  # a view: the next view of the same source
    "source",  # a view: the relation that it is drawn from, else -1
    "fed",  # a view: rows of the source seen so far
    "skeleton",  # a view: its skeleton in ``code``
    "atom_base",  # number of the atom that row 0 stands for
)

INDEX: Final = _fields(
    "owner",  # relation
    "slots",  # hash table: newest row of every distinct key
    "mask",  # size of the hash table - 1
    "distinct",  # distinct keys
    "columns",  # column list in ``code``
    "arity",  # columns of the key
    "rows",  # rows indexed so far
    "linked",  # 1 if several rows may have the same key
    "links",  # for every row the next older row with the same key, -1 ends the chain
    "link_bits",  # size class of the links
    "next_index",  # linked list
)

META: Final = _fields(
    "top",  # end of the used part of the heap
    "need",  # size of the block that did not fit
    "deepest",  # bound on the nesting of terms
    "ticks",  # steps left until the run is interrupted
    "position",  # interrupted run: block of the task,
    "phase",  # 0 while the plans to run once are run, then 1,
    "item",  # number of the plan or entry,
    "trigger",  # number of the trigger plan, -1 between rows,
    "depth",  # step of the plan,
    "enter",  # 1 if it is entered from above, 0 from below, -1 if no plan is under way
)

NO_ROOM: Final = -2
TOO_DEEP: Final = -3

TERMS: Final = 0
"""Relation 0 lists all terms: (functor relation or -1 for a symbol, row in it or number of the symbol's name, depth)."""

LARGELY_EMPTY: Final = 32
"""Slots for each key from which a hash table counts as too large."""

HOLE: Final = -1
"""Marks a free place in a skeleton; every other token of a skeleton is a functor relation."""


@helper
def allocate(heap: Ints, m: Record, bits: int) -> int:
    """Start of a free block of ``2 ** bits`` entries, or 0 if the heap is full. ``heap[1 + bits]`` is the free list of the size."""
    start = np.int64(heap[1 + bits])
    if start > 0:
        heap[1 + bits] = heap[start]
        return start
    start = m.top
    end = start + (1 << bits)
    if end > len(heap):
        m.need = 1 << bits
        return 0
    m.top = end
    return start


@helper
def moved(heap: Ints, m: Record, old: int, old_bits: int, used: int, bits: int) -> int:
    """A larger block with the first ``used`` entries of an old one (0: none), which is given back; 0 if the heap is full."""
    start = allocate(heap, m, bits)
    if start > 0 and old > 0:
        for k in range(used):
            heap[start + k] = heap[old + k]
        heap[old] = heap[1 + old_bits]
        heap[1 + old_bits] = old
    return start


@helper
def size_class(size: int) -> int:
    """The smallest b with ``2 ** b >= size``."""
    bits = 0
    while (1 << bits) < size:
        bits += 1
    return bits


@helper
def room_for_row(heap: Ints, m: Record, line: Record) -> bool:
    """Make room for one more row of a relation; False if the heap is full."""
    if line.count < line.capacity:
        return True
    width = max(line.width, 1)
    bits = size_class(2 * width * max(line.count, 4))
    start = moved(heap, m, line.base, line.bits, line.count * width, bits)
    if start == 0:
        return False
    line.base = start
    line.bits = bits
    line.capacity = (1 << bits) // width
    return True


@inlined
def slot_of(heap: Ints, line: Record, index: Record, code: Ints, key: Ints) -> int:
    """Absolute position of the slot of an index that holds this key, or of the gap where it belongs."""
    state = 0
    for c in range(index.arity):
        state = (state ^ key[c]) * -7046029254386353131
        state ^= state >> 31
    columns = index.columns
    slot = state & index.mask
    while True:
        row = heap[index.slots + slot]
        if row < 0:
            break
        start = line.base + row * line.width
        c = 0
        while c < index.arity and heap[start + code[columns + c]] == key[c]:
            c += 1
        if c == index.arity:
            break
        slot = (slot + 1) & index.mask
    return index.slots + slot


@inlined
def load_columns(heap: Ints, line: Record, index: Record, code: Ints, row: int, key: Ints) -> None:
    """The key of a row."""
    start = line.base + row * line.width
    for c in range(index.arity):
        key[c] = heap[start + code[index.columns + c]]


@helper
def room_in_index(heap: Ints, m: Record, line: Record, index: Record, code: Ints, key: Ints) -> bool:
    """Make room in an index for one more row; False if the heap is full. ``key`` is scratch."""
    if index.linked == 1 and (index.links == 0 or index.rows >> index.link_bits > 0):
        bits = size_class(2 * max(index.rows, 4))
        start = moved(heap, m, index.links, index.link_bits, index.rows, bits)
        if start == 0:
            return False
        index.links = start
        index.link_bits = bits
    if 2 * index.distinct >= index.mask:
        bits = size_class(4 * (index.distinct + 2))
        start = allocate(heap, m, bits)
        if start == 0:
            return False
        old = index.slots
        size = index.mask + 1
        for k in range(1 << bits):
            heap[start + k] = -1
        index.slots = start
        index.mask = (1 << bits) - 1
        if old > 0:
            for k in range(old, old + size):
                row = heap[k]
                if row >= 0:
                    load_columns(heap, line, index, code, row, key)
                    heap[slot_of(heap, line, index, code, key)] = row
            old_bits = size_class(size)
            heap[old] = heap[1 + old_bits]
            heap[1 + old_bits] = old
    return True


@helper
def insert(heap: Ints, m: Record, rel: Records, idx: Records, code: Ints, r: int, values: Ints, scratch: Ints) -> int:
    """Add a row to relation ``r`` unless it is there; returns its number (the last one if it is new) or ``NO_ROOM``."""
    line = rel[r]
    if not room_for_row(heap, m, line):
        return NO_ROOM
    row = line.count
    if line.unique >= 0:
        index = idx[line.unique]
        if not room_in_index(heap, m, line, index, code, scratch):
            return NO_ROOM
        slot = slot_of(heap, line, index, code, values)
        if heap[slot] >= 0:
            return heap[slot]
        heap[slot] = row
        index.distinct += 1
    start = line.base + row * line.width
    for c in range(line.width):
        heap[start + c] = values[c]
    line.count = row + 1
    return row


@helper
def intern(heap: Ints, m: Record, rel: Records, idx: Records, code: Ints, f: int, arguments: Ints, scratch: Ints) -> int:
    """Identifier of the term ``f(arguments)``, made if new; ``NO_ROOM`` or ``TOO_DEEP`` if that is impossible.

    A functor relation holds the arguments of its terms and, last, their identifiers; ``arguments`` has room for that.
    """
    terms = rel[TERMS]
    if not room_for_row(heap, m, terms):
        return NO_ROOM
    line = rel[f]
    arity = line.width - 1
    identifier = terms.count
    arguments[arity] = identifier
    known = line.count
    row = insert(heap, m, rel, idx, code, f, arguments, scratch)
    if row < 0:
        return row
    if row < known:
        return heap[line.base + row * line.width + arity]
    depth = 0
    for c in range(arity):
        depth = max(depth, heap[terms.base + 3 * arguments[c] + 2])
    start = terms.base + 3 * identifier
    heap[start] = f
    heap[start + 1] = row
    heap[start + 2] = depth + 1
    terms.count = identifier + 1
    return identifier if depth < m.deepest else TOO_DEEP


@helper
def draw(heap: Ints, rel: Records, code: Ints, source: Record, row: int, view: Record, stack: Ints, found: Ints) -> bool:
    """Match a row against the skeleton of a view; the terms in the holes, then the row's number, go to ``found``.

    A skeleton is the number of its tokens, then the tokens in prefix order: ``HOLE`` takes any term, a functor relation takes
    only its own terms and goes on with their arguments.
    """
    terms = rel[TERMS].base
    depth = source.width
    start = source.base + row * depth
    for c in range(depth):
        stack[c] = heap[start + depth - 1 - c]
    holes = 0
    for t in range(view.skeleton + 1, view.skeleton + 1 + code[view.skeleton]):
        depth -= 1
        term = stack[depth]
        if code[t] == HOLE:
            found[holes] = term
            holes += 1
            continue
        if heap[terms + 3 * term] != code[t]:
            return False
        line = rel[code[t]]
        start = line.base + heap[terms + 3 * term + 1] * line.width
        for c in range(line.width - 2, -1, -1):
            stack[depth] = heap[start + c]
            depth += 1
    found[holes] = row
    return True


@helper
def absorb(
    heap: Ints, m: Record, rel: Records, idx: Records, code: Ints, r: int, limit: int, stack: Ints, found: Ints, scratch: Ints
) -> bool:
    """Bring all indexes and views of ``r`` up to the row ``limit``; False if the heap is full."""
    line = rel[r]
    i = line.first_index
    while i >= 0:
        index = idx[i]
        while index.rows < limit:
            if not room_in_index(heap, m, line, index, code, scratch):
                return False
            row = index.rows
            load_columns(heap, line, index, code, row, scratch)
            slot = slot_of(heap, line, index, code, scratch)
            heap[index.links + row] = heap[slot]
            if heap[slot] < 0:
                index.distinct += 1
            heap[slot] = row
            index.rows = row + 1
        i = index.next_index
    v = line.first_view
    while v >= 0:
        view = rel[v]
        while view.fed < limit:
            fits = draw(heap, rel, code, line, view.fed, view, stack, found)
            if fits and insert(heap, m, rel, idx, code, v, found, scratch) < 0:
                return False
            view.fed += 1
        v = view.next_view
    return True


@kernel
def clear(heap: Ints, rel: Records, idx: Records, relations: Ints) -> None:
    """Take all rows out of relations and their indexes. A hash table much larger than its content is given back."""
    for r in relations:
        line = rel[r]
        line.count = 0
        line.processed = 0
        line.fed = 0
        i = line.unique
        if i < 0:
            i = line.first_index
        while i >= 0:
            index = idx[i]
            if index.slots > 0 and index.mask > LARGELY_EMPTY * (index.distinct + 1):
                bits = size_class(index.mask + 1)
                heap[index.slots] = heap[1 + bits]
                heap[1 + bits] = index.slots
                index.slots = 0
                index.mask = 0
            elif index.slots > 0 and index.distinct > 0:
                for k in range(index.slots, index.slots + index.mask + 1):
                    heap[k] = -1
            index.rows = 0
            index.distinct = 0
            i = line.first_index if i == line.unique else index.next_index
