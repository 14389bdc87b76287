"""A position as text: a board where the fluents look like one, and the other fluents by relation."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scsp_player.gdl.terms import Compound, Symbol, Term, signature

LARGEST = 40
"""Rows or columns beyond which no board is drawn."""


@dataclass(frozen=True)
class Board:
    """Fluents of one relation, laid out by two of their arguments.

    Attributes:
        relation: name of the relation.
        columns, rows: the values of the first and of the second coordinate, in ascending order.
        cells: (column, row) to what else the fluents there say; nothing for fluents that consist of their coordinates.
    """

    relation: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: dict[tuple[str, str], str]

    def lines(self) -> list[str]:
        """The board as text, second coordinate upwards, with its coordinates at the margins."""
        margin = max(map(len, self.rows))
        width = max(map(len, (*self.columns, *self.cells.values())))
        lines = [
            " ".join([row.rjust(margin), *(self.cells.get((column, row), ".").center(width) for column in self.columns)])
            for row in reversed(self.rows)
        ]
        return [line.rstrip() for line in (*lines, " ".join([" " * margin, *(column.center(width) for column in self.columns)]))]


def boards_of(fluents: Iterable[Term]) -> tuple[list[Board], list[Term]]:
    """The boards in a position, and the fluents that are on none, sorted.

    A relation is drawn as a board if two of its arguments take numbers or single letters as values, if hardly any place is named
    twice, and if neither coordinate settles the other. What is left of a fluent is the content of its place.
    """
    relations: dict[tuple[str, int], list[Compound]] = defaultdict(list)
    others: list[Term] = []
    for fluent in sorted(fluents):
        if isinstance(fluent, Compound) and len(fluent.arguments) >= 2:
            relations[signature(fluent)].append(fluent)
        else:
            others.append(fluent)
    boards = []
    for members in relations.values():
        board = _board(members)
        if board is None:
            others.extend(members)
        else:
            boards.append(board)
    return boards, sorted(others)


def _board(fluents: Sequence[Compound]) -> Board | None:
    arguments = [[fluent.arguments[i] for fluent in fluents] for i in range(len(fluents[0].arguments))]
    coordinates = [i for i, values in enumerate(arguments) if _is_scale(values)]
    candidates = [_laid_out(fluents, first, second) for first, second in itertools.combinations(coordinates, 2)]
    boards = [board for board in candidates if board is not None]

    def doubt(board: Board) -> tuple[int, int]:
        letters = sum(not _is_number(values[0]) for values in (board.columns, board.rows))
        return len(fluents) - len(board.cells), letters

    return min(boards, key=doubt, default=None)


def _laid_out(fluents: Sequence[Compound], first: int, second: int) -> Board | None:
    """The board with these arguments as coordinates, if it deserves the name."""
    cells: dict[tuple[str, str], list[str]] = defaultdict(list)
    for fluent in fluents:
        rest = [str(argument) for i, argument in enumerate(fluent.arguments) if i not in (first, second)]
        cells[str(fluent.arguments[first]), str(fluent.arguments[second])].append(" ".join(rest) or fluent.functor)
    used = [{place[i] for place in cells} for i in (0, 1)]
    if len(cells) * 4 < len(fluents) * 3 or len(cells) <= max(map(len, used)):
        return None
    columns, rows = (_scale(values) for values in used)
    if min(len(columns), len(rows)) < 2 or max(len(columns), len(rows)) > LARGEST:
        return None
    return Board(fluents[0].functor, columns, rows, {place: "/".join(content) for place, content in cells.items()})


def _scale(values: set[str]) -> tuple[str, ...]:
    """The values in ascending order, numbers without gaps."""
    if not all(map(_is_number, values)):
        return tuple(sorted(values))
    numbers = sorted(map(int, values))
    if numbers[-1] - numbers[0] >= LARGEST or len({str(number) for number in numbers} | values) > len(numbers):
        return tuple(sorted(values, key=int))
    return tuple(map(str, range(numbers[0], numbers[-1] + 1)))


def _is_number(name: str) -> bool:
    return name.removeprefix("-").isdecimal()


def _is_scale(values: Sequence[Term]) -> bool:
    """Whether all values are whole numbers, or all are single letters."""
    names = {value.name for value in values if isinstance(value, Symbol)}
    if any(not isinstance(value, Symbol) for value in values):
        return False
    return all(map(_is_number, names)) or all(len(name) == 1 and name.isalpha() for name in names)

