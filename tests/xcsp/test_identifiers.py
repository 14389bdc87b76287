from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcsp import XcspError, check_identifier, safe_identifier
from xcsp.identifiers import KEYWORDS, split_cell


@pytest.mark.parametrize("name", ["x", "X1", "a_b", "cell[0][12]", "not_", "action_1"])
def test_legal(name: str) -> None:
    check_identifier(name)


@pytest.mark.parametrize(
    "name", ["", "_x", "1x", "a-b", "a.b", "é", "x[", "x[]", "x[01]", "x[a]", "[0]", "x y", "not", "set[0]", "card", "x\n"]
)
def test_illegal(name: str) -> None:
    with pytest.raises(XcspError, match=r"identifier|keyword"):
        check_identifier(name)


@given(st.text(max_size=6), st.text(max_size=6), st.sampled_from(["v_", "f_a_", "x", "m"]))
def test_safe_identifiers_are_legal_and_injective(one: str, two: str, prefix: str) -> None:
    check_identifier(safe_identifier(one, prefix))
    assert (safe_identifier(one, prefix) == safe_identifier(two, prefix)) == (one == two)


def test_a_prefix_that_completes_a_keyword() -> None:
    assert {safe_identifier(word[1:], word[0]) for word in KEYWORDS}.isdisjoint(KEYWORDS)


@pytest.mark.parametrize("prefix", ["", "_", "1", "a[", "é"])
def test_bad_prefixes(prefix: str) -> None:
    with pytest.raises(XcspError, match="cannot begin"):
        safe_identifier("x", prefix)


def test_cells() -> None:
    assert split_cell("m[0][10]") == ("m", (0, 10))
    assert split_cell("m[0][010]") is None
    assert split_cell("m") is None
