"""Ground rules of all clauses in flat arrays, and what constants make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding import simplify_kernels as kernels
from scsp_player.grounding.instances import Instances

IntArray = NDArray[np.int32]


@dataclass(slots=True)
class RuleArrays:
    """Ground rules in CSR arrays; rule i has head ``head[i]`` and literals ``body[start[i]:start[i + 1]]``.

    Attributes:
        head: int32[rules].
        start: int64[rules + 1].
        body: int32[literals], ``2 * atom + sign``, ascending in a rule, without TRUE and repetitions.
        origin: int32[rules], number of the clause that the rule is an instance of.
    """

    head: IntArray
    start: NDArray[np.int64]
    body: IntArray
    origin: IntArray


def bytes_needed(instances: Instances) -> int:
    """Memory that simplification needs for the instances of a clause, all intermediate arrays included."""
    count, width = instances.literals.shape
    return int(count) * (50 + 20 * int(width))


def collect(instances: Sequence[Instances]) -> RuleArrays:
    """All instances as one set of rules; those whose body contradicts itself are left out."""
    rules = sum(len(i.literals) for i in instances)
    literals = sum(len(i.literals) * (i.literals.shape[1] - 1) for i in instances)
    head = np.zeros(rules, dtype=np.int32)
    start = np.zeros(rules + 1, dtype=np.int64)
    body = np.zeros(literals, dtype=np.int32)
    ends = np.zeros(len(instances) + 1, dtype=np.int64)
    count = 0
    for n, instance in enumerate(instances):
        count = int(kernels.collect_rules(instance.literals, head, start, body, count))
        ends[n + 1] = count
    origin = np.repeat(np.arange(len(instances), dtype=np.int32), np.diff(ends))
    return RuleArrays(head[:count], start[: count + 1], body[: start[count]], origin)


def sorted_rules(keys: IntArray, size: int) -> tuple[NDArray[np.int64], IntArray]:
    """The rules whose key is in 0 … size - 1, by ascending key, as CSR arrays; a key -1 leaves its rule out.

    >>> [a.tolist() for a in sorted_rules(np.array([2, -1, 0, 2], dtype=np.int32), 3)]
    [[0, 1, 1, 3], [2, 0, 3]]
    """
    start = np.zeros(size + 2, dtype=np.int64)
    order = np.zeros(int(np.count_nonzero(keys >= 0)), dtype=np.int32)
    kernels.sort_rules(keys, start, order)
    return start[:-1], order


class Simplifier:
    """Finds the atoms whose value is the same in all states, and the rules that remain.

    Attributes:
        rules: the rules as collected.
        value: int8[atoms], ``UNKNOWN``, ``HOLDS`` or ``FAILS`` of ``simplify_kernels``.
    """

    def __init__(self, rules: RuleArrays, atoms: int, inputs: NDArray[np.bool_]) -> None:
        self.rules = rules
        self.value = np.zeros(atoms, dtype=np.int8)
        self.value[0] = kernels.HOLDS
        self._left = np.diff(rules.start).astype(np.int32)
        self._support = np.bincount(rules.head, minlength=atoms).astype(np.int32)
        self._start = np.zeros(atoms + 2, dtype=np.int64)
        self._entries = np.zeros(len(rules.body), dtype=np.int32)
        kernels.occurrences(rules.start, rules.body, len(rules.head), self._start, self._entries)
        self._queue = np.zeros(atoms + 1, dtype=np.int32)
        facts = np.unique(rules.head[self._left == 0])
        self.value[facts] = kernels.HOLDS
        missing = np.flatnonzero((self._support == 0) & ~inputs & (self.value == kernels.UNKNOWN))
        self.value[missing] = kernels.FAILS
        self._propagate(np.concatenate([facts, missing]))

    def _propagate(self, seeds: NDArray[np.integer]) -> None:
        self._queue[: len(seeds)] = seeds
        kernels.propagate(
            self.value, self._left, self._support, self.rules.head, self._start, self._entries, self._queue, len(seeds)
        )

    def remove_unfounded(self, link: IntArray, initial: IntArray) -> None:
        """Repeat until nothing changes: atoms that nothing can make true fail.

        Args:
            link: int32[atoms], the input that an atom makes possible in the next state or for the players, or -1.
            initial: int32[k], inputs that are possible from the start.
        """
        rules = self.rules
        waiting = np.zeros(len(rules.head), dtype=np.int32)
        while True:
            certain = np.flatnonzero(self.value == kernels.HOLDS).astype(np.int32)
            start = np.concatenate([initial, certain])
            reached = np.zeros(len(self.value), dtype=np.int8)
            kernels.founded(
                self.value, self._left, rules.head, rules.start, rules.body, self._start, self._entries, link, start,
                reached, waiting, self._queue,
            )  # fmt: skip
            lost = np.flatnonzero((reached == 0) & (self.value == kernels.UNKNOWN))
            if not len(lost):
                return
            self.value[lost] = kernels.FAILS
            self._propagate(lost)

    def needed(self, roots: IntArray) -> NDArray[np.bool_]:
        """bool[atoms]: the undecided atoms that the roots depend on."""
        head_start, order = sorted_rules(self.rules.head, len(self.value))
        found = np.zeros(len(self.value), dtype=np.int8)
        rules = self.rules
        kernels.needed_atoms(self.value, self._left, head_start, order, rules.start, rules.body, roots, found, self._queue)
        return np.asarray(found, dtype=np.bool_)

    def renumbered(self, number: IntArray) -> RuleArrays:
        """The rules that remain, with atoms renumbered, sorted by head, constants and repetitions gone.

        Args:
            number: int32[atoms], new number of an atom; -1 drops the atom's rules.
        """
        rules = self.rules
        order = sorted_rules(number[rules.head], 1 + int(number.max(initial=0)))[1]
        head = np.zeros(len(order), dtype=np.int32)
        start = np.zeros(len(order) + 1, dtype=np.int64)
        body = np.zeros(len(rules.body), dtype=np.int32)
        kept = np.zeros(len(order), dtype=np.int32)
        most = int(np.bincount(rules.head).max(initial=0))
        table = np.zeros(4 << (2 * most).bit_length(), dtype=np.int32)
        row = np.zeros(1 + int(np.diff(rules.start).max(initial=0)), dtype=np.int32)
        count = kernels.compact_rules(
            self.value, self._left, number, order, rules.head, rules.start, rules.body,
            head, start, body, kept, table, row,
        )  # fmt: skip
        return RuleArrays(head[:count].copy(), start[: count + 1].copy(), body[: start[count]].copy(), rules.origin[kept[:count]])
