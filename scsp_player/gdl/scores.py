"""Which terms are scores."""

from __future__ import annotations

import re

from scsp_player.gdl.terms import Symbol, Term

_SCORE = re.compile(r"[+-]?[0-9]{1,9}")


def score_of(term: Term) -> int | None:
    """The number that a goal value stands for, leading zeros allowed; None if it is no whole number of at most nine digits.

    >>> [score_of(Symbol(name)) for name in ("100", "00", "-5", "high", "1e2")]
    [100, 0, -5, None, None]
    """
    return int(term.name) if isinstance(term, Symbol) and _SCORE.fullmatch(term.name) else None
