"""Reading of prefix rule sheets: each R row of the case collection that concerns the reader has a test named after it."""

from __future__ import annotations

import pytest

from scsp_player.gdl import parse_program
from tests.shared_data import SHARED, needs_shared

FRAME = "(role r) (init (s 0)) (legal r go) (<= (next (s 1)) (does r go)) (<= terminal (true (s 1))) (goal r 100)"


def rules(text: str) -> list[str]:
    return [str(rule) for rule in parse_program(text).rules]


@needs_shared
@pytest.mark.parametrize("path", sorted((SHARED / "games").glob("*.kif")), ids=lambda path: path.stem)
def test_corpus_sheets_parse(path):
    program = parse_program(path.read_bytes().decode("utf-8", "replace"), path.name)
    assert program.roles
    assert len(program.rules) > 5


def test_or_gives_one_rule_for_each_alternative():
    assert rules("(<= (h ?x) (a ?x) (or (b ?x) (not (c ?x))) (d ?x))") == [
        "(<= (h ?x) (a ?x) (b ?x) (d ?x))",
        "(<= (h ?x) (a ?x) (not (c ?x)) (d ?x))",
    ]
