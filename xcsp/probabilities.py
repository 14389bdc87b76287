"""Exact probabilities as text: thresholds, and ``value:probability`` lists of chance variables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

_RATIONAL = re.compile(r"([0-9]{1,19})(?:/([0-9]{1,19}))?|([0-9]{0,18})\.([0-9]{1,18})")
_LARGEST = 2**63 - 11  # the official parser keeps a margin of 10 below the largest 64-bit integer
_DENOMINATOR_BITS = 4096  # a sum of unrelated fractions is given up here: its exact value would grow without bound


def parse_probability(text: str) -> Fraction:
    """Probability written as ``p/q``, integer or decimal, read exactly.

    >>> parse_probability("2/6"), parse_probability("0.05")
    (Fraction(1, 3), Fraction(1, 20))

    Raises:
        ValueError: if the text is no such number, or not within 0 and 1.
    """
    match = _RATIONAL.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:40]!r} is not a probability")
    if match[4] is not None:
        value = Fraction(int((match[3] or "0") + match[4]), 10 ** len(match[4]))
    elif match[2] is not None:
        if int(match[2]) == 0:
            raise ValueError(f"{text!r} divides by zero")
        value = Fraction(int(match[1]), int(match[2]))
    else:
        value = Fraction(int(match[1]))
    if value > 1:
        raise ValueError(f"the probability {text} exceeds 1")
    return value


def probability_text(value: Fraction) -> str:
    """``p/q``, or ``0`` or ``1``: the spellings that the official parser reads exactly.

    Raises:
        ValueError: if the value is not a probability, or needs more than 64 bits.
    """
    if not 0 <= value <= 1:
        raise ValueError(f"{value} is not a probability")
    if value.denominator > _LARGEST:
        raise ValueError(f"the probability {value} needs more than 64 bits")
    return str(value)


def _check_sum(probabilities: Iterable[Fraction]) -> None:
    total = Fraction(0)
    for probability in probabilities:
        total += probability
        if total.denominator.bit_length() > _DENOMINATOR_BITS:
            raise ValueError("the probabilities have no common denominator of reasonable size")
    if total != 1:
        raise ValueError(f"the probabilities sum to {total if total.denominator < 10**9 else float(total)}, not to 1")


def distribution_text(values: list[str], probabilities: tuple[Fraction, ...]) -> str:
    """``value:probability`` tokens of a chance variable.

    >>> distribution_text(["0", "1"], (Fraction(1, 3), Fraction(2, 3)))
    '0:1/3 1:2/3'

    Raises:
        ValueError: if the probabilities do not fit the values, are none, or do not sum to 1.
    """
    if len(values) != len(probabilities):
        raise ValueError(f"{len(values)} values but {len(probabilities)} probabilities")
    _check_sum(probabilities)
    return " ".join(f"{v}:{probability_text(p)}" for v, p in zip(values, probabilities, strict=True))


def parse_distribution(text: str) -> tuple[list[str], tuple[Fraction, ...]]:
    """Values (as text) and probabilities of ``value:probability`` tokens.

    Raises:
        ValueError: if a token is malformed or the probabilities do not sum to 1.
    """
    values: list[str] = []
    probabilities: list[Fraction] = []
    for token in text.split():
        value, colon, probability = token.partition(":")
        if not colon or not value:
            raise ValueError(f"{token[:40]!r} is not of the form value:probability")
        if ".." in value:
            raise ValueError(f"{token[:40]!r} gives one probability to several values; write each value")
        values.append(value)
        probabilities.append(parse_probability(probability))
    _check_sum(probabilities)
    return values, tuple(probabilities)
