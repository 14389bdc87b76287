"""The roles of a game, in the order of the sheet."""

from __future__ import annotations

from collections.abc import Sequence

from scsp_player.gdl.program import Rule
from scsp_player.gdl.terms import Compound, Symbol


def roles_of(rules: Sequence[Rule]) -> tuple[str, ...]:
    """Names of all roles."""
    names: dict[str, None] = {}
    for rule in rules:
        head = rule.head
        if isinstance(head, Compound) and head.functor == "role" and len(head.arguments) == 1 and not rule.body:
            argument = head.arguments[0]
            if isinstance(argument, Symbol):
                names[argument.name] = None
    return tuple(names)
