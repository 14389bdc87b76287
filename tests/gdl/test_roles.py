"""Roles from facts, and from rules where facts decide them."""

from __future__ import annotations

import pytest

from scsp_player.gdl import parse_program
from tests.gdl.sheets import reading_error


@pytest.mark.parametrize(
    ("sheet", "roles"),
    [
        ("(role b) (role a) (role b)", ("b", "a")),
        ("(role r) (<= (role ?x) (player ?x)) (player b) (player a)", ("r", "b", "a")),
        ("(<= (role ?x) (seat (pair ?x ?n)) (distinct ?n 2)) (seat (pair a 1)) (seat (pair b 2))", ("a",)),
        ("(<= (role ?x) (seat ?x)) (<= (seat ?x) (next-to ?x ?y)) (<= (seat ?y) (next-to ?x ?y)) (next-to a b)", ("a", "b")),
        ("(<= (role ?x) (p ?x ?x)) (p a b) (p c c)", ("c",)),
        ("(<= (role ?x) (p ?x) (not (distinct ?x b))) (p a) (p b)", ("b",)),
        ("(<= (role ?x) (p ?x))", ()),
        ("(legal r go)", ()),
    ],
)
def test_roles(sheet, roles):
    assert parse_program(sheet).roles == roles


@pytest.mark.parametrize(
    ("sheet", "words"),
    [
        ("(<= (role ?x) (true (seat ?x)))", "depend on"),
        ("(<= (role ?x) (p ?x) (not (q ?x))) (p a)", "depend on"),
        ("(<= (role ?x) (p ?x)) (<= (p ?x) (does ?x sit))", "depend on"),
        ("(role (player 1))", "plain name"),
        ("(role ?x)", "plain name"),
        ("(<= (role ?x) (p ?y))" + "(p a)", "plain name"),
        ("(<= (role ?x) (n ?x) (n ?y) (n ?z))" + "".join(f"(n {i})" for i in range(100)), "too many"),
        ("(<= (role ?x) (n ?x)) (<= (n (s ?x)) (n ?x)) (n z)", "too many"),
    ],
)
def test_roles_that_facts_do_not_decide(sheet, words):
    error = reading_error(sheet)
    assert words in error.message
    assert error.position is not None
    assert "(role name)" in error.remedy
