"""The error for an atom that depends on its own negation: it names every atom of the cycle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.program import Rule
from scsp_player.grounding.simplification import RuleArrays
from scsp_player.grounding.term_table import TermTable

IntArray = NDArray[np.int32]


def refuse_negative_cycle(
    table: TermTable,
    atom_term: IntArray,
    rules: RuleArrays,
    head_start: NDArray[np.int64],
    offending: IntArray,
    sources: Sequence[Rule | None],
) -> NoReturn:
    """Raise ``GdlError`` for the cycle through the negative edge ``offending`` (head, negated atom).

    Args:
        table: the terms.
        atom_term: int32[atoms], the term of every atom.
        rules: ground rules sorted by head.
        head_start: int64[atoms + 1], the rules of every atom.
        offending: head and negated atom of an edge in a cycle.
        sources: for every clause number in ``rules.origin`` the rule of the sheet.
    """
    head, target = int(offending[0]), int(offending[1])
    edges = [(head, 2 * target + 1, _rule_with(rules, head_start, head, 2 * target + 1))]
    came: dict[int, tuple[int, int, int]] = {target: (-1, -1, -1)}
    queue = [target]
    for atom in queue:
        if atom == head:
            break
        for rule in range(head_start[atom], head_start[atom + 1]):
            for literal in rules.body[rules.start[rule] : rules.start[rule + 1]]:
                child = int(literal) >> 1
                if child not in came:
                    came[child] = (atom, int(literal), rule)
                    queue.append(child)
    path: list[tuple[int, int, int]] = []
    atom = head
    while atom != target:
        path.append(came[atom])
        atom = came[atom][0]
    edges += path[::-1]
    steps: list[str] = []
    positions: list[str] = []
    for _, literal, rule in edges:
        name = str(table.term(int(atom_term[literal >> 1])))
        steps.append(f"not {name}" if literal & 1 else name)
        source = sources[int(rules.origin[rule])]
        if source is not None:
            positions.append(f"{source.position.line}:{source.position.column}")
    cycle = " ← ".join([str(table.term(int(atom_term[head]))), *steps])
    where = f", rules at {', '.join(dict.fromkeys(positions))}" if positions else ""
    first = sources[int(rules.origin[edges[0][2]])]
    raise GdlError(
        f"an atom depends on its own negation: {cycle}{where}",
        first.position if first else None,
        "break the cycle so that every atom is decided before its negation is read",
    )


def _rule_with(rules: RuleArrays, head_start: NDArray[np.int64], head: int, literal: int) -> int:
    for rule in range(head_start[head], head_start[head + 1]):
        if literal in rules.body[rules.start[rule] : rules.start[rule + 1]]:
            return int(rule)
    raise AssertionError("the edge comes from a rule")
