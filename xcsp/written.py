"""A constraint as it is written, before its names are looked up: also the template of a group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

_PARAMETER = re.compile(r"%(?:([0-9]{1,6})|\.\.\.)")


@dataclass(frozen=True)
class Part:
    """One element within a constraint: its name, attributes and text."""

    tag: str
    attributes: dict[str, str]
    text: str


@dataclass(frozen=True)
class Written:
    """A constraint that is no table.

    Attributes:
        tag: name of its element.
        attributes: of the element.
        text: its own text, outside its parts.
        parts: the elements in it.
        line: where it begins.
        classes: of the element and all around it.
        note: of the element, or of its group.
    """

    tag: str
    attributes: dict[str, str]
    text: str
    parts: tuple[Part, ...]
    line: int
    classes: tuple[str, ...]
    note: str

    @property
    def template(self) -> bool:
        """Whether there are parameters."""
        return any("%" in text for text in (self.text, *(part.text for part in self.parts)))

    def filled(self, arguments: Sequence[str]) -> Written:
        """The constraint with arguments for its parameters ``%0 %1 …``, and those that no number names for ``%...``.

        Raises:
            ValueError: if there are too few or too many arguments.
        """
        texts = (self.text, *(part.text for part in self.parts))
        found = [match for text in texts for match in _PARAMETER.finditer(text)]
        count = 1 + max((int(match[1]) for match in found if match[1]), default=-1)
        rest = any(not match[1] for match in found)
        if len(arguments) < count or (len(arguments) > count and not rest):
            raise ValueError(f"{len(arguments)} arguments for a template of {count}{' or more' if rest else ''}")
        others = " ".join(arguments[count:])

        def fill(text: str) -> str:
            return _PARAMETER.sub(lambda match: arguments[int(match[1])] if match[1] else others, text)

        parts = tuple(replace(part, text=fill(part.text)) for part in self.parts)
        return replace(self, text=fill(self.text), parts=parts)
