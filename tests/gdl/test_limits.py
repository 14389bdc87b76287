"""Large and deep input: no recursion, no multiplication, no quadratic time that a test would notice."""

from __future__ import annotations

import pytest

from scsp_player.gdl import check_program, format_infix, format_kif, parse_program, parse_term, read_expressions
from tests.gdl.sheets import FRAME, core

DEPTH = 5000


def nested(depth: int) -> str:
    return "(l 1 " * depth + "end" + ")" * depth


@pytest.mark.parametrize("depth", [300, DEPTH, 20_000])
def test_r28_deeply_nested_terms(depth):
    program = parse_program(FRAME + f"(init {nested(depth)})")
    assert core(parse_program(format_kif(program))) == core(program)
    assert parse_term(nested(depth)) == program.rules[-1].head.arguments[0]
    assert not [message for message in check_program(program) if message.level == "error"]


def test_r28_deeply_nested_terms_in_infix_notation():
    program = parse_program(f"(p {nested(DEPTH)})")
    assert core(parse_program(format_infix(program))) == core(program)


def test_deeply_nested_negation_and_lists():
    assert [str(rule) for rule in parse_program("(<= h " + "(not " * DEPTH + "a" + ")" * DEPTH + ")").rules] == ["(<= h a)"]
    assert len(read_expressions("(" * 100_000 + ")" * 100_000)) == 1


def test_r39_twenty_thousand_rules():
    lines = [f"(<= (p{i} ?x ?y) (p{i - 1} ?x ?y) (not (q ?y)) (distinct ?x ?y))" for i in range(1, 20_000)]
    program = parse_program(FRAME + "(p0 a b) (q c)\n" + "\n".join(lines) + "(<= (legal r m) (p19999 ?x ?y))")
    assert len(program.rules) == 6 + 2 + 20_000
    assert program.rules[-2].position.line == 20_001
    assert check_program(program) == []


def test_long_bodies():
    body = " ".join(f"(a{i} ?x)" for i in range(20_000))
    (rule,) = parse_program(f"(<= (h ?x) {body})").rules
    assert len(rule.body) == 20_000
    ors = " ".join(f"(or a{i} b{i})" for i in range(5_000))
    assert len(parse_program(f"(<= h {ors})").rules) < 15_000


def test_trailing_blanks_and_comments():
    assert len(parse_program("(role r)" + " " * 300_000 + ";" * 300_000).rules) == 1
    assert len(parse_program("role(r)." + " " * 100_000 + "%" * 100_000).rules) == 1
