"""What this package writes beyond plain XCSP3: how a stochastic problem travels in notes and classes (docs/xcsp3.md)."""

from __future__ import annotations

import re
from fractions import Fraction

from xcsp.probabilities import parse_distribution, parse_probability, probability_text

CHANCE_CLASS = "chance"
"""Class of a chance variable, in both kinds of document."""

FREE_CLASS = "freeVariable"
"""Class of the unary table that lists a whole domain: tools drop a variable in no constraint and count too few solutions."""

CONSTANT_CLASS = "constantOne"
"""Class of the constant variable that joins a table over chance variables only: the official parser fails on such a table."""

_THRESHOLD = re.compile(r"threshold=([0-9./]+)(?:;[ ]?(.*))?", re.DOTALL)
_DISTRIBUTION = re.compile(r"\s*[^\s:;]+:[0-9./]+(?:\s+[^\s:;]+:[0-9./]+)*\s*")


def root_note(threshold: Fraction, note: str, stochastic: bool) -> str:
    """Note of the document: the threshold where it matters, then the free text.

    >>> root_note(Fraction(2, 3), "nim", True)
    'threshold=2/3; nim'
    """
    if not stochastic and threshold == 1 and not _THRESHOLD.fullmatch(note):
        return note
    return _join(f"threshold={probability_text(threshold)}", note)


def split_root_note(text: str) -> tuple[Fraction, str]:
    """Threshold (1 if none is written) and free text of a document's note.

    Raises:
        ValueError: if the threshold is no probability.
    """
    match = _THRESHOLD.fullmatch(text)
    return (parse_probability(match[1]), match[2] or "") if match else (Fraction(1), text)


def chance_note(distribution: str, note: str) -> str:
    """Note of a chance variable in the twin document: its distribution, then the free text."""
    return _join(distribution, note)


def split_chance_note(text: str) -> tuple[list[str], tuple[Fraction, ...], str] | None:
    """Values (as text), probabilities and free text of the note of a chance variable; None if the note holds no distribution.

    Raises:
        ValueError: if the probabilities are wrong.
    """
    distribution, semicolon, note = text.partition(";")
    if not _DISTRIBUTION.fullmatch(distribution):
        return None
    values, probabilities = parse_distribution(distribution)
    return values, probabilities, note.removeprefix(" ") if semicolon else ""


def _join(mark: str, note: str) -> str:
    return f"{mark}; {note}" if note else mark
