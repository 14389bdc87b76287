"""Literals that stand together in several conjunctions become conjunctions of their own."""

from __future__ import annotations

import heapq
import time
from collections import defaultdict
from itertools import combinations

import numpy as np

from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.simplify.conjunctions import Conjunctions

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

    To be cleaned. ``deadline`` is a value of ``time.thread_time()``.
    """
    sharing = Sharing(circuit)
    sharing.share_bundles()
    sharing.share_subsets(deadline)
    sharing.share_overlaps(deadline)
    sharing.share_pairs(deadline)
    return sharing.circuit()


class Sharing(Conjunctions):
    """Conjunctions to which conjunctions of some of their literals are added."""

    def share_bundles(self) -> None:
        """Literals that always occur together, in two conjunctions or more, become one conjunction."""
        code = np.random.default_rng(0).integers(1, 2**63, size=len(self.sets), dtype=np.uint64)
        gates = self.gates
        owner = np.repeat(np.array(gates, np.int64), [len(self.sets[g]) for g in gates])
        child = np.fromiter((c for g in gates for c in self.sets[g]), np.int64, len(owner))
        signature = np.zeros(2 * len(self.sets), np.uint64)
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
            literal = self.add(bundle)
            for user in common:
                self.sets[user] -= bundle
                self.sets[user].add(literal)

    def share_subsets(self, deadline: float) -> None:
        """A conjunction that is part of another one takes the place of that part, until ``deadline``."""
        users: dict[int, set[int]] = defaultdict(set)
        for gate in self.gates:
            for literal in self.sets[gate]:
                users[literal].add(gate)
        for gate in sorted(self.gates, key=lambda g: -len(self.sets[g])):
            literals = self.sets[gate]
            if time.thread_time() > deadline:
                break
            if len(literals) < 2:
                continue
            rarest = sorted(literals, key=lambda x: len(users[x]))
            common = users[rarest[0]] & users[rarest[1]]
            common.discard(gate)
            if len(common) > MAX_USERS:
                continue
            for user in common:
                if literals < self.sets[user]:
                    for literal in literals:
                        users[literal].discard(user)
                    self.sets[user] -= literals
                    self.sets[user].add(2 * gate)
                    users[2 * gate].add(user)

    def share_overlaps(self, deadline: float) -> None:
        """What two long conjunctions have in common, the longest common part first, becomes one."""
        users: dict[int, set[int]] = defaultdict(set)
        for gate in self.gates:
            if len(self.sets[gate]) > LEAST_OVERLAP:
                for literal in self.sets[gate]:
                    users[literal].add(gate)
        overlap: dict[tuple[int, int], int] = defaultdict(int)
        for gates in users.values():
            if 1 < len(gates) <= MAX_OVERLAPPING:
                for pair in combinations(sorted(gates), 2):
                    overlap[pair] += 1
        queue = [(-size, pair) for pair, size in overlap.items() if size >= LEAST_OVERLAP]
        heapq.heapify(queue)
        while queue and time.thread_time() < deadline:
            size, pair = heapq.heappop(queue)
            common = self.sets[pair[0]] & self.sets[pair[1]]
            if len(common) < LEAST_OVERLAP:
                continue
            if len(common) < -size:
                heapq.heappush(queue, (-len(common), pair))
                continue
            inside = set.intersection(*(users[literal] for literal in common))
            literal = self.add(set(common))
            for gate in inside:
                self.sets[gate] -= common
                self.sets[gate].add(literal)
                for gone in common:
                    users[gone].discard(gate)
                users[literal].add(gate)

    def share_pairs(self, deadline: float) -> None:
        """Again and again the pair of literals that occurs in most conjunctions becomes one, until ``deadline``."""
        room = MAX_PAIRS
        count: dict[tuple[int, int], int] = defaultdict(int)
        users: dict[int, set[int]] = defaultdict(set)
        for gate in sorted(self.gates, key=lambda g: len(self.sets[g])):
            size = len(self.sets[gate])
            room -= size * (size - 1) // 2
            if room < 0:
                break
            if size > 2:
                for literal in self.sets[gate]:
                    users[literal].add(gate)
                for pair in combinations(sorted(self.sets[gate]), 2):
                    count[pair] += 1
        # Conjunctions of two literals serve as they are.
        ready = {tuple(sorted(self.sets[g])): 2 * g for g in self.gates if len(self.sets[g]) == 2}
        queue = [(-uses, pair) for pair, uses in count.items() if uses >= LEAST_USES - (pair in ready)]
        heapq.heapify(queue)
        while queue and time.thread_time() < deadline:
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
                literal = ready[pair] = self.add(set(pair))
            grown: set[tuple[int, int]] = set()
            for gate in common:
                literals = self.sets[gate]
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
