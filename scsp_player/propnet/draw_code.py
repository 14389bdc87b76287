"""Bit-parallel uniform choice: every lane of a group draws one of its own legal moves, all lanes at once.

The moves that are legal in at least one lane are the leaves of a binary tree. Going up, every node counts the legal moves below
it, one counter a lane, stored bit-sliced: line j of a counter holds bit j of every lane's count. At the root each lane draws a rank
below its count. Going down, a rank smaller than the left child's count goes left, any other goes right, reduced by that count,
until every lane has arrived at one leaf. A node over 2^k moves works with k-bit numbers, so that the whole walk costs O(l) vector
operations for l moves.

Ranks are drawn by rejection, which is exact: as many random bits as the lane's largest rank has, drawn again until they do not
exceed it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from scsp_player.propnet.emit import POINTER, WORD, Code, Module, Value
from scsp_player.propnet.playout_layout import LEVELS, RANDOM_LINES, RANDOM_TAPS, Call, Phase, Role, Status

UNROLLED = 4
"""Loops over the bits of a counter are written out up to this height of the tree: that is where nearly all nodes are."""

SMALL_WIDTH = 8
"""Ranks with so many bits have code of their own for each number of bits."""


def tree_lines(moves: int) -> int:
    """Lines of scratch memory that a draw among ``moves`` moves needs.

    >>> tree_lines(9)
    40
    """
    nodes, height, lines = (moves + 1) // 2, 1, 0
    while True:
        lines += nodes * (height + 1)
        if nodes <= 1:
            return lines + 2 * height
        nodes, height = (nodes + 1) // 2, height + 1


def write_refill(module: Module) -> Code:
    """``refill(lines)``: the next ``RANDOM_LINES`` values of the random generator."""
    code = Code(module, "refill", [POINTER])
    [lines] = code.arguments
    # The places where a tap runs over the end cut the loop into parts with fixed distances.
    edges = sorted({0, RANDOM_LINES, *(RANDOM_LINES - tap for tap in RANDOM_TAPS)})
    for begin, end in pairwise(edges):
        with code.count(end, begin) as i:
            value = code.load(lines, i)
            for tap in RANDOM_TAPS:
                value = value ^ code.load(lines, i + (tap if begin + tap < RANDOM_LINES else tap - RANDOM_LINES))
            code.store(lines, i, value)
    code.result(0)
    return code


def write_ranks(module: Module, refill: Code) -> Code:
    """``ranks(group, call, root, width)``: random ranks below the root's counts for the lanes in CHOSEN.

    Writes rank bit j (j < ``width``) to line ``root + j`` of the tree and uses ``2 * width`` lines after the counter. Returns 0 if
    no lane has a choice.
    """
    code = Code(module, "ranks", [POINTER, POINTER, WORD, WORD])
    group, call, root, width = code.arguments
    tree = code.line(group, code.load_word(call, Call.TREE))
    source = _RandomLines(code, group, call, refill)
    choice = code.variable(code.word(0))
    for bits in range(1, SMALL_WIDTH + 1):
        with code.when(width.equal(bits)):
            choice.set(_small_ranks(code, source, tree, root, bits))
    with code.when(width.compare(">", SMALL_WIDTH)):
        choice.set(_large_ranks(code, source, tree, root, width))
    code.result(choice.get())
    return code


class _RandomLines:
    """The random generator of a group, and the lanes that want numbers."""

    def __init__(self, code: Code, group: Value, call: Value, refill: Code) -> None:
        self._code, self._refill = code, refill
        self.lines = code.line(group, code.load_word(call, Call.RANDOM))
        status = code.line(group, code.load_word(call, Call.STATUS))
        self._place = code.line(status, Status.POSITION)
        self.pending = code.load(status, Status.CHOSEN)

    def take(self, count: Value | int) -> Value:
        """The first of ``count`` fresh lines."""
        code = self._code
        position = code.variable(code.load_word(self._place, 0))
        with code.when((position.get() + count).compare(">", RANDOM_LINES)):
            code.call(self._refill, [self.lines])
            position.set(0)
        code.store_word(self._place, 0, position.get() + count)
        return position.get()


def _small_ranks(code: Code, source: _RandomLines, tree: Value, root: Value, width: int) -> Value:
    """``ranks`` with a width that is known when the code is written: everything stays in registers."""
    borrow = code.lanes(-1)
    limits: list[Value] = []
    for j in range(width):
        count = code.load(tree, root + j)
        limits.append(count ^ borrow)
        borrow = ~count & borrow
    # Whether the largest rank has this or a higher bit.
    needed = [limits[-1]]
    for j in reversed(range(width - 1)):
        needed.insert(0, needed[0] | limits[j])
    ranks = [code.variable(code.lanes(0)) for _ in range(width)]
    missing = code.variable(source.pending)
    choice = code.any(needed[0] & source.pending)
    with code.when(choice), code.repeat() as rounds:
        position = source.take(width)
        greater = code.lanes(0)
        for j in range(width):
            number = code.load(source.lines, position + j) & needed[j]
            different = number ^ limits[j]
            greater = greater ^ (different & (greater ^ number))
            ranks[j].set(ranks[j].get() ^ ((ranks[j].get() ^ number) & missing.get()))
        missing.set(missing.get() & greater)
        rounds.leave_unless(code.any(missing.get()))
    for j in range(width):
        code.store(tree, root + j, ranks[j].get())
    return code.choose(choice, code.word(1), code.word(0))


def _large_ranks(code: Code, source: _RandomLines, tree: Value, root: Value, width: Value) -> Value:
    """``ranks`` with any width."""
    limits = root + width + 1
    # Largest rank = count - 1, and for every bit whether the largest rank has this or a higher bit.
    borrow = code.variable(code.lanes(-1))
    with code.count(width) as j:
        count = code.load(tree, root + j)
        code.store(tree, limits + j, count ^ borrow.get())
        code.store(tree, root + j, code.lanes(0))
        borrow.set(~count & borrow.get())
    needed = code.variable(code.lanes(0))
    with code.count(width) as i:
        highest = width - 1 - i
        needed.set(needed.get() | code.load(tree, limits + highest))
        code.store(tree, limits + width + highest, needed.get())
    choice = code.any(needed.get() & source.pending)
    with code.when(choice):
        missing = code.variable(source.pending)
        with code.repeat() as rounds:
            position = source.take(width)
            greater = code.variable(code.lanes(0))
            with code.count(width) as j:
                number = code.load(source.lines, position + j) & code.load(tree, limits + width + j)
                different = number ^ code.load(tree, limits + j)
                greater.set(greater.get() ^ (different & (greater.get() ^ number)))
                rank = code.load(tree, root + j)
                code.store(tree, root + j, rank ^ ((rank ^ number) & missing.get()))
            missing.set(missing.get() & greater.get())
            rounds.leave_unless(code.any(missing.get()))
    return code.choose(choice, code.word(1), code.word(0))


def write_draw(module: Module, ranks: Code) -> Code:
    """``draw(group, call, phase, role)``: one uniformly drawn legal move of a role for each live lane.

    The lines of the moves hold what is legal; afterwards exactly one move of the role is set in each live lane, apart from those
    that are added to STUCK because there is no legal move. Other lanes hold anything.
    """
    code = Code(module, "draw", [POINTER, POINTER, POINTER, POINTER])
    group, call, phase, role = code.arguments
    status = code.line(group, code.load_word(call, Call.STATUS))
    live = code.load(status, Status.LIVE)
    chosen = code.pointer(code.load_word(call, Call.CHOSEN))
    lines = code.pointer(code.load_word(phase, Phase.MOVE_LINES))
    count = code.variable(code.word(0))
    legal = code.variable(code.lanes(0))
    with code.count(code.load_word(role, Role.LAST), code.load_word(role, Role.FIRST)) as i:
        line = code.load_half(lines, i)
        row = code.load(group, line)
        code.store_half(chosen, count.get(), line)
        count.set(count.get() + code.choose(code.any(row & live), code.word(1), code.word(0)))
        legal.set(legal.get() | row)
    code.store(status, Status.STUCK, code.load(status, Status.STUCK) | (live & ~legal.get()))
    with code.when(count.get().compare(">", 1)):
        code.store(status, Status.CHOSEN, live & legal.get())
        _choose(code, group, call, ranks, chosen, count.get())
    code.result(0)
    return code


def write_ready(module: Module, ranks: Code) -> Code:
    """``ready(group, call, role)``: between the two halves of a draw that is written out: draw ranks, say who chooses."""
    code = Code(module, "ready", [POINTER, POINTER, POINTER])
    group, call, role = code.arguments
    status = code.line(group, code.load_word(call, Call.STATUS))
    live, legal = code.load(status, Status.LIVE), code.load(group, code.load_word(role, Role.ANY))
    root, width = code.load_word(role, Role.ROOT), code.load_word(role, Role.WIDTH)
    code.store(status, Status.STUCK, code.load(status, Status.STUCK) | (live & ~legal))
    code.store(status, Status.CHOSEN, live & legal)
    code.call(ranks, [group, call, root - code.load_word(call, Call.TREE), width])
    code.store(group, root + width, live & legal)
    code.result(0)
    return code


def _choose(code: Code, group: Value, call: Value, ranks: Code, chosen: Value, count: Value) -> None:
    """Up and down the tree over the lines in ``chosen``; the lanes that choose are in CHOSEN."""
    tree = code.line(group, code.load_word(call, Call.TREE))
    offsets = code.pointer(code.load_word(call, Call.OFFSETS))
    status = code.line(group, code.load_word(call, Call.STATUS))
    nodes = code.variable((count + 1) >> 1)
    pairs = count >> 1
    with code.count(pairs) as node:
        left, right = (code.load(group, code.load_half(chosen, node * 2 + side)) for side in (0, 1))
        code.store(tree, node * 2, left ^ right)
        code.store(tree, node * 2 + 1, left & right)
    with code.when(pairs.less(nodes.get())):
        code.store(tree, pairs * 2, code.load(group, code.load_half(chosen, count - 1)))
        code.store(tree, pairs * 2 + 1, code.lanes(0))
    code.store_word(offsets, 1, code.word(0))
    height = code.variable(code.word(1))
    with code.repeat() as up:
        up.leave_unless(nodes.get().compare(">", 1))
        below, old = code.load_word(offsets, height.get()), nodes.get()
        height.set(height.get() + 1)
        nodes.set((old + 1) >> 1)
        own = below + old * height.get()
        code.store_word(offsets, height.get(), own)
        for bits in _heights(code, height.get(), 2):
            _count_up(code, tree, below, own, old >> 1, bits)
        with code.when((old & 1).equal(1)):
            last_left, last = below + (old - 1) * height.get(), own + (nodes.get() - 1) * (height.get() + 1)
            with code.count(height.get()) as j:
                code.store(tree, last + j, code.load(tree, last_left + j))
            code.store(tree, last + height.get(), code.lanes(0))
    root = code.load_word(offsets, height.get())
    drawn = code.call(ranks, [group, call, root, height.get()])
    with code.when(drawn.compare("!=", 0)):
        code.store(tree, root + height.get(), code.load(status, Status.CHOSEN))
        with code.repeat() as down:
            down.leave_unless(height.get().compare(">", 1))
            source, target = code.load_word(offsets, height.get()), code.load_word(offsets, height.get() - 1)
            below_nodes = (count + (code.word(1) << (height.get() - 1)) - 1) >> (height.get() - 1)
            for bits in _heights(code, height.get(), 2):
                _go_down(code, tree, source, target, below_nodes >> 1, bits)
            with code.when((below_nodes & 1).equal(1)):
                last, last_left = source + (nodes.get() - 1) * (height.get() + 1), target + (below_nodes - 1) * height.get()
                with code.count(height.get() - 1) as j:
                    code.store(tree, last_left + j, code.load(tree, last + j))
                code.store(tree, last_left + height.get() - 1, code.load(tree, last + height.get()))
            height.set(height.get() - 1)
            nodes.set(below_nodes)
        with code.count(pairs) as node:
            rank, here = code.load(tree, node * 2), code.load(tree, node * 2 + 1)
            left, right = (code.load_half(chosen, node * 2 + side) for side in (0, 1))
            goes_left = here & code.load(group, left) & ~rank
            code.store(group, left, goes_left)
            code.store(group, right, here & ~goes_left)
        with code.when(pairs.less(nodes.get())):
            code.store(group, code.load_half(chosen, count - 1), code.load(tree, pairs * 2 + 1))


def _heights(code: Code, height: Value, lowest: int) -> Any:
    """Write what follows once for each height up to ``UNROLLED``, as a number, and once for all others, as a value."""
    for bits in range(lowest, UNROLLED + 1):
        with code.when(height.equal(bits)):
            yield bits
    with code.when(height.compare(">", UNROLLED)):
        yield height


def _bits(code: Code, bits: Any, step: Any) -> None:
    """Call ``step(j)`` for every bit, now or at run time."""
    if isinstance(bits, int):
        for number in range(bits):
            step(number)
    else:
        with code.count(bits) as j:
            step(j)


def _count_up(code: Code, tree: Value, below: Value, own: Value, pairs: Value, bits: Any) -> None:
    """Add the counters of all pairs of neighbours; they have ``bits`` bits."""
    with code.count(pairs) as node:
        left, target = below + node * (bits * 2), own + node * (bits + 1)
        carry = code.variable(code.lanes(0))

        def add(j: Any) -> None:
            x, y = code.load(tree, left + j), code.load(tree, left + bits + j)
            different = x ^ y
            code.store(tree, target + j, different ^ carry.get())
            carry.set((x & y) | (different & carry.get()))

        _bits(code, bits, add)
        code.store(tree, target + bits, carry.get())


def _go_down(code: Code, tree: Value, source: Value, target: Value, pairs: Value, bits: Any) -> None:
    """Split the lanes at all nodes with two children. Lines of a node: ``bits`` bits of the rank, then who arrived."""
    with code.count(pairs) as node:
        place, left = source + node * (bits + 1), target + node * (bits * 2)
        here = code.load(tree, place + bits)
        borrow = code.variable(code.lanes(0))

        def subtract(j: Any) -> None:
            rank, counted = code.load(tree, place + j), code.load(tree, left + j)
            different = rank ^ counted
            code.store(tree, left + j, rank)
            code.store(tree, left + bits + j, different ^ borrow.get())
            borrow.set((~rank & counted) | (~different & borrow.get()))

        with code.either(code.any(here)) as (some, none):
            with some:
                _bits(code, bits, subtract)
                code.store(tree, left + bits - 1, here & borrow.get())
                code.store(tree, left + bits + bits - 1, here & ~borrow.get())
            with none:
                code.store(tree, left + bits - 1, here)
                code.store(tree, left + bits + bits - 1, here)


assert LEVELS < 64, "the record of offsets has 64 entries"
