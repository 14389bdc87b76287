"""Symmetries of a game: permutations of its fluents and moves that leave its ground rules as they are.

The ground rules become a coloured graph whose automorphisms are the symmetries (after Schiffel, "Symmetry Detection in General
Game Playing", AAAI 2010; WoodStock finds its own in the micro-structure of its networks). A fluent is one vertex at *t* and
*t + 1*, so both move together; roles stay where they are. Automorphisms are found by individualisation and refinement, as in
nauty (McKay and Piperno 2014), and each is verified edge by edge.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.search.rule_graph import RuleGraph, rule_graph
from scsp_player.structure.words import scramble

Colours = NDArray[np.uint64]
Permutation = NDArray[np.int64]

MOST_BACKTRACKS = 64
"""Dead ends after which the search for one automorphism is given up: some symmetries may then be missed."""

LITERALS_A_SECOND = 40_000
"""Games with more literals in their rules for each second that there is are not looked at: their graph alone would take longer."""

MOST_IMAGES = 48
"""Order of the largest group whose images are all tried to find out whether states are the same: that of the cube."""


@dataclass(frozen=True, eq=False)
class Symmetries:
    """A group of symmetries.

    Attributes:
        generators: permutations int64[fluents + moves]; what stands at i goes to ``generators[k][i]``. Fluents come first.
        order: how many symmetries these generate, the identity included.
        complete: whether there are no others; False if time was up.
    """

    generators: tuple[Permutation, ...]
    order: int
    complete: bool

    def elements(self, limit: int) -> tuple[Permutation, ...] | None:
        """All symmetries, the identity first; None if there are more than ``limit``."""
        if self.order > limit or not self.generators:
            return None
        identity = np.arange(len(self.generators[0]))
        found = {identity.tobytes(): identity}
        queue = [identity]
        for element in queue:
            for generator in self.generators:
                image = generator[element]
                if found.setdefault(image.tobytes(), image) is image:
                    queue.append(image)
        return tuple(queue)


def find_symmetries(game: GroundGame, seconds: float = 2.0) -> Symmetries:
    """The symmetries of a game, as far as they are found in so many seconds of processor time."""
    deadline = time.process_time() + seconds
    if len(game.rule_body) > LITERALS_A_SECOND * seconds:
        return Symmetries((), 1, False)
    search = _Search(rule_graph(game), deadline)
    try:
        search.run()
        complete = not search.gave_up
    except _OutOfTimeError:
        complete = False
    named = game.fluents + game.moves
    return Symmetries(tuple(g[:named] for g in search.generators if (g[:named] != np.arange(named)).any()), search.order, complete)


class _OutOfTimeError(Exception):
    pass


class _Search:
    """Finds generators level by level: the deepest level fixes most vertices, and its automorphisms serve all levels above."""

    def __init__(self, graph: RuleGraph, deadline: float) -> None:
        self.graph = graph
        self.generators: list[Permutation] = []
        self.order = 1
        self.gave_up = False
        self._deadline = deadline
        self._edges = np.sort(graph.edge_keys(np.arange(graph.vertices)))

    def run(self) -> None:
        """Fill ``generators`` and ``order``."""
        path = [self._refine(self.graph.colour)]
        fixed: list[int] = []
        while (vertex := self._branch(path[-1])) >= 0:
            fixed.append(vertex)
            path.append(self._refine(_single_out(path[-1], vertex)))
        profiles = [np.sort(colours) for colours in path]
        for level in reversed(range(len(fixed))):
            orbit = self._orbit(fixed[level])
            for other in np.flatnonzero(path[level] == path[level][fixed[level]]).tolist():
                if other in orbit:
                    continue
                found = self._match(path, profiles, fixed, level, other)
                if found is not None:
                    self.generators.append(found)
                    orbit = self._orbit(fixed[level])
            if fixed[level] < self.graph.named:
                self.order *= len(orbit)

    def _branch(self, colours: Colours) -> int:
        """A vertex to tell from those of its colour, from the smallest class; fluents and moves before others; -1 for none."""
        _, inverse, counts = np.unique(colours, return_inverse=True, return_counts=True)
        size = counts[inverse]
        open_vertices = np.flatnonzero(size > 1)
        if not len(open_vertices):
            return -1
        named = open_vertices[open_vertices < self.graph.named]
        among = named if len(named) else open_vertices
        return int(among[np.argmin(size[among])])

    def _orbit(self, vertex: int) -> set[int]:
        """Where the automorphisms found so far take a vertex."""
        orbit = {vertex}
        queue = [vertex]
        for here in queue:
            for generator in self.generators:
                there = int(generator[here])
                if there not in orbit:
                    orbit.add(there)
                    queue.append(there)
        return orbit

    def _match(
        self, path: list[Colours], profiles: list[Colours], fixed: list[int], level: int, other: int
    ) -> Permutation | None:
        """An automorphism that keeps the first ``level`` fixed vertices and takes the next one to ``other``."""
        backtracks = 0
        stack: list[tuple[Colours, Iterator[int]]] = [(path[level], iter([other]))]
        while stack:
            colours, candidates = stack[-1]
            vertex = next(candidates, -1)
            if vertex < 0:
                stack.pop()
                continue
            depth = level + len(stack)
            refined = self._refine(_single_out(colours, vertex))
            if (np.sort(refined) == profiles[depth]).all():
                if depth < len(fixed):
                    wanted = path[depth][fixed[depth]]
                    stack.append((refined, iter(np.flatnonzero(refined == wanted).tolist())))
                    continue
                permutation = np.empty(self.graph.vertices, np.int64)
                permutation[np.argsort(path[depth])] = np.argsort(refined)
                if self._holds(permutation):
                    return permutation
            backtracks += 1
            if backtracks > MOST_BACKTRACKS:
                self.gave_up = True
                return None
        return None

    def _holds(self, permutation: Permutation) -> bool:
        same_colour = bool((self.graph.colour[permutation] == self.graph.colour).all())
        return same_colour and bool((np.sort(self.graph.edge_keys(permutation)) == self._edges).all())

    def _refine(self, colours: Colours) -> Colours:
        """Split classes of vertices by the colours of their neighbours until nothing changes."""
        classes = 0
        while True:
            if time.process_time() > self._deadline:
                raise _OutOfTimeError
            now = len(np.unique(colours))
            if now == classes:
                return colours
            classes = now
            colours = scramble(colours + self.graph.gather(colours))


def _single_out(colours: Colours, vertex: int) -> Colours:
    colours = colours.copy()
    colours[vertex] = scramble(colours[vertex : vertex + 1] ^ np.uint64(0x5851F42D4C957F2D))[0]
    return colours
