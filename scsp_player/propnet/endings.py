"""What is known of the end of a match while it is played: that it has not come yet, and what may have brought it just now.

The end is a disjunction of *alternatives*. While a match goes on all of them are false, so legal moves and successors need not ask
again. And what no move of the phase before makes true cannot be why the match is over: where white has just moved, a black line
would have been there before. The circuits made here are right for playouts that begin in states that are not terminal.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.circuit_kernels import GATE
from scsp_player.propnet.phase_kernels import find_kept, spread_kept, spread_to_users
from scsp_player.propnet.phases import Phases, circuit_of_phase

TRUE, FALSE = 0, 1
"""The literals of the constants."""

MOST_LOOKED_AT: Final = 50_000
"""Alternatives of the end that are looked at; others stay as they are."""

DEEPEST: Final = 6
"""How deep to look into a conjunction for what is new in it."""


def circuits_of_phases(game: GroundGame, circuit: Circuit, phases: Phases) -> tuple[list[Circuit], bool]:
    """The circuits that playouts need, one a phase, and whether they are right in terminal start states as well.

    Args:
        game: the game.
        circuit: its circuit.
        phases: its phases.
    """
    circuit = going_on(circuit)
    circuits = [circuit_of_phase(game, circuit, phases, number) for number in range(len(phases))]
    narrowed = [with_new_ends(circuit, phases, number, circuits[number - 1]) for number in range(len(phases))]
    for number, changed in enumerate(narrowed):
        if changed is not circuit:
            circuits[number] = circuit_of_phase(game, changed, phases, number)
    return circuits, all(same is circuit for same in narrowed)


def going_on(circuit: Circuit) -> Circuit:
    """The circuit with legal moves, successors and percepts as they are where the match is not over."""
    meaning = np.arange(2 * len(circuit.kind), dtype=np.int32)
    false = np.array(_alternatives(circuit), np.int32)
    user = np.zeros(len(circuit.kind), np.uint8)
    user[false >> 1] = 1
    user[0] = 0
    spread_to_users(circuit.kind, circuit.child_start, circuit.child, user)
    copied = np.flatnonzero((user != 0) & (circuit.kind == GATE))
    copy = 2 * (len(circuit.kind) + np.arange(len(copied), dtype=np.int32))
    meaning[2 * copied], meaning[2 * copied + 1] = copy, copy + 1
    meaning[false], meaning[false ^ 1] = FALSE, TRUE
    meaning[TRUE], meaning[FALSE] = TRUE, FALSE
    sizes = np.diff(circuit.child_start)[copied]
    place = np.repeat(circuit.child_start[copied] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return replace(
        circuit,
        kind=np.concatenate([circuit.kind, np.full(len(copied), GATE, np.uint8)]),
        child_start=np.concatenate([circuit.child_start, circuit.child_start[-1] + np.cumsum(sizes)]),
        child=np.concatenate([circuit.child, meaning[circuit.child[place]]]),
        legal=meaning[circuit.legal],
        next=meaning[circuit.next],
        percept=meaning[circuit.percept],
    )


def with_new_ends(circuit: Circuit, phases: Phases, number: int, before: Circuit) -> Circuit:
    """The circuit with the end, and the goals, as they are in states of one phase that follow from one that is not terminal.

    Args:
        circuit: the circuit of the whole game.
        phases: the phases.
        number: which of them.
        before: the circuit in the phase before (``circuit_of_phase``).

    Returns:
        The same circuit if nothing can be left out. Otherwise, in states that do not follow so, its ``terminal`` may be false where
        the match is over, but is never true where it is not.
    """
    kept = _kept(circuit, phases, number, before)
    narrowed = _Narrowed(circuit, kept)
    for literal in _alternatives(circuit):
        if kept[literal]:
            narrowed.false.append(literal)
        elif literal & 1 == 0 and circuit.kind[literal >> 1] == GATE:
            narrowed.add(literal >> 1)
    return narrowed.result()


def _alternatives(circuit: Circuit) -> list[int]:
    """The literals of which each one ends the match: that of the end itself, and what it is a disjunction of."""
    found, reached = [circuit.terminal], {circuit.terminal}
    for literal in found:
        node = literal >> 1
        if literal & 1 and circuit.kind[node] == GATE and len(found) < MOST_LOOKED_AT:
            parts = circuit.child[circuit.child_start[node] : circuit.child_start[node + 1]] ^ 1
            found.extend(part for part in parts.tolist() if part not in reached)
            reached.update(parts.tolist())
    return found


def _kept(circuit: Circuit, phases: Phases, number: int, before: Circuit) -> NDArray[np.uint8]:
    """uint8[2 * nodes]: literals that are true in states of a phase only if they were true one move before."""
    kept = np.zeros(2 * len(circuit.kind), np.uint8)
    kept[[TRUE, FALSE]] = 1
    find_kept(before.kind, before.child_start, before.child, before.next, kept)
    # In the circuits of phases their fluents are no longer to be seen.
    now, earlier = phases.values[number], phases.values[number - 1]
    kept[2 * (1 + phases.fluents)] = ~now | earlier
    kept[2 * (1 + phases.fluents) + 1] = now | ~earlier
    spread_kept(circuit.kind, circuit.child_start, circuit.child, kept)
    return kept


class _Narrowed:
    """A circuit under change. Of a conjunction whose parts are kept but for one, only what is new in that part can be new."""

    def __init__(self, circuit: Circuit, kept: NDArray[np.uint8]) -> None:
        self.false: list[int] = []
        self._circuit, self._kept = circuit, kept
        # Children of gates that are changed, and of new gates, which get the numbers behind all others; each follows another gate.
        self._changed: dict[int, list[int]] = {}
        self._new: list[list[int]] = []
        self._follows: list[int] = []

    def add(self, gate: int) -> None:
        """Leave out of a conjunction that is an alternative of the end what was true before."""
        children = self._children(2 * gate)
        narrowed = self._narrowed_parts(children, DEEPEST)
        if narrowed != children:
            self._changed[gate] = narrowed

    def result(self) -> Circuit:
        """The circuit with all that was added."""
        circuit = self._circuit
        if not self.false and not self._changed:
            return circuit
        count, new = len(circuit.kind), len(self._new)
        bodies = [circuit.child[a:b] for a, b in pairwise(circuit.child_start.tolist())]
        for gate, children in self._changed.items():
            bodies[gate] = np.array(children, np.int32)
        bodies.extend(np.array(children, np.int32) for children in self._new)
        # New gates stand right behind those that they follow, so that children stand before parents.
        order = np.argsort(np.concatenate([np.arange(count), self._follows]), kind="stable")
        place = np.empty(count + new, np.int32)
        place[order] = np.arange(count + new, dtype=np.int32)
        meaning = (2 * np.repeat(place, 2) + np.tile(np.array([0, 1], np.int32), count + new)).astype(np.int32)
        false = np.array(self.false, np.int64)
        meaning[false], meaning[false ^ 1] = FALSE, TRUE
        meaning[TRUE], meaning[FALSE] = TRUE, FALSE
        sizes = np.array([len(body) for body in bodies], np.int64)[order]
        return replace(
            circuit,
            kind=np.concatenate([circuit.kind, np.full(new, GATE, np.uint8)])[order],
            child_start=np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]),
            child=meaning[np.concatenate([bodies[node] for node in order])],
            terminal=int(meaning[circuit.terminal]),
            legal=meaning[circuit.legal],
            goal=meaning[circuit.goal],
            next=meaning[circuit.next],
            percept=meaning[circuit.percept],
        )

    def _children(self, literal: int) -> list[int]:
        """The parts of a conjunction or disjunction."""
        node = literal >> 1
        children = self._circuit.child[self._circuit.child_start[node] : self._circuit.child_start[node + 1]] ^ (literal & 1)
        return [int(child) for child in children]

    def _narrowed_parts(self, parts: list[int], depth: int) -> list[int]:
        """The parts of a conjunction, the only one that is not kept narrowed, if there is just one."""
        open_parts = [part for part in parts if not self._kept[part]]
        if len(open_parts) != 1:
            return parts
        return [part if self._kept[part] else self._narrowed(part, depth) for part in parts]

    def _narrowed(self, literal: int, depth: int) -> int:
        """A condition without what was true before, given that all that stands beside it was."""
        if not depth or self._circuit.kind[literal >> 1] != GATE:
            return literal
        parts = self._children(literal)
        if literal & 1:
            narrowed = [self._narrowed(part, depth - 1) for part in parts if not self._kept[part]]
        else:
            narrowed = self._narrowed_parts(parts, depth - 1)
        if narrowed == parts:
            return literal
        self._follows.append(literal >> 1)
        self._new.append([part ^ (literal & 1) for part in narrowed])
        return 2 * (len(self._circuit.kind) + len(self._new) - 1) + (literal & 1)
