"""What single moves do to fluents, read off the rules of ``next``; of one-player games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame
from scsp_player.network.rules import MoveRules

Bools = NDArray[np.bool_]

MAX_CELLS = 200_000_000
"""Nothing is looked for in games with more moves × fluents, or fluents × fluents, than that."""


@dataclass(frozen=True, eq=False)
class Effects:
    """What moves do to fluents.

    Attributes:
        adds: bool[fluents, moves], the fluent may become true, whether it was or not; surely_adds: it does.
        keeps: bool[fluents, moves], a true fluent may stay true; surely_keeps: it does.
    """

    adds: Bools
    surely_adds: Bools
    keeps: Bools
    surely_keeps: Bools


def effects(game: GroundGame, merged: MoveRules) -> Effects:
    """The effects of the moves of a game with one role, as the rules of ``next`` tell them one by one."""
    found = Effects(*(np.zeros((game.fluents, game.moves), dtype=np.bool_) for _ in range(4)))
    sets = _MoveSets(game, merged)
    for fluent, literal in enumerate(game.next_literal.tolist()):
        own = 2 * int(game.fluent_atom[fluent])
        atom = literal >> 1
        first, last = int(merged.head_start[atom]), int(merged.head_start[atom + 1])
        if literal == own:
            found.keeps[fluent] = found.surely_keeps[fluent] = True
        elif (told := sets.of(atom)) is not None:
            found.adds[fluent] = found.surely_adds[fluent] = ~told if literal & 1 else told
        elif literal & 1 or first == last:
            found.adds[fluent] = literal != FALSE
            found.surely_adds[fluent] = literal == TRUE
        else:
            for rule in range(first, last):
                body = merged.body[merged.body_start[rule] : merged.body_start[rule + 1]]
                possible = sets.moves(rule)
                clear = np.ones(len(body), dtype=np.bool_)
                for place, condition in enumerate(body.tolist()):
                    chosen = sets.of(condition >> 1)
                    if chosen is not None:
                        possible = possible & (~chosen if condition & 1 else chosen)
                    else:
                        clear[place] = condition == own
                frame = bool((body == own).any())
                (found.keeps if frame else found.adds)[fluent] |= possible
                if clear.all():
                    (found.surely_keeps if frame else found.surely_adds)[fluent] |= possible
    found.surely_keeps[:] |= found.surely_adds
    return found


class _MoveSets:
    """The moves under which atoms hold that say nothing but which move is made."""

    def __init__(self, game: GroundGame, merged: MoveRules) -> None:
        self._merged = merged
        self._all = np.ones(game.moves, dtype=np.bool_)
        # Fluents have no rules either, and no move makes them true.
        self._known: dict[int, Bools | None] = dict.fromkeys(game.fluent_atom.tolist())
        for move, atom in enumerate(game.does_atom.tolist()):
            self._known[atom] = np.arange(game.moves) == move
        self._room = MAX_CELLS // max(1, game.moves)

    def moves(self, rule: int) -> Bools:
        """The moves that a rule mentions; all if it mentions none."""
        number = int(self._merged.moves[rule, 0])
        if number < 0:
            return self._all
        chosen = np.zeros(len(self._all), dtype=np.bool_)
        chosen[self._merged.sets[0][number]] = True
        return chosen

    def of(self, atom: int) -> Bools | None:
        """bool[moves], or None if the atom depends on the state."""
        merged = self._merged
        stack = [atom]
        while stack:
            current = stack[-1]
            if current in self._known:
                stack.pop()
                continue
            rules = range(int(merged.head_start[current]), int(merged.head_start[current + 1]))
            bodies = [merged.body[merged.body_start[r] : merged.body_start[r + 1]].tolist() for r in rules]
            below = {literal >> 1 for body in bodies for literal in body}
            if not bodies or len(self._known) > self._room or any(self._known.get(a, self._all) is None for a in below):
                self._known[current] = None
                continue
            unknown = [a for a in below if a not in self._known]
            if unknown:
                stack.append(unknown[0])
                continue
            union = ~self._all
            for rule, body in zip(rules, bodies, strict=True):
                part = self.moves(rule)
                for literal in body:
                    told = self._known[literal >> 1]
                    assert told is not None
                    part = part & (~told if literal & 1 else told)
                union = union | part
            self._known[current] = union
        return self._known[atom]
