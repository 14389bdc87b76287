"""Reading of prefix rule sheets. Tests named after a row (R08 …) reproduce that row of the collected cases."""

from __future__ import annotations

import pytest

from scsp_player.gdl import (
    Compound,
    GdlError,
    Symbol,
    UnusableFileError,
    Variable,
    load_program,
    parse_program,
    parse_term,
    program_from_expressions,
    read_expressions,
    term_from_expression,
)
from tests.gdl.sheets import FRAME, messages, reading_error, rules


def test_positions_of_rules_and_literals():
    program = parse_program("(role r)\n(<= (h ?x)\n    (a ?x)\n    (not (b ?x)))", "s.kif")
    rule = program.rules[1]
    assert str(rule.position) == "s.kif:2:1"
    assert [str(literal.position) for literal in rule.body] == ["s.kif:3:5", "s.kif:4:10"]


def test_terms_of_one_sheet_share_their_symbols():
    program = parse_program("(p a) (q a)")
    first, second = (rule.head for rule in program.rules)
    assert isinstance(first, Compound)
    assert isinstance(second, Compound)
    assert first.arguments[0] is second.arguments[0]


def test_r08_a_name_alone_in_parentheses_is_that_name_everywhere():
    assert rules("(<= (done) (true (s (one)))) (<= terminal (done)) (p (f (a) b))") == [
        "(<= done (true (s one)))",
        "(<= terminal done)",
        "(p (f a b))",
    ]
    assert ("warning", "parenthesised-constant", 2, 5) in messages(FRAME + "(<= (done) (true (s 1))) (<= terminal (done))")


def test_r09_a_name_in_parentheses_inside_not():
    assert rules("(<= (goal r 0) (not (terminal)))") == ["(<= (goal r 0) (not terminal))"]


def test_r10_rule_with_an_empty_body_is_a_fact():
    assert rules("(<= (legal r wait))") == ["(legal r wait)"]
    assert messages(FRAME + "(<= (legal r wait))") == [("warning", "empty-body", 2, 1)]


def test_r11_negated_distinct_stays_a_negative_literal():
    sheet = "(d 1) (d 2) (<= (same ?x ?y) (d ?x) (d ?y) (not (distinct ?x ?y))) (<= (legal r (m ?x)) (same ?x ?y))"
    literal = parse_program(sheet).rules[2].body[2]
    assert not literal.positive
    assert str(literal.atom) == "(distinct ?x ?y)"
    assert [kind for _, kind, *_ in messages(FRAME + sheet)] == ["negated-distinct"]


def test_r15_keyword_as_functor_of_a_percept_is_accepted_with_a_warning():
    assert rules("(<= (sees r (does r ?m)) (does r ?m))") == ["(<= (sees r (does r ?m)) (does r ?m))"]
    assert messages(FRAME + "(<= (sees r (does r ?m)) (does r ?m))") == [("warning", "keyword-in-term", 2, 1)]


def test_r20_letters_are_folded_and_the_first_spelling_kept():
    program = parse_program("(Role Red) (init (Win no)) (<= (goal red 50) (true (win NO)))")
    assert [str(rule) for rule in program.rules] == ["(role red)", "(init (win no))", "(<= (goal red 50) (true (win no)))"]
    assert program.roles == ("red",)
    assert program.spelling == {"role": "Role", "red": "Red", "win": "Win"}


def test_r20_case_sensitive_on_request():
    program = parse_program("(role Red) (p Win win ?X)", case_sensitive=True)
    assert str(program.rules[1].head) == "(p Win win ?X)"
    assert program.roles == ("Red",)
    assert program.spelling == {}


def test_r21_repeated_variables_are_one_variable():
    head = parse_program("(<= (legal r (d ?x ?X ?y)) (t ?x ?x ?y))").rules[0].head
    assert str(head) == "(legal r (d ?x ?x ?y))"


def test_r22_constant_move_and_variable_role():
    assert rules("(<= (legal ?p ?p) (role ?p))") == ["(<= (legal ?p ?p) (role ?p))"]


def test_r26_init_by_a_rule():
    assert messages(FRAME + "(i 1) (i 2) (<= (init (c ?x)) (i ?x))") == []


def test_r27_leading_zeros_are_part_of_a_symbol():
    program = parse_program("(goal r 00) (p 0 00)")
    assert str(program.rules[0].head) == "(goal r 00)"
    assert messages(FRAME.replace("100", "00")) == []


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("(role r", 1, 1),
        ("(role r)\n(<= (legal r go)\n  (a (b c)\n", 3, 3),
        ("(role r)\n  (", 2, 3),
        ("(role r))", 1, 9),
        ("(role r)\r\n) (", 2, 1),
        ("(role r) ; (\n)", 2, 1),
    ],
)
def test_r30_unbalanced_parentheses(text, line, column):
    error = reading_error(text)
    assert (error.position.line, error.position.column) == (line, column)
    assert "parenthesis" in error.message
    assert error.remedy


@pytest.mark.parametrize("text", ["(role r) ; end", "; (\n(role r)", "(role;comment)\nr)", ";\r(role r)"])
def test_r30_comments_end_with_the_line_or_the_text(text):
    assert rules(text) == ["(role r)"]


def test_r31_no_break_space_between_tokens():
    error = reading_error("(role r)\n(init\u00a0(s 0))")
    assert str(error.position) == "sheet:2:6"
    assert "U+00A0" in error.message


