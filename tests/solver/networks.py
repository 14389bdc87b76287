"""Small networks for the solver's tests: random ones, those with published counts, and slow answers to compare with."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import strategies as st

from xcsp.model import STAR, Instance, Table, Variable

ANY = int(STAR)


def variable(name: str, values: Iterable[int], probabilities=None) -> Variable:
    return Variable(name, np.array(sorted(values), dtype=np.int32), probabilities)


def table(scope: Sequence[int], rows: Iterable[Sequence[int]], positive: bool = True) -> Table:
    rows = list(rows)
    return Table(np.array(scope, dtype=np.int32), np.array(rows, dtype=np.int32).reshape(len(rows), len(scope)), positive)


@st.composite
def networks(draw: st.DrawFn, most_variables: int = 5, most_values: int = 3) -> Instance:
    """Instances with tables of arity 1 to 4, supports with stars, conflicts, tuples outside the domains, repeated tuples."""
    numbers = st.sets(st.integers(-2, 6), min_size=1, max_size=most_values)
    variables = tuple(variable(f"v{i}", draw(numbers)) for i in range(draw(st.integers(1, most_variables))))
    indices = list(range(len(variables)))
    tables = []
    for _ in range(draw(st.integers(0, 6))):
        scope = draw(st.lists(st.sampled_from(indices), min_size=1, max_size=4, unique=True))
        positive = draw(st.booleans())
        wild = [ANY] if positive and draw(st.booleans()) else []
        stray = [7] if draw(st.booleans()) else []
        row = st.tuples(*(st.sampled_from(variables[x].domain.tolist() + wild + stray) for x in scope))
        most = 12 if positive else 8
        tables.append(table(scope, draw(st.lists(row, min_size=0, max_size=most)), positive))
    return Instance("random", variables, tuple(tables))


def allows(constraint: Table, values: Sequence[int]) -> bool:
    """Whether ``values`` of the scope satisfy ``constraint``."""
    matched = any(all(cell in (ANY, value) for cell, value in zip(row, values, strict=True)) for row in constraint.tuples.tolist())
    return matched == constraint.positive


def every_solution(instance: Instance) -> list[tuple[int, ...]]:
    """All solutions by trying every combination, in lexicographic order."""
    domains = [v.domain.tolist() for v in instance.variables]
    return [
        values
        for values in itertools.product(*domains)
        if all(allows(c, [values[x] for x in c.scope.tolist()]) for c in instance.constraints)
    ]


def assume(instance: Instance, assumptions: Iterable[tuple[int, int]]) -> Instance:
    """``instance`` with unary tables for the assumptions."""
    tables = tuple(table([x], [[value]]) for x, value in assumptions)
    return Instance(instance.name, instance.variables, instance.constraints + tables)


def arc_consistent_domains(instance: Instance) -> list[list[int]] | None:
    """Domains left by generalised arc consistency, by definition: remove unsupported values until there is none."""
    domains = [v.domain.tolist() for v in instance.variables]
    changed = True
    while changed:
        changed = False
        for constraint in instance.constraints:
            scope = constraint.scope.tolist()
            allowed = [t for t in itertools.product(*(domains[x] for x in scope)) if allows(constraint, t)]
            for k, x in enumerate(scope):
                kept = [value for value in domains[x] if any(t[k] == value for t in allowed)]
                changed |= kept != domains[x]
                domains[x] = kept
    return domains if all(domains) else None


def singleton_consistent_domains(instance: Instance) -> list[list[int]] | None:
    """Domains left by singleton arc consistency, by definition."""
    domains = arc_consistent_domains(instance)
    while domains is not None:
        bad = [
            (x, value)
            for x, values in enumerate(domains)
            for value in values
            if arc_consistent_domains(assume(instance, [(x, value)])) is None
        ]
        if not bad:
            return domains
        instance = Instance(
            instance.name, instance.variables, (*instance.constraints, *(table([x], [[value]], False) for x, value in bad))
        )
        domains = arc_consistent_domains(instance)
    return None


def lists(domains) -> list[list[int]] | None:
    return None if domains is None else [d.tolist() for d in domains]


def random_ternary(variables: int = 16, values: int = 6, tables: int = 34, looseness: float = 0.64) -> Instance:
    """The instance with 592,694 solutions (with the default arguments): random ternary tables from a fixed seed."""
    generator = random.Random(5)
    scopes = [tuple(sorted(generator.sample(range(variables), 3))) for _ in range(tables)]
    constraints = [
        table(scope, [t for t in itertools.product(range(values), repeat=3) if generator.random() > 1 - looseness])
        for scope in scopes
    ]
    return Instance("rnd", tuple(variable(f"x{i}", range(values)) for i in range(variables)), tuple(constraints))


def board_turn(expand: bool) -> Instance:
    """One turn of a game of noughts and crosses from every board; its solutions are Σ 2·(empty cells) over the 3⁹ boards."""
    names = [f"cell_{i}" for i in range(9)] + ["ctrl", "xact", "oact"] + [f"next_{i}" for i in range(9)]
    sizes = [3] * 9 + [2, 10, 10] + [3] * 9
    ctrl, xact, oact = 9, 10, 11
    tables = [
        ([ctrl, xact], [(0, a) for a in range(9)] + [(1, 9)]),
        ([ctrl, oact], [(1, a) for a in range(9)] + [(0, 9)]),
    ]
    for role in (xact, oact):
        tables += [([role, i], [(i, 0)] + [(j, ANY) for j in range(10) if j != i]) for i in range(9)]
    for i in range(9):
        others = [j for j in range(10) if j != i]
        rows = [(1, ANY, ANY, 1), (2, ANY, ANY, 2), (0, i, ANY, 1)] + [(0, j, i, 2) for j in others]
        rows += [(0, j, k, 0) for j in others for k in others]
        tables.append(([i, xact, oact, 12 + i], rows))
    if expand:
        tables = [
            (
                scope,
                sorted(
                    {
                        full
                        for row in rows
                        for full in itertools.product(
                            *(range(sizes[x]) if cell == ANY else (cell,) for x, cell in zip(scope, row, strict=True))
                        )
                    }
                ),
            )
            for scope, rows in tables
        ]
    variables = tuple(variable(name, range(size)) for name, size in zip(names, sizes, strict=True))
    return Instance("ttt", variables, tuple(table(scope, rows) for scope, rows in tables))
