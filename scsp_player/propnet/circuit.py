"""The rules of a game as an and/or/not graph without duplicates, constants or dead parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame, IntArray, OffsetArray
from scsp_player.propnet import circuit_kernels as kernels

ROUNDS = 4
"""Merging conjunctions opens new absorptions, which open new merges; after so many rounds nothing worth a round is left."""


@dataclass(frozen=True, eq=False)
class Circuit:
    """Conjunctions over signed inputs, numbered so that children stand before parents.

    A *literal* is ``2 * node + sign``; sign 1 negates, and a disjunction is a negated conjunction of negated literals. Node 0 is
    the constant "true", nodes 1 … fluents are the fluents, the next ones the moves (global indices), then follow *gates* (the
    conjunction of their children) and *feedback* nodes: atoms of positive cycles, false at first, set to their only child (which
    may have a larger number) until nothing changes: the least fixpoint.

    Attributes:
        fluents, moves: numbers of inputs.
        kind: uint8[nodes], ``circuit_kernels.INPUT``, ``GATE`` or ``FEEDBACK``.
        child_start: int64[nodes + 1], where each node's children start in ``child``.
        child: int32[children], literals.
        terminal: the literal that says that the match is over.
        legal: int32[moves].
        goal: int32[goals], in the order of ``GroundGame.goal_literal``.
        next: int32[fluents].
        percept: int32[percepts].
        exclusive: int32 arrays, groups of fluents of which at most one is true in every state that play reaches; not all there are.
    """

    fluents: int
    moves: int
    kind: NDArray[np.uint8]
    child_start: OffsetArray
    child: IntArray
    terminal: int
    legal: IntArray
    goal: IntArray
    next: IntArray
    percept: IntArray
    exclusive: tuple[IntArray, ...] = ()

    @property
    def inputs(self) -> int:
        """Number of fluents and moves."""
        return self.fluents + self.moves

    @property
    def gates(self) -> int:
        """Number of nodes that have to be computed."""
        return len(self.kind) - 1 - self.inputs

    @property
    def literals(self) -> int:
        """Number of literals in all conjunctions: the work of one evaluation."""
        return len(self.child)


@dataclass(frozen=True, eq=False)
class _Tables:
    """The arrays that the kernels build a circuit in; see ``circuit_kernels``."""

    kind: NDArray[np.uint8]
    child_start: OffsetArray
    child: IntArray
    table: IntArray
    stamp: NDArray[np.int64]
    book: NDArray[np.int64]

    @classmethod
    def of(cls, inputs: int, gates: int, children: int) -> _Tables:
        """Room for a constant, the inputs, ``gates`` further nodes and ``children`` literals."""
        nodes = 1 + inputs + gates
        size = 1 << max(4, (2 * gates).bit_length())
        book = np.array([1 + inputs, 0, 0], dtype=np.int64)
        return cls(
            np.zeros(nodes, np.uint8),
            np.zeros(nodes + 1, np.int64),
            np.zeros(children, np.int32),
            np.full(size, -1, np.int32),
            np.zeros(2 * nodes, np.int64),
            book,
        )

    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        return self.kind, self.child_start, self.child, self.table, self.stamp, self.book

    def circuit(self, fluents: int, moves: int, outputs: IntArray, goals: int) -> Circuit:
        """The finished circuit; ``outputs`` are the literals of terminal, legal, goal, next and sees, one after the other."""
        nodes, children = int(self.book[kernels.NODES]), int(self.book[kernels.CHILDREN])
        legal, goal, following, percept = np.split(outputs[1:], np.cumsum([moves, goals, fluents]))
        return Circuit(
            fluents,
            moves,
            self.kind[:nodes].copy(),
            self.child_start[: nodes + 1].copy(),
            self.child[:children].copy(),
            int(outputs[0]),
            legal,
            goal,
            following,
            percept,
        )


def outputs_of(circuit: Circuit) -> IntArray:
    """All output literals of a circuit: terminal, legal, goal, next, sees."""
    return np.concatenate(
        [np.array([circuit.terminal], np.int32), circuit.legal, circuit.goal, circuit.next, circuit.percept]
    ).astype(np.int32, copy=False)


def build_circuit(game: GroundGame) -> Circuit:
    """The simplified circuit of a game.

    Equal conjunctions are one gate; constants, repeated, contradictory and absorbed literals are gone, conjunctions used once by a
    conjunction are merged into it, disjunctions of many conjunctions are products where they can be (``products``), and
    what no output needs is dropped. Time and memory are linear in the ground rules, apart from absorption, which looks at most
    ``EXAMINED_CHILDREN`` deep into each child.
    """
    circuit = cleaned(_translate(game))
    # Imported here because products are made of circuits.
    from scsp_player.propnet.products import with_products

    factored = with_products(circuit)
    return circuit if factored is circuit else cleaned(factored)


def cleaned(circuit: Circuit) -> Circuit:
    """The circuit with equal conjunctions made one, constants and absorbed literals gone, lone users merged, dead logic dropped.

    Literals may be repeated or constant in the given circuit, and conjunctions may have any number of them.
    """
    for _ in range(ROUNDS):
        simpler = _rebuild(circuit)
        unchanged = (simpler.gates, simpler.literals) == (circuit.gates, circuit.literals)
        circuit = simpler
        if unchanged:
            break
    return circuit


def _translate(game: GroundGame) -> Circuit:
    inputs = game.fluents + game.moves
    atoms = len(game.component_atoms)
    cyclic = int(np.diff(game.component_start)[game.component_cyclic].sum())
    tables = _Tables.of(inputs, game.rules + atoms + cyclic, len(game.rule_body) + game.rules + cyclic)
    tables.child_start[: 2 + inputs] = 0
    atom_literal = np.full(game.atoms, -1, dtype=np.int32)
    atom_literal[0] = 0
    atom_literal[game.fluent_atom] = 2 * np.arange(1, game.fluents + 1, dtype=np.int32)
    atom_literal[game.does_atom] = 2 * np.arange(game.fluents + 1, inputs + 1, dtype=np.int32)
    longest = int(np.diff(game.rule_start).max(initial=0)) + int(np.diff(game.head_start).max(initial=0))
    kernels.build(
        atom_literal,
        _evaluation_order(game),
        np.zeros(game.atoms, np.uint8),
        game.head_start,
        game.rule_start,
        game.rule_body,
        np.zeros(longest + 1, np.int32),
        *tables.arrays(),
    )
    sources = np.concatenate(
        [
            np.array([game.terminal_literal], np.int32),
            game.legal_literal,
            game.goal_literal,
            game.next_literal,
            game.percept_literal,
        ]
    )
    outputs = (atom_literal[sources >> 1] ^ (sources & 1)).astype(np.int32)
    return tables.circuit(game.fluents, game.moves, outputs, len(game.goal_literal))


def _evaluation_order(game: GroundGame) -> IntArray:
    """``component_atoms`` with the atoms of each positive cycle in depth-first order."""
    cycles = np.flatnonzero(game.component_cyclic)
    if not len(cycles):
        return game.component_atoms
    order = game.component_atoms.copy()
    home = np.full(game.atoms, -1, np.int32)
    home[order] = np.repeat(np.arange(len(game.component_cyclic), dtype=np.int32), np.diff(game.component_start))
    cursor = np.full(game.atoms, -1, np.int64)
    path = np.zeros(len(order), np.int32)
    for cycle in cycles:
        place = slice(game.component_start[cycle], game.component_start[cycle + 1])
        members = game.component_atoms[place]
        rules = game.head_start, game.rule_start, game.rule_body
        kernels.order_cycle(members, home, np.int32(cycle), *rules, cursor, path, order[place])
    return order


def _rebuild(circuit: Circuit) -> Circuit:
    """The live part of a circuit, built anew with every conjunction that only one conjunction uses merged into that one."""
    nodes = len(circuit.kind)
    outputs = outputs_of(circuit)
    live = np.zeros(nodes, np.uint8)
    kernels.mark_cone(outputs, np.uint8(1), circuit.child_start, circuit.child, live, np.zeros(nodes, np.int32))
    gate, feedback = circuit.kind == kernels.GATE, circuit.kind == kernels.FEEDBACK
    # Uses that forbid merging count twice: by outputs, by feedback nodes, under a negation.
    parent = np.repeat(np.arange(nodes), np.diff(circuit.child_start))
    weight = np.where(gate[parent] & (circuit.child & 1 == 0), 1, 2) * (live[parent] > 0)
    uses = np.bincount(circuit.child >> 1, weight, nodes) + 2 * np.bincount(outputs >> 1, minlength=nodes)
    merged = gate & (live > 0) & (uses == 1)
    # A circuit read as rules: each node an atom with one rule. Feedback nodes come last, hence become feedback nodes again.
    order = np.concatenate([np.flatnonzero(gate & (live > 0) & ~merged), np.flatnonzero(feedback & (live > 0))])
    mapped = np.full(nodes, -1, np.int32)
    mapped[: 1 + circuit.inputs] = 2 * np.arange(1 + circuit.inputs, dtype=np.int32)
    tables = _Tables.of(circuit.inputs, circuit.gates, circuit.literals)
    kernels.build(
        mapped,
        order.astype(np.int32),
        merged.astype(np.uint8),
        np.arange(nodes + 1, dtype=np.int64),
        circuit.child_start,
        circuit.child,
        np.zeros(circuit.literals + 2, np.int32),
        *tables.arrays(),
    )
    moved = (mapped[outputs >> 1] ^ (outputs & 1)).astype(np.int32)
    return tables.circuit(circuit.fluents, circuit.moves, moved, len(circuit.goal))
