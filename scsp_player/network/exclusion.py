"""Pairs of fluents that are never true together, of a one-player game: what moves cannot bring about.

By induction: the pair is not true at first, and no step makes it true. A fluent becomes true by a move that *adds* it, or stays
true under a move that may *keep* it. If a move adds one of the two, it must neither add the other, nor keep it where it is legal:
"not attacked" in the legality of a move says of many fluents that they are false. This finds less than pairs can be proved, but
all pairs at once, by one product of matrices.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame
from scsp_player.network.groups import StateGroup
from scsp_player.network.rules import MoveRules

Bools = NDArray[np.bool_]

MAX_CELLS = 200_000_000
"""Nothing is looked for in games with more moves × fluents, or fluents × fluents, than that."""


def exclusive_pairs(game: GroundGame, merged: MoveRules) -> Bools:
    """bool[fluents, fluents], symmetric: pairs that are not true together in any reachable state; not all such pairs."""
    none = np.zeros((game.fluents, game.fluents), dtype=np.bool_)
    if len(game.roles) != 1 or game.fluents * max(game.fluents, game.moves) > MAX_CELLS:
        return none
    adds, keeps = _effects(game, merged)
    keeps &= ~_denied(game, merged).T
    impossible = game.legal_literal == FALSE
    adds[:, impossible] = False
    keeps[:, impossible] = False
    brings = adds.astype(np.float32)
    together = brings @ (adds | keeps).T.astype(np.float32) > 0
    initial = game.initial[:, None] & game.initial[None, :]
    excluded: Bools = ~(together | together.T | initial)
    np.fill_diagonal(excluded, False)
    return excluded


def least_moves(game: GroundGame, merged: MoveRules, groups: Sequence[StateGroup], state: Bools) -> int:
    """A lower bound of the number of moves that give every one of some state variables another value.

    A move changes a variable at most if it adds another value, or if nothing may be its value and something is.

    Args:
        game: a game with one role.
        merged: its rules.
        groups: the state variables that must change.
        state: bool[fluents], the state.
    """
    if not groups or game.fluents * game.moves > MAX_CELLS:
        return 0
    adds, _ = _effects(game, merged)
    changes = np.zeros(game.moves, dtype=np.int64)
    for group in groups:
        held = state[group.fluents]
        changes += adds[group.fluents[~held]].any(axis=0) | (held.any() and not group.exact)
    most = int(changes[game.legal_literal != FALSE].max(initial=0))
    return -(-len(groups) // most) if most else 0


def _effects(game: GroundGame, merged: MoveRules) -> tuple[Bools, Bools]:
    """bool[fluents, moves] each: under which moves a fluent may become true, and under which a true one may stay true."""
    adds = np.zeros((game.fluents, game.moves), dtype=np.bool_)
    keeps = np.zeros_like(adds)
    move_of = np.full(len(merged.head_start) - 1, -1, dtype=np.int64)
    move_of[game.does_atom] = np.arange(game.moves)
    for fluent, literal in enumerate(game.next_literal.tolist()):
        own = 2 * int(game.fluent_atom[fluent])
        atom = literal >> 1
        first, last = int(merged.head_start[atom]), int(merged.head_start[atom + 1])
        if literal == own:
            keeps[fluent] = True
        elif literal & 1 or first == last:
            adds[fluent] = literal != FALSE
        else:
            for rule in range(first, last):
                body = merged.body[merged.body_start[rule] : merged.body_start[rule + 1]]
                number = int(merged.moves[rule, 0])
                possible = np.ones(game.moves, dtype=np.bool_)
                if number >= 0:
                    possible[:] = False
                    possible[merged.sets[0][number]] = True
                forbidden = move_of[body[(body & 1) == 1] >> 1]
                possible[forbidden[forbidden >= 0]] = False
                (keeps if (body == own).any() else adds)[fluent] |= possible
    return adds, keeps


def _denied(game: GroundGame, merged: MoveRules) -> Bools:
    """bool[moves, fluents]: fluents that are false whenever the move is legal."""
    fluent_of = np.full(len(merged.head_start) - 1, -1, dtype=np.int64)
    fluent_of[game.fluent_atom] = np.arange(game.fluents)
    known: dict[int, NDArray[np.int64]] = {}
    denied = np.zeros((game.moves, game.fluents), dtype=np.bool_)
    for move, literal in enumerate(game.legal_literal.tolist()):
        seen: set[int] = set()
        stack = [literal]
        while stack:
            current = stack.pop()
            if current in seen or current in (TRUE, FALSE):
                continue
            seen.add(current)
            atom = current >> 1
            if fluent_of[atom] >= 0:
                if current & 1:
                    denied[move, fluent_of[atom]] = True
                continue
            if current not in known:
                known[current] = _implied(merged, current)
            stack.extend(known[current].tolist())
    return denied


def _implied(merged: MoveRules, literal: int) -> NDArray[np.int64]:
    """Literals that follow directly from a literal by its atom's rules."""
    atom = literal >> 1
    first, last = int(merged.head_start[atom]), int(merged.head_start[atom + 1])
    nothing = np.zeros(0, dtype=np.int64)
    if (merged.moves[first:last] >= 0).any():
        return nothing
    begin = merged.body_start[first : last + 1]
    body = merged.body[begin[0] : begin[-1]].astype(np.int64)
    if literal & 1:
        single = np.diff(begin) == 1
        denied: NDArray[np.int64] = body[begin[:-1][single] - begin[0]] ^ 1
        return denied
    return body if last - first == 1 else nothing
