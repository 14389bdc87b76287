"""``or``, ``and`` and ``not`` in bodies: clause duplication, De Morgan and the auxiliary relations that keep it within bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scsp_player.gdl import check_program, disjunction, parse_program, signature
from tests.gdl.sheets import FRAME, messages, reading_error, rules


def test_or_gives_one_rule_for_each_alternative():
    assert rules("(<= (h ?x) (a ?x) (or (b ?x) (not (c ?x))) (d ?x))") == [
        "(<= (h ?x) (a ?x) (b ?x) (d ?x))",
        "(<= (h ?x) (a ?x) (not (c ?x)) (d ?x))",
    ]


def test_r29_or_binding_a_variable_in_each_branch():
    assert rules("(<= (legal r (m ?x)) (or (a ?x) (b2 ?x)))") == ["(<= (legal r (m ?x)) (a ?x))", "(<= (legal r (m ?x)) (b2 ?x))"]
    assert ("error", "unsafe-rule", 2, 1) in messages(FRAME + "(<= (legal r (m ?x)) (or (a ?x) b)) (a 1) b")


def test_r29_or_inside_not():
    assert rules("(<= c (not (or d e)))") == ["(<= c (not d) (not e))"]


def test_r29_empty_or_is_false():
    assert rules("(<= b (or)) (<= c (not (or)) a) (<= d (and) a)") == ["(<= c a)", "(<= d a)"]
    assert [kind for _, kind, *_ in messages(FRAME + "(<= terminal (or))")] == ["odd-connective"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("(and a b)", ["(<= h a b)"]),
        ("(not (and a b))", ["(<= h (not a))", "(<= h (not b))"]),
        ("(not (not a))", ["(<= h a)"]),
        ("(not (not (not a)))", ["(<= h (not a))"]),
        ("(or a (or b c))", ["(<= h a)", "(<= h b)", "(<= h c)"]),
        ("(or (and a b) c)", ["(<= h a b)", "(<= h c)"]),
        ("(not (or a (and b (not c))))", ["(<= h (not a) (not b))", "(<= h (not a) c)"]),
        ("(OR a B)", ["(<= h a)", "(<= h b)"]),
    ],
)
def test_normal_forms(body, expected):
    assert rules(f"(<= h {body})") == expected


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("(or a)", "odd-connective"),
        ("(and a)", "odd-connective"),
        ("(or a (or b c))", "odd-connective"),
        ("(not (not a))", "double-negation"),
    ],
)
def test_oddities_are_remarked(body, kind):
    assert [remark.check for remark in parse_program(f"(<= h {body})").remarks] == [kind]


def test_many_alternatives_do_not_multiply():
    factors = " ".join(f"(or (a{i} ?x) (b{i} ?x))" for i in range(40))
    program = parse_program(f"(<= (h ?x) {factors})")
    assert len(program.rules) < 200
    assert not [m for m in check_program(program) if m.check == "unsafe-rule"]


def test_auxiliary_relations_keep_shared_variables_only_and_stay_safe():
    first, second = (" ".join(f"(and (p{i} ?x ?{local}) (q{i} ?{local}))" for i in range(9)) for local in "uv")
    program = parse_program(f"(either_1 z) (<= (h ?x ?y) (d ?x) (e ?y) (or {first}) (or {second} (not (d ?y))))")
    made_up = {signature(rule.head) for rule in program.rules} - {("h", 2), ("either_1", 1)}
    assert made_up == {("either_2", 2)}
    assert "(<= (either_2 ?x ?y) (d ?x) (e ?y) (not (d ?y)))" in map(str, program.rules)
    assert not [m for m in check_program(program) if m.check == "unsafe-rule"]


def test_too_deep_a_formula_is_refused():
    depth = 300
    error = reading_error("(<= h " + "(or a (and b " * depth + "c" + "))" * depth + ")")
    assert "levels" in error.message


def formulas():
    atoms = st.sampled_from(["a", "b", "c", "d", "e"])
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            inner.map(lambda f: f"(not {f})"),
            st.lists(inner, max_size=4).map(lambda fs: f"(or {' '.join(fs)})"),
            st.lists(inner, max_size=4).map(lambda fs: f"(and {' '.join(fs)})"),
        ),
        max_leaves=14,
    )


def holds(formula: str, true: set[str]) -> bool:
    """Direct evaluation by rewriting to a Python expression, an independent way to the same answer."""
    tokens = formula.replace("(", " ( ").replace(")", " ) ").split()

    def read(i):
        if tokens[i] != "(":
            return tokens[i] in true, i + 1
        name, values, i = tokens[i + 1], [], i + 2
        while tokens[i] != ")":
            value, i = read(i)
            values.append(value)
        return {"not": lambda: not values[0], "or": lambda: any(values), "and": lambda: all(values)}[name](), i + 1

    return read(0)[0]


@pytest.mark.parametrize("limit", [1, 3, 64])
def test_normal_form_means_the_same(limit, monkeypatch):
    monkeypatch.setattr(disjunction, "MAX_ALTERNATIVES", limit)

    @given(st.lists(formulas(), min_size=1, max_size=4), st.sets(st.sampled_from("abcde")))
    def same(body, true):
        program = parse_program(f"(<= head {' '.join(body)})")
        known = set(true)
        for _ in range(len(program.rules) + 1):
            for rule in program.rules:
                if all((str(x.atom) in known) == x.positive for x in rule.body):
                    known.add(str(rule.head))
        assert ("head" in known) == all(holds(formula, true) for formula in body)

    same()
