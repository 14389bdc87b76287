"""What the ground rules say about the structure of a game: what moves have no influence on, and what never changes back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame

LONGEST_COUNTER = 10_000
"""Steps for which the fluents that count are followed."""


@dataclass(frozen=True)
class Structure:
    """Structure of a game, as far as it shows in the rules.

    Attributes:
        autonomous: bool[fluents], fluents that no move has any influence on: counters, whose turn it is.
        counter_length: how many different values the autonomous fluents go through together; None if more than are followed.
        counter_repeats: the value that follows the last one, as a number from 0; the match goes round there.
        latched_true: bool[fluents], fluents that stay true once they are.
        latched_false: bool[fluents], fluents that stay false once they are.
    """

    autonomous: NDArray[np.bool_]
    counter_length: int | None
    counter_repeats: int | None
    latched_true: NDArray[np.bool_]
    latched_false: NDArray[np.bool_]

    def report(self) -> dict[str, object]:
        """What a reader wants to know, as plain values."""
        return {
            "autonomous": int(self.autonomous.sum()),
            "counter_length": self.counter_length,
            "counter_repeats": self.counter_repeats,
            "latched_true": int(self.latched_true.sum()),
            "latched_false": int(self.latched_false.sum()),
        }


def find_structure(game: GroundGame) -> Structure:
    """Structure of a game in time linear in the size of its rules."""
    autonomous = _autonomous(game)
    length, repeats = _follow(game, autonomous)
    latched_true, latched_false = _latches(game)
    return Structure(autonomous, length, repeats, latched_true, latched_false)


def _autonomous(game: GroundGame) -> NDArray[np.bool_]:
    """Which fluents no move has influence on, however many turns later."""
    heads = np.repeat(game.rule_head, np.diff(game.rule_start))
    bodies = game.rule_body >> 1
    by_body = np.argsort(bodies, kind="stable")
    start = np.searchsorted(bodies[by_body], np.arange(game.atoms + 1))
    following: dict[int, list[int]] = {}
    for fluent, literal in enumerate(game.next_literal.tolist()):
        following.setdefault(literal >> 1, []).append(int(game.fluent_atom[fluent]))
    moved = np.zeros(game.atoms, np.bool_)
    moved[game.does_atom] = True
    waiting = np.flatnonzero(moved).tolist()
    while waiting:
        atom = waiting.pop()
        reached = heads[by_body[start[atom] : start[atom + 1]]].tolist() + following.get(atom, [])
        for other in reached:
            if not moved[other]:
                moved[other] = True
                waiting.append(other)
    untouched: NDArray[np.bool_] = ~moved[game.fluent_atom]
    return untouched


def _follow(game: GroundGame, autonomous: NDArray[np.bool_]) -> tuple[int | None, int | None]:
    """Number of values of the autonomous fluents, and the one that comes after the last."""
    fluents = np.flatnonzero(autonomous)
    if not len(fluents):
        return 1, 0
    literals = game.next_literal[fluents].tolist()
    needed = _cone(game, [literal >> 1 for literal in literals])
    order = game.component_atoms[needed[game.component_atoms]].tolist()
    if any(game.component_cyclic[c] and needed[game.component_atoms[s]] for c, s in enumerate(game.component_start[:-1].tolist())):
        return None, None
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
    for number in range(max(1, min(LONGEST_COUNTER, 5_000_000 // work))):
        if now in seen:
            return number, seen[now]
        seen[now] = number
        holds[0] = True
        for atom, value in zip(game.fluent_atom[fluents].tolist(), now, strict=True):
            holds[atom] = value
        for atom in order:
            holds[atom] = any(all(holds[x >> 1] != bool(x & 1) for x in body) for body in rules[atom])
        now = tuple(bool(holds[x >> 1]) != bool(x & 1) for x in literals)
    return None, None


def _latches(game: GroundGame) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Fluents whose rules say directly that they stay true, or that they cannot become true again."""
    stays_true = game.next_literal == TRUE
    stays_false = game.next_literal == FALSE
    for fluent, literal in enumerate(game.next_literal.tolist()):
        own = 2 * int(game.fluent_atom[fluent])
        if literal == own:
            stays_true[fluent] = stays_false[fluent] = True
        first, last = int(game.head_start[literal >> 1]), int(game.head_start[(literal >> 1) + 1])
        if literal & 1 or first == last:
            continue
        bodies = [game.rule_body[game.rule_start[r] : game.rule_start[r + 1]] for r in range(first, last)]
        stays_true[fluent] |= any(len(body) == 1 and body[0] == own for body in bodies)
        stays_false[fluent] |= all((body == own).any() for body in bodies)
    return stays_true, stays_false


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
