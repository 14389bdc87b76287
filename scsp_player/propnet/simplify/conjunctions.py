"""The conjunctions of a circuit as sets of literals that may change and be added to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray
from scsp_player.propnet import circuit_kernels as kernels
from scsp_player.propnet.circuit import Circuit, outputs_of


class Conjunctions:
    """The nodes of a circuit, those of conjunctions open to change.

    Attributes:
        sets: for each node its literals.
        gates: the nodes that are conjunctions.
    """

    def __init__(self, circuit: Circuit) -> None:
        starts, children = circuit.child_start.tolist(), circuit.child.tolist()
        self._circuit = circuit
        self.sets = [set(children[starts[node] : starts[node + 1]]) for node in range(len(circuit.kind))]
        self.gates = np.flatnonzero(circuit.kind == kernels.GATE).tolist()

    def circuit(self) -> Circuit:
        """The circuit as it is now, to be cleaned."""
        old = self._circuit
        count = len(self.sets)
        order = np.array(self._children_first(), np.int64)
        place = np.empty(count, np.int64)
        place[order] = np.arange(count)
        size = np.array([len(s) for s in self.sets], np.int64)[order]
        kind = np.append(old.kind, np.full(count - len(old.kind), kernels.GATE, np.uint8))[order]
        child = np.fromiter((c for node in order.tolist() for c in self.sets[node]), np.int64, int(size.sum()))

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
        placed = [False] * len(self.sets)
        for node in (*range(first_gate), *np.flatnonzero(self._circuit.kind == kernels.FEEDBACK).tolist()):
            placed[node] = True
            if node >= first_gate:
                order.append(node)
        for root in self.gates:
            path = [root]
            while path:
                node = path[-1]
                if placed[node]:
                    path.pop()
                    continue
                waiting = [literal >> 1 for literal in self.sets[node] if not placed[literal >> 1]]
                if waiting:
                    path += waiting
                else:
                    placed[node] = True
                    order.append(node)
                    path.pop()
        return order

    def add(self, literals: set[int]) -> int:
        """The literal of a new conjunction."""
        self.sets.append(literals)
        self.gates.append(len(self.sets) - 1)
        return 2 * (len(self.sets) - 1)
