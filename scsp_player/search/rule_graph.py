"""The ground rules of a game as a coloured graph, whose automorphisms are the game's symmetries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.structure.words import scramble

GROWTH = 4
"""Rules may become so many times longer when what they refer to is written out."""

# Kinds of edges; each has a twin for negation, and one for the other direction.
HEAD, BODY, NEXT, LEGAL, GOAL, PERCEPT = range(0, 12, 2)
KINDS = 12


@dataclass(frozen=True, eq=False)
class RuleGraph:
    """A graph with coloured vertices and edges; edges have a direction.

    Attributes:
        vertices: number of vertices: first fluents, then moves (``named`` in all), then derived atoms, rules and goals.
        named: number of fluents and moves.
        colour: uint64[vertices].
        source, target, kind: int64[edges], each edge in both directions, sorted by target.
        starts, heads: where the edges to each vertex that has some begin, and these vertices.
        salt: uint64[edges], a random word for each kind.
    """

    vertices: int
    named: int
    colour: NDArray[np.uint64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    kind: NDArray[np.int64]
    starts: NDArray[np.int64]
    heads: NDArray[np.int64]
    salt: NDArray[np.uint64]

    def gather(self, colours: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """uint64[vertices]: a hash of the multiset of the colours and kinds of each vertex's edges."""
        sums = np.zeros(self.vertices, np.uint64)
        if len(self.starts):
            sums[self.heads] = np.add.reduceat(scramble(colours[self.source] + self.salt), self.starts)
        return sums

    def edge_keys(self, permutation: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[edges]: a number for each edge, its vertices renamed."""
        keys: NDArray[np.int64] = (
            permutation[self.source] * self.vertices + permutation[self.target]
        ) * (2 * KINDS) + self.kind
        return keys


def rule_graph(game: GroundGame) -> RuleGraph:
    """The graph of a game's rules, in a form that does not depend on how grounding has cut long bodies into pieces."""
    bodies = _written_out(game)
    vertex = np.full(game.atoms, -1, np.int64)
    named = game.fluents + game.moves
    vertex[game.fluent_atom] = np.arange(game.fluents)
    vertex[game.does_atom] = np.arange(game.fluents, named)
    colours: list[tuple[object, ...]] = [("fluent",)] * game.fluents
    for role in range(len(game.roles)):
        colours += [("move", role)] * int(game.role_start[role + 1] - game.role_start[role])
    edges: list[tuple[int, int, int]] = []
    waiting: list[int] = []

    def atom_vertex(atom: int) -> int:
        if vertex[atom] < 0:
            vertex[atom] = len(colours)
            colours.append(("true",) if atom == 0 else ("atom",))
            waiting.append(atom)
        return int(vertex[atom])

    def point(start: int, kind: int, literal: int) -> None:
        edges.append((start, atom_vertex(literal >> 1), kind + (literal & 1)))

    for fluent, literal in enumerate(game.next_literal.tolist()):
        point(fluent, NEXT, literal)
    for move, literal in enumerate(game.legal_literal.tolist()):
        point(game.fluents + move, LEGAL, literal)
    outputs: list[tuple[tuple[object, ...], int]] = [(("terminal",), game.terminal_literal)]
    goals = zip(game.goal_role.tolist(), game.goal_value.tolist(), game.goal_literal.tolist(), strict=True)
    outputs += [(("goal", role, value), literal) for role, value, literal in goals]
    for colour, literal in outputs:
        colours.append(colour)
        point(len(colours) - 1, GOAL, literal)
    for role, literal in zip(game.percept_role.tolist(), game.percept_literal.tolist(), strict=True):
        colours.append(("percept", role))
        point(len(colours) - 1, PERCEPT, literal)
    while waiting:
        atom = waiting.pop()
        head = int(vertex[atom])
        for body in bodies.get(atom, ()):
            rule = len(colours)
            colours.append(("rule",))
            edges.append((rule, head, HEAD))
            for literal in body:
                point(rule, BODY, literal)
    return _graph(colours, edges, named)


def _graph(colours: list[tuple[object, ...]], edges: list[tuple[int, int, int]], named: int) -> RuleGraph:
    number = {colour: k for k, colour in enumerate(sorted(set(colours), key=repr))}
    words = np.random.default_rng(1).integers(1, 2**63, size=len(number) + 2 * KINDS, dtype=np.uint64)
    both = np.array([*edges, *((b, a, kind + KINDS) for a, b, kind in edges)], np.int64).reshape(-1, 3)
    both = both[np.argsort(both[:, 1], kind="stable")]
    heads, starts = np.unique(both[:, 1], return_index=True)
    colour = words[np.array([number[c] for c in colours], np.int64)]
    return RuleGraph(
        len(colours), named, colour, both[:, 0], both[:, 1], both[:, 2], starts, heads, words[len(number) + both[:, 2]]
    )


def _written_out(game: GroundGame) -> dict[int, list[tuple[int, ...]]]:
    """The bodies of each atom's rules, each a sorted set of literals; atoms that are mere conjunctions are replaced by those."""
    start, flat = game.rule_start.tolist(), game.rule_body.tolist()
    head_start = game.head_start.tolist()
    cyclic: set[int] = set()
    for k in np.flatnonzero(game.component_cyclic).tolist():
        cyclic.update(game.component_atoms[game.component_start[k] : game.component_start[k + 1]].tolist())
    conjunction: dict[int, tuple[int, ...]] = {}
    bodies: dict[int, list[tuple[int, ...]]] = {}
    room = GROWTH * (len(flat) + 1)
    for atom in game.component_atoms.tolist():
        found: dict[tuple[int, ...], None] = {}
        for rule in range(head_start[atom], head_start[atom + 1]):
            literals: set[int] = set()
            for literal in flat[start[rule] : start[rule + 1]]:
                whole = () if literal & 1 or room < 0 else conjunction.get(literal >> 1, ())
                literals.update(whole or (literal,))
            room -= len(literals)
            found[tuple(sorted(literals))] = None
        bodies[atom] = list(found)
        if len(found) == 1 and atom not in cyclic:
            conjunction[atom] = bodies[atom][0]
    return bodies
