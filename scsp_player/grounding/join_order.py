"""In which order the parts of a body are matched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from scsp_player.grounding.clauses import Part
from scsp_player.grounding.store import Tokens

Matches = Callable[[int, tuple[int, ...]], float]
"""Estimated rows of a relation or view that agree with given values in the given columns; below 1 for an unlikely match."""

CHEAP: Final = 20_000.0
"""Estimated matches up to which the first order found is good enough."""


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A part as the rows of a relation or view: ``holes`` are the tokens (variables and constants) of its columns."""

    part: Part
    relation: int
    holes: Tokens
    variables: frozenset[int]

    def columns(self, bound: Collection[int]) -> tuple[int, ...]:
        """The columns whose value is known when these variables are bound."""
        return tuple([c for c, token in enumerate(self.holes) if token < 0 or token in bound])


def join_order(accesses: Sequence[Access], bound: Iterable[int], needed: frozenset[int], matches: Matches) -> list[Access]:
    """The accesses in the order of matching, given variables that are bound already.

    Greedy: next comes the access with the fewest expected matches. If that is expected to meet many rows, the same is tried from
    every other first access, and the best order wins. Of the variables that are not ``needed`` one value is enough: once all
    needed ones are bound, the rest is a search for a first match.
    """
    start = frozenset(bound)
    order, cost = _greedy(list(accesses), start, needed, matches, float("inf"))
    if cost > CHEAP:
        for first in accesses:
            if first is order[0]:
                continue
            rows = matches(first.relation, first.columns(start))
            if rows >= cost:
                continue
            others = [a for a in accesses if a is not first]
            rest, more = _greedy(others, start | first.variables, needed, matches, cost - rows, rows)
            if rows + more < cost:
                order, cost = [first, *rest], rows + more
    return order


def _greedy(
    waiting: list[Access], bound: frozenset[int], needed: frozenset[int], matches: Matches, limit: float, rows: float = 1.0
) -> tuple[list[Access], float]:
    """An order and the number of rows that it is expected to meet; given up beyond ``limit``."""
    order: list[Access] = []
    cost = 0.0
    expected = [matches(a.relation, a.columns(bound)) for a in waiting]
    while waiting and cost < limit:
        best = expected.index(min(expected))
        more = expected.pop(best)
        rows *= min(more, 1.0) if needed <= bound else more
        cost += rows
        access = waiting.pop(best)
        order.append(access)
        new = access.variables - bound
        bound |= new
        for number, other in enumerate(waiting):
            if not new.isdisjoint(other.variables):
                expected[number] = matches(other.relation, other.columns(bound))
    return order, cost if not waiting else float("inf")
