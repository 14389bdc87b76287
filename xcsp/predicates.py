"""Tables of predicates over variables and constants, and what conditions mean."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from xcsp.operands import Operand, Reference, Unsupported, part
from xcsp.relations import CONDITIONS, Relation
from xcsp.tabulation import Tabulated, at_most, tabulate
from xcsp.value_text import Runs, integer_runs
from xcsp.written import Written

Post: TypeAlias = "tuple[tuple[int, ...], Tabulated] | Relation"
"""Variables and a table over them, or a relation."""

Bounds: TypeAlias = tuple[int | None, int | None, bool]
"""Least and greatest number, and whether to lie between them."""

_CONDITION = re.compile(r"\(\s*(lt|le|ge|gt|ne|eq|in|notin)\s*,\s*(.+?)\s*\)", re.DOTALL)
COMPARE: dict[str, Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]] = {
    "lt": np.less,
    "le": np.less_equal,
    "ge": np.greater_equal,
    "gt": np.greater,
    "ne": np.not_equal,
    "eq": np.equal,
}

LARGEST_TABLE = 1 << 14
"""Sums and counts over more assignments become relations."""


class Predicates:
    """Makes the tables of predicates; equal ones over equal domains are made once.

    Args:
        operands: variables and integers of a list, by its text.
        domain: of a variable, by its index.
        combinations: assignments that may be tried for one constraint.
        together: and for all.
        native: whether there may be relations.
    """

    def __init__(
        self,
        operands: Callable[[str], list[Operand]],
        domain: Callable[[int], NDArray[np.int32]],
        combinations: int,
        together: int,
        native: Callable[[], bool] = lambda: False,
    ) -> None:
        self._operands = operands
        self._domain = domain
        self._combinations = combinations
        self._left = together
        self._native = native
        self._known: dict[object, Tabulated] = {}

    def _table(self, key: object, scope: Sequence[int], predicate: Callable[..., NDArray[np.bool_]], weight: int) -> Post:
        """The table over distinct variables whose columns satisfy ``predicate``; ``key`` tells predicates apart."""
        domains = [self._domain(x) for x in scope]
        full = (key, tuple(map(id, domains)))
        if full not in self._known:
            table = tabulate(domains, predicate, min(self._combinations, self._left), weight)
            self._left -= weight * prod(len(domain) for domain in domains)
            self._known[full] = table
        return tuple(scope), self._known[full]

    def _settled(self, holds: bool) -> Post:
        """A table of the first variable that says whether a constraint between constants holds: no conflicts, or no supports."""
        try:
            self._domain(0)
        except IndexError:
            raise Unsupported("no variable in the document") from None
        return (0,), Tabulated(np.empty((0, 1), dtype=np.int32), not holds)

    def _over(
        self,
        key: str,
        operands: Sequence[Operand],
        predicate: Callable[[list[NDArray[np.int64]]], NDArray[np.bool_]],
        steps: int = 0,
    ) -> Post:
        """The table of a predicate over operands, among which there may be constants and equal variables.

        Each assignment counts once, and once more for every 64 operands, or steps that it takes to judge it.
        """
        scope = list(dict.fromkeys(o.index for o in operands if isinstance(o, Reference)))
        if not scope:
            return self._settled(bool(predicate([np.full(1, o, dtype=np.int64) for o in operands]).all()))
        places = {x: place for place, x in enumerate(scope)}
        shape = tuple(places[o.index] if isinstance(o, Reference) else (o,) for o in operands)

        def over(columns: list[NDArray[np.int64]]) -> NDArray[np.bool_]:
            return predicate([columns[s] if isinstance(s, int) else np.full(1, s[0], dtype=np.int64) for s in shape])

        return self._table((key, shape), scope, over, 1 + max(len(operands), steps) // 64)

    def _line(self, text: str) -> list[Operand]:
        """The operands of a list, of which there must be some."""
        operands = self._operands(text)
        if not operands:
            raise ValueError("an empty list")
        return operands

    def _single(self, written: Written, tag: str) -> Operand:
        """The only operand of a part."""
        operands = self._operands(part(written, tag))
        if len(operands) != 1:
            raise ValueError(f"it needs one variable or number in <{tag}>")
        return operands[0]

    def _variables(self, text: str) -> list[int]:
        operands = self._operands(text)
        if not all(isinstance(o, Reference) for o in operands):
            raise Unsupported("a constant in this place")
        return [o.index for o in operands if isinstance(o, Reference)]

    def _integers(self, text: str) -> list[int]:
        values = self._operands(text)
        if not all(isinstance(v, int) for v in values):
            raise Unsupported("variables among the values")
        return [v for v in values if isinstance(v, int)]

    def _values(self, operand: Operand) -> set[int]:
        return {operand} if isinstance(operand, int) else set(self._domain(operand.index).tolist())

    def _pairs(self, kind: str, pairs: Iterator[tuple[Operand, Operand]]) -> Iterator[Post]:
        compare = COMPARE[kind]
        for a, b in pairs:
            if isinstance(a, int) and isinstance(b, int):
                yield self._settled(bool(compare(np.int64(a), np.int64(b))))  # type: ignore[arg-type]
                continue
            yield self._over(kind, (a, b), lambda c: compare(c[0], c[1]))

    def _condition(self, written: Written) -> tuple[str, Operand | Runs]:
        match = _CONDITION.fullmatch(part(written, "condition").strip())
        if match is None:
            raise Unsupported("this condition")
        if match[1] in ("in", "notin"):
            return match[1], integer_runs(match[2].strip("{} \t\r\n").replace(",", " "))
        operands = self._operands(match[2])
        if len(operands) != 1:
            raise ValueError("a condition compares with one variable or number")
        return match[1], operands[0]

    def _conditioned(
        self, written: Written, operands: list[Operand], value: Callable[[list[NDArray[np.int64]]], NDArray[np.int64]], key: str
    ) -> Iterator[Post]:
        """What ``value`` makes of the operands meets the condition."""
        yield from self._meets(*self._condition(written), operands, value, key)

    def _meets(
        self,
        operator: str,
        other: Operand | Runs,
        operands: list[Operand],
        value: Callable[[list[NDArray[np.int64]]], NDArray[np.int64]],
        key: str,
    ) -> Iterator[Post]:
        if isinstance(other, tuple):
            first, last = np.array(other, dtype=np.int64).T
            wanted = operator == "in"

            def member(columns: list[NDArray[np.int64]]) -> NDArray[np.bool_]:
                values = value(columns)
                run = np.searchsorted(first, values, side="right") - 1
                return np.asarray(((run >= 0) & (values <= last[run])) == wanted, dtype=np.bool_)

            yield self._over(f"{key} {operator} {other}", operands, member)
        else:
            compare = COMPARE[operator]
            yield self._over(f"{key} {operator}", [*operands, other], lambda c: compare(value(c[:-1]), c[-1]))

    def _bounds(self, operator: str, other: int | Runs) -> list[Bounds]:
        """Bounds that together say the same as a condition."""
        if isinstance(other, int):
            return [CONDITIONS[operator](other)]
        if operator == "notin":
            return [(first, last, False) for first, last in other]
        gaps = [(last + 1, first - 1, False) for (_, last), (first, _) in itertools.pairwise(other)]
        return [(other[0][0], other[-1][1], True), *gaps]

    def _large(self, scope: Collection[int]) -> bool:
        """Whether a relation is better than the table over these variables."""
        return self._native() and not at_most((len(self._domain(x)) for x in scope), LARGEST_TABLE)
