"""What the next value of each fluent depends on, joint move by joint move, and what each move needs to be legal.

Rules of ``next`` mention nearly everything: what stays as it is says so for every move that leaves it alone. So the circuit of the
game is cut down for every joint move in turn: the move is made, it is legal, the match is not over, and whoever is to move is so
(``propnet.phases``). What is left tells whether a fluent stays as it is, and which fluents decide otherwise.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.circuit_kernels import GATE
from scsp_player.propnet.phase_kernels import spread_marks
from scsp_player.propnet.phases import Phases, find_phases
from scsp_player.structure import cofactor_kernels as kernels

Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]

MOST_LANES = 1 << 14
"""Joint moves of all phases together, at most."""

MOST_CELLS = 1 << 23
"""Nodes × joint moves, at most."""

CHUNK_CELLS = 1 << 17
"""Nodes × joint moves that are looked at at once."""

FACTOR_CELLS = 1 << 20
"""Nodes × disjunctions of which a common factor is taken out, at most."""

MOST_EDGES = 4_000_000
"""Edges of the circuit that are followed, at most."""

ROUNDS = 4
"""Times that what follows from what is known is looked for."""


STAYS = np.uint64(1)
"""The word of an outcome that is what was before."""


class UnknownError(Exception):
    """The game is too large to find out, or time is up."""


@dataclass(frozen=True, eq=False)
class Dependence:
    """How fluents and moves depend on fluents.

    Attributes:
        joint: int32[lanes, roles], the joint moves that may be made, as global indices.
        phase: int32[lanes], the phase in which each is made.
        outcome: uint64[fluents, lanes], the next value of a fluent by a joint move: equal words are equal functions of the
            state, and ``STAYS`` is its present value.
        changes: bool[fluents, lanes], False if the fluent surely stays as it is.
        depends: bool[fluents, fluents], row f: fluents on which the next value of f depends by joint moves that may change it.
        conditions: for each move (global index) the literals of the circuit, all of which hold exactly if it is legal.
        needs: for each such literal the fluents on which it depends, bool[fluents]; only what is not always true.
    """

    joint: NDArray[np.int32]
    phase: NDArray[np.int32]
    outcome: Words
    changes: Bools
    depends: Bools
    conditions: tuple[tuple[int, ...], ...]
    needs: dict[int, Bools]


class Cases:
    """A circuit, cut down for many cases."""

    def __init__(self, circuit: Circuit, cases: int) -> None:
        self.circuit = circuit
        self._moving = _moving(circuit)
        nodes = len(circuit.kind)
        self.forced = np.full((nodes, cases), -1, np.int8)
        self.word = np.zeros((nodes, cases), np.uint64)
        self.dead = np.zeros(cases, np.bool_)

    def force(self, literals: NDArray[np.int32], lanes: NDArray[np.intp], value: int = 1) -> None:
        """These literals have this value in these lanes, one by one."""
        constant = literals <= 1
        self.dead[lanes[constant & ((literals == 0) != (value == 1))]] = True
        literals, lanes = literals[~constant], lanes[~constant]
        wanted = (value ^ (literals & 1)).astype(np.int8)
        before = self.forced[literals >> 1, lanes]
        self.dead[lanes[(before >= 0) & (before != wanted)]] = True
        self.forced[literals >> 1, lanes] = wanted

    def solve(self, first: int = 0) -> None:
        """Fill ``word`` and ``dead``."""
        circuit = self.circuit
        graph = circuit.kind, circuit.child_start, circuit.child
        scratch = np.zeros(kernels.MOST_COMPARED, np.uint64), np.zeros(len(circuit.kind), np.bool_)
        for _ in range(ROUNDS):
            kernels.restrict(*graph, self._moving, first, self.forced, self.word, self.dead, *scratch)
            if not kernels.derive(*graph, self.forced, self.word):
                return
        kernels.restrict(*graph, self._moving, first, self.forced, self.word, self.dead, *scratch)

    def of(self, literals: NDArray[np.int32]) -> Words:
        """uint64[literals, lanes]: the words of literals."""
        words = self.word[literals >> 1]
        result: Words = np.where((literals & 1)[:, None] == 1, ~words, words)
        return result


def prepare_kernels() -> None:
    """Compile what is not compiled yet, so that it takes no part of the time of a game."""
    kind, start, child = np.array([0, 0, 1], np.uint8), np.array([0, 0, 0, 1], np.int64), np.array([2], np.int32)
    nothing = np.zeros(0, np.int32)
    circuit = Circuit(1, 0, kind, start, child, 1, nothing, nothing, np.array([4], np.int32), nothing)
    cases = Cases(circuit, 1)
    cases.solve()
    _add_supports(cases, np.ones((1, 1), np.bool_), np.zeros((1, 1), np.bool_), MOST_EDGES)


def find_dependence(game: GroundGame, circuit: Circuit, deadline: float) -> Dependence:
    """The dependence of a game, by ``deadline`` of ``time.process_time``.

    Raises:
        UnknownError: if there are too many joint moves, or time is up.
    """
    phases = find_phases(game, circuit)
    base = Cases(circuit, len(phases))
    everywhere = np.arange(len(phases))
    _begin(base, phases, everywhere)
    base.solve()
    joint, phase = _joint_moves(game, base.of(circuit.legal), len(circuit.kind))
    fluents, lanes, nodes = circuit.fluents, len(joint), len(circuit.kind)
    outcome = np.zeros((fluents, lanes), np.uint64)
    changes = np.zeros((fluents, lanes), np.bool_)
    depends = np.zeros((fluents, fluents), np.bool_)
    alive = np.ones(lanes, np.bool_)
    chunk = max(1, CHUNK_CELLS // nodes)
    work = MOST_EDGES
    for first in range(0, lanes, chunk):
        if time.process_time() > deadline:
            raise UnknownError
        part = slice(first, min(lanes, first + chunk))
        cases = Cases(circuit, part.stop - first)
        _begin(cases, phases, phase[part])
        _make(cases, game, joint[part])
        cases.solve(first)
        alive[part] = ~cases.dead
        outcome[:, part] = cases.of(circuit.next)
        changes[:, part] = (outcome[:, part] != cases.word[1 : 1 + fluents]) & ~cases.dead
        outcome[:, part][~changes[:, part]] = STAYS
        work = _add_supports(cases, changes[:, part], depends, work)
    parts = [conjuncts(circuit, int(literal)) for literal in circuit.legal]
    factors = {c: _factors(circuit, c) for c in {c for found in parts for c in found}}
    if len(phases) * nodes * sum(1 for found in factors.values() if found) > FACTOR_CELLS:
        factors = dict.fromkeys(factors, ())
    conditions = tuple(tuple(sorted({*found, *(f for c in found for f in factors[c])})) for found in parts)
    needs = _needs(base, phases, {c: factors.get(c, ()) for found in conditions for c in found}, work)
    return Dependence(joint[alive], phase[alive], outcome[:, alive], changes[:, alive], depends, conditions, needs)


def _moving(circuit: Circuit) -> Bools:
    """bool[nodes]: on which moves have influence within the turn; positive cycles count as such."""
    mark = np.zeros(len(circuit.kind), np.uint8)
    mark[1 + circuit.fluents : 1 + circuit.inputs] = 1
    spread_marks(circuit.kind, circuit.child_start, circuit.child, mark)
    return mark.astype(np.bool_)


def _begin(cases: Cases, phases: Phases, numbers: NDArray[np.integer]) -> None:
    """The match is not over, and the phases of the lanes are these."""
    lanes = np.arange(len(numbers))
    cases.force(np.full(len(lanes), cases.circuit.terminal, np.int32), lanes, 0)
    for place, fluent in enumerate(phases.fluents.tolist()):
        cases.forced[1 + fluent] = phases.values[numbers, place]


def _make(cases: Cases, game: GroundGame, joint: NDArray[np.int32]) -> None:
    """The joint moves of the lanes are made, and they are legal."""
    lanes, inputs = np.arange(len(joint)), 1 + game.fluents
    cases.forced[inputs : inputs + game.moves] = 0
    for role in range(joint.shape[1]):
        cases.forced[inputs + joint[:, role], lanes] = 1
        cases.force(cases.circuit.legal[joint[:, role]], lanes)


def _joint_moves(game: GroundGame, legal: Words, nodes: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """All combinations of the moves that may be legal (words uint64[moves, phases]), and their phases."""
    found, numbers = [], []
    total = 0
    for phase in range(legal.shape[1]):
        bounds = zip(game.role_start[:-1].tolist(), game.role_start[1:].tolist(), strict=True)
        choices = [first + np.flatnonzero(legal[first:last, phase] != 0) for first, last in bounds]
        joint = 1
        for choice in choices:
            joint *= len(choice)
            if joint > MOST_LANES:
                raise UnknownError
        total += joint
        if total > MOST_LANES or total * nodes > MOST_CELLS:
            raise UnknownError
        grid = np.meshgrid(*choices, indexing="ij")
        found.append(np.stack([g.ravel() for g in grid], axis=1).astype(np.int32).reshape(joint, len(choices)))
        numbers.append(np.full(joint, phase, np.int32))
    return np.concatenate(found), np.concatenate(numbers)


def _add_supports(cases: Cases, changes: Bools, depends: Bools, work: int) -> int:
    """Add what fluents depend on by the joint moves that change them; one of those with equal outcomes is enough."""
    circuit = cases.circuit
    words = np.where(changes, cases.of(circuit.next), np.uint64(0))
    rows, lanes = [], []
    for fluent in np.flatnonzero(changes.any(axis=1)).tolist():
        different, at = np.unique(words[fluent], return_index=True)
        # What becomes false or true for sure depends on nothing.
        chosen = at[(different != 0) & (different != ~np.uint64(0))]
        rows.append(np.full(len(chosen), fluent, np.int32))
        lanes.append(chosen.astype(np.int32))
    if not rows:
        return work
    row = np.concatenate(rows)
    return follow(cases, (circuit.next[row] >> 1).astype(np.int32), np.concatenate(lanes), row, depends, work)


def follow(
    cases: Cases, root: NDArray[np.int32], lane: NDArray[np.int32], row: NDArray[np.int32], depends: Bools, work: int
) -> int:
    """Mark in rows of ``depends`` the fluents that nodes depend on in some lanes, int32[k] each; returns the work that is left.

    Raises:
        UnknownError: if that is more work than ``work``.
    """
    circuit = cases.circuit
    stamp, stack = np.full(len(circuit.kind), -1, np.int64), np.zeros(len(circuit.kind) + 1, np.int32)
    work = kernels.supports(
        circuit.child_start, circuit.child, circuit.fluents, root, lane, row, cases.word, stamp, stack, depends, work
    )
    if work < 0:
        raise UnknownError
    return work


def conjuncts(circuit: Circuit, literal: int) -> tuple[int, ...]:
    """Literals that hold together exactly if a literal holds; none of them is a conjunction."""
    found: set[int] = set()
    stack = [literal]
    while stack:
        current = stack.pop()
        node = current >> 1
        if not current & 1 and circuit.kind[node] == GATE:
            stack.extend(circuit.child[circuit.child_start[node] : circuit.child_start[node + 1]].tolist())
        elif current:
            found.add(current)
    return tuple(sorted(found))


def _factors(circuit: Circuit, literal: int) -> tuple[int, ...]:
    """Literals that all alternatives of a disjunction demand; it holds exactly if they do and what is left of it does."""
    node = literal >> 1
    if not literal & 1 or circuit.kind[node] != GATE:
        return ()
    alternatives = circuit.child[circuit.child_start[node] : circuit.child_start[node + 1]].tolist()
    return tuple(sorted(set.intersection(*(set(conjuncts(circuit, child ^ 1)) for child in alternatives))))


def _needs(base: Cases, phases: Phases, factors: dict[int, tuple[int, ...]], work: int) -> dict[int, Bools]:
    """What conditions of moves depend on as long as the match lasts, except those that always hold then.

    Args:
        base: the circuit in each phase.
        phases: of the game.
        factors: for each condition what it demands, too, and is taken to hold.
        work: how many edges may be followed.
    """
    circuit = base.circuit
    factored = sorted(c for c, given in factors.items() if given)
    plain = sorted(c for c, given in factors.items() if not given)
    number = len(phases)
    cases = Cases(circuit, len(factored) * number)
    _begin(cases, phases, np.tile(np.arange(number), len(factored)))
    for place, literal in enumerate(factored):
        lanes = np.arange(place * number, (place + 1) * number)
        for factor in factors[literal]:
            cases.force(np.full(number, factor, np.int32), lanes)
    cases.solve()
    result: dict[int, Bools] = {}
    for among, literals, lane_of in ((base, plain, 0), (cases, factored, number)):
        array = np.array(literals, np.int32)
        depends = np.zeros((len(literals), circuit.fluents), np.bool_)
        row = np.repeat(np.arange(len(literals), dtype=np.int32), number)
        lane = np.tile(np.arange(number, dtype=np.int32), len(literals)) + row * np.int32(lane_of)
        work = follow(among, np.repeat(array >> 1, number).astype(np.int32), lane.astype(np.int32), row, depends, work)
        words = among.of(array)[row, lane].reshape(len(literals), number)
        for place in np.flatnonzero(~(words == ~np.uint64(0)).all(axis=1)).tolist():
            result[literals[place]] = depends[place]
    return result
