"""Ground rules made ready for tables: rules that differ only in a role's move put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network.acyclic import AcyclicRules
from scsp_player.network.csr import ranges

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]


MAX_INLINED = 8
"""An atom that only says "one of these moves is done", by at most that many rules, is replaced by its rules."""


def inline_moves(game: GroundGame, rules: AcyclicRules) -> AcyclicRules:
    """Replace positive occurrences of atoms that merely rename moves, so that rules differ in moves and nothing else.

    Grounders project the mover out of long rules (``moved(x, y) <= does(p, move(x, y))``); the rules that remain then mention one
    such atom for each move.
    """
    for _ in range(MAX_INLINED):
        head = np.repeat(np.arange(rules.atoms, dtype=np.int64), np.diff(rules.head_start))
        length = np.diff(rules.rule_start)
        is_move = np.zeros(rules.atoms, dtype=np.bool_)
        is_move[game.does_atom] = True
        renames = np.zeros(len(head), dtype=np.bool_)
        single = np.flatnonzero(length == 1)
        literal = rules.rule_body[rules.rule_start[single]]
        renames[single] = is_move[literal >> 1] & ((literal & 1) == 0)
        count = np.diff(rules.head_start)
        plain = np.bincount(head[renames], minlength=rules.atoms) == count
        chosen = plain & (count > 0) & (count <= MAX_INLINED)
        hits = np.flatnonzero(chosen[rules.rule_body >> 1] & ((rules.rule_body & 1) == 0))
        row = np.searchsorted(rules.rule_start, hits, side="right") - 1
        row, first = np.unique(row, return_index=True)
        if not len(row):
            return rules
        hit = np.full(len(head), -1, dtype=np.int64)
        hit[row] = hits[first]
        copies = np.ones(len(head), dtype=np.int64)
        copies[row] = count[rules.rule_body[hit[row]] >> 1]
        source = np.repeat(np.arange(len(head)), copies)
        number = np.arange(len(source)) - np.repeat(np.cumsum(copies) - copies, copies)
        body = rules.rule_body[ranges(rules.rule_start[source], rules.rule_start[source + 1])]
        start = np.concatenate([[0], np.cumsum(length[source])]).astype(np.int64)
        replaced = np.flatnonzero(hit[source] >= 0)
        place = start[replaced] + hit[source[replaced]] - rules.rule_start[source[replaced]]
        renamed = rules.rule_body[hit[source[replaced]]] >> 1
        body[place] = rules.rule_body[rules.rule_start[rules.head_start[renamed] + number[replaced]]]
        rules = replace(
            rules,
            head_start=np.searchsorted(head[source], np.arange(rules.atoms + 1)).astype(np.int64),
            rule_start=start,
            rule_body=body,
        )
    return rules


@dataclass(frozen=True, eq=False)
class MoveRules:
    """Rules in which the positive ``does`` literals of each role are replaced by a set of moves.

    Attributes:
        head_start: int64[atoms + 1], the rules of an atom.
        body_start, body: the literals of each rule that are not positive ``does`` literals.
        moves: int32[rules, roles], for each role the index in ``sets`` of the moves of which one must be done, or -1.
        sets: for each role the sets, int32 arrays of positions among the role's moves.
        uses: int64[atoms], number of occurrences in bodies.
    """

    head_start: Offsets
    body_start: Offsets
    body: Ints
    moves: Ints
    sets: tuple[tuple[Ints, ...], ...]
    uses: Offsets


def merge_moves(game: GroundGame, rules: AcyclicRules) -> MoveRules:
    """Put rules together that differ only in the move of one role ("the cell keeps its content under all other moves")."""
    count = len(rules.rule_start) - 1
    roles = len(game.roles)
    head = np.repeat(np.arange(rules.atoms, dtype=np.int64), np.diff(rules.head_start))
    role_of = np.full(rules.atoms, -1, dtype=np.int64)
    move_of = np.zeros(rules.atoms, dtype=np.int32)
    for role in range(roles):
        atoms = game.does_atom[game.role_start[role] : game.role_start[role + 1]]
        role_of[atoms] = role
        move_of[atoms] = np.arange(len(atoms), dtype=np.int32)
    row = np.repeat(np.arange(count), np.diff(rules.rule_start))
    atom = rules.rule_body >> 1
    is_move = (role_of[atom] >= 0) & ((rules.rule_body & 1) == 0)
    moves = np.full((count, roles), -1, dtype=np.int32)
    moves[row[is_move], role_of[atom[is_move]]] = move_of[atom[is_move]]
    # Nobody does two moves at once: rules that ask for it never apply.
    possible = np.ones(count, dtype=np.bool_)
    possible[row[is_move][moves[row[is_move], role_of[atom[is_move]]] != move_of[atom[is_move]]]] = False

    code = np.random.default_rng(0).integers(0, 2**64, size=2 * rules.atoms, dtype=np.uint64)
    rest = np.zeros(count, dtype=np.uint64)
    np.add.at(rest, row[~is_move], code[rules.rule_body[~is_move]])
    kept = np.flatnonzero(possible)
    columns = [head[kept], *moves[kept].T, rest[kept]]
    kept = kept[_first_of_equal(columns)[0]]
    sets: list[tuple[Ints, ...]] = []
    for role in range(roles):
        size = int(game.role_start[role + 1] - game.role_start[role])
        known: dict[bytes, int] = {np.array([m], dtype=np.int32).tobytes(): m for m in range(size)}
        members = [np.array([m], dtype=np.int32) for m in range(size)]
        others = [moves[kept, r] for r in range(roles) if r != role]
        first, ordered, begins = _first_of_equal([head[kept], moves[kept, role] < 0, *others, rest[kept]])
        ends = np.append(begins[1:], len(kept))
        for begin, end in zip(begins[ends - begins > 1], ends[ends - begins > 1], strict=True):
            alike = kept[ordered[begin:end]]
            if moves[alike[0], role] < 0:
                continue
            union = np.unique(moves[alike, role])
            identifier = known.setdefault(union.tobytes(), len(members))
            if identifier == len(members):
                members.append(union)
            # All carry the union now; the one that comes first stays.
            moves[alike, role] = identifier
        kept = kept[np.sort(first)]
        sets.append(tuple(members))
    kept = np.sort(kept)
    body_rows = ~is_move & np.isin(row, kept)
    body_start = np.concatenate([[0], np.cumsum(np.bincount(row[body_rows], minlength=count)[kept])]).astype(np.int64)
    body = rules.rule_body[body_rows]
    return MoveRules(
        head_start=np.searchsorted(head[kept], np.arange(rules.atoms + 1)).astype(np.int64),
        body_start=body_start,
        body=body,
        moves=moves[kept],
        sets=tuple(sets),
        uses=np.bincount(body >> 1, minlength=rules.atoms).astype(np.int64),
    )


def _first_of_equal(columns: list[NDArray[Any]]) -> tuple[Offsets, Offsets, Offsets]:
    """Positions of the first of each set of equal rows; all positions with equal rows together; where each set begins there."""
    columns = _packed(columns)
    order = np.lexsort(columns[::-1])
    if not len(order):
        return order, order, order
    changed = np.zeros(len(order), dtype=np.bool_)
    changed[0] = True
    for column in columns:
        ordered = column[order]
        changed[1:] |= ordered[1:] != ordered[:-1]
    begins = np.flatnonzero(changed)
    return np.minimum.reduceat(order, begins), order, begins


def _packed(columns: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """Fewer columns with the same order of rows: neighbours with few values (integers from -1 up) become digits of one number."""
    packed: list[NDArray[Any]] = []
    room = 0
    for column in columns:
        digits = 64 if column.dtype == np.uint64 else (int(column.max(initial=0)) + 2).bit_length()
        if digits < room:
            packed[-1] = (packed[-1] << digits) | (column.astype(np.int64) + 1)
            room -= digits
        else:
            packed.append(column if digits == 64 else column.astype(np.int64) + 1)
            room = 63 - digits
    return packed
