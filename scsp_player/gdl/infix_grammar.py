"""The parser of infix notation: the grammar of ``infix.lark``, and what it builds from each clause.

lark's LALR parser does not recurse and builds while it reduces, so terms may be nested to any depth.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput, UnexpectedToken

from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.sexpr import Expression, Group, Word
from scsp_player.gdl.source_text import SourceText


def parse(bare: str, origin: SourceText, start: str) -> Any:
    """The expressions of a text without comments: a list for the start symbol ``sheet``, one for ``term``.

    Raises:
        GdlError: at the first token that does not fit.
    """
    builder = _Builder(origin)
    parser = Lark(_grammar(), parser="lalr", lexer="contextual", start=start, maybe_placeholders=False, transformer=builder)
    try:
        return parser.parse(bare)
    except UnexpectedInput as error:
        raise _syntax_error(origin, error) from None


@cache
def _grammar() -> str:
    return Path(__file__).with_name("infix.lark").read_text(encoding="utf-8")


def _syntax_error(origin: SourceText, error: UnexpectedInput) -> GdlError:
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return GdlError("the text ends in the middle of a clause", origin.position(len(origin.text.rstrip())), "complete it")
    offset = error.pos_in_stream if error.pos_in_stream is not None else 0
    found = str(error.token) if isinstance(error, UnexpectedToken) else origin.text[offset : offset + 1]
    return GdlError(
        f"'{found}' cannot stand here in infix notation",
        origin.position(offset),
        "write clauses as head :- formula & formula, names in lower case, other names in single quotes",
    )


class _Builder(Transformer[Token, Any]):
    """Builds prefix expressions while the parser reduces."""

    def __init__(self, origin: SourceText) -> None:
        super().__init__()
        self._origin = origin
        self._anonymous = 0

    def sheet(self, clauses: list[Expression]) -> list[Expression]:
        return clauses

    def fact(self, children: list[Expression]) -> Expression:
        return children[0]

    def rule(self, children: list[Expression]) -> Expression:
        head, body = children
        formulas = body.items[1:] if isinstance(body, Group) and str(body.items[0]) == "and" else [body]
        return self._group("<=", [head, *formulas], head.offset)

    def body(self, children: list[Expression]) -> Expression:
        return children[0] if len(children) == 1 else self._group("or", children, children[0].offset)

    def conjunction(self, children: list[Expression]) -> Expression:
        return children[0] if len(children) == 1 else self._group("and", children, children[0].offset)

    def negation(self, children: list[Any]) -> Expression:
        sign, formula = children
        return self._group("not", [formula], sign.start_pos)

    def unequal(self, children: list[Any]) -> Expression:
        left, _, right = children
        return self._group("distinct", [left, right], left.offset)

    def equal(self, children: list[Any]) -> Expression:
        return self._group("not", [self.unequal(children)], children[0].offset)

    def application(self, children: list[Any]) -> Expression:
        functor, *arguments = children
        return Group([self._name(functor), *arguments], self._origin, functor.start_pos)

    def tuple(self, children: list[Expression]) -> Expression:
        return self._group("tuple", children, children[0].offset)

    def name(self, children: list[Token]) -> Expression:
        return self._name(children[0])

    def variable(self, children: list[Token]) -> Expression:
        token = children[0]
        if token == "_":
            self._anonymous += 1
            return self._word(f"?_#{self._anonymous}", token)
        name = token.removeprefix("?")
        if name == "''":  # the variable without a name, ? alone in prefix notation
            return self._word("?", token)
        return self._word("?" + (self._unquoted(token, name) if name.startswith("'") else name), token)

    def _name(self, token: Token) -> Word:
        if not token.startswith("'"):
            return self._word(str(token), token)
        name = self._unquoted(token, token)
        if name.startswith("?"):
            raise GdlError(
                f"the name {token} starts with a question mark",
                self._origin.position(_offset(token)),
                "variables stand outside quotes: ?name",
            )
        return self._word(name, token)

    def _unquoted(self, token: Token, quoted: str) -> str:
        name = quoted[1:-1].replace("''", "'")
        if not name or re.search(r"[\s();]", name):
            raise GdlError(
                f"{quoted} is not a name of the rule language",
                self._origin.position(_offset(token)),
                "leave out blanks, parentheses and semicolons",
            )
        return name

    def _word(self, text: str, token: Token) -> Word:
        return Word(text, self._origin, _offset(token))

    def _group(self, name: str, items: list[Expression], offset: int) -> Group:
        return Group([Word(name, self._origin, offset), *items], self._origin, offset)


def _offset(token: Token) -> int:
    assert token.start_pos is not None
    return token.start_pos
