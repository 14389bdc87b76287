"""All public sheets: they are read, their errors are real, and they print and read back."""

from __future__ import annotations

import pytest

from scsp_player.gdl import check_program, format_infix, format_kif, load_program, parse_program
from tests.gdl.sheets import core
from tests.shared_data import SHARED, needs_shared

GAMES = sorted((SHARED / "games").glob("*.kif"))
HIDDEN = sorted(path for path in (SHARED / "games-gdl2").glob("*") if path.suffix in {".kif", ".gdl"})
PRIVATE_DIALECT_OR_UNSAFE = {
    "ggppython__ii_explodingbomb",
    "ggppython__ii_kriegtictactoe",
    "ggppython__ii_meier",
    "ggppython__stoii_connectfour",
    "ggppython__stoii_kriegtictactoe",
    "ggppython__stoii_stratego",
    "unsw__BattleshipsFog",
    "unsw__ConnectThreeDecompositionII",
}
"""Sheets with unsafe rules, facts with variables, or ``true`` at the head of a fact."""


@needs_shared
def test_the_corpora_are_complete():
    assert (len(GAMES), len(HIDDEN)) == (304, 61)


@pytest.mark.parametrize("path", GAMES + HIDDEN, ids=lambda path: path.stem)
def test_sheets_are_read_checked_and_printed(path):
    program = load_program(path)
    errors = [str(message) for message in check_program(program) if message.level == "error"]
    assert bool(errors) == (path.stem in PRIVATE_DIALECT_OR_UNSAFE), errors
    assert program.roles
    assert len(program.rules) > 5
    assert core(parse_program(format_kif(program))) == core(program)


@pytest.mark.parametrize("path", HIDDEN[::6] + GAMES[::60], ids=lambda path: path.stem)
def test_sheets_survive_infix_notation(path):
    program = load_program(path)
    assert core(parse_program(format_infix(program))) == core(program)


@pytest.mark.parametrize("path", sorted((SHARED / "cases").glob("*.kif")), ids=lambda path: path.stem)
def test_case_sheets_are_accepted(path):
    assert [m for m in check_program(load_program(path)) if m.level == "error"] == []
