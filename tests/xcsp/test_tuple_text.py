from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from xcsp import STAR
from xcsp.tuple_text import TupleTextError, parse_tuples, tuples_text

entries = st.integers(-(2**31) + 1, 2**31 - 1) | st.integers(-10, 10) | st.just(int(STAR))
tuple_arrays = arrays(np.int32, array_shapes(min_dims=2, max_dims=2, max_side=7), elements=entries)


@given(tuple_arrays, st.integers(1, 9))
def test_text_comes_back(tuples: NDArray[np.int32], per_line: int) -> None:
    text = tuples_text(tuples, per_line).decode()
    assert parse_tuples(text, tuples.shape[1]).tolist() == tuples.tolist()
    assert text.count("\n") == -(-tuples.shape[0] // per_line)


@pytest.fixture(params=["short", "long"], autouse=True)
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain Python for short texts, numpy for long ones: every test runs through both."""
    if request.param == "long":
        monkeypatch.setattr("xcsp.tuple_text._SHORT", 0)


@given(tuple_arrays, st.data())
def test_blanks_do_not_matter(tuples: NDArray[np.int32], data: st.DataObject) -> None:
    blank = st.sampled_from(["", " ", "\n\t"])
    words = ["*" if value == STAR else str(value) for value in tuples.reshape(-1).tolist()]
    text = data.draw(blank)
    for index, word in enumerate(words):
        text += ("(" if index % tuples.shape[1] == 0 else ",") + data.draw(blank) + word + data.draw(blank)
        text += ")" + data.draw(blank) if (index + 1) % tuples.shape[1] == 0 else ""
    assert parse_tuples(text, tuples.shape[1]).tolist() == tuples.tolist()


@pytest.mark.parametrize("text", ["", " \n "])
def test_no_tuples(text: str) -> None:
    assert parse_tuples(text, 3).shape == (0, 3)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("(0,1)(0)", 5),
        ("(0,1) (0,1,2)", 6),
        ("(0,1)(0,1", 5),
        ("(0,1))", 5),
        ("(0,1)((0,1)", 5),
        ("(0,1)7", 5),
        ("0,1", 0),
        ("(0,,1)", 0),
        ("(0,)", 0),
        ("(0 1,2)", 0),
        ("(0,-)", 0),
        ("(0,1-)", 0),
        ("(0,1*)", 0),
        ("(0,**)", 0),
        ("(0,--1)", 0),
        ("(0,1)(0,2147483648)", 5),
        ("(0,1)(0,99999999999999999999999999)", 5),
        ("(0,1..2)", 0),
        ("(0,x)", 0),
        ("(0,٣)", 0),
    ],
)
def test_faults(text: str, offset: int) -> None:
    with pytest.raises(TupleTextError) as caught:
        parse_tuples(text, 2)
    assert caught.value.offset == offset


@given(st.text("(),*-+01 9\n", max_size=14), st.integers(1, 3))
def test_any_text_gives_the_same_as_a_slow_parser(text: str, arity: int) -> None:
    number = r"[ \n]*([+-]?[0-9]{1,10}|\*)[ \n]*"
    pattern = re.compile(r"[ \n]*\(" + ",".join([number] * arity) + r"\)[ \n]*")
    expected: list[list[int]] | None = []
    position = 0
    while expected is not None and position < len(text):
        match = pattern.match(text, position)
        if match is None:
            expected = None if text[position:].strip() or expected else []
            break
        expected.append([int(STAR) if word == "*" else int(word) for word in match.groups()])
        position = match.end()
    try:
        found = parse_tuples(text, arity).tolist()
    except TupleTextError:
        found = None
    if expected is not None and any(abs(v) >= 2**31 for row in expected for v in row if v != STAR):
        expected = None
    assert found == expected
