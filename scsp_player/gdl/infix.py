"""Rule sheets in infix notation, ``legal(P, mark(X, Y)) :- true(cell(X, Y, b)) & ~distinct(X, Y)``, read as KIF expressions.

What is read is the expression that the same rule has in prefix notation, so that everything after reading is common to both.
"""

from __future__ import annotations

import re
from typing import Any

from scsp_player.gdl.characters import STRAY, stray_character
from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.local_variables import without_local_variables
from scsp_player.gdl.sexpr import Expression
from scsp_player.gdl.source_text import SourceText

_COMMENT = re.compile(
    r"(?P<quoted>'(?:[^'\r\n]|'')*')"  # kept: a quoted name may contain what starts a comment
    r"|%[^\r\n]*|//[^\r\n]*|/\*.*?\*/"
    r"|;;[^\r\n]*|(?:^|(?<=\.)|(?<=[\r\n]))[ \t]*;[^\r\n]*",  # one semicolon elsewhere is a disjunction
    re.DOTALL,
)
_STRAY = re.compile(f"[{STRAY}]")
_PARENTHESIS = re.compile(r"'(?:[^'\r\n]|'')*'|([()])")
_FIRST_CLAUSE = re.compile(
    r"(?:\s++|;[^\r\n]*+|%[^\r\n]*+|//[^\r\n]*+|/\*.*?\*/)*+"  # blanks and comments
    r"(?:[A-Za-z0-9_-]++|'(?:[^'\r\n]|'')*')(?:\(|\s*:-|\s*\.(?!\S))",
    re.DOTALL,
)


def without_comments(text: str) -> str:
    """The text with every comment replaced by as many spaces, so that offsets stay the same."""
    return _COMMENT.sub(lambda match: match[0] if match["quoted"] else re.sub(r"[^\r\n]", " ", match[0]), text)


def looks_infix(text: str) -> bool:
    r"""Whether the first thing in a text that is not a comment is a name at once followed by ``(``, ``:-`` or a full stop.

    >>> looks_infix("; a game\nrole(r). terminal :- true(end)"), looks_infix("terminal (role r)")
    (True, False)
    """
    return _FIRST_CLAUSE.match(text.removeprefix("\ufeff")) is not None


def read_infix(text: str, source: str = "<text>") -> list[Expression]:
    r"""The clauses of an infix sheet as prefix expressions: facts as they are, rules as ``(<= head body…)``.

    ``&`` and ``,`` join formulas, ``|`` and ``;`` separate alternatives, ``~``, ``not`` and ``\+`` negate. Variables start with a
    capital, ``_`` or ``?``; each ``_`` alone is a variable of its own (under a negation: see
    ``local_variables``). Names of another form stand in single quotes.

    >>> [str(e) for e in read_infix("role(r). legal(r, M) :- move(M) & ~true(done(M))")]
    ['(role r)', '(<= (legal r ?M) (move ?M) (not (true (done ?M))))']

    Raises:
        GdlError: with the position of what cannot be read, or of an opening parenthesis that is not closed.
    """
    origin = SourceText(source, text.removeprefix("\ufeff"))
    clauses: list[Expression] = _parse(origin, "sheet")
    return without_local_variables(clauses)


def read_infix_term(text: str, source: str = "<term>") -> Expression:
    """A single term in infix notation.

    Raises:
        GdlError: if the text is not exactly one term.
    """
    term: Expression = _parse(SourceText(source, text), "term")
    return term


def _parse(origin: SourceText, start: str) -> Any:
    from scsp_player.gdl.infix_grammar import parse  # lark is loaded only for sheets that need it

    bare = without_comments(origin.text)
    stray = _STRAY.search(bare)
    if stray:
        raise stray_character(origin, stray.start())
    _require_balance(origin, bare)
    return parse(bare, origin, start)


def _require_balance(origin: SourceText, bare: str) -> None:
    """Parentheses first: an open one is far from where the grammar would notice it."""
    open_offsets: list[int] = []
    for match in _PARENTHESIS.finditer(bare):
        if match[1] == "(":
            open_offsets.append(match.start())
        elif match[1] == ")":
            if not open_offsets:
                raise GdlError("closing parenthesis without an opening one", origin.position(match.start()), "delete it")
            open_offsets.pop()
    if open_offsets:
        raise GdlError(
            "opening parenthesis without a closing one",
            origin.position(open_offsets[-1]),
            "add the closing parenthesis where this list should end",
        )
