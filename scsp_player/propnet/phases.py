"""Phases: what every playout goes through in turn whatever is played, such as whose turn it is.

Fluents whose next values depend on each other alone run through a fixed sequence of values. If the sequence returns to its
beginning after a few moves, its positions are *phases*: in each of them these fluents are constants, moves that only other phases
allow are impossible, a role that has one move only makes it, and the circuit shrinks accordingly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame, IntArray, unpack_state
from scsp_player.propnet.circuit import Circuit, cleaned
from scsp_player.propnet.phase_kernels import evaluate_nodes, spread_marks

MOST_PHASES: Final = 8
"""Longest sequence that is worth a circuit for each position."""


@dataclass(frozen=True, eq=False)
class Phases:
    """The phases of a game.

    Attributes:
        fluents: int64[n], the fluents that the phase determines.
        values: bool[phases, n], their values in each phase. The phases follow each other in this order, the first after the last.
    """

    fluents: NDArray[np.int64]
    values: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.values)

    def of(self, states: NDArray[np.uint64], fluents: int) -> NDArray[np.int64]:
        """int64[k]: the phase of each state (uint64[k, words], of a game with so many fluents), -1 if it has none."""
        if not len(self.fluents):
            return np.zeros(len(states), np.int64)
        known = unpack_state(states, fluents)[:, self.fluents]
        same = (known[:, None, :] == self.values[None]).all(axis=2)
        return np.where(same.any(axis=1), same.argmax(axis=1), -1)


def find_phases(game: GroundGame, circuit: Circuit) -> Phases:
    """The phases of a game; a single one if there is no sequence that repeats soon."""
    steps = 3 * MOST_PHASES
    inside = _closed(circuit, np.ones(circuit.fluents, np.bool_))
    history = _history(circuit, inside, game.initial, steps)
    for most in range(MOST_PHASES, 0, -1):
        # Only what repeats with a short period, and depends on nothing else.
        periodic = np.zeros(circuit.fluents, np.bool_)
        for period in range(1, most + 1):
            periodic |= (history[period:] == history[:-period]).all(axis=0)
        chosen = np.flatnonzero(_closed(circuit, inside & periodic))
        values = history[:, chosen]
        for period in range(1, MOST_PHASES + 1):
            if (values[period] == values[0]).all():
                return Phases(chosen, values[:period].astype(np.bool_))
    return Phases(np.zeros(0, np.int64), np.zeros((1, 0), np.bool_))


def _closed(circuit: Circuit, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The largest part of a set of fluents whose next values depend on that part alone."""
    while inside.any():
        mark = np.zeros(len(circuit.kind), np.uint8)
        mark[1 : 1 + circuit.inputs] = 1
        mark[1 : 1 + circuit.fluents] = ~inside
        spread_marks(circuit.kind, circuit.child_start, circuit.child, mark)
        smaller = inside & (mark[circuit.next >> 1] == 0)
        if (smaller == inside).all():
            break
        inside = smaller
    return inside


def _history(circuit: Circuit, inside: NDArray[np.bool_], initial: NDArray[np.bool_], steps: int) -> NDArray[np.uint8]:
    """uint8[steps + 1, fluents]: the values of the fluents ``inside``, beginning with the initial state."""
    value = np.zeros(len(circuit.kind), np.uint8)
    value[0] = 1
    history = np.zeros((steps + 1, circuit.fluents), np.uint8)
    history[0] = initial & inside
    for step in range(steps if inside.any() else 0):
        value[1 : 1 + circuit.fluents] = history[step]
        evaluate_nodes(circuit.kind, circuit.child_start, circuit.child, value)
        history[step + 1] = (value[circuit.next >> 1] ^ (circuit.next & 1)) * inside
    return history


def circuit_of_phase(game: GroundGame, circuit: Circuit, phases: Phases, number: int) -> Circuit:
    """The circuit in one phase, simplified; only for playouts, in which every role makes legal moves."""
    known = np.full(1 + circuit.inputs, -1, np.int8)
    known[1 + phases.fluents] = phases.values[number]
    circuit = _with_constants(circuit, known)
    known[:] = -1
    for first, last in zip(game.role_start[:-1], game.role_start[1:], strict=True):
        legal = circuit.legal[first:last]
        moves = slice(1 + circuit.fluents + first, 1 + circuit.fluents + last)
        known[moves][legal == 1] = 0
        if (legal == 1).sum() == len(legal) - 1 and (legal == 0).sum() == 1:
            known[moves][legal == 0] = 1
    return _with_constants(circuit, known)


def _with_constants(circuit: Circuit, known: NDArray[np.int8]) -> Circuit:
    """The circuit with some inputs replaced by 0 or 1 (int8[1 + inputs], -1: unknown), simplified."""
    value = np.full(len(circuit.kind), -1, np.int8)
    value[: len(known)] = known

    def moved(literals: IntArray) -> IntArray:
        constant = value[literals >> 1]
        # Literal 0 is "true", literal 1 "false".
        return np.where(constant >= 0, (literals & 1) ^ (constant == 0), literals).astype(np.int32)

    settled = replace(
        circuit,
        child=moved(circuit.child),
        terminal=int(moved(np.array([circuit.terminal], np.int32))[0]),
        legal=moved(circuit.legal),
        goal=moved(circuit.goal),
        next=moved(circuit.next),
        percept=moved(circuit.percept),
    )
    return cleaned(settled)
