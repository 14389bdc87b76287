"""Bit-parallel uniform choice: every lane of a row draws one of its own legal moves, all lanes at once.

The moves that are legal in at least one lane are the leaves of a binary tree. Going up, every node counts the legal moves below
it, one counter a lane, stored bit-sliced: row j of a counter holds bit j of every lane's count. At the root each lane draws a rank
below its count. Going down, a rank smaller than the left child's count goes left, any other goes right, reduced by that count,
until every lane has arrived at one leaf. A node over 2^k moves works with k-bit numbers, so that the whole walk costs O(l) row
operations for l moves.

Ranks are drawn by rejection, which is exact: as many random bits as the lane's largest rank has, valid if they do not exceed it.
Lanes whose numbers are not valid draw again; when only few are left they *stall*: they keep their state and draw anew in the next
step. Since a rejected number tells nothing about the move to come, this leaves the distribution of playouts as it is.
"""

from __future__ import annotations

from typing import Any, Final

from scsp_player.propnet.compiling import helper
from scsp_player.propnet.rows import literal_row, load, population, spread, store, union

# Lines of the matrix ``lanes``, uint64[LANE_LINES, ROW_WORDS].
PLAYING: Final = 0  # in: lanes that want a move
STALLED: Final = 1  # in/out: lanes that got none in this step
STUCK: Final = 2  # in/out: lanes in which a role has no legal move
RANDOM: Final = 3  # two lines: state of the random generators, one generator a word
LIVE: Final = 5  # lanes that are inside a playout
EXHAUSTED: Final = 6  # lanes at the depth limit
RESTARTED: Final = 7  # lanes that begin a playout in the next step
REMAINING: Final = 8  # a number in every word: playouts still to be begun
WANTED: Final = 9  # a number in every word: scratch
LANE_LINES: Final = 10

STALL_SHARE: Final = 32
"""A draw ends when at most 1/32 of the playing lanes has no valid number."""


@helper
def _draw_ranks(lanes: Any, tree: Any, root: Any, width: Any, limits: Any, pending: Any) -> Any:
    """Random ranks below the root's counts for the lanes in ``pending``; returns the lanes that got none.

    Writes rank bit j (j < ``width``) to line ``root + j`` of ``tree``; uses ``2 * width`` lines from ``limits`` on. Returns a row
    of ones only, and writes nothing, if no lane has a choice.
    """
    # Largest rank = count - 1, and for every bit whether the largest rank has this or a higher bit.
    borrow = spread(-1)
    for j in range(width):
        count = load(tree, root + j)
        store(tree, limits + j, count ^ borrow)
        borrow = ~count & borrow
    needed = spread(0)
    for i in range(width):
        j = width - 1 - i
        needed = needed | load(tree, limits + j)
        store(tree, limits + width + j, needed)
    if union(needed & pending) == 0:
        return spread(-1)
    tolerated = population(pending) // STALL_SHARE
    a = load(lanes, RANDOM)
    b = load(lanes, RANDOM + 1)
    missing = pending
    while True:
        greater = spread(0)
        for j in range(width):
            # xoroshiro128+ (Blackman and Vigna), one generator in every word.
            number = (a + b) & load(tree, limits + width + j)
            b = b ^ a
            a = ((a << 24) | (a >> 40)) ^ b ^ (b << 16)
            b = (b << 37) | (b >> 27)
            limit = load(tree, limits + j)
            greater = (number & ~limit) | (~(number ^ limit) & greater)
            rank = load(tree, root + j)
            store(tree, root + j, rank ^ ((rank ^ number) & missing))
        missing = missing & greater
        if population(missing) <= tolerated:
            break
    store(lanes, RANDOM, a)
    store(lanes, RANDOM + 1, b)
    return missing


