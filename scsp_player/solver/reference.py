"""The independent engine for tests and comparisons: python-constraint with a membership test a table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from constraint import FunctionConstraint, OptimizedBacktrackingSolver, Problem
from numpy.typing import ArrayLike, NDArray

from scsp_player.solver.question import Assumptions
from scsp_player.solver.results import Count, Solutions
from xcsp.model import STAR, Instance, Table

_BLOCK_ROWS = 1024


class ReferenceSolver:
    """python-constraint's optimised backtracking on one instance, asked like ``Solver``.

    It checks a table when all its variables but one have values, and prunes nothing earlier: a yardstick for correctness, not for
    speed. Nodes are not counted.

    Attributes:
        instance: the instance.
    """

    def __init__(self, instance: Instance) -> None:
        """Prepares the membership tests of ``instance``."""
        self.instance = instance
        self._tests = [
            *map(_membership, instance.constraints),
            *(_relation(relation.holds) for relation in instance.relations),
        ]

    def stream(
        self,
        assumptions: Assumptions | None = None,
        *,
        project: ArrayLike | None = None,
        limit: int | None = None,
        seconds: float | None = None,
    ) -> ReferenceEnumeration:
        """The solutions block by block; arguments as for ``Solver.solutions``."""
        variables = range(len(self.instance.variables))
        projection = list(variables) if project is None else np.asarray(project).tolist()
        return ReferenceEnumeration(self.instance, self._tests, assumptions, projection, limit, seconds)

    def solutions(
        self,
        assumptions: Assumptions | None = None,
        *,
        project: ArrayLike | None = None,
        limit: int | None = None,
        seconds: float | None = None,
    ) -> Solutions:
        """All solutions; arguments as for ``Solver.solutions``, the order may differ."""
        enumeration = self.stream(assumptions, project=project, limit=limit, seconds=seconds)
        values = np.concatenate([np.zeros((0, enumeration.width), dtype=np.int32), *enumeration])
        return Solutions(values, enumeration.complete, 0, 0, enumeration.seconds)

    def count(
        self,
        assumptions: Assumptions | None = None,
        *,
        project: ArrayLike | None = None,
        limit: int | None = None,
        seconds: float | None = None,
    ) -> Count:
        """Number of solutions; arguments as for ``Solver.solutions``."""
        enumeration = self.stream(assumptions, project=project, limit=limit, seconds=seconds)
        number = enumeration.count()
        return Count(number, enumeration.complete, 0, 0, enumeration.seconds)


class ReferenceEnumeration:
    """Solutions found by python-constraint, block by block; attributes as for ``Enumeration`` (without nodes and fails)."""

    def __init__(
        self,
        instance: Instance,
        tests: list[Callable[..., bool]],
        assumptions: Assumptions | None,
        project: list[int],
        limit: int | None,
        seconds: float | None,
    ) -> None:
        """Takes what ``ReferenceSolver.stream`` prepared."""
        self.width = len(project)
        self.complete = False
        self.nodes = 0
        self.fails = 0
        self.seconds = 0.0
        self._question = (instance, tests, assumptions)
        self._project = project
        self._limit = limit
        self._allowed = seconds

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        """int32[rows, width]: solutions, at least one a block."""
        began = time.perf_counter()
        clock = _Clock(None if self._allowed is None else began + self._allowed)
        seen: set[tuple[int, ...]] = set()
        projected = len(self._project) < len(self._question[0].variables)
        block: list[tuple[int, ...]] = []
        found = 0
        try:
            for solution in _search(*self._question, clock):
                row = tuple(solution[x] for x in self._project)
                if projected and row in seen:
                    continue
                if projected:
                    seen.add(row)
                block.append(row)
                found += 1
                if found == self._limit or len(block) == _BLOCK_ROWS:
                    self.seconds = time.perf_counter() - began
                    yield np.array(block, dtype=np.int32).reshape(len(block), self.width)
                    block = []
                if found == self._limit:
                    return
            self.complete = True
        except _OutOfTimeError:
            pass
        self.seconds = time.perf_counter() - began
        if block:
            yield np.array(block, dtype=np.int32).reshape(len(block), self.width)

    def count(self) -> int:
        """The number of solutions, at most the limit."""
        return sum(len(block) for block in self)


class _OutOfTimeError(Exception):
    """Raised out of the search, which has no deadline of its own."""


class _Clock:
    """Looks at the time every few hundred tests."""

    def __init__(self, deadline: float | None) -> None:
        self.deadline = deadline
        self.calls = 0

    def tick(self) -> None:
        self.calls += 1
        if self.deadline is not None and self.calls % 256 == 0 and time.perf_counter() > self.deadline:
            raise _OutOfTimeError


def _membership(table: Table) -> Callable[..., bool]:
    """Whether values of the scope are allowed by ``table``."""
    starred = table.tuples == STAR
    sets: list[tuple[list[int], set[tuple[int, ...]]]] = []
    for pattern in np.unique(starred, axis=0) if len(starred) else starred:
        fixed = np.flatnonzero(~pattern)
        rows = table.tuples[(starred == pattern).all(axis=1)][:, fixed]
        sets.append((fixed.tolist(), set(map(tuple, rows.tolist()))))
    positive = table.positive

    def allowed(*values: int) -> bool:
        return any(tuple([values[k] for k in fixed]) in rows for fixed, rows in sets) == positive

    return allowed


def _relation(holds: Callable[[Sequence[int]], bool]) -> Callable[..., bool]:
    return lambda *values: holds(values)


def _search(
    instance: Instance, tests: list[Callable[..., bool]], assumptions: Assumptions | None, clock: _Clock
) -> Iterator[dict[int, int]]:
    """Solutions by variable index."""
    domains = [variable.domain.tolist() for variable in instance.variables]
    if assumptions is not None:
        for x, value in zip(*(np.asarray(part).tolist() for part in assumptions), strict=True):
            domains[x] = [value] if value in domains[x] else []
    if not all(domains):
        return
    if not domains:
        yield {}
        return
    problem = Problem(OptimizedBacktrackingSolver())
    for x, domain in enumerate(domains):
        problem.addVariable(x, domain)

    def timed(test: Callable[..., bool]) -> Callable[..., bool]:
        def check(*values: int) -> bool:
            clock.tick()
            return test(*values)

        return check

    for constraint, test in zip((*instance.constraints, *instance.relations), tests, strict=True):
        problem.addConstraint(FunctionConstraint(timed(test)), constraint.scope.tolist())
    yield from problem.getSolutionIter()
