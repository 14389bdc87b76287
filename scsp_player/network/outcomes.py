"""Moves that chance or an opponent makes in an unrolled network, as functions of stochastic variables with fixed distributions.

In a state with n legal outcomes each has the probability 1/n, and n depends on the state, while the distribution of a stochastic
variable is fixed. So chance draws a number d from 0 … L - 1, L being a multiple of every possible n, and the outcome is the legal
one of rank ⌊d · n / L⌋. Counters along the list of moves give the ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from scsp_player.network.assembly import Assembly, Part
from scsp_player.network.errors import NetworkTooLargeError
from scsp_player.network.micro_scsp import ALWAYS, NEVER
from xcsp.model import STAR

Ints = NDArray[np.int32]

MAX_DRAWS = 5040
"""No draw has more values."""

MAX_CONFLICTS = 2_000_000
"""No move variable gets more conflicts in the tables that tie it to a draw."""


@dataclass(frozen=True)
class Move:
    """A move that some state allows.

    Attributes:
        value: its value of the move variable.
        variable: the Boolean variable that says whether it is legal, or ``ALWAYS``.
        legal: the value of that variable if it is.
    """

    value: int
    variable: int
    legal: int


@dataclass(frozen=True)
class Count:
    """Number of legal moves in a beginning of the list: the value of a variable (none: 0) plus a constant."""

    variable: int
    offset: int
    greatest: int


@dataclass(frozen=True)
class Mover:
    """A role whose moves are drawn, at one stage.

    Attributes:
        name: the role's name.
        stage: the stage.
        action: its move variable; ``none`` is the value "does nothing".
        moves: the moves that some state allows.
    """

    name: str
    stage: int
    action: int
    none: int
    moves: tuple[Move, ...]


def moves_of(legality: tuple[Ints, Ints], variable: Ints) -> tuple[Move, ...]:
    """The moves of a role: ``legality`` as in ``MicroSCSP``, ``variable`` maps the template's variables to those of a stage."""
    return tuple(
        Move(value, ALWAYS if x == ALWAYS else int(variable[x]), int(legal))
        for value, (x, legal) in enumerate(zip(*legality, strict=True))
        if x != NEVER
    )


def count_legal(assembly: Assembly, mover: Mover) -> list[Count]:
    """Counters for all beginnings of the mover's list of moves, the empty and the whole one included."""
    counts = [Count(-1, 0, 0)]
    for number, move in enumerate(mover.moves):
        before = counts[-1]
        if move.variable == ALWAYS:
            counts.append(Count(before.variable, before.offset + 1, before.greatest + 1))
            continue
        variable = assembly.fresh(
            f"legal_{mover.name}_up_to_{number}_at_{mover.stage}",
            before.greatest + 2 - before.offset,
            "auxiliary",
            mover.stage,
            Part.CONSEQUENCE,
        )
        known = range(before.greatest - before.offset + 1) if before.variable >= 0 else range(1)
        rows = [(n, move.legal, n + 1) for n in known] + [(n, 1 - move.legal, n) for n in known]
        scope = [before.variable, move.variable, variable]
        assembly.table(scope, rows, "auxiliary") if before.variable >= 0 else assembly.table(
            scope[1:], [row[1:] for row in rows], "auxiliary"
        )
        counts.append(Count(variable, before.offset, before.greatest + 1))
    return counts


def draw_chance(assembly: Assembly, mover: Mover, counts: Sequence[Count], sizes: Sequence[int]) -> None:
    """Let chance choose uniformly among the legal moves.

    Args:
        assembly: the network.
        mover: the chance role.
        counts: its counters.
        sizes: the numbers of legal moves that are possible in states that are not terminal, 0 excepted.

    Raises:
        NetworkTooLargeError: if the draw would need too many values.
    """
    total = counts[-1]
    values = lcm(*sizes) if sizes else 1
    if values > MAX_DRAWS:
        shown = ", ".join(map(str, sizes))
        raise NetworkTooLargeError(f"a draw that suits {shown} equally likely outcomes needs {values} values")
    rank = -1
    if values > 1:
        name = f"draw_{mover.name}_at_{mover.stage}"
        rank = draw = assembly.fresh(name, values, "chance", mover.stage, Part.CHANCE, f"chance at stage {mover.stage}")
        if total.variable >= 0:
            rank = assembly.fresh(f"rank_{mover.name}_at_{mover.stage}", max(sizes), "auxiliary", mover.stage, Part.CONSEQUENCE)
            possible = range(total.greatest - total.offset + 1)
            told: list[tuple[int, ...]] = [(d, n - total.offset, d * n // values) for n in sizes for d in range(values)]
            told += [(int(STAR), n, 0) for n in possible if n + total.offset not in sizes]
            assembly.table([draw, total.variable, rank], told, "auxiliary")
    ranks = max(sizes, default=1) if values > 1 else 1
    _bound(mover, len(mover.moves) ** 2 * ranks)
    for move, count in zip(mover.moves, counts, strict=False):
        # Conflicts: the move is legal and has the rank that was drawn, but another one is made.
        scope = [mover.action]
        columns: list[list[int]] = [[m.value for m in mover.moves if m.value != move.value]]
        if move.variable != ALWAYS:
            scope.append(move.variable)
            columns.append([move.legal])
        counted = range(count.greatest - count.offset + 1) if count.variable >= 0 else range(1)
        pairs = [(n, n + count.offset) for n in counted if n + count.offset < ranks]
        rows: list[tuple[int, ...]] = [(*row, n, r) for row in _product(columns) for n, r in pairs]
        if count.variable >= 0:
            scope.append(count.variable)
        else:
            rows = [(*row[:-2], row[-1]) for row in rows]
        if rank >= 0:
            scope.append(rank)
        else:
            rows = [row[:-1] for row in rows]
        assembly.table(scope, rows, "chance", positive=False)


def draw_opponent(assembly: Assembly, mover: Mover) -> None:
    """Let an opponent's move be any: drawn among all its moves, and free if the drawn one is not legal.

    So the probability of satisfaction is 1 exactly if every legal move can be met.
    """
    _bound(mover, len(mover.moves) ** 2)
    name = f"draw_{mover.name}_at_{mover.stage}"
    note = f"any move of {mover.name}, by its place among those that are ever legal"
    draw = assembly.fresh(name, len(mover.moves), "chance", mover.stage, Part.CHANCE, note)
    for drawn, move in enumerate(mover.moves):
        others = [m.value for m in mover.moves if m.value != move.value]
        if move.variable == ALWAYS:
            assembly.table([draw, mover.action], [(drawn, other) for other in others], "opponent", positive=False)
        else:
            rows = [(drawn, move.legal, other) for other in others]
            assembly.table([draw, move.variable, mover.action], rows, "opponent", positive=False)


def _product(columns: list[list[int]]) -> list[tuple[int, ...]]:
    rows: list[tuple[int, ...]] = [()]
    for column in columns:
        rows = [(*row, value) for row in rows for value in column]
    return rows


def _bound(mover: Mover, conflicts: int) -> None:
    if conflicts > MAX_CONFLICTS:
        raise NetworkTooLargeError(f"drawing the moves of {mover.name} needs {conflicts} conflicts at every stage")
