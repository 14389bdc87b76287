"""Nested lists of words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scsp_player.gdl import Group, Word, read_expressions
from scsp_player.gdl.sexpr import unused_names, words
from scsp_player.gdl.source_text import SourceText

FORMS = st.recursive(st.sampled_from(["a", "B", "?x", "<=", "1"]), lambda inner: st.lists(inner, max_size=4), max_leaves=12)


def written(form) -> str:
    return form if isinstance(form, str) else "( " + " ; c )\n".join(map(written, form)) + " )"


def plain(expression):
    return expression.text if isinstance(expression, Word) else [plain(item) for item in expression.items]


@given(st.lists(FORMS, max_size=4))
def test_what_is_written_is_read(forms):
    text = "\n".join(map(written, forms))
    assert [plain(expression) for expression in read_expressions(text)] == forms


@given(st.lists(FORMS, max_size=4))
def test_printed_expressions_read_back(forms):
    expressions = read_expressions(" ".join(map(written, forms)))
    assert [plain(e) for e in read_expressions(" ".join(map(str, expressions)))] == forms


def test_positions():
    (group,) = read_expressions("\r\n  (a\r\n b)", "m")
    assert isinstance(group, Group)
    assert [str(item.position) for item in (group, *group.items)] == ["m:2:3", "m:2:4", "m:3:2"]


def test_lines():
    text = SourceText("s", "one\rtwo\r\nthree\n")
    assert [text.line(number) for number in range(6)] == ["", "one", "two", "three", "", ""]


def test_words_and_unused_names():
    expressions = read_expressions("(a (Some_1 b) c)")
    assert [word.text for word in words(expressions[0])] == ["a", "Some_1", "b", "c"]
    assert next(unused_names(expressions, "some")) == "some_2"
