"""Constraints that stay what they are, because they would be large as tables: allDifferent, sum, count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class AllDifferent:
    """No two variables have the same value, except for some values.

    Attributes:
        scope: int32[arity], distinct indices into ``Instance.variables``.
        excepted: int32[k], values that several variables may have.
        classes: XCSP3 ``class`` tokens.
        note: free text kept with the constraint.
    """

    scope: NDArray[np.int32]
    excepted: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    classes: tuple[str, ...] = ()
    note: str = ""

    def holds(self, values: Sequence[int]) -> bool:
        """Whether values of the scope satisfy it."""
        counted = [value for value in values if value not in self.excepted]
        return len(set(counted)) == len(counted)


@dataclass(frozen=True, eq=False)
class Sum:
    """A weighted sum lies between two bounds, or outside of them.

    Attributes:
        scope: int32[arity], distinct indices into ``Instance.variables``.
        coefficients: int64[arity].
        least: bound from below; None for none.
        greatest: bound from above; None for none.
        inside: whether the sum lies between the bounds (both included); else it does not.
        classes: XCSP3 ``class`` tokens.
        note: free text kept with the constraint.
    """

    scope: NDArray[np.int32]
    coefficients: NDArray[np.int64]
    least: int | None
    greatest: int | None
    inside: bool = True
    classes: tuple[str, ...] = ()
    note: str = ""

    def terms(self, place: int, domain: NDArray[np.int32]) -> NDArray[np.int64]:
        """int64[values]: what each value of the variable at ``place`` of the scope adds."""
        terms: NDArray[np.int64] = domain.astype(np.int64) * self.coefficients[place]
        return terms

    def holds(self, values: Sequence[int]) -> bool:
        """Whether values of the scope satisfy it.

        >>> Sum(np.array([0, 1]), np.array([2, 3]), None, 7).holds([2, 1])
        True
        """
        return _lies(self, sum(c * v for c, v in zip(self.coefficients.tolist(), values, strict=True)))


@dataclass(frozen=True, eq=False)
class Count:
    """How many variables have one of some values, less the value of a variable that may be among them, lies between two bounds.

    Attributes:
        scope: int32[arity], distinct indices into ``Instance.variables``: those that are counted, and the counter if there is one.
        counted: bool[arity], which of them are counted.
        counter: index of the variable that is subtracted; −1 for none.
        values: int32[k].
        least: as for ``Sum``.
        greatest: as for ``Sum``.
        inside: as for ``Sum``.
        classes: XCSP3 ``class`` tokens.
        note: free text kept with the constraint.
    """

    scope: NDArray[np.int32]
    counted: NDArray[np.bool_]
    counter: int
    values: NDArray[np.int32]
    least: int | None
    greatest: int | None
    inside: bool = True
    classes: tuple[str, ...] = ()
    note: str = ""

    def terms(self, place: int, domain: NDArray[np.int32]) -> NDArray[np.int64]:
        """As for ``Sum``."""
        found = np.isin(domain, self.values).astype(np.int64) * int(self.counted[place])
        if self.scope[place] == self.counter:
            found -= domain
        return found

    def holds(self, values: Sequence[int]) -> bool:
        """Whether values of the scope satisfy it."""
        return _lies(self, sum(int(self.terms(k, np.array([v], dtype=np.int32))[0]) for k, v in enumerate(values)))


Weighted: TypeAlias = Sum | Count
"""Constraints on a sum of terms, one a variable, each of which depends on its value alone."""

Relation: TypeAlias = AllDifferent | Sum | Count
"""A constraint that is no table."""

CONDITIONS: dict[str, Callable[[int], tuple[int | None, int | None, bool]]] = {
    "eq": lambda k: (k, k, True),
    "ne": lambda k: (k, k, False),
    "le": lambda k: (None, k, True),
    "lt": lambda k: (None, k - 1, True),
    "ge": lambda k: (k, None, True),
    "gt": lambda k: (k + 1, None, True),
}
"""Least, greatest and inside for a comparison with a number."""


def _lies(bounds: Weighted, total: int) -> bool:
    low = bounds.least is None or total >= bounds.least
    high = bounds.greatest is None or total <= bounds.greatest
    return (low and high) == bounds.inside
