"""Constraint instances: integer variables, tables in extension, chance variables with their probabilities; relations."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from xcsp.relations import Relation

STAR = np.int32(np.iinfo(np.int32).min)
"""Entry of a support tuple that stands for every value of its variable (``*`` in XCSP3)."""


@dataclass(frozen=True, eq=False)
class Variable:
    """A finite-domain variable.

    Attributes:
        name: identifier as written in XCSP3, e.g. ``x`` or ``cell[0][2]``.
        domain: int32[values], strictly ascending.
        probabilities: for a stochastic variable one exact probability a value (they sum to 1); None for a decision variable.
        symbols: for a symbolic variable the symbol of each value; None for integers.
        classes: XCSP3 ``class`` tokens.
        note: free text kept with the variable.
    """

    name: str
    domain: NDArray[np.int32]
    probabilities: tuple[Fraction, ...] | None = None
    symbols: tuple[str, ...] | None = None
    classes: tuple[str, ...] = ()
    note: str = ""

    @property
    def stochastic(self) -> bool:
        """Whether chance, not the solver, chooses the value."""
        return self.probabilities is not None


@dataclass(frozen=True, eq=False)
class Table:
    """A constraint in extension.

    Attributes:
        scope: int32[arity], distinct indices into ``Instance.variables``; arity ≥ 1.
        tuples: int32[n, arity], domain values (not value indices); supports may contain ``STAR``.
        positive: True if ``tuples`` are supports, False if they are conflicts.
        classes: XCSP3 ``class`` tokens.
        note: free text kept with the constraint.
    """

    scope: NDArray[np.int32]
    tuples: NDArray[np.int32]
    positive: bool = True
    classes: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, eq=False)
class Instance:
    """A constraint satisfaction problem, stochastic if one of its variables is.

    Variables stand in the order of decision of the stochastic problem (decisions of a stage before its chance variables).

    Attributes:
        name: free name, for messages.
        variables: the variables; constraints refer to them by index.
        constraints: the tables.
        threshold: least probability of satisfaction that a policy must reach (θ); 1 for a plain problem.
        decisions: indices of the variables annotated as decisions, in order; empty if there is no annotation.
        note: free text kept with the document (the threshold excepted).
        relations: the constraints that are no tables.
    """

    name: str
    variables: tuple[Variable, ...]
    constraints: tuple[Table, ...]
    threshold: Fraction = Fraction(1)
    decisions: tuple[int, ...] = ()
    note: str = ""
    relations: tuple[Relation, ...] = ()
    _index: dict[str, int] = field(default_factory=dict, repr=False)

    @property
    def stochastic(self) -> bool:
        """Whether any variable is stochastic."""
        return any(v.stochastic for v in self.variables)

    def index_of(self, name: str) -> int:
        """Index of the variable called ``name``.

        Raises:
            KeyError: if there is none.
        """
        if not self._index:
            self._index.update((v.name, i) for i, v in enumerate(self.variables))
        return self._index[name]
