"""What a player's reply means; players of twenty years do not all write alike."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.reading import parse_term, term_from_expression
from scsp_player.gdl.sexpr import read_expressions
from scsp_player.gdl.terms import Term


def move_in(text: str, legal: Collection[Term]) -> Term | None:
    r"""The move in a reply; a move that is not legal if there is no other, None if there is none at all.

    A move may stand in any notation and case, may lack the parentheses around it, and may be followed by other words.

    >>> legal = [parse_term("(mark 1 2)"), parse_term("noop")]
    >>> for text in ("( MARK 1 2 )", "mark 1 2", "mark(1,2)", "noop\n; nothing else to do", "noop thinking (about it)", "(("):
    ...     print(move_in(text, legal))
    (mark 1 2)
    (mark 1 2)
    (mark 1 2)
    noop
    noop
    None
    """
    first: Term | None = None
    for move in _readings(text):
        if move in legal:
            return move
        first = first or move
    return first


def _readings(text: str) -> Iterator[Term]:
    for candidate in (text, f"({text})"):
        try:
            yield parse_term(candidate)
        except GdlError:
            continue
    try:
        yield term_from_expression(read_expressions(text, "<reply>")[0])
    except (GdlError, IndexError):
        return
