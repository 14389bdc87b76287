"""Common factors of the alternatives of a disjunction: (a ∧ x) ∨ (a ∧ y) = a ∧ (x ∨ y)."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np

from scsp_player.propnet import circuit_kernels as kernels
from scsp_player.propnet.circuit import Circuit, outputs_of
from scsp_player.propnet.simplify.conjunctions import Conjunctions


def with_factors(circuit: Circuit, deadline: float) -> Circuit:
    """The circuit with factors that alternatives share taken out of them where that saves literals. To be cleaned.

    Only alternatives that nothing else uses are taken apart. The factor that saves most comes first, of several the one that is
    rarest in the circuit: what is left is then made of common literals, and likely to be found elsewhere.

    ``deadline`` is a value of ``time.thread_time()``.
    """
    network = Conjunctions(circuit)
    sets = network.sets
    feedback = np.flatnonzero(circuit.kind == kernels.FEEDBACK)
    uses = Counter((outputs_of(circuit) >> 1).tolist())
    uses.update((circuit.child[circuit.child_start[feedback]] >> 1).tolist())
    frequency: Counter[int] = Counter()
    for gate in network.gates:
        uses.update(literal >> 1 for literal in sets[gate])
        frequency.update(sets[gate])
    own = set(network.gates)
    waiting = list(network.gates)
    for gate in waiting:
        while time.thread_time() < deadline:
            private = [x >> 1 for x in sets[gate] if x & 1 and x >> 1 in own and uses[x >> 1] == 1]
            if len(private) < 2:
                break
            shared = Counter(part for node in private for part in sets[node])
            singles = Counter(part for node in private if len(sets[node]) == 2 for part in sets[node])
            best, gain = -1, (0, 0, 0)
            for part, count in shared.items():
                if count > 1:
                    key = (count - 3 + singles[part], -frequency[part], -part)
                    if best < 0 or key > gain:
                        best, gain = part, key
            if best < 0:
                break
            chosen = sorted(node for node in private if best in sets[node])
            common = set.intersection(*(sets[node] for node in chosen))
            lone = sum(len(sets[node]) == len(common) + 1 for node in chosen)
            if any(len(sets[node]) == len(common) for node in chosen) or len(common) * (len(chosen) - 1) + lone <= 2:
                break
            inner: set[int] = set()
            for node in chosen:
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
            uses[choice >> 1] = uses[product >> 1] = 1
            sets[gate].add(product ^ 1)
            waiting.append(choice >> 1)
    return network.circuit()
