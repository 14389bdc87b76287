"""Infix notation: the same rules as their prefix form."""

from __future__ import annotations

import pytest

from scsp_player.gdl import check_program, parse_program
from scsp_player.gdl.infix import looks_infix
from tests.gdl.sheets import reading_error, rules


@pytest.mark.parametrize(
    ("infix", "prefix"),
    [
        ("role(r).", "(role r)"),
        (
            "legal(P, mark(X,Y)) :- true(cell(X,Y,b)) & ~distinct(X,Y)",
            "(<= (legal ?p (mark ?x ?y)) (true (cell ?x ?y b)) (not (distinct ?x ?y)))",
        ),
        ("a(X) :- b(X), not c(X), \\+ d(X).", "(<= (a ?x) (b ?x) (not (c ?x)) (not (d ?x)))"),
        ("a(X) <= b(X) & not(c(X))", "(<= (a ?x) (b ?x) (not (c ?x)))"),
        (
            "h(X) :- p(X, Y), X \\= Y, X != z, X = Y.",
            "(<= (h ?x) (p ?x ?y) (distinct ?x ?y) (distinct ?x z) (not (distinct ?x ?y)))",
        ),
        ("h(-10, 3am, _Named).", "(h -10 3am ?_named)"),
        ("h('Up', 'next-player', '++', 'don''t')", "(h up next-player ++ don't)"),
        ("h(?x, ?foo-bar, X)", "(h ?x ?foo-bar ?x)"),
        ("notation(x) :- notable & nothing(x).", "(<= (notation x) notable (nothing x))"),
        ("cell((C, R)) :- col(C), row(R).", "(<= (cell (tuple ?c ?r)) (col ?c) (row ?r))"),
        ("f(not(a), or(b)) .", "(f (not a) (or b))"),
    ],
)
def test_clauses(infix, prefix):
    assert rules(infix, notation="infix") == [prefix]


def test_alternatives_bind_weaker_than_conjunctions():
    assert rules("h :- a & (b | ~(c, d)) | e ; f.", notation="infix") == [
        "(<= h a b)",
        "(<= h a (not c))",
        "(<= h a (not d))",
        "(<= h e)",
        "(<= h f)",
    ]


def test_r33_clauses_separated_by_blanks_only():
    text = "role(r) legal(r,go) terminal :- true(s(1)) next(s(1)) :- does(r,go) & true(s(0))\ndone goal(r,100)"
    assert rules(text) == [
        "(role r)",
        "(legal r go)",
        "(<= terminal (true (s 1)))",
        "(<= (next (s 1)) (does r go) (true (s 0)))",
        "done",
        "(goal r 100)",
    ]


@pytest.mark.parametrize(
    ("text", "infix"),
    [
        ("role(r) legal(r,go)", True),
        ("; (a comment)\n% another\nrole(r).", True),
        ("terminal :- true(x)", True),
        ("end.\nrole(r).", True),
        ("'Odd name'(x).", True),
        ("(role r)", False),
        ("; role(r)\n(role r)", False),
        ("terminal (role r)", False),
        ("", False),
    ],
)
def test_r33_notation_is_recognised(text, infix):
    assert looks_infix(text) == infix


def test_comments():
    text = "% line\nrole(r). ; after a full stop\n  ; whole line\n/* over\n lines */ role(s). // to the end\n;; two\np('%', ';;')."
    assert rules(text.replace("p('%', ';;').", "p('%').")) == ["(role r)", "(role s)", "(p %)"]


def test_each_anonymous_variable_is_its_own():
    (rule,) = parse_program("h :- p(_, _) & q(_).").rules
    names = {str(argument) for literal in rule.body for argument in literal.atom.arguments}
    assert len(names) == 3


def test_anonymous_variables_under_a_negation_ask_for_no_value():
    text = "some_1(x). first(X) :- n(X) & ~succ(_, X) & ~big(_Size). n(1). n(2). succ(1, 2)."
    program = parse_program(text, notation="infix")
    assert [str(rule) for rule in program.rules][1:4] == [
        "(<= (first ?x) (n ?x) (not (some_2 ?x)) (not some_3))",
        "(<= (some_2 ?x) (succ ?_#1 ?x))",
        "(<= some_3 (big ?_size))",
    ]
    assert not [m for m in check_program(program) if m.check == "unsafe-rule"]


def test_positions():
    program = parse_program("role(r).\nlegal(r, go) :-\n  true(a) &\n  ~ true(b).", "s")
    assert str(program.rules[1].position) == "s:2:1"
    assert [str(literal.position) for literal in program.rules[1].body] == ["s:3:3", "s:4:5"]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("role(r).\nlegal(r go).", 2, 9, "go"),
        ("role(r).\nlegal(r, f(go).", 2, 6, "opening parenthesis"),
        ("role(r)).", 1, 8, "closing parenthesis"),
        ("role(r).\nterminal :-", 2, 12, "ends"),
        ("role(r) :- & b.", 1, 12, "&"),
        ("role(r#).", 1, 7, "#"),
        ("role('a b').", 1, 6, "name"),
        ("role('?x').", 1, 6, "question mark"),
        ("role('').", 1, 6, "name"),
        ("role(r)\u00a0.", 1, 8, "U+00A0"),
    ],
)
def test_errors_have_a_position_and_a_remedy(text, line, column, words):
    error = reading_error(text, notation="infix")
    assert (error.position.line, error.position.column) == (line, column)
    assert words in error.message
    assert error.remedy
