"""From text or a file to a ``Program``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal as OneOf

from scsp_player.gdl.characters import unusual_characters
from scsp_player.gdl.collector import paused_collector
from scsp_player.gdl.errors import GdlError, Position
from scsp_player.gdl.infix import looks_infix, read_infix, read_infix_term
from scsp_player.gdl.normal_form import NormalForm
from scsp_player.gdl.program import Program
from scsp_player.gdl.remarks import Remark
from scsp_player.gdl.roles import roles_of
from scsp_player.gdl.sexpr import Expression, Group, read_expressions
from scsp_player.gdl.sheet_file import read_sheet
from scsp_player.gdl.symbols import SymbolTable
from scsp_player.gdl.terms import Term

Notation = OneOf["auto", "kif", "infix"]


def parse_program(text: str, source: str = "<rules>", *, notation: Notation = "auto", case_sensitive: bool = False) -> Program:
    """The normal form of a rule sheet.

    >>> program = parse_program("(role r) (<= (legal r go) (or (true a) (not (true b))))")
    >>> [str(rule) for rule in program.rules]
    ['(role r)', '(<= (legal r go) (true a))', '(<= (legal r go) (not (true b)))']

    Args:
        text: the sheet.
        source: name for positions, usually that of the file.
        notation: ``kif`` (prefix), ``infix``, or ``auto`` to recognise which.
        case_sensitive: keep letters as they are. By default they are folded to lower case.

    Raises:
        GdlError: if the text cannot be read. What can be read but not played is left to ``check_program``.
    """
    infix = looks_infix(text) if notation == "auto" else notation == "infix"
    with paused_collector():
        expressions = read_infix(text, source) if infix else read_expressions(text, source)
        return program_from_expressions(expressions, source, case_sensitive=case_sensitive)


def program_from_expressions(expressions: Sequence[Expression], source: str, *, case_sensitive: bool = False) -> Program:
    """The normal form of rules that were already read as expressions, such as those inside a message.

    A list that holds all rules (instead of the rules themselves) is unpacked.

    Raises:
        GdlError: as ``parse_program``.
    """
    if len(expressions) == 1 and isinstance(expressions[0], Group):
        items = expressions[0].items
        if items and all(isinstance(item, Group) for item in items):
            expressions = items
    symbols = SymbolTable(case_sensitive)
    normal_form = NormalForm(expressions, symbols)
    with paused_collector():
        rules = tuple(normal_form.rules())
    remarks = [*normal_form.remarks, *_capitalisation(symbols)]
    if expressions:
        remarks.extend(unusual_characters(expressions[0].origin))
    return Program(source, rules, roles_of(rules), symbols.spelling(), tuple(remarks))


def _capitalisation(symbols: SymbolTable) -> Iterator[Remark]:
    for first, *others in symbols.variants():
        for other in others:
            text = f"{other} is written {first} in line {first.position.line}; use one spelling"
            yield Remark("capitalisation", other.position, text)


def load_program(path: str | Path, *, notation: Notation = "auto", case_sensitive: bool = False) -> Program:
    """The normal form of a rule sheet in a file: UTF-8, with or without byte order mark; other bytes become U+FFFD.

    Raises:
        UnusableFileError: if the file cannot be read or is no rule sheet.
        GdlError: as ``parse_program``.
    """
    return parse_program(read_sheet(path), str(path), notation=notation, case_sensitive=case_sensitive)


def parse_term(text: str, *, case_sensitive: bool = False) -> Term:
    """A single term such as a move or a fluent, in either notation.

    >>> parse_term("(mark 1 ?X)"), parse_term("mark(1, X)")
    (<(mark 1 ?x)>, <(mark 1 ?x)>)

    Raises:
        GdlError: if the text is not exactly one term.
    """
    if looks_infix(text):
        return term_from_expression(read_infix_term(text), case_sensitive=case_sensitive)
    expressions = read_expressions(text, "<term>")
    if len(expressions) != 1:
        raise GdlError(f"{len(expressions)} terms where one is expected", Position("<term>", 1, 1), "write one symbol or one list")
    return term_from_expression(expressions[0], case_sensitive=case_sensitive)


def term_from_expression(expression: Expression, *, case_sensitive: bool = False) -> Term:
    """The term that an expression (for instance a move inside a message) stands for.

    Raises:
        GdlError: if a list in it is empty or does not start with a name.
    """
    return NormalForm((), SymbolTable(case_sensitive)).term(expression)