@pytest.mark.parametrize("blank", ["\u2003", "\u200b", "\ufeff", "\u2028", "\x07", "\x85"])
def test_r31_other_blanks_and_invisible_characters(blank):
    assert str(reading_error(f"(role{blank} r)").position) == "sheet:1:6"


def test_r31_such_characters_may_stand_in_comments():
    assert rules("; a\u00a0b \x07 \ufffd\n(role r)") == ["(role r)"]
    found = messages(FRAME + "; caf\u00e9 \u00e9 \ufffd")
    assert found == [("warning", "unusual-character", 2, 6), ("warning", "unusual-character", 2, 10)]


def test_r31_byte_order_mark_is_dropped():
    assert rules("\ufeff(role r)") == ["(role r)"]
    assert rules("\ufeffrole(r).") == ["(role r)"]


def test_r31_latin_1_bytes_in_a_file(tmp_path):
    path = tmp_path / "sheet.kif"
    path.write_bytes(b"\xef\xbb\xbf; caf\xe9\r\n" + FRAME.encode())
    program = load_program(path)
    assert program.roles == ("r",)
    assert [remark.check for remark in program.remarks] == ["unusual-character"]


@pytest.mark.parametrize(
    "content",
    [b"\0" * 120, b"", b" \n", b"Some notes (without any rules) about a role.\n", b"(\0r\0o\0l\0e\0 \0r\0)\0"],
)
def test_r32_not_a_rule_sheet(tmp_path, content):
    path = tmp_path / "._g.gdl"
    path.write_bytes(content)
    with pytest.raises(UnusableFileError, match="not a rule sheet"):
        load_program(path)


def test_unreadable_file(tmp_path):
    with pytest.raises(UnusableFileError, match="cannot read"):
        load_program(tmp_path / "missing.kif")
    with pytest.raises(UnusableFileError, match="cannot read"):
        load_program(tmp_path)


def test_nul_in_a_text():
    assert "NUL" in reading_error("(role r)\0").message


def test_r34_every_other_character_belongs_to_symbols(tmp_path):
    assert rules('(p ++ 3am next-player "x" |a| [] ? <= é =)') == ['(p ++ 3am next-player "x" |a| [] ? <= é =)']
    path = tmp_path / "2p-ffa (v1).kif"
    path.write_text(FRAME)
    assert load_program(path).source == str(path)


def test_r35_role_random_keeps_its_place():
    assert parse_program("(role random) (role r)").roles == ("random", "r")


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("(or a b)", 1, "outermost"),
        ("(not a)", 1, "outermost"),
        ("(<=)", 1, "without a head"),
        ("(<= (or a b) c)", 5, "head"),
        ("(<= ?x c)", 5, "variable"),
        ("(<= a ?x)", 7, "variable"),
        ("(<= a (?or b c))", 8, "variable"),
        ("(<= a (not b c))", 7, "'not'"),
        ("(<= a (not))", 7, "'not'"),
        ("(<= a not)", 7, "'not'"),
        ("(<= a (<= b c))", 7, "'<='"),
        ("(p (?x a))", 5, "variable"),
        ("(<= a ())", 7, "empty"),
        ("(p ())", 4, "empty"),
        ("()", 1, "empty"),
        ("(p ((q) a))", 5, "another list"),
        ("or", 1, "'or'"),
    ],
)
def test_malformed_rules(text, column, words):
    error = reading_error(text)
    assert (error.position.line, error.position.column) == (1, column)
    assert words in error.message
    assert error.remedy


def test_a_list_of_all_rules_is_unpacked():
    assert rules("((role r) (<= terminal (true end)))") == ["(role r)", "(<= terminal (true end))"]


def test_rules_inside_a_message():
    (start,) = read_expressions("( START m1 Red\n ((Role Red)\n  (<= (legal Red Go) (not terminal))) 10 5 )", "message")
    assert str(start) == "(START m1 Red ((Role Red) (<= (legal Red Go) (not terminal))) 10 5)"
    assert str(start.items[0]) == "START"
    program = program_from_expressions(start.items[3].items, "m1")
    assert program.source == "m1"
    assert program.roles == ("red",)
    assert str(program.rules[1].position) == "message:3:3"
    assert program.spelling["go"] == "Go"
    assert str(term_from_expression(start.items[2])) == "red"


def test_parse_term():
    assert parse_term("(Mark 1 ?X)") == Compound("mark", (Symbol("1"), Variable("x")))
    assert parse_term("noop") == Symbol("noop")
    assert parse_term("mark(1, X)") == parse_term("(mark 1 ?x)")
    assert parse_term("(Mark)", case_sensitive=True) == Symbol("Mark")
    for wrong in ("", "a b", "(a", "()"):
        with pytest.raises(GdlError):
            parse_term(wrong)


def test_a_question_mark_alone_is_a_variable():
    assert messages(FRAME + "(<= (p ?) (role ?)) (<= (legal ? stop) (p ?)) (q ?)") == [
        ("error", "fact-with-variable", 2, 47),
        ("warning", "unused", 2, 47),
    ]
    rule = parse_program("(<= (p ?) (role ?))").rules[0]
    assert rule.head.arguments == (Variable(""),)
    assert str(rule) == "(<= (p ?) (role ?))"
