"""Rules of ``base`` and ``input``, which say for other programs what can be true and done."""

from __future__ import annotations

from collections.abc import Iterable

from scsp_player.gdl.program import Rule
from scsp_player.gdl.terms import signature

HINTS = frozenset({("base", 1), ("input", 2)})
"""The two relations; with other numbers of arguments they are ordinary ones."""


def unread_hints(rules: Iterable[Rule]) -> frozenset[tuple[str, int]]:
    """Those of the two that no rule reads but those of the two themselves: whatever their rules say has no effect on the game.

    >>> from scsp_player.gdl import parse_program
    >>> program = parse_program("(base (p ?x)) (<= (input r ?m) (base ?m)) (<= (legal r ?m) (input r ?m))")
    >>> sorted(unread_hints(program.rules)), sorted(unread_hints(program.rules[:2]))
    ([], [('base', 1), ('input', 2)])
    """
    readers: dict[tuple[str, int], set[tuple[str, int]]] = {hint: set() for hint in HINTS}
    for rule in rules:
        for literal in rule.body:
            read = signature(literal.atom)
            if read in HINTS:
                readers[read].add(signature(rule.head))
    unread = HINTS
    while unread != (still := frozenset(hint for hint in unread if readers[hint] <= unread)):
        unread = still
    return unread
