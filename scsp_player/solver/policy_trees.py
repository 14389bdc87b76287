"""Policies as trees: what to decide after each outcome of chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from scsp_player.solver.question import Assumptions
from scsp_player.solver.sfc import chance_weights
from scsp_player.solver.solver import Solver
from scsp_player.solver.walk import Walk
from xcsp.errors import XcspError
from xcsp.model import Instance

MOST_NODES = 100_000
"""A policy has a leaf for every scenario; larger trees are refused."""

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Branch:
    """One value of a variable, its probability (1 for a decision), and what follows."""

    value: int
    probability: Fraction
    tree: PolicyTree


@dataclass(frozen=True)
class PolicyTree:
    """A node of a policy, labelled by the variables in the order of the instance.

    Attributes:
        variable: index of the variable; -1 at a leaf, where all up to the last chance variable have a value.
        branches: one for a decision; for a chance variable one a value that has a probability.
        satisfaction: probability that the constraints hold from here on; 1 or 0 at a leaf.
    """

    variable: int
    branches: tuple[Branch, ...]
    satisfaction: Fraction

    def as_json(self, instance: Instance) -> dict[str, Any]:
        """The tree as nested objects: ``{"variable", "branches": [{"value", "probability", …}], "satisfaction"}``."""
        finished: list[dict[str, Any]] = []
        stack: list[tuple[PolicyTree, bool]] = [(self, False)]
        while stack:
            tree, visited = stack.pop()
            if not visited:
                stack.append((tree, True))
                stack += [(branch.tree, False) for branch in tree.branches]
                continue
            shown: dict[str, Any] = {"satisfaction": str(tree.satisfaction)}
            if tree.variable >= 0:
                # The branches were finished in the opposite order.
                below = [finished.pop() for _ in tree.branches]
                variable = instance.variables[tree.variable]
                names = dict(zip(variable.domain.tolist(), variable.symbols or variable.domain.tolist(), strict=True))
                shown |= {
                    "variable": variable.name,
                    "branches": [
                        {"value": names[branch.value]}
                        | ({"probability": str(branch.probability)} if variable.stochastic else {})
                        | child
                        for branch, child in zip(tree.branches, below, strict=True)
                    ],
                }
            finished.append(shown)
        return finished[0]


_LOST = PolicyTree(-1, (), _ZERO)
_WON = PolicyTree(-1, (), _ONE)


@dataclass
class _Frame:
    """A variable whose values are tried."""

    variable: int
    values: list[tuple[int, Fraction]]
    chance: bool
    branches: list[Branch] = field(default_factory=list)

    def take(self, branch: Branch) -> None:
        """A value and the best that follows: all count for chance, the best for a decision."""
        if self.chance:
            self.branches.append(branch)
        elif not self.branches or branch.tree.satisfaction > self.branches[0].tree.satisfaction:
            self.branches = [branch]

    def tree(self) -> PolicyTree:
        satisfaction = sum((b.probability * b.tree.satisfaction for b in self.branches), _ZERO)
        return PolicyTree(self.variable, tuple(self.branches), satisfaction)


def best_policy(
    instance: Instance | Solver,
    assumptions: Assumptions | None = None,
    *,
    renormalise: bool = False,
    most_nodes: int = MOST_NODES,
) -> PolicyTree:
    """A policy whose satisfaction no other exceeds, under ``assumptions`` (which may settle decisions of the first stage).

    Among equally good values of a decision the least counts.

    Args:
        instance: the problem, or a solver made for it.
        assumptions: variables and the values they take.
        renormalise: as for ``sfc.solution_policies``.
        most_nodes: how many decisions and outcomes may be tried.

    Raises:
        ValueError: if an index names no variable.
        XcspError: if that is not enough.
    """
    solver = instance if isinstance(instance, Solver) else Solver(instance)
    problem = solver.instance
    chance = [x for x, variable in enumerate(problem.variables) if variable.stochastic]
    decided = range(chance[-1] + 1 if chance else 0)
    walk = Walk(solver, assumptions)
    if not walk.consistent:
        return _LOST
    weights = {x: chance_weights(walk, problem, x, renormalise) for x in chance}
    frames: list[_Frame] = []
    chosen: list[tuple[int, Fraction]] = []
    tree: PolicyTree | None = None
    while True:
        if tree is None:
            if len(frames) == len(decided):
                tree = _WON if walk.completable() else _LOST
            else:
                frames.append(_frame(walk, len(frames), weights))
        if tree is not None:
            if not frames:
                return tree
            walk.ascend()
            value, probability = chosen.pop()
            frames[-1].take(Branch(value, probability, tree))
            tree = None
        frame = frames[-1]
        # The next value that propagation lets through; the others fail at once.
        while frame.values:
            value, probability = frame.values.pop()
            if walk.nodes >= most_nodes:
                raise XcspError(f"{problem.name}: a policy has more than {most_nodes} nodes")
            if walk.descend(frame.variable, value):
                chosen.append((value, probability))
                break
            frame.take(Branch(value, probability, _LOST))
        else:
            tree = frames.pop().tree()


def _frame(walk: Walk, x: int, weights: dict[int, dict[int, Fraction]]) -> _Frame:
    if x not in weights:
        return _Frame(x, [(value, _ONE) for value in walk.domain(x)[::-1]], False)
    values = [(value, weight) for value, weight in sorted(weights[x].items(), reverse=True) if weight]
    return _Frame(x, values, True)
