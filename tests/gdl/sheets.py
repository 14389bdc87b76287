"""Sheets and small helpers that the tests of this folder share."""

from __future__ import annotations

from scsp_player.gdl import GdlError, Program, check_program, parse_program

FRAME = "(role r) (init (s 0)) (legal r go) (<= (next (s 1)) (does r go)) (<= terminal (true (s 1))) (goal r 100)\n"
"""A complete harmless game; on a line of its own, so that what is added starts in line 2."""


def rules(text: str, **options) -> list[str]:
    """The rules of a sheet in prefix notation."""
    return [str(rule) for rule in parse_program(text, "sheet", **options).rules]


def core(program: Program):
    """All of a program but the positions."""
    bodies = [(rule.head, [(literal.atom, literal.positive) for literal in rule.body]) for rule in program.rules]
    return bodies, program.roles, program.spelling


def messages(text: str, **options) -> list[tuple[str, str, int, int]]:
    """Level, kind, line and column of all messages on a sheet."""
    found = check_program(parse_program(text, "sheet", **options))
    return [(m.level, m.check, m.position.line, m.position.column) for m in found]


def texts(text: str, kind: str) -> list[str]:
    """The texts of all messages of one kind."""
    return [m.text for m in check_program(parse_program(text, "sheet")) if m.check == kind]


def reading_error(text: str, **options) -> GdlError:
    """The error that reading a text gives."""
    try:
        parse_program(text, "sheet", **options)
    except GdlError as error:
        return error
    raise AssertionError("the text was read without an error")
