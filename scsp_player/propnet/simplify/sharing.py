"""Literals that stand together in several conjunctions become conjunctions of their own."""

from __future__ import annotations

import heapq
import time
from collections import defaultdict
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray
from scsp_player.propnet import circuit_kernels as kernels
from scsp_player.propnet.circuit import Circuit, outputs_of

MAX_PAIRS = 1_500_000
"""Pairs of literals that are counted; conjunctions that are too long for that are left alone."""

MAX_USERS = 64
"""A conjunction that might be part of more than so many others is not looked for."""

LEAST_OVERLAP = 4
"""So many literals that two conjunctions have in common are worth a conjunction."""

MAX_OVERLAPPING = 12
"""Literals of more conjunctions are not counted when common parts are looked for."""

LEAST_USES = 3
"""A pair that occurs so often is worth a conjunction: two uses save no literal."""


def with_sharing(circuit: Circuit, deadline: float) -> Circuit:
    """The circuit with common parts of conjunctions made conjunctions, as far as that saves literals.

    To be cleaned. ``deadline`` is a value of ``time.perf_counter()``.
    """
    sharing = Sharing(circuit)
    sharing.share_bundles()
    sharing.share_subsets()
    sharing.share_overlaps(deadline)
    sharing.share_pairs(deadline)
    return sharing.circuit()


