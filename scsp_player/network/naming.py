"""Names of variables that a reader recognises and that XCSP3 allows: a letter, then letters, digits and underscores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from scsp_player.gdl.terms import Term
from scsp_player.network.candidates import shape_and_leaves

MAX_NAME = 120
"""Names are cut at this length; the network's builder numbers equal names."""


def identifier(prefix: str, words: Iterable[str] = ()) -> str:
    """Prefix and words joined by underscores; other characters become ``_`` and their code in hexadecimal digits.

    Always starts with the prefix, so that no word of the game meets a reserved word of the format.

    >>> identifier("now", ["cell", "1", "1"]), identifier("action", ["x-player"])
    ('now_cell_1_1', 'action_x_2dplayer')
    """
    escaped = (re.sub(r"[^a-zA-Z0-9_]", lambda m: f"_{ord(m.group()):x}", word) for word in words)
    return "_".join([prefix, *escaped])[:MAX_NAME]


def words_of(term: Term) -> tuple[str, ...]:
    """A term's outermost functor and the symbols in it.

    >>> from scsp_player.gdl.terms import Compound, Symbol
    >>> words_of(Compound("cell", (Symbol("1"), Symbol("b"))))
    ('cell', '1', 'b')
    """
    shape, leaves = shape_and_leaves(term)
    return (shape.lstrip("(").split()[0].rstrip(")"), *leaves)


class LateName:
    """A name that is put together when it is first written: most functions that might become a variable do not."""

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make
        self._name: str | None = None

    def __str__(self) -> str:
        if self._name is None:
            self._name = self._make()
        return self._name


Name: TypeAlias = str | LateName


def dictionary(values: Iterable[object]) -> str:
    """Values of a variable in words, in order of their numbers, for a ``note``.

    >>> dictionary(["(cell 1 1 b)", "(cell 1 1 x)"])
    '0 = (cell 1 1 b); 1 = (cell 1 1 x)'
    """
    return "; ".join(f"{number} = {value}" for number, value in enumerate(values))
