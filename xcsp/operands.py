"""The parts of a constraint that is no table: operands, what is not supported, and where things stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from xcsp.written import Part, Written

Operand: TypeAlias = "int | Reference"
"""A constant or a variable."""


@dataclass(frozen=True)
class Reference:
    """The variable with this index."""

    index: int


class Unsupported(ValueError):  # noqa: N818 - says what it is
    """A constraint, or a form of it, that is not supported.

    Args:
        what: completes "the constraint … with".
        remedy: what can be written instead.
    """

    def __init__(self, what: str, remedy: str = "write it as a table") -> None:
        super().__init__(what)
        self.remedy = remedy


NO_EXPRESSION = "declare a variable, say by an <intension> that it equals the expression, and name the variable here"
"""The remedy where an expression stands for a variable."""


def part(written: Written, tag: str) -> str:
    """The text of the only part with this tag.

    Raises:
        ValueError: if there is none, or several.
    """
    found = [each for each in written.parts if each.tag == tag]
    if len(found) != 1:
        raise ValueError(f"it needs one <{tag}>")
    return found[0].text


def only(written: Written, *tags: str, known: tuple[str, ...] = ()) -> None:
    """Refuses parts with other tags, and attributes that mean something, but for ``known`` ones.

    Raises:
        Unsupported: if there are any.
    """
    for each in written.parts:
        if each.tag not in tags:
            raise Unsupported(f"the element <{each.tag[:40]}> in it")
        extra = each.attributes.keys() - {"note", "startIndex", *known}
        if extra:
            raise Unsupported(f"the attribute {min(extra)[:40]}")


def start_index(listed: Part) -> int:
    """The number of the first element of a list, 0 unless it is told.

    Raises:
        ValueError: if something else is told.
    """
    text = listed.attributes.get("startIndex", "0").strip()
    if not re.fullmatch("[+-]?[0-9]{1,10}", text):
        raise ValueError(f"the startIndex {text[:20]!r}")
    return int(text)