class Sharing:
    """The conjunctions of a circuit as sets of literals, to which conjunctions of some of the literals are added."""

    def __init__(self, circuit: Circuit) -> None:
        starts, children = circuit.child_start.tolist(), circuit.child.tolist()
        self._circuit = circuit
        self._sets = [set(children[starts[node] : starts[node + 1]]) for node in range(len(circuit.kind))]
        self._gates = np.flatnonzero(circuit.kind == kernels.GATE).tolist()

    def circuit(self) -> Circuit:
        """The result; conjunctions that have become equal or have one literal left are not merged yet."""
        old = self._circuit
        count = len(self._sets)
        order = np.array(self._children_first(), np.int64)
        place = np.empty(count, np.int64)
        place[order] = np.arange(count)
        size = np.array([len(s) for s in self._sets], np.int64)[order]
        kind = np.append(old.kind, np.full(count - len(old.kind), kernels.GATE, np.uint8))[order]
        child = np.fromiter((c for node in order.tolist() for c in self._sets[node]), np.int64, int(size.sum()))

        def moved(literals: NDArray[np.signedinteger]) -> IntArray:
            result: IntArray = (2 * place[literals >> 1] + (literals & 1)).astype(np.int32)
            return result

        outputs = moved(outputs_of(old))
        bounds = np.cumsum([1, len(old.legal), len(old.goal), len(old.next)])
        terminal, legal, goal, following, percept = np.split(outputs, bounds)
        start = np.append(0, np.cumsum(size)).astype(np.int64)
        return Circuit(
            old.fluents, old.moves, kind, start, moved(child), int(terminal[0]), legal, goal, following, percept
        )

    def _children_first(self) -> list[int]:
        """All nodes, every conjunction behind its literals."""
        first_gate = 1 + self._circuit.inputs
        order = list(range(first_gate))
        placed = [False] * len(self._sets)
        for node in (*range(first_gate), *np.flatnonzero(self._circuit.kind == kernels.FEEDBACK).tolist()):
            placed[node] = True
            if node >= first_gate:
                order.append(node)
        for root in self._gates:
            path = [root]
            while path:
                node = path[-1]
                if placed[node]:
                    path.pop()
                    continue
                waiting = [literal >> 1 for literal in self._sets[node] if not placed[literal >> 1]]
                if waiting:
                    path += waiting
                else:
                    placed[node] = True
                    order.append(node)
                    path.pop()
        return order

    def _add(self, literals: set[int]) -> int:
        self._sets.append(literals)
        self._gates.append(len(self._sets) - 1)
        return 2 * (len(self._sets) - 1)

    def share_bundles(self) -> None:
        """Literals that always occur together, in two conjunctions or more, become one conjunction."""
        code = np.random.default_rng(0).integers(1, 2**63, size=len(self._sets), dtype=np.uint64)
        gates = self._gates
        owner = np.repeat(np.array(gates, np.int64), [len(self._sets[g]) for g in gates])
        child = np.fromiter((c for g in gates for c in self._sets[g]), np.int64, len(owner))
        signature = np.zeros(2 * len(self._sets), np.uint64)
        np.add.at(signature, child, code[owner])
        uses = np.bincount(child, minlength=len(signature))
        literals = np.flatnonzero(uses >= 2)
        _, label, size = np.unique(signature[literals], return_inverse=True, return_counts=True)
        # k conjunctions share n literals: k n literals become n + k.
        size = size[label]
        literals, label = literals[uses[literals] * (size - 1) > size], label[uses[literals] * (size - 1) > size]
        if not len(literals):
            return
        users = defaultdict(list)
        wanted = np.isin(child, literals)
        for user, used in zip(owner[wanted].tolist(), child[wanted].tolist(), strict=True):
            users[used].append(user)
        bundles = defaultdict(set)
        for literal, number in zip(literals.tolist(), label.tolist(), strict=True):
            bundles[number].add(literal)
        for bundle in bundles.values():
            common = users[next(iter(bundle))]
            literal = self._add(bundle)
            for user in common:
                self._sets[user] -= bundle
                self._sets[user].add(literal)

    def share_subsets(self) -> None:
        """A conjunction that is part of another one takes the place of that part."""
        users: dict[int, set[int]] = defaultdict(set)
        for gate in self._gates:
            for literal in self._sets[gate]:
                users[literal].add(gate)
        for gate in sorted(self._gates, key=lambda g: -len(self._sets[g])):
            literals = self._sets[gate]
            if len(literals) < 2:
                continue
            rarest = sorted(literals, key=lambda x: len(users[x]))
            common = users[rarest[0]] & users[rarest[1]]
            common.discard(gate)
            if len(common) > MAX_USERS:
                continue
            for user in common:
                if literals < self._sets[user]:
                    for literal in literals:
                        users[literal].discard(user)
                    self._sets[user] -= literals
                    self._sets[user].add(2 * gate)
                    users[2 * gate].add(user)

    def share_overlaps(self, deadline: float) -> None:
        """What two long conjunctions have in common, the longest common part first, becomes one."""
        users: dict[int, set[int]] = defaultdict(set)
        for gate in self._gates:
            if len(self._sets[gate]) > LEAST_OVERLAP:
                for literal in self._sets[gate]:
                    users[literal].add(gate)
        overlap: dict[tuple[int, int], int] = defaultdict(int)
        for gates in users.values():
            if 1 < len(gates) <= MAX_OVERLAPPING:
                for pair in combinations(sorted(gates), 2):
                    overlap[pair] += 1
        queue = [(-size, pair) for pair, size in overlap.items() if size >= LEAST_OVERLAP]
        heapq.heapify(queue)
        while queue and time.perf_counter() < deadline:
            size, pair = heapq.heappop(queue)
            common = self._sets[pair[0]] & self._sets[pair[1]]
            if len(common) < LEAST_OVERLAP:
                continue
            if len(common) < -size:
                heapq.heappush(queue, (-len(common), pair))
                continue
            inside = set.intersection(*(users[literal] for literal in common))
            literal = self._add(set(common))
            for gate in inside:
                self._sets[gate] -= common
                self._sets[gate].add(literal)
                for gone in common:
                    users[gone].discard(gate)
                users[literal].add(gate)

    def share_pairs(self, deadline: float) -> None:
        """Again and again the pair of literals that occurs in most conjunctions becomes one, until ``deadline``."""
        room = MAX_PAIRS
        count: dict[tuple[int, int], int] = defaultdict(int)
        users: dict[int, set[int]] = defaultdict(set)
        for gate in sorted(self._gates, key=lambda g: len(self._sets[g])):
            size = len(self._sets[gate])
            room -= size * (size - 1) // 2
            if room < 0:
                break
            if size > 2:
                for literal in self._sets[gate]:
                    users[literal].add(gate)
                for pair in combinations(sorted(self._sets[gate]), 2):
                    count[pair] += 1
        # Conjunctions of two literals serve as they are.
        ready = {tuple(sorted(self._sets[g])): 2 * g for g in self._gates if len(self._sets[g]) == 2}
        queue = [(-uses, pair) for pair, uses in count.items() if uses >= LEAST_USES - (pair in ready)]
        heapq.heapify(queue)
        while queue and time.perf_counter() < deadline:
            uses, pair = heapq.heappop(queue)
            now = count[pair]
            if now < LEAST_USES - (pair in ready):
                continue
            if now != -uses:
                heapq.heappush(queue, (-now, pair))
                continue
            common = users[pair[0]] & users[pair[1]]
            literal = ready.get(pair)
            if literal is None:
                literal = ready[pair] = self._add(set(pair))
            grown: set[tuple[int, int]] = set()
            for gate in common:
                literals = self._sets[gate]
                literals -= set(pair)
                for other in literals:
                    for gone in pair:
                        count[(gone, other) if gone < other else (other, gone)] -= 1
                    new = (literal, other) if literal < other else (other, literal)
                    count[new] += 1
                    grown.add(new)
                literals.add(literal)
                for gone in pair:
                    users[gone].discard(gate)
                users[literal].add(gate)
            for new in grown:
                if count[new] >= LEAST_USES - (new in ready):
                    heapq.heappush(queue, (-count[new], new))
