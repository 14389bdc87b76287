"""An instance under construction whose variables find their places in the order of decision at the end."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xcsp.model import Instance, Table, Variable

Ints = NDArray[np.int32]


class Part(IntEnum):
    """What is decided one after the other within a stage."""

    STATE = 0
    DECISION = 1
    CHANCE = 2
    CONSEQUENCE = 3


class Assembly:
    """Variables and tables; a variable is named by its number until ``finish`` sorts them by stage and part."""

    def __init__(self) -> None:
        self._variables: list[Variable] = []
        self._keys: list[tuple[int, Part]] = []
        self._tables: list[Table] = []

    def variable(self, variable: Variable, stage: int, part: Part) -> int:
        """Add a variable; returns its number."""
        self._variables.append(variable)
        self._keys.append((stage, part))
        return len(self._variables) - 1

    def fresh(self, name: str, size: int, kind: str, stage: int, part: Part, note: str = "") -> int:
        """Add a variable with the values 0 … size - 1; one of part ``CHANCE`` is uniform over them."""
        weights = (Fraction(1, size),) * size if part == Part.CHANCE else None
        domain = np.arange(size, dtype=np.int32)
        return self.variable(Variable(name, domain, weights, classes=(kind,), note=note), stage, part)

    def table(self, scope: Sequence[int], tuples: ArrayLike, kind: str, *, positive: bool = True) -> None:
        """Add a constraint; conflicts without tuples say nothing and are left out."""
        rows = np.asarray(tuples, dtype=np.int32).reshape(-1, len(scope))
        if len(rows) or positive:
            self._tables.append(Table(np.array(scope, dtype=np.int32), rows, positive, (kind,)))

    def share(self, table: Table, scope: Ints) -> None:
        """Add a table of another instance, on other variables."""
        self._tables.append(Table(scope, table.tuples, table.positive, table.classes))

    def finish(self, name: str, threshold: Fraction = Fraction(1), note: str = "") -> tuple[Instance, Ints]:
        """The instance, and the index in it of every variable by its number.

        Variables in no table get one that lists their domain: solvers drop them otherwise, and then count fewer solutions.
        """
        order = sorted(range(len(self._variables)), key=lambda v: (self._keys[v], v))
        index = np.zeros(len(order), dtype=np.int32)
        index[order] = np.arange(len(order), dtype=np.int32)
        used = np.zeros(len(order), dtype=np.bool_)
        tables: list[Table] = []
        for table in self._tables:
            used[table.scope] = True
            tables.append(Table(index[table.scope], table.tuples, table.positive, table.classes, table.note))
        for number in np.flatnonzero(~used).tolist():
            domain = self._variables[number].domain
            tables.append(Table(index[[number]], domain[:, None].copy(), True, ("free",)))
        decisions = tuple(int(index[v]) for v in order if self._keys[v][1] == Part.DECISION)
        variables = tuple(self._variables[v] for v in order)
        return Instance(name, variables, tuple(tables), threshold, decisions, note), index
