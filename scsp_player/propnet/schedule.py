"""The order in which a circuit is computed: stages by purpose, children before parents, cycles as loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.components import strong_components
from scsp_player.grounding.ground_game import IntArray, OffsetArray
from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.circuit_kernels import FEEDBACK, INPUT, mark_cone

TERMINAL: Final = 0
LEGAL: Final = 1
GOAL: Final = 2
NEXT: Final = 3
PERCEPT: Final = 4
STAGES: Final = 5
"""Stages in order of evaluation. GOAL may be left out, and everything after the last stage that a question needs."""


@dataclass(frozen=True, eq=False)
class Schedule:
    """A circuit laid out gate after gate in evaluation order, addressed by *line*.

    Line 0 is the constant "true", then follow fluents and moves as in ``Circuit``, then the gates in the order in which they are
    computed: gate i writes line ``first_gate + i``. All literals are ``2 * line + sign``.

    The stages are: what decides whether the match is over; what is further needed for legal moves (and whatever goals share with
    next or sees); what only goals need; what only successor states need (moves must be set); what only percepts need.

    Attributes:
        fluents, moves: numbers of inputs.
        first_gate: line of the first gate.
        code_start: int64[gates + 1], where each gate's literals start in ``code``.
        code: int32[literals].
        segment: int32[segments, 3]: first gate, first feedback gate, end. If there are feedback gates, they start as false and the
            segment is repeated until they stop changing.
        stage_segment: int32[STAGES + 1], stage s consists of the segments ``stage_segment[s]:stage_segment[s + 1]``.
        terminal: literal.
        legal, goal, next, percept: int32 literals as in ``Circuit``.
    """

    fluents: int
    moves: int
    first_gate: int
    code_start: OffsetArray
    code: IntArray
    segment: IntArray
    stage_segment: IntArray
    terminal: int
    legal: IntArray
    goal: IntArray
    next: IntArray
    percept: IntArray

    @property
    def gates(self) -> int:
        """Number of gates, feedback gates included."""
        return len(self.code_start) - 1

    @property
    def literals(self) -> int:
        """Number of literals read by one evaluation of all stages."""
        return len(self.code)

    @property
    def lines(self) -> int:
        """Number of lines: constant, inputs and gates."""
        return self.first_gate + self.gates

    def stage_literals(self) -> NDArray[np.int64]:
        """int64[STAGES]: literals read in each stage."""
        edges = np.array([self.segment[s, 0] if s < len(self.segment) else self.gates for s in self.stage_segment])
        counts: NDArray[np.int64] = np.diff(self.code_start[edges])
        return counts


def schedule(circuit: Circuit) -> Schedule:
    """The evaluation order of a circuit: depth first inside a stage, so that most values are read soon after they were computed.

    Raises:
        ValueError: if ``terminal``, a legal move or a goal depends on the moves of the same turn.
    """
    nodes = len(circuit.kind)
    stage = _stages(circuit)
    component, components = strong_components(
        np.arange(nodes + 1, dtype=np.int64), np.zeros(0, np.int32), circuit.child_start, circuit.child
    )
    loop = np.where(_in_cycle(circuit, component, components), component + 1, 0)
    feedback = circuit.kind == FEEDBACK
    # Components are numbered children first. Inside one: gates by number, which is children first as well, feedback nodes last.
    order = np.lexsort((np.arange(nodes), feedback, component, stage))
    order = order[(circuit.kind[order] != INPUT) & (stage[order] < STAGES)]

    first_gate = 1 + circuit.inputs
    line = np.arange(nodes, dtype=np.int32)
    line[order] = first_gate + np.arange(len(order), dtype=np.int32)
    code_start, code = _gathered(circuit, order)
    segment, stage_segment = _segments(stage[order], loop[order], feedback[order])

    def moved(literals: IntArray) -> IntArray:
        result: IntArray = (2 * line[literals >> 1] + (literals & 1)).astype(np.int32)
        return result

    return Schedule(
        fluents=circuit.fluents,
        moves=circuit.moves,
        first_gate=first_gate,
        code_start=code_start,
        code=moved(code),
        segment=segment,
        stage_segment=stage_segment,
        terminal=int(moved(np.array([circuit.terminal], np.int32))[0]),
        legal=moved(circuit.legal),
        goal=moved(circuit.goal),
        next=moved(circuit.next),
        percept=moved(circuit.percept),
    )


def _stages(circuit: Circuit) -> NDArray[np.int8]:
    """int8[nodes]: the stage of each node, ``STAGES`` if no output needs it."""
    nodes = len(circuit.kind)
    marks, stack = np.zeros(nodes, np.uint8), np.zeros(nodes, np.int32)
    outputs = (np.array([circuit.terminal], np.int32), circuit.legal, circuit.goal, circuit.next, circuit.percept)
    for bit, roots in enumerate(outputs):
        mark_cone(roots, np.uint8(1 << bit), circuit.child_start, circuit.child, marks, stack)
    needed = [(marks >> bit) & 1 == 1 for bit in range(STAGES)]
    of_moves = slice(1 + circuit.fluents, 1 + circuit.inputs)
    for name, purpose in (("terminal", TERMINAL), ("legal", LEGAL), ("goal", GOAL)):
        if needed[purpose][of_moves].any():
            raise ValueError(f"{name} depends on the moves of the same turn")
    stage = np.full(nodes, STAGES, np.int8)
    stage[needed[PERCEPT]] = PERCEPT
    stage[needed[NEXT]] = NEXT
    stage[needed[GOAL]] = GOAL
    stage[needed[LEGAL] | (needed[GOAL] & (needed[NEXT] | needed[PERCEPT]))] = LEGAL
    stage[needed[TERMINAL]] = TERMINAL
    return stage


def _in_cycle(circuit: Circuit, component: IntArray, components: int) -> NDArray[np.bool_]:
    """bool[nodes]: whether a node depends on itself; only components with a feedback node can."""
    size = np.bincount(component, minlength=components)
    feedback = np.flatnonzero(circuit.kind == FEEDBACK)
    cyclic = np.zeros(components, np.bool_)
    cyclic[component[feedback]] = True
    definition = circuit.child[circuit.child_start[feedback]] >> 1
    alone = feedback[(size[component[feedback]] == 1) & (definition != feedback)]
    cyclic[component[alone]] = False
    inside: NDArray[np.bool_] = cyclic[component]
    return inside


def _gathered(circuit: Circuit, order: NDArray[np.int64]) -> tuple[OffsetArray, IntArray]:
    """The children of the nodes in ``order``, one after the other, in CSR form."""
    count = np.diff(circuit.child_start)[order]
    start = np.append(0, np.cumsum(count)).astype(np.int64)
    index = np.arange(start[-1]) + np.repeat(circuit.child_start[order] - start[:-1], count)
    return start, circuit.child[index]


def _segments(
    stage: NDArray[np.int8], loop: NDArray[np.int64], feedback: NDArray[np.bool_]
) -> tuple[IntArray, IntArray]:
    """``Schedule.segment`` and ``Schedule.stage_segment`` of gates in evaluation order.

    A feedback node that lost its cycle to simplification is an ordinary gate with one literal.
    """
    gates = len(stage)
    changes = np.flatnonzero((np.diff(stage) != 0) | (np.diff(loop) != 0)) + 1
    start = np.concatenate([np.zeros(min(gates, 1), np.int64), changes])
    end = np.append(start[1:], gates) if gates else start
    looping = np.append(0, np.cumsum(feedback & (loop > 0)))
    segment = np.stack([start, end - (looping[end] - looping[start]), end], axis=1).astype(np.int32)
    stage_segment = np.searchsorted(stage[start], np.arange(STAGES + 1)).astype(np.int32)
    return segment, stage_segment
