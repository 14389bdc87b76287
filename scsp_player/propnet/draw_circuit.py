"""The walk up and down the draw's tree as instructions, for roles with few enough moves to write it out.

It does what ``draw_code`` does with loops: count legal moves from the leaves to the root, then send every lane from the root to the
leaf of its rank. Between the two the driver draws ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scsp_player.propnet.schedule import STAGES
from scsp_player.propnet.vector_code import EXCLUSIVE, VectorCode
from scsp_player.propnet.vector_code_kernels import assign_lines

WRITTEN_OUT: Final = 300
"""Roles with more moves than this draw in loops: there most moves are legal in no lane, which loops can take advantage of."""

GROUPS_WRITTEN_OUT: Final = 1000
"""The same for groups of moves that exclude each other: most groups have a legal move in some lane."""


@dataclass(frozen=True, eq=False)
class DrawCode:
    """The draw of one role.

    Attributes:
        code: instructions; stage 0 goes up, stage 1 goes down.
        root: first line of a block: ``width`` lines for the count at the root, later the rank; the lanes that choose; scratch of
            ``2 * width`` lines.
        width: bits of a rank.
        any: line that says which lanes have a legal move.
    """

    code: VectorCode
    root: int
    width: int
    any: int


class _Writer:
    """Instructions on numbered values; a value below ``first`` is a line."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.targets: list[int] = []
        self.operands: list[list[int]] = []
        self.positive: list[int] = []

    def _write(self, positive: int, operands: list[int], target: int = -1) -> int:
        self.targets.append(target)
        self.operands.append(operands)
        self.positive.append(positive)
        return self.first + len(self.targets) - 1

    def both(self, a: int, b: int) -> int:
        return self._write(2, [a, b])

    def only(self, a: int, b: int) -> int:
        """The first and not the second."""
        return self._write(1, [a, b])

    def some(self, operands: list[int]) -> int:
        return self._write(0, operands)

    def differ(self, a: int, b: int) -> int:
        return self._write(EXCLUSIVE, [a, b])

    def copy(self, a: int, line: int) -> None:
        self._write(1, [a], line)

    def restrict(self, line: int, lanes: int) -> None:
        """Keep those lanes of a line."""
        self._write(2, [line, lanes], line)


@dataclass(frozen=True)
class _Node:
    """A subtree: the number of its first leaf, how many it has, the bits of its count, and its children."""

    first: int
    leaves: int
    count: tuple[int, ...]
    children: tuple[_Node, ...]


def draw_instructions(groups: list[list[int]], free_line: int) -> DrawCode:
    """Instructions for the draw among moves, given by their lines, in two or more groups of which one move at most is legal.

    Lines from ``free_line`` on may be used. The lines of the moves say what is legal before, and what is drawn afterwards.
    """
    width = (len(groups) - 1).bit_length()
    root, any_line = free_line, free_line + 3 * width + 1
    writer = _Writer(any_line + 1)
    tree = _count(writer, [group[0] if len(group) == 1 else writer.some(group) for group in groups])
    for j in range(width):
        writer.copy(tree.count[j], root + j)
    writer.copy(writer.some(list(tree.count)), any_line)
    middle = len(writer.targets)
    pending = [(tree, tuple(root + j for j in range(width)), root + width)]
    chosen: list[tuple[int, int]] = []
    while pending:
        node, rank, here = pending.pop()
        if node.children:
            pending += _split(writer, node, rank, here)
        elif len(groups[node.first]) == 1:
            chosen.append((here, groups[node.first][0]))
        else:
            for line in groups[node.first]:
                writer.restrict(line, here)
    for value, line in chosen:
        writer.copy(value, line)
    return DrawCode(_assembled(writer, middle), root, width, any_line)


def _count(writer: _Writer, leaves: list[int]) -> _Node:
    """The tree over all leaves with its counts, as balanced as can be."""
    level = [_Node(i, 1, (value,), ()) for i, value in enumerate(leaves)]
    while len(level) > 1:
        pairs = [_joined(writer, a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[2 * len(pairs) :]
    return level[0]


def _joined(writer: _Writer, left: _Node, right: _Node) -> _Node:
    leaves = left.leaves + right.leaves
    bits: list[int] = []
    carry: int | None = None
    for j in range(leaves.bit_length()):
        digits = [node.count[j] for node in (left, right) if j < len(node.count)]
        if carry is not None:
            digits.append(carry)
        if len(digits) == 1:
            bits.append(digits[0])
            carry = None
        elif len(digits) == 2:
            bits.append(writer.differ(*digits))
            carry = writer.both(*digits)
        else:
            different = writer.differ(digits[0], digits[1])
            bits.append(writer.differ(different, digits[2]))
            carry = writer.some([writer.both(digits[0], digits[1]), writer.both(different, digits[2])])
    return _Node(left.first, leaves, tuple(bits), (left, right))


def _split(writer: _Writer, node: _Node, rank: tuple[int, ...], here: int) -> list[tuple[_Node, tuple[int, ...], int]]:
    """Send the lanes ``here`` to the left child if their rank is below its count, else right with the rank reduced by it."""
    left, right = node.children
    left_bits, right_bits = (left.leaves - 1).bit_length(), (right.leaves - 1).bit_length()
    reduced: list[int] = []
    borrow: int | None = None
    for j, digit in enumerate(rank):
        if j >= len(left.count):
            # The count has no more digits: below it only if something was borrowed and nothing is left to borrow from.
            if j < right_bits:
                reduced.append(digit if borrow is None else writer.differ(digit, borrow))
            borrow = None if borrow is None else writer.only(borrow, digit)
            continue
        counted = left.count[j]
        if borrow is None:
            if j < right_bits:
                reduced.append(writer.differ(digit, counted))
            borrow = writer.only(counted, digit)
            continue
        different = writer.differ(digit, counted)
        if j < right_bits:
            reduced.append(writer.differ(different, borrow))
        borrow = writer.some([writer.only(counted, digit), writer.only(borrow, different)])
    for j in range(len(rank), len(left.count)):
        borrow = left.count[j] if borrow is None else writer.some([borrow, left.count[j]])
    assert borrow is not None
    goes_left, goes_right = writer.both(here, borrow), writer.only(here, borrow)
    return [(right, tuple(reduced), goes_right), (left, rank[:left_bits], goes_left)]


def _assembled(writer: _Writer, middle: int) -> VectorCode:
    """The instructions with lines for all values."""
    count = len(writer.targets)
    start = np.append(0, np.cumsum([len(operands) for operands in writer.operands])).astype(np.int64)
    operand = np.array([value for operands in writer.operands for value in operands], np.int64)
    line = np.array(writer.targets, np.int32)
    last_use = np.arange(count)
    last_use[line >= 0] = count
    reader = np.repeat(np.arange(count), np.diff(start))
    inner = operand >= writer.first
    np.maximum.at(last_use, operand[inner] - writer.first, reader[inner])
    lines = int(assign_lines(last_use, line, writer.first, *np.zeros((3, count), np.int64)))
    everything = np.append(np.arange(writer.first, dtype=np.int32), line)
    return VectorCode(
        target=line,
        operand_start=start,
        operand=everything[operand],
        positive=np.array(writer.positive, np.int32),
        last_use=last_use,
        segment=np.array([[0, middle, middle], [middle, count, count]], np.int32),
        stage_segment=np.array([0, 1, *[2] * (STAGES - 1)], np.int32),
        lines=lines,
    )
