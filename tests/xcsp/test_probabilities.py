from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcsp.conventions import chance_note, root_note, split_chance_note, split_root_note
from xcsp.probabilities import distribution_text, parse_distribution, parse_probability, probability_text


@given(st.fractions(0, 1, max_denominator=2**63 - 11))
def test_probabilities_come_back(value: Fraction) -> None:
    assert parse_probability(probability_text(value)) == value


@pytest.mark.parametrize("text", ["", "1/0", "-1/2", "3/2", "2", "1.5", "1e-3", "1/3/5", " 1", "1" * 30, "nan", "٣"])
def test_no_probability(text: str) -> None:
    with pytest.raises(ValueError, match=r"probability|divides"):
        parse_probability(text)


def test_values_beyond_64_bits_are_not_written() -> None:
    with pytest.raises(ValueError, match="64 bits"):
        probability_text(Fraction(1, 2**70))


def test_distributions() -> None:
    third = Fraction(1, 3)
    assert distribution_text(["0", "5"], (third, 2 * third)) == "0:1/3 5:2/3"
    assert parse_distribution(" 0:0.25\n5:3/4 ") == (["0", "5"], (Fraction(1, 4), Fraction(3, 4)))


@pytest.mark.parametrize("text", ["", "0:1/2", "0:1/2 1:2/3", "0", "0:", ":1", "0..2:1/3", "0:1/2 1 :1/2"])
def test_no_distribution(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_distribution(text)


def test_a_sum_of_unrelated_fractions_is_given_up() -> None:
    text = " ".join(f"{i}:1/{10**17 + i}" for i in range(5000))
    with pytest.raises(ValueError, match="denominator"):
        parse_distribution(text)


@given(st.fractions(0, 1, max_denominator=10**9), st.text(max_size=12), st.booleans())
def test_the_note_of_the_document(threshold: Fraction, note: str, stochastic: bool) -> None:
    assert split_root_note(root_note(threshold, note, stochastic)) == (threshold, note)


def test_notes_that_look_like_ours() -> None:
    assert root_note(Fraction(1), "threshold=1/2", False) == "threshold=1; threshold=1/2"
    assert split_root_note("threshold=high") == (Fraction(1), "threshold=high")
    assert split_chance_note("a die: see page 3") is None
    assert split_chance_note(chance_note("0:1", " ; x")) == (["0"], (Fraction(1),), " ; x")