@helper
def draw(
    values: Any, legal: Any, first: Any, last: Any, first_move_line: Any, lanes: Any, tree: Any, chosen: Any, offset: Any
) -> None:
    """One uniformly drawn legal move a lane for the role with the moves ``first`` … ``last - 1``.

    Reads the rows of the literals ``legal`` and writes the lines of the moves: exactly one move is set in each lane of PLAYING,
    except those added to STALLED or STUCK. Other lanes hold anything. Scratch: ``tree`` is uint64[n, ROW_WORDS] with n from
    ``tree_lines``; ``chosen`` int32[moves of the role]; ``offset`` int64[64].
    """
    playing = load(lanes, PLAYING)
    count = 0
    any_legal = spread(0)
    for move in range(first, last):
        row = literal_row(values, legal[move])
        store(values, first_move_line + move, row)
        if union(row & playing) != 0:
            chosen[count] = first_move_line + move
            count += 1
            any_legal = any_legal | row
    store(lanes, STUCK, load(lanes, STUCK) | (playing & ~any_legal))
    if count <= 1:
        return

    # Up: counters. Level k has k + 1 lines a node.
    offset[1] = 0
    nodes = (count + 1) >> 1
    for node in range(nodes):
        left = load(values, chosen[2 * node])
        right = spread(0)
        if 2 * node + 1 < count:
            right = load(values, chosen[2 * node + 1])
        store(tree, 2 * node, left ^ right)
        store(tree, 2 * node + 1, left & right)
    height = 1
    while nodes > 1:
        below = offset[height]
        below_nodes = nodes
        height += 1
        nodes = (nodes + 1) >> 1
        offset[height] = below + below_nodes * height
        for node in range(nodes):
            target = offset[height] + node * (height + 1)
            left_line = below + 2 * node * height
            carry = spread(0)
            if 2 * node + 1 < below_nodes:
                for j in range(height):
                    x = load(tree, left_line + j)
                    y = load(tree, left_line + height + j)
                    different = x ^ y
                    store(tree, target + j, different ^ carry)
                    carry = (x & y) | (different & carry)
            else:
                for j in range(height):
                    store(tree, target + j, load(tree, left_line + j))
            store(tree, target + height, carry)

    root = offset[height]
    pending = playing & any_legal
    missing = _draw_ranks(lanes, tree, root, height, root + height + 1, pending)
    if union(~missing) == 0:
        return
    store(lanes, STALLED, load(lanes, STALLED) | missing)
    store(tree, root + height, pending & ~missing)

    # Down: a node's lines now hold its lanes' ranks and, last, the lanes that arrived.
    while height > 1:
        width = height
        below = offset[height - 1]
        below_nodes = (count + (1 << (height - 1)) - 1) >> (height - 1)
        for node in range(nodes):
            source = offset[height] + node * (height + 1)
            left_line = below + 2 * node * width
            here = load(tree, source + width)
            if 2 * node + 1 == below_nodes:
                for j in range(width - 1):
                    store(tree, left_line + j, load(tree, source + j))
                store(tree, left_line + width - 1, here)
            elif union(here) == 0:
                store(tree, left_line + width - 1, here)
                store(tree, left_line + 2 * width - 1, here)
            else:
                borrow = spread(0)
                for j in range(width):
                    rank = load(tree, source + j)
                    counted = load(tree, left_line + j)
                    different = rank ^ counted
                    store(tree, left_line + j, rank)
                    store(tree, left_line + width + j, different ^ borrow)
                    borrow = (~rank & counted) | (~different & borrow)
                store(tree, left_line + width - 1, here & borrow)
                store(tree, left_line + 2 * width - 1, here & ~borrow)
        height -= 1
        nodes = below_nodes
    for node in range(nodes):
        rank = load(tree, 2 * node)
        here = load(tree, 2 * node + 1)
        left = here
        if 2 * node + 1 < count:
            left = here & load(values, chosen[2 * node]) & ~rank
            store(values, chosen[2 * node + 1], here & ~left)
        store(values, chosen[2 * node], left)


def tree_lines(moves: int) -> int:
    """Lines of ``tree`` that a draw among ``moves`` moves needs.

    >>> tree_lines(9)
    40
    """
    nodes, height, lines = (moves + 1) // 2, 1, 0
    while True:
        lines += nodes * (height + 1)
        if nodes <= 1:
            return lines + 2 * height
        nodes, height = (nodes + 1) // 2, height + 1
