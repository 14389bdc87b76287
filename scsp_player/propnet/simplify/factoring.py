"""Common factors of the alternatives of a disjunction: (a ∧ x) ∨ (a ∧ y) = a ∧ (x ∨ y)."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from scsp_player.propnet import circuit_kernels as kernels
from scsp_player.propnet.circuit import Circuit, outputs_of
from scsp_player.propnet.simplify.conjunctions import Conjunctions
from scsp_player.propnet.simplify.draft import depends_on_moves


def with_factors(circuit: Circuit, deadline: float, *, of_state: bool = False) -> Circuit:
    """The circuit with factors that alternatives share taken out of them where that saves literals. To be cleaned.

    Only alternatives that nothing else uses are taken apart. The factor that saves most comes first, of several the one that is
    rarest in the circuit: what is left is then made of common literals, and likely to be found elsewhere.

    ``deadline`` is a value of ``time.thread_time()``. With ``of_state``, logic that depends on moves is left as it is.
    """
    network = Conjunctions(circuit)
    sets = network.sets
    nodes = len(circuit.kind)
    uses = (np.bincount(outputs_of(circuit) >> 1, minlength=nodes) + np.bincount(circuit.child >> 1, minlength=nodes)).tolist()
    of_gate = np.repeat(circuit.kind == kernels.GATE, np.diff(circuit.child_start))
    frequency = np.bincount(circuit.child[of_gate], minlength=2 * nodes).tolist()
    own = set(network.gates)
    waiting = list(network.gates)
    if of_state:
        moving = depends_on_moves(circuit).tolist()
        waiting = [gate for gate in waiting if not moving[gate]]
    for gate in waiting:
        alternatives = _Alternatives(sets, (x >> 1 for x in sets[gate] if x & 1 and x >> 1 in own and uses[x >> 1] == 1))
        while len(alternatives) > 1 and time.thread_time() < deadline:
            chosen, common = alternatives.best(frequency)
            lone = sum(len(sets[node]) == len(common) + 1 for node in chosen)
            if any(len(sets[node]) == len(common) for node in chosen) or len(common) * (len(chosen) - 1) + lone <= 2:
                break
            inner: set[int] = set()
            for node in chosen:
                alternatives.remove(node)
                sets[gate].discard(2 * node + 1)
                sets[node] -= common
                if len(sets[node]) == 1:
                    (left,) = sets[node]
                    inner.add(left ^ 1)
                    sets[node] = set()
                    own.discard(node)
                else:
                    inner.add(2 * node + 1)
            choice = network.add(inner)
            product = network.add(common | {choice ^ 1})
            own |= {choice >> 1, product >> 1}
            uses += [1, 1]
            frequency += [0, 0, 0, 0]
            sets[gate].add(product ^ 1)
            alternatives.add(product >> 1)
            waiting.append(choice >> 1)
    return network.circuit()


class _Alternatives:
    """Conjunctions with the number of those in which each literal occurs, kept up to date."""

    def __init__(self, sets: list[set[int]], nodes: Iterable[int]) -> None:
        self._sets = sets
        self._users: dict[int, set[int]] = defaultdict(set)
        self._singles: Counter[int] = Counter()
        self._count = 0
        for node in nodes:
            self.add(node)

    def __len__(self) -> int:
        return self._count

    def add(self, node: int) -> None:
        literals = self._sets[node]
        for literal in literals:
            self._users[literal].add(node)
        if len(literals) == 2:
            self._singles.update(literals)
        self._count += 1

    def remove(self, node: int) -> None:
        literals = self._sets[node]
        for literal in literals:
            self._users[literal].discard(node)
        if len(literals) == 2:
            self._singles.subtract(literals)
        self._count -= 1

    def best(self, frequency: list[int]) -> tuple[list[int], set[int]]:
        """The conjunctions with the literal that is most worth being a factor, and all that they have in common; maybe none."""
        best, gain = -1, (0, 0, 0)
        for literal, users in self._users.items():
            if len(users) > 1:
                key = (len(users) - 3 + self._singles[literal], -frequency[literal], -literal)
                if best < 0 or key > gain:
                    best, gain = literal, key
        if best < 0:
            return [], set()
        chosen = sorted(self._users[best])
        return chosen, set.intersection(*(self._sets[node] for node in chosen))
