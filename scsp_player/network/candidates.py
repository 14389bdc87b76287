"""Groups of fluents that might exclude each other, proposed from the shape of their terms alone."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.terms import Compound, Term
from scsp_player.grounding.ground_game import GroundGame

MAX_FREE_SUBSET_ARITY = 4
"""Up to this many arguments every non-empty set of them is tried as the free ones; above, only sets of one and two."""

MAX_PREFIX = 3
"""Fluents of different shapes are proposed as one group when their first 1 … 3 arguments agree."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A group of fluents proposed as one multi-valued variable.

    Attributes:
        fluents: int32[k], ascending.
        label: what the fluents share, as words: ``("cell", "1", "1")``.
        family: candidates of one family come from the same choice of free arguments and are disjoint.
        free: number of free arguments (0 for groups across shapes).
    """

    fluents: NDArray[np.int32]
    label: tuple[str, ...]
    family: int
    free: int


def shape_and_leaves(term: Term) -> tuple[str, tuple[str, ...]]:
    """A term's shape, with a dot for every symbol below the outermost functor, and these symbols from left to right.

    >>> from scsp_player.gdl.terms import Compound, Symbol
    >>> shape_and_leaves(Compound("cell", (Compound("at", (Symbol("1"), Symbol("2"))), Symbol("b"))))
    ('(cell (at . .) .)', ('1', '2', 'b'))
    """
    if not isinstance(term, Compound):
        return str(term), ()
    pieces: list[str] = []
    leaves: list[str] = []
    stack: list[Term | str] = [term]
    while stack:
        item = stack.pop()
        if isinstance(item, Compound):
            pieces.append("(" + item.functor)
            stack.append(")")
            for argument in reversed(item.arguments):
                stack.append(argument)
                stack.append(" ")
        elif isinstance(item, str):
            pieces.append(item)
        else:
            pieces.append(".")
            leaves.append(str(item))
    return "".join(pieces), tuple(leaves)


def candidates(game: GroundGame) -> list[Candidate]:
    """All proposed groups: same shape and equal arguments but for the free ones, or different shapes and a common beginning."""
    described = [shape_and_leaves(game.fluent(i)) for i in range(game.fluents)]
    by_shape: dict[str, list[int]] = defaultdict(list)
    for fluent, (shape, _) in enumerate(described):
        by_shape[shape].append(fluent)
    found: list[Candidate] = []
    seen: set[bytes] = set()
    family = 0

    def add(groups: dict[tuple[str, ...], list[int]], free: int) -> None:
        nonlocal family
        # A family of single fluents says nothing; beside larger groups a single fluent may be one that is always true.
        least = 2 if all(len(fluents) == 1 for fluents in groups.values()) else 1
        for label, fluents in groups.items():
            members = np.array(fluents, dtype=np.int32)
            if len(members) >= least and members.tobytes() not in seen:
                seen.add(members.tobytes())
                found.append(Candidate(members, label, family, free))
        family += 1

    for shape, fluents in by_shape.items():
        arity = len(described[fluents[0]][1])
        name = _functor(shape)
        sizes = range(1, arity + 1) if arity <= MAX_FREE_SUBSET_ARITY else (1, 2)
        for size in sizes:
            for free in combinations(range(arity), size):
                kept = [p for p in range(arity) if p not in free]
                groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
                for fluent in fluents:
                    leaves = described[fluent][1]
                    groups[(name, *(leaves[p] for p in kept))].append(fluent)
                add(groups, size)
    for prefix in range(MAX_PREFIX + 1):
        mixed: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for fluent, (_, leaves) in enumerate(described):
            if len(leaves) >= prefix and (prefix or not leaves):
                mixed[leaves[:prefix]].append(fluent)
        across: dict[tuple[str, ...], list[int]] = {}
        for label, fluents in mixed.items():
            shapes = sorted({described[f][0] for f in fluents})
            if len(shapes) > 1:
                across[("_or_".join(map(_functor, shapes[:3])), *label)] = fluents
        add(across, 0)
    return found


def _functor(shape: str) -> str:
    return shape.lstrip("(").split()[0].rstrip(")")
