"""Step counters and the like: fluents that no move has influence on, however many turns later."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network.latches import autonomous

LONGEST_COUNTER = 10_000
"""Steps for which the fluents that count are followed."""

MOST_WORK = 1_000_000
"""Conditions that are looked at to follow them."""


@dataclass(frozen=True, eq=False)
class Counters:
    """The fluents that run through a course of their own.

    Attributes:
        fluents: bool[fluents], those that no move has any influence on: counters, whose turn it is.
        length: how many different values they go through together; None if more than are followed.
        repeats: the value that follows the last one, as a number from 0; the match goes round there. None if not known.
        course: bool[length, fluents], their values one after the other from the initial state on, False for other fluents; of no
            length if they are not followed.
    """

    fluents: NDArray[np.bool_]
    length: int | None
    repeats: int | None
    course: NDArray[np.bool_]


def find_counters(game: GroundGame) -> Counters:
    """The counters of a game, in time linear in the size of its rules for each step that is followed."""
    fluents = autonomous(game)
    rows, repeats = _follow(game, np.flatnonzero(fluents))
    course = np.zeros((len(rows), game.fluents), np.bool_)
    course[:, fluents] = np.array(rows, np.bool_).reshape(len(rows), int(fluents.sum()))
    return Counters(fluents, len(rows) or None, repeats, course)


def _follow(game: GroundGame, fluents: NDArray[np.int64]) -> tuple[list[tuple[bool, ...]], int | None]:
    """The values of the fluents, and the number of the one that comes after the last; nothing if there are too many."""
    if not len(fluents):
        return [()], 0
    literals = game.next_literal[fluents].tolist()
    needed = _cone(game, [literal >> 1 for literal in literals])
    order = game.component_atoms[needed[game.component_atoms]].tolist()
    if any(game.component_cyclic[c] and needed[game.component_atoms[s]] for c, s in enumerate(game.component_start[:-1].tolist())):
        return [], None
    rules = {
        atom: [
            game.rule_body[game.rule_start[r] : game.rule_start[r + 1]].tolist()
            for r in range(int(game.head_start[atom]), int(game.head_start[atom + 1]))
        ]
        for atom in order
    }
    work = max(1, sum(len(body) for bodies in rules.values() for body in bodies))
    holds = np.zeros(game.atoms, np.bool_).tolist()
    now = tuple(game.initial[fluents].tolist())
    seen: dict[tuple[bool, ...], int] = {}
    for number in range(max(1, min(LONGEST_COUNTER, MOST_WORK // work))):
        if now in seen:
            return list(seen), seen[now]
        seen[now] = number
        holds[0] = True
        for atom, value in zip(game.fluent_atom[fluents].tolist(), now, strict=True):
            holds[atom] = value
        for atom in order:
            holds[atom] = any(all(holds[x >> 1] != bool(x & 1) for x in body) for body in rules[atom])
        now = tuple(bool(holds[x >> 1]) != bool(x & 1) for x in literals)
    return [], None


def _cone(game: GroundGame, atoms: list[int]) -> NDArray[np.bool_]:
    """bool[atoms]: what atoms depend on in the same turn, themselves included."""
    needed = np.zeros(game.atoms, np.bool_)
    waiting = list(atoms)
    while waiting:
        atom = waiting.pop()
        if not needed[atom]:
            needed[atom] = True
            first, last = game.head_start[atom], game.head_start[atom + 1]
            waiting.extend((game.rule_body[game.rule_start[first] : game.rule_start[last]] >> 1).tolist())
    return needed
