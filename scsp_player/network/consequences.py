"""What literals imply through the rules: their conditions, and what all alternatives have in common. Level by level, in arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE
from scsp_player.network.csr import Rows, concatenate, distinct, distinct_counts, ranges, rows_by_owner, take_rows
from scsp_player.network.errors import Deadline
from scsp_player.network.rules import MoveRules

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]

MAX_CONDITIONS = 200
"""No more literals are kept for one literal: fewer conditions are still conditions."""

MAX_ALTERNATIVES = 16
"""Atoms with more rules than that are not looked into."""

PORTION = 4_000_000
"""So many literals are put together at a time, about."""


def consequences(merged: MoveRules, literals: Ints, deadline: Deadline) -> Rows:
    """For each literal (CSR, ascending) itself and others that hold if it does; constants imply nothing, not even themselves.

    A true atom has a rule whose conditions hold; a false one has only false rules, and those of one condition say which. Rules that
    mention moves are not looked into, nor are atoms with many rules.
    """
    nodes, table = _nodes(merged, distinct(literals[literals > FALSE]), deadline)
    sets = _Sets(nodes.literal)
    pending = np.bincount(nodes.edge_parent, minlength=len(nodes.literal))
    parents = rows_by_owner(nodes.edge_child, nodes.edge_parent.astype(np.int32), len(nodes.literal))
    ready = np.flatnonzero(pending == 0)
    while len(ready):
        deadline.check()
        sets.fill(ready, nodes)
        above, times = distinct_counts(take_rows(parents, ready)[1])
        pending[above] -= times
        ready = above[pending[above] == 0].astype(np.int64)
    number = np.where(literals > FALSE, table[literals >> 1, literals & 1], len(nodes.literal))
    return sets.rows(number.astype(np.int64))


@dataclass(frozen=True)
class _Nodes:
    """Literals, and for each the conjunctions of which one holds if it does (none: nothing is known).

    Attributes:
        literal: the literals.
        alternatives: CSR by literal, numbers of conjunctions; members: CSR by conjunction, numbers of literals.
        edge_parent, edge_child: every occurrence of a literal in a conjunction of another.
    """

    literal: Ints
    alternatives: Rows
    members: Rows
    edge_parent: Offsets
    edge_child: Offsets


def _nodes(merged: MoveRules, roots: Ints, deadline: Deadline) -> tuple[_Nodes, Ints]:
    """The literals on which ``roots`` depend; and int32[atoms, 2], the number of every literal among them or -1."""
    with_moves = np.concatenate([[0], np.cumsum((merged.moves >= 0).any(axis=1))])
    count = np.diff(merged.head_start)
    looked_into = (count > 0) & (count <= MAX_ALTERNATIVES) & (np.diff(with_moves[merged.head_start]) == 0)
    table = np.full((len(count), 2), -1, dtype=np.int32)
    found: list[Ints] = []
    owners: list[Offsets] = []
    bodies: list[Rows] = []
    total, frontier = 0, roots
    while len(frontier):
        deadline.check()
        table[frontier >> 1, frontier & 1] = np.arange(total, total + len(frontier), dtype=np.int32)
        found.append(frontier)
        owner, body = _alternatives(merged, frontier, looked_into[frontier >> 1])
        owners.append(owner + total)
        bodies.append(body)
        total += len(frontier)
        below = distinct(body[1])
        frontier = below[table[below >> 1, below & 1] < 0]
    start, flat = concatenate(bodies)
    owner = np.concatenate([np.zeros(0, dtype=np.int64), *owners])
    alternatives = rows_by_owner(owner, np.arange(len(owner), dtype=np.int32), total)
    members = table[flat >> 1, flat & 1]
    literal = np.concatenate([np.zeros(0, dtype=np.int32), *found]).astype(np.int32)
    parent = np.repeat(owner, np.diff(start))
    return _Nodes(literal, alternatives, (start, members), parent, members.astype(np.int64)), table


def _alternatives(merged: MoveRules, literals: Ints, looked_into: NDArray[np.bool_]) -> tuple[Offsets, Rows]:
    """The conjunctions of each literal: which literal each belongs to, and their members without constants."""
    chosen = np.flatnonzero(looked_into)
    positive, negative = chosen[(literals[chosen] & 1) == 0], chosen[(literals[chosen] & 1) == 1]
    parts: list[Rows] = []
    owners: list[Offsets] = []
    for nodes in (positive, negative):
        atom = literals[nodes] >> 1
        first, last = merged.head_start[atom], merged.head_start[atom + 1]
        rules = ranges(first, last)
        owner = np.repeat(nodes, last - first)
        begin, end = merged.body_start[rules], merged.body_start[rules + 1]
        if nodes is negative:
            single = end - begin == 1
            denied = rows_by_owner(owner[single], merged.body[begin[single]] ^ 1, len(literals))
            owner = nodes[np.diff(denied[0])[nodes] > 0]
            start, body = take_rows(denied, owner)
        else:
            start, body = np.concatenate([[0], np.cumsum(end - begin)]), merged.body[ranges(begin, end)]
        kept = body > FALSE
        parts.append((np.concatenate([[0], np.cumsum(kept)])[start].astype(np.int64), body[kept]))
        owners.append(owner.astype(np.int64))
    return np.concatenate(owners), concatenate(parts)


class _Sets:
    """The sets found so far, one behind the other in a buffer that grows."""

    def __init__(self, literal: Ints) -> None:
        self._literal = literal
        # One more, empty, for constants.
        self._first = np.zeros(len(literal) + 1, dtype=np.int64)
        self._last = np.zeros(len(literal) + 1, dtype=np.int64)
        self._flat = np.zeros(1024, dtype=np.int32)
        self._used = 0

    def rows(self, nodes: Offsets) -> Rows:
        """The sets of nodes."""
        first, last = self._first[nodes], self._last[nodes]
        return np.concatenate([[0], np.cumsum(last - first)]).astype(np.int64), self._flat[ranges(first, last)]

    def fill(self, nodes: Offsets, graph: _Nodes) -> None:
        """Find the sets of nodes whose members all have theirs."""
        alternatives_start, alternatives = take_rows(graph.alternatives, nodes)
        members_start, members = take_rows(graph.members, alternatives.astype(np.int64))
        sizes = np.concatenate([[0], np.cumsum((self._last - self._first)[members])])
        effort = sizes[members_start[alternatives_start]]
        begin = 0
        while begin < len(nodes):
            end = max(begin + 1, int(np.searchsorted(effort, effort[begin] + PORTION, side="right")) - 1)
            self._fill(nodes[begin:end], graph)
            begin = end

    def _fill(self, nodes: Offsets, graph: _Nodes) -> None:
        wide = 2 * int(self._literal.max()) + 2
        alternatives_start, alternatives = take_rows(graph.alternatives, nodes)
        count = np.diff(alternatives_start)
        members_start, members = take_rows(graph.members, alternatives.astype(np.int64))
        start, literals = self.rows(members.astype(np.int64))
        size = np.diff(start[members_start])
        # Each literal once an alternative, then the literals that as many alternatives have as there are.
        pairs = distinct(np.repeat(np.arange(len(size)), size) * wide + literals)
        node = np.repeat(np.arange(len(nodes)), count)[pairs // wide]
        pairs, times = distinct_counts(node * wide + pairs % wide)
        pairs = pairs[times == count[pairs // wide]]
        node = pairs // wide
        rank = np.arange(len(node)) - np.searchsorted(node, node)
        own = np.arange(len(nodes)) * wide + self._literal[nodes]
        pairs = np.sort(np.concatenate([pairs[rank < MAX_CONDITIONS], own]))
        ends = np.searchsorted(pairs, np.arange(1, len(nodes) + 1) * wide)
        while self._used + len(pairs) > len(self._flat):
            self._flat = np.concatenate([self._flat, np.zeros_like(self._flat)])
        self._flat[self._used : self._used + len(pairs)] = pairs % wide
        self._first[nodes] = self._used + np.concatenate([[0], ends[:-1]])
        self._last[nodes] = self._used + ends
        self._used += len(pairs)
