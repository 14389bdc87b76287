"""What remains of a circuit once some of its nodes are known, for many cases at once.

A *lane* is one case: a joint move, or a turn. The *word* of a node in a lane stands for the function that is left of it: 0 for
false, all ones for true, the complement for the negation, and equal words for functions that are seen to be equal. Words are hashes
of the simplified conjunctions (64 bits), so different functions have different words but for accidents, while equal functions may
have different words. All functions share ``kind``, ``child_start`` and ``child`` of a circuit (``propnet.circuit_kernels``), and

* ``forced`` int8[nodes, lanes]: what is known, 0 or 1, else -1;
* ``word`` uint64[nodes, lanes].
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from scsp_player.kernels import helper, kernel
from scsp_player.propnet.circuit_kernels import FEEDBACK, GATE

MOST_COMPARED: Final = 16
"""Conjunctions of more conditions that are left are not searched for repeated and absorbed ones."""


@helper
def _scrambled(word: Any) -> Any:
    """The finishing step of splitmix64."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@helper
def _conjunction(node: Any, lane: Any, kind: Any, child_start: Any, child: Any, word: Any, left: Any) -> Any:
    """The word of a gate; ``left`` uint64[MOST_COMPARED] is scratch."""
    true = ~np.uint64(0)
    count = 0
    total = np.uint64(0)
    last = true
    for i in range(child_start[node], child_start[node + 1]):
        literal = child[i]
        here = word[literal >> 1, lane]
        if literal & 1:
            here = ~here
        if here == 0:
            return np.uint64(0)
        if here == true:
            continue
        repeated = False
        for k in range(min(count, MOST_COMPARED)):
            if left[k] == ~here:
                return np.uint64(0)
            repeated = repeated or left[k] == here
        if repeated:
            continue
        if count < MOST_COMPARED:
            left[count] = here
        count += 1
        total += _scrambled(here)
        last = here
    if 1 < count <= MOST_COMPARED:
        # A negated conjunction holds anyway if it contains the negation of another condition.
        for i in range(child_start[node], child_start[node + 1]):
            literal = child[i]
            below = literal >> 1
            if not literal & 1 or kind[below] != GATE or child_start[below + 1] - child_start[below] > MOST_COMPARED:
                continue
            here = ~word[below, lane]
            at = -1
            for k in range(count):
                if left[k] == here:
                    at = k
            if at < 0:
                continue
            absorbed = False
            for j in range(child_start[below], child_start[below + 1]):
                inner = word[child[j] >> 1, lane]
                if not child[j] & 1:
                    inner = ~inner
                for k in range(count):
                    absorbed = absorbed or (k != at and left[k] == inner)
            if absorbed:
                total -= _scrambled(here)
                count -= 1
                left[at] = left[count]
        last = left[0]
    if count == 0:
        return true
    if count == 1:
        return last
    return _scrambled(total + np.uint64(count))


@kernel
def restrict(
    kind: Any, child_start: Any, child: Any, moving: Any, first: int, forced: Any, word: Any, dead: Any, left: Any, same: Any
) -> None:
    """Fill ``word`` from ``forced``.

    Args:
        kind: of the nodes.
        child_start: where the children of each node begin.
        child: the children.
        moving: bool[nodes], whether moves have influence on a node; positive cycles of which this is true differ in all lanes.
        first: number of the first lane, to tell such lanes apart.
        forced: see above.
        word: see above.
        dead: bool[lanes], becomes True where what is known contradicts itself.
        left: uint64[MOST_COMPARED], scratch.
        same: bool[nodes], scratch: whether the word of a node is the same in all lanes.
    """
    true = ~np.uint64(0)
    lanes = word.shape[1]
    for lane in range(lanes):
        word[0, lane] = true
    same[0] = True
    for node in range(1, kind.size):
        own = _scrambled(np.uint64(node) * np.uint64(0x9E3779B97F4A7C15))
        # Most nodes have nothing to do with what differs from lane to lane.
        alike = kind[node] != FEEDBACK or not moving[node]
        if kind[node] == GATE:
            for i in range(child_start[node], child_start[node + 1]):
                alike = alike and same[child[i] >> 1]
        here = own
        still = alike
        for lane in range(lanes):
            if kind[node] == GATE:
                if lane == 0 or not alike:
                    here = _conjunction(node, lane, kind, child_start, child, word, left)
            elif not alike:
                here = _scrambled(own + np.uint64(first + lane + 1))
            result = here
            if forced[node, lane] >= 0:
                result = true if forced[node, lane] == 1 else np.uint64(0)
                if (here == 0 or here == true) and here != result:
                    dead[lane] = True
            word[node, lane] = result
            still = still and result == word[node, 0]
        same[node] = still


@kernel
def derive(kind: Any, child_start: Any, child: Any, forced: Any, word: Any) -> int:
    """Force what must hold so that forced gates have their values; returns how many nodes of all lanes are new."""
    true = ~np.uint64(0)
    new = 0
    for node in range(kind.size - 1, 0, -1):
        if kind[node] != GATE:
            continue
        for lane in range(word.shape[1]):
            value = forced[node, lane]
            if value < 0:
                continue
            count = 0
            only = 0
            false = False
            for i in range(child_start[node], child_start[node + 1]):
                literal = child[i]
                here = word[literal >> 1, lane]
                # What was forced a moment ago has no word yet.
                known = forced[literal >> 1, lane]
                if known >= 0:
                    here = true if known == 1 else np.uint64(0)
                if literal & 1:
                    here = ~here
                if here == 0:
                    false = True
                elif here != true:
                    count += 1
                    only = literal
                    if value == 1:
                        forced[literal >> 1, lane] = 1 - (literal & 1)
                        new += 1
            if value == 0 and not false and count == 1:
                forced[only >> 1, lane] = only & 1
                new += 1
    return new


@kernel
def supports(
    child_start: Any, child: Any, fluents: int, root: Any, lane: Any, row: Any, word: Any, stamp: Any, stack: Any,
    depends: Any, work: int,
) -> int:  # fmt: skip
    """Mark the fluents that what is left of some nodes depends on.

    Args:
        child_start: where the children of each node begin.
        child: the children; the first nodes are the constant and ``fluents`` fluents.
        fluents: number of fluents.
        root: int32[k], nodes.
        lane: int32[k], the lanes that they are looked at in.
        row: int32[k], which row of ``depends`` belongs to each.
        word: see above.
        stamp: int64[nodes], less than 0, scratch.
        stack: int32[nodes], scratch.
        depends: bool[rows, fluents], becomes True.
        work: how many edges may be followed.

    Returns:
        Edges that may still be followed; negative if it was given up.
    """
    true = ~np.uint64(0)
    for k in range(root.size):
        column = lane[k]
        stack[0] = root[k]
        stamp[root[k]] = k
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            here = word[node, column]
            if here == 0 or here == true:
                continue
            if 1 <= node <= fluents:
                depends[row[k], node - 1] = True
            for i in range(child_start[node], child_start[node + 1]):
                work -= 1
                below = child[i] >> 1
                if stamp[below] != k:
                    stamp[below] = k
                    stack[top] = below
                    top += 1
        if work < 0:
            return work
    return work
