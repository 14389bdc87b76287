"""Breadth-first counts through the ``StateMachine`` protocol, for any engine."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field


@dataclass
class Counts:
    """What a walk found, one entry a number of turns played.

    ``positions``: distinct positions; ``ends``: those of them that are terminal; ``sequences``: sequences of joint moves that lead
    there.
    """

    positions: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    sequences: list[int] = field(default_factory=list)


def walk(machine, *, edge_limit):
    """Counts by depth; stops before a depth whose joint moves would make more than ``edge_limit`` in all.

    Positions are told apart by their fluents, not by the engine's own representation.
    """
    start = machine.initial_state()
    layer = {machine.fluents(start): (start, 1)}
    counts, edges = Counts(), 0
    while layer:
        live = [(state, ways) for state, ways in layer.values() if not machine.is_terminal(state)]
        counts.positions.append(len(layer))
        counts.ends.append(len(layer) - len(live))
        counts.sequences.append(sum(ways for _, ways in layer.values()))
        joint_moves = [list(itertools.product(*machine.legal_moves(state))) for state, _ in live]
        edges += sum(map(len, joint_moves))
        if edges > edge_limit:
            break
        layer = {}
        for (state, ways), moves in zip(live, joint_moves, strict=True):
            for move in moves:
                after = machine.successor(state, move)
                fluents = machine.fluents(after)
                known = layer.get(fluents)
                layer[fluents] = (after, ways + known[1]) if known else (after, ways)
    return counts
