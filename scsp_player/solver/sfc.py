"""Stochastic forward checking: solution policies with their exact probability of satisfaction.

After Walsh (ECAI 2002) and the algorithms 1 to 3 of WoodStock (Koriche, Lagrue, Piette, Tabary; RIA 31, 2017). The variables are
decided in the order of the instance: decisions of the first stage, chance variables, then whatever is decided in view of the
outcome. Variables behind the last chance variable only have to exist: for instance a next state, a function of state, moves and
chance.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from scsp_player.solver.parts import chance_part, hard_part, restricted
from scsp_player.solver.question import Assumptions, told_arrays
from scsp_player.solver.solver import Solver
from scsp_player.solver.walk import Walk
from xcsp.model import Instance, Table

__all__ = ["Policies", "chance_part", "equivalent_csp", "feasibility_table", "hard_part", "solution_policies"]

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, eq=False)
class Policies:
    """Decisions of the first stage from which some policy reaches the threshold.

    Attributes:
        variables: int32[k], the decision variables before the first chance variable (all of them if there is no chance).
        values: int32[n, k], their values in each solution, in lexicographic order.
        satisfaction: for each solution the greatest probability of satisfaction of a policy that begins with it.
        complete: False if the search was cut off.
        nodes: decisions taken.
        seconds: wall time.
    """

    variables: NDArray[np.int32]
    values: NDArray[np.int32]
    satisfaction: tuple[Fraction, ...]
    complete: bool
    nodes: int
    seconds: float

    def __len__(self) -> int:
        return len(self.values)


def solution_policies(
    instance: Instance | Solver,
    assumptions: Assumptions | None = None,
    threshold: Fraction | None = None,
    *,
    renormalise: bool = False,
    limit: int | None = None,
    seconds: float | None = None,
) -> Policies:
    """First-stage decisions that a solution policy of ``instance`` begins with, under ``assumptions``.

    A decision without any satisfied scenario is none, however low the threshold.

    Args:
        instance: the problem, or a solver made for it (which saves building the arrays again).
        assumptions: variables and the values they take.
        threshold: least probability of satisfaction; None for that of the instance.
        renormalise: let each chance variable take only the values that are singleton consistent with the assumptions, with their
            probabilities scaled to sum up to 1. So do the outcomes that a given state of a game allows.
        limit: stop after so many solutions.
        seconds: stop after so much wall time (looked at between decisions).

    Raises:
        ValueError: if an index names no variable.
    """
    began = time.perf_counter()
    solver = instance if isinstance(instance, Solver) else Solver(instance)
    problem = solver.instance
    bound = problem.threshold if threshold is None else threshold
    chance = [x for x, variable in enumerate(problem.variables) if variable.stochastic]
    first_stage = [x for x in range(chance[0] if chance else len(problem.variables)) if not problem.variables[x].stochastic]
    rows: list[list[int]] = []
    satisfaction: list[Fraction] = []
    complete = limit != 0
    walk = Walk(solver, assumptions)
    if walk.consistent and bound <= 1 and limit != 0:
        for row, probability in _Search(walk, problem, first_stage, chance, bound, renormalise):
            if row is not None:
                rows.append(row)
                satisfaction.append(probability)
            if len(rows) == limit or (seconds is not None and time.perf_counter() - began > seconds):
                complete = False
                break
    values = np.array(rows, dtype=np.int32).reshape(len(rows), len(first_stage))
    variables = np.array(first_stage, dtype=np.int32)
    return Policies(variables, values, tuple(satisfaction), complete, walk.nodes, time.perf_counter() - began)


def feasibility_table(
    instance: Instance, assumptions: Assumptions | None = None, threshold: Fraction | None = None, *, renormalise: bool = False
) -> Table:
    """The constraint c_f of the paper: decisions of the chance part that are in at least one solution policy.

    Its scope holds the first-stage decision variables of the chance part as indices into ``instance``. If there is none, the chance
    part succeeds or fails by itself, and c_f allows the first decision variable of the instance all its values or none.

    Raises:
        ValueError: if an index names no variable, or the instance has no decision variable before chance.
    """
    part = chance_part(instance)
    variables, numbers = told_arrays(assumptions)
    wanted = dict(zip(variables.tolist(), numbers[0].tolist(), strict=True))
    names = {variable.name for variable in part.variables}
    inside = [x for x in wanted if instance.variables[x].name in names]
    told = ([part.index_of(instance.variables[x].name) for x in inside], [wanted[x] for x in inside])
    policies = solution_policies(part, told, threshold, renormalise=renormalise)
    if len(policies.variables):
        scope = [instance.index_of(part.variables[x].name) for x in policies.variables.tolist()]
        return Table(np.array(scope, dtype=np.int32), policies.values)
    if not instance.variables or instance.variables[0].stochastic:
        raise ValueError("there is no decision before chance to constrain")
    values = instance.variables[0].domain[:, None]
    return Table(np.zeros(1, dtype=np.int32), values if len(policies) else values[:0])


def equivalent_csp(
    instance: Instance, assumptions: Assumptions | None = None, threshold: Fraction | None = None, *, renormalise: bool = False
) -> Instance:
    """The hard part joined with the feasibility constraint: its solutions are those of the stochastic problem.

    Variables keep their names; those that only occur in the chance part and are not decided in its first stage are left out.

    Raises:
        ValueError: as for ``feasibility_table``.
    """
    hard = hard_part(instance)
    table = feasibility_table(instance, assumptions, threshold, renormalise=renormalise)
    names = {variable.name for variable in hard.variables} | {instance.variables[x].name for x in table.scope.tolist()}
    chosen = [x for x, variable in enumerate(instance.variables) if variable.name in names]
    base = restricted(instance, (), chosen)
    renamed = [
        Table(np.array([base.index_of(source.variables[x].name) for x in t.scope.tolist()], dtype=np.int32), t.tuples, t.positive)
        for source, tables in ((hard, hard.constraints), (instance, (table,)))
        for t in tables
    ]
    return replace(base, constraints=tuple(renamed))


class _Search:
    """Depth-first search over the first stage; what comes after one of its leaves is evaluated from the last stage back."""

    def __init__(
        self, walk: Walk, instance: Instance, first_stage: list[int], chance: list[int], threshold: Fraction, renormalise: bool
    ) -> None:
        self.walk = walk
        self.first_stage = first_stage
        self.threshold = threshold
        self.weights = {x: chance_weights(walk, instance, x, renormalise) for x in chance}
        # Decisions that the assumptions settle already need no node.
        decided = range(len(first_stage), chance[-1] + 1 if chance else 0)
        self.later = [x for x in decided if x in self.weights or len(walk.domain(x)) > 1]

    def __iter__(self) -> Iterator[tuple[list[int] | None, Fraction]]:
        """Solutions with their satisfaction; None for a decision that led to none, so that the caller can look at the clock."""
        domains = {x: self.walk.domain(x) for x in self.first_stage}
        opened = [x for x in self.first_stage if len(domains[x]) > 1]
        row = {x: domain[0] for x, domain in domains.items()}
        if not opened:
            yield self._leaf(row)
            return
        choices = [domains[opened[0]][::-1]]
        below = 0
        while choices:
            if below == len(choices):
                self.walk.ascend()
                below -= 1
            if not choices[-1]:
                choices.pop()
                continue
            x = opened[below]
            row[x] = choices[-1].pop()
            if not self.walk.descend(x, row[x]):
                yield None, _ZERO
                continue
            below += 1
            if self._bound() < self.threshold:
                yield None, _ZERO
            elif below == len(opened):
                yield self._leaf(row)
            else:
                choices.append(self.walk.domain(opened[below])[::-1])

    def _leaf(self, row: dict[int, int]) -> tuple[list[int] | None, Fraction]:
        satisfaction = self._satisfaction()
        found = satisfaction > 0 and satisfaction >= self.threshold
        return (list(row.values()) if found else None), satisfaction

    def _bound(self) -> Fraction:
        """No policy below can be satisfied more probably: forward checking took the other values of the chance variables."""
        bound = _ONE
        for x, weights in self.weights.items():
            bound *= sum((weights.get(value, _ZERO) for value in self.walk.domain(x)), _ZERO)
        return bound

    def _satisfaction(self) -> Fraction:
        """Greatest satisfaction below the present decisions; some smaller number if it does not reach the threshold."""
        frames: list[_Decision | _Chance] = []
        need: Fraction | None = self.threshold
        while True:
            value: Fraction | None = None
            if len(frames) == len(self.later):
                value = _ONE if self.walk.completable() else _ZERO
            else:
                assert need is not None
                x = self.later[len(frames)]
                domain = self.walk.domain(x)
                frames.append(_Chance(x, domain, self.weights[x], need) if x in self.weights else _Decision(x, domain, need))
            while frames:
                frame = frames[-1]
                if value is not None:
                    self.walk.ascend()
                    frame.take(value)
                need = frame.descend(self.walk)
                if need is not None:
                    break
                value = frame.result
                frames.pop()
            else:
                assert value is not None
                return value


class _Decision:
    """A later decision, taken in view of all outcomes so far: the best of its values counts."""

    def __init__(self, x: int, domain: list[int], need: Fraction) -> None:
        self.x = x
        self.values = domain[::-1]
        self.need = need
        self.result = _ZERO

    def descend(self, walk: Walk) -> Fraction | None:
        """Takes the next value; what it must reach to matter, or None if there is no further value."""
        while self.values and self.result < 1:
            if walk.descend(self.x, self.values.pop()):
                return max(self.need, self.result)
        return None

    def take(self, satisfaction: Fraction) -> None:
        self.result = max(self.result, satisfaction)


class _Chance:
    """A chance variable: its values count by their probabilities."""

    def __init__(self, x: int, domain: list[int], weights: dict[int, Fraction], need: Fraction) -> None:
        self.x = x
        self.values = [(value, weights[value]) for value in domain[::-1] if weights.get(value)]
        self.left = sum((weight for _, weight in self.values), _ZERO)
        self.need = need
        self.weight = _ZERO
        self.result = _ZERO

    def descend(self, walk: Walk) -> Fraction | None:
        """Takes the next value; what it must reach for the need to be met, or None if that is decided."""
        while self.values and self.result + self.left >= self.need:
            value, self.weight = self.values.pop()
            self.left -= self.weight
            if walk.descend(self.x, value):
                return (self.need - self.result - self.left) / self.weight
        return None

    def take(self, satisfaction: Fraction) -> None:
        self.result += self.weight * satisfaction


def chance_weights(walk: Walk, instance: Instance, x: int, renormalise: bool) -> dict[int, Fraction]:
    """Probability of each value of chance variable ``x``."""
    variable = instance.variables[x]
    assert variable.probabilities is not None
    weights = dict(zip(variable.domain.tolist(), variable.probabilities, strict=True))
    if not renormalise:
        return weights
    living = {value: weights[value] for value in walk.domain(x)}
    total = sum(living.values(), _ZERO)
    return {value: weight / total for value, weight in living.items()} if total else living
