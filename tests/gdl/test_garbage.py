"""Whatever the text is: a program, or a ``GdlError`` with a position; and whatever the program is, the checks finish."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import KEYWORDS, GdlError, check_program, parse_program

PIECES = st.sampled_from([*sorted(KEYWORDS), "<=", "not", "or", "and", "a", "B", "?x", "_", "1", "(", "(", ")", " ", "\n", ";"])
INFIX_PIECES = st.sampled_from(
    [*sorted(KEYWORDS), ":-", "not", "|", "&", "~", ",", ".", "a", "'B c'", "?x", "X", "_", "=", "a(", "(", ")", ")", " ", "%", "'"]
)
FORMS = st.recursive(
    st.sampled_from([*sorted(KEYWORDS), "a", "b", "?x", "?y", "0", "s"]),
    lambda inner: st.tuples(st.sampled_from([*sorted(KEYWORDS), "p", "q", "not", "or", "<="]), st.lists(inner, max_size=3)).map(
        lambda form: f"({form[0]} {' '.join(form[1])})"
    ),
    max_leaves=8,
)


def read_and_check(text, notation):
    failure = None
    try:
        check_program(parse_program(text, notation=notation))
    except GdlError as error:
        failure = error
    assert failure is None or (failure.position and failure.remedy)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=30)), st.sampled_from(["auto", "kif"]))
def test_prefix_garbage(text, notation):
    read_and_check(text, notation)


@settings(max_examples=80, deadline=None)
@given(st.one_of(st.lists(INFIX_PIECES, max_size=20).map("".join), st.text(max_size=20)))
def test_infix_garbage(text):
    read_and_check(text, "infix")


@settings(max_examples=150, deadline=None)
@given(st.lists(FORMS, min_size=1, max_size=6).map("\n".join))
def test_balanced_garbage(text):
    read_and_check(text, "kif")


@pytest.mark.parametrize("keyword", sorted(KEYWORDS))
def test_keywords_alone_and_with_any_number_of_arguments(keyword):
    for arguments in ("", "a", "a b", "?x ?y ?z"):
        read_and_check(f"({keyword} {arguments}) (<= ({keyword} {arguments}) (not ({keyword} {arguments})))", "kif")
