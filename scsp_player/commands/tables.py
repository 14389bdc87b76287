"""Tables of figures on standard output: nothing is cut off, however narrow a terminal is, and files get them at full width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

NARROWEST = 12
"""Characters that a column of names keeps in a line where the terminal is too narrow for all of them."""


def table_of(names: Sequence[str], figures: Sequence[str], rows: Iterable[Sequence[str]], *, last: str = "") -> Table:
    """A table whose first columns hold names, the others figures.

    Args:
        names: titles of columns of text, which is broken into several lines where there is no room.
        figures: titles of columns of numbers, to the right and never broken.
        rows: cells, plain text.
        last: title of one more column of text.
    """
    lines = list(rows)
    table = Table(box=None)
    for number, title in enumerate((*names, *figures, *([last] if last else []))):
        longest = max(len(title), *(len(row[number]) for row in lines), 0)
        if len(names) <= number < len(names) + len(figures):
            table.add_column(title, justify="right", no_wrap=True, min_width=longest)
        else:
            table.add_column(title, overflow="fold", min_width=min(NARROWEST, longest))
    for row in lines:
        table.add_row(*map(Text, row))
    return table


def show(*parts: Table | str) -> None:
    """Print tables and lines on standard output, as wide as they are where that is no terminal."""
    console = Console(highlight=False, soft_wrap=True)
    room = console.width
    for part in parts:
        if isinstance(part, str):
            console.print(part, markup=False)
            continue
        size = Measurement.get(console, console.options.update(width=10_000), part)
        console.width = max(room, size.minimum) if console.is_terminal else size.maximum
        console.print(part)
