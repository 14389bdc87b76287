"""A circuit under revision: conjunctions looked up by their literals, before they are frozen into arrays."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray
from scsp_player.propnet import circuit_kernels as kernels
from scsp_player.propnet.circuit import Circuit, outputs_of

TRUE = 0
FALSE = 1


class Draft:
    """Nodes and literals are numbered as in ``Circuit``; equal conjunctions are one node.

    Attributes:
        children: for each node its literals in ascending order; empty for the constant and inputs; feedback nodes have their
            definition.
        feedback: for each node whether it is a feedback node.
    """

    def __init__(self, inputs: int) -> None:
        self.children: list[tuple[int, ...]] = [()] * (1 + inputs)
        self.feedback: list[bool] = [False] * (1 + inputs)
        self._node: dict[tuple[int, ...], int] = {}

    def all_of(self, literals: Iterable[int]) -> int:
        """The literal of a conjunction, without repetitions and constants."""
        given = set(literals)
        given.discard(TRUE)
        if FALSE in given or any(literal ^ 1 in given for literal in given):
            return FALSE
        if len(given) < 2:
            return given.pop() if given else TRUE
        key = tuple(sorted(given))
        node = self._node.get(key)
        if node is None:
            node = self._node[key] = self._append(key, feedback=False)
        return 2 * node

    def any_of(self, literals: Iterable[int]) -> int:
        """The literal of a disjunction."""
        return self.all_of(literal ^ 1 for literal in literals) ^ 1

    def parts(self, literal: int) -> tuple[int, ...]:
        """The literals whose conjunction ``literal`` is: those of a gate that is not negated, or itself."""
        node = literal >> 1
        return self.children[node] if self.is_gate(literal) and not literal & 1 else (literal,)

    def alternatives(self, literal: int) -> tuple[int, ...]:
        """The literals whose disjunction ``literal`` is."""
        return tuple(part ^ 1 for part in self.parts(literal ^ 1))

    def is_gate(self, literal: int) -> bool:
        """Whether a literal belongs to a conjunction."""
        node = literal >> 1
        return bool(self.children[node]) and not self.feedback[node]

    def _append(self, children: tuple[int, ...], *, feedback: bool) -> int:
        self.children.append(children)
        self.feedback.append(feedback)
        return len(self.children) - 1

    def new_feedback(self) -> int:
        """A feedback node; its definition is set later."""
        return self._append((FALSE,), feedback=True)

    def define(self, node: int, literal: int) -> None:
        """Set the definition of a feedback node."""
        self.children[node] = (literal,)

    def freeze(self, like: Circuit, outputs: IntArray) -> Circuit:
        """The draft as a circuit with these outputs (in the order of ``outputs_of``), dead nodes included."""
        count = np.array([len(c) for c in self.children], np.int64)
        child = np.fromiter((literal for c in self.children for literal in c), np.int32, int(count.sum()))
        kind = np.full(len(count), kernels.GATE, np.uint8)
        kind[: 1 + like.inputs] = kernels.INPUT
        kind[np.flatnonzero(self.feedback)] = kernels.FEEDBACK
        start = np.append(0, np.cumsum(count)).astype(np.int64)
        bounds = np.cumsum([len(like.legal), len(like.goal), len(like.next)])
        legal, goal, following, percept = np.split(outputs[1:].astype(np.int32), bounds)
        return Circuit(like.fluents, like.moves, kind, start, child, int(outputs[0]), legal, goal, following, percept)


def redraw(
    circuit: Circuit,
    conjunction: Callable[[Draft, list[int]], int] = Draft.all_of,
    before_moves: Callable[[Draft, IntArray], None] | None = None,
    deadline: float = math.inf,
) -> tuple[Draft, IntArray]:
    """A circuit as a draft, every gate made anew by ``conjunction`` from its new literals; also the new output literals.

    Gates that depend on the state alone come first; then ``before_moves`` is called with the draft and the literals of legality.
    Past ``deadline`` (a value of ``time.thread_time()``) gates are made as they are.
    """
    draft = Draft(circuit.inputs)
    nodes = len(circuit.kind)
    moved = [2 * node for node in range(1 + circuit.inputs)] + [-1] * (nodes - 1 - circuit.inputs)
    starts, children = circuit.child_start.tolist(), circuit.child.tolist()
    feedback = np.flatnonzero(circuit.kind == kernels.FEEDBACK).tolist()
    for node in feedback:
        moved[node] = 2 * draft.new_feedback()
    after_moves = depends_on_moves(circuit)
    gates = np.flatnonzero(circuit.kind == kernels.GATE)
    for chosen in (gates[~after_moves[gates]].tolist(), gates[after_moves[gates]].tolist()):
        for node in chosen:
            if time.thread_time() > deadline:
                conjunction = Draft.all_of
            moved[node] = conjunction(draft, [moved[c >> 1] ^ (c & 1) for c in children[starts[node] : starts[node + 1]]])
        if before_moves is not None:
            before_moves(draft, np.array([moved[c >> 1] ^ (c & 1) for c in circuit.legal.tolist()], np.int32))
            before_moves = None
    for node in feedback:
        only = children[starts[node]]
        draft.define(moved[node] >> 1, moved[only >> 1] ^ (only & 1))
    table = np.array(moved, np.int32)
    outputs = outputs_of(circuit)
    return draft, (table[outputs >> 1] ^ (outputs & 1)).astype(np.int32)


def depends_on_moves(circuit: Circuit) -> NDArray[np.bool_]:
    """bool[nodes]: whether a move stands below a node."""
    nodes = len(circuit.kind)
    result = np.zeros(nodes, np.bool_)
    result[1 + circuit.fluents : 1 + circuit.inputs] = True
    starts, below = circuit.child_start.tolist(), (circuit.child >> 1).tolist()
    flags = result.tolist()
    gates = range(1 + circuit.inputs, nodes)
    while True:
        changed = False
        for node in gates:
            if not flags[node] and any(flags[b] for b in below[starts[node] : starts[node + 1]]):
                flags[node] = changed = True
        # Only feedback nodes may stand before what they depend on.
        if not changed or not (circuit.kind == kernels.FEEDBACK).any():
            return np.array(flags, np.bool_)
