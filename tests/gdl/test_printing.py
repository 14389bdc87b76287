"""What is printed reads back as the same program, in both notations."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import (
    Compound,
    Literal,
    Position,
    Program,
    Rule,
    Symbol,
    Term,
    Variable,
    format_infix,
    format_kif,
    parse_program,
    parse_term,
)
from scsp_player.gdl.normal_form import CONNECTIVES
from tests.gdl.sheets import core

ANYWHERE = Position("made", 1, 1)
CHARACTERS = st.characters(exclude_categories=["C", "Z"], exclude_characters="();")
NAMES = (
    st.one_of(
        st.sampled_from(["a", "b2", "next-player", "++", "3am", "-7", "not", "or", "don't", "'", "<=", "=", "_x", "%"]),
        st.text(CHARACTERS, min_size=1, max_size=4),
    )
    .map(str.lower)
    .filter(lambda name: name == name.lower() and not name.startswith("?"))
)
VARIABLES = st.one_of(
    st.sampled_from(["x", "y1", "foo-bar", "1", "x'y", "?", ""]), st.text(CHARACTERS, min_size=1, max_size=3).map(str.lower)
).filter(lambda name: name == name.lower() and not name.startswith("_"))
LEAVES = st.one_of(NAMES.map(Symbol), VARIABLES.map(Variable))


def compounds(functors, arguments):
    return st.builds(Compound, functors, st.lists(arguments, min_size=1, max_size=3).map(tuple))


TERMS: st.SearchStrategy[Term] = st.recursive(LEAVES, lambda inner: compounds(NAMES, inner), max_leaves=8)
RELATIONS = NAMES.filter(lambda name: name not in CONNECTIVES and name != "role")
ATOMS = st.one_of(RELATIONS.map(Symbol), compounds(RELATIONS, TERMS))
LITERALS = st.builds(Literal, ATOMS, st.booleans(), st.just(ANYWHERE))
RULES = st.builds(Rule, ATOMS, st.lists(LITERALS, max_size=3).map(tuple), st.just(ANYWHERE))
PROGRAMS = st.lists(RULES, min_size=1, max_size=5).map(lambda rules: Program("made", tuple(rules), ()))


@settings(max_examples=80)
@given(PROGRAMS)
def test_prefix_round_trip(program):
    assert core(parse_program(format_kif(program), notation="kif")) == core(program)


@settings(max_examples=40)
@given(PROGRAMS)
def test_infix_round_trip(program):
    assert core(parse_program(format_infix(program), notation="infix")) == core(program)


@given(TERMS)
def test_printed_terms_read_back(term):
    assert parse_term(str(term)) == term


@pytest.mark.parametrize("printed", [format_kif, format_infix])
def test_spelling_and_notation_survive(printed):
    program = parse_program("(role Red) (role blue) (<= (legal ?P (Move Up)) (role ?p) (true (Cell 1)) (not (distinct ?p RED)))")
    again = parse_program(printed(program))
    assert core(again) == core(program)
    assert again.roles == ("red", "blue")
    assert "Cell" in printed(program)


def test_capital_variables_in_a_case_sensitive_sheet():
    program = parse_program("(<= (h ?Xy ?xY) (p ?Xy ?xY Win))", case_sensitive=True)
    for printed in (format_kif, format_infix):
        assert core(parse_program(printed(program), case_sensitive=True)) == core(program)


def test_disjunctions_print_as_the_rules_they_stand_for():
    program = parse_program("(<= h (or a (not b)))")
    assert format_kif(program) == "(<= h\n    a)\n(<= h\n    (not b))\n"
    assert format_infix(program) == "h :-\n    a.\nh :-\n    ~b.\n"
