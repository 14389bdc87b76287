"""Instances for the tests, what makes two of them the same, and their solutions by trying every assignment."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from xcsp import STAR, Instance, Table, Variable
from xcsp.relations import Relation


def ints(*values: int) -> NDArray[np.int32]:
    return np.array(values, np.int32)


def table(
    scope: Sequence[int], rows: Sequence[Sequence[int]], positive: bool = True, classes: tuple[str, ...] = (), note: str = ""
) -> Table:
    return Table(ints(*scope), np.array(rows, np.int32).reshape(-1, len(scope)), positive, classes, note)


def described(instance: Instance) -> tuple[object, ...]:
    """Everything of an instance that a document keeps, as plain values; constraints in no order."""
    return (
        [_variable(v) for v in instance.variables],
        sorted(item for t in instance.constraints for item in _constraint(instance, t)),
        instance.threshold,
        instance.decisions,
        instance.note,
        [_relation(relation) for relation in instance.relations],
    )


def _relation(relation: Relation) -> tuple[object, ...]:
    parts = vars(relation).items()
    return (type(relation).__name__, *((name, p.tolist() if isinstance(p, np.ndarray) else p) for name, p in parts))


def _variable(variable: Variable) -> tuple[object, ...]:
    classes = tuple(c for c in variable.classes if not (variable.stochastic and c == "chance"))
    return (variable.name, variable.domain.tolist(), variable.probabilities, variable.symbols, classes, variable.note)


def _constraint(instance: Instance, constraint: Table) -> list[tuple[object, ...]]:
    """The meaning of a table: see write_instance for the normal form."""
    scope = constraint.scope.tolist()
    domains = [instance.variables[i].domain.tolist() for i in scope]
    rows = {
        tuple(row)
        for row in constraint.tuples.tolist()
        if all(value == STAR or value in domain for value, domain in zip(row, domains, strict=True))
    }
    positive = constraint.positive
    constants = len(scope) > 1 and all(len(domain) == 1 for domain in domains)
    if not rows and not positive:
        return []
    if not rows or (constants and not positive):
        first = next((i for i in scope if not instance.variables[i].stochastic), scope[0])
        positive, scope = False, [first]
        rows = {(value,) for value in instance.variables[first].domain.tolist()}
    elif len(scope) == 1 and (STAR,) in rows:
        rows = {(value,) for value in domains[0]}
    elif len(rows) < 200 and prod(map(len, domains)) < 2000:
        columns = [{v: [v] for v in domain} | {int(STAR): domain} for domain in domains]
        rows = {point for row in rows for point in product(*[column[v] for column, v in zip(columns, row, strict=True)])}
    return [(scope, positive, constraint.classes, constraint.note, sorted(rows))]


def count_solutions(instance: Instance) -> int:
    grids = np.meshgrid(*[v.domain for v in instance.variables], indexing="ij")
    points = np.stack([grid.reshape(-1) for grid in grids], axis=1)
    keep = np.ones(len(points), np.bool_)
    for t in instance.constraints:
        part = points[:, t.scope][:, None, :]
        matches = ((part == t.tuples) | (t.tuples == STAR)).all(axis=2).any(axis=1)
        keep &= matches == t.positive
    for relation in instance.relations:
        keep &= np.array([relation.holds(row) for row in points[:, relation.scope].tolist()])
    return int(keep.sum())


names = st.from_regex(r"[a-z][a-zA-Z0-9_]{0,3}", fullmatch=True).map(lambda text: f"v_{text}")
characters = st.characters(
    codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff", include_characters="\t\n\r"
)
notes = st.text(characters, max_size=8)
classes = st.lists(st.sampled_from(["decision", "fluent", "a-b", "frame", "é"]), max_size=2, unique=True).map(tuple)
values = st.integers(-12, 12) | st.sampled_from([-(2**31) + 10, 2**31 - 11])
integer_domains = st.lists(values, min_size=1, max_size=5, unique=True).map(sorted).filter(
    lambda domain: domain[-1] - domain[0] < 2**31
)
symbol_domains = st.lists(st.sampled_from(["b", "x", "o", "set", "x1", "white_king"]), min_size=1, max_size=4, unique=True)


@st.composite
def distributions(draw: st.DrawFn, size: int) -> tuple[Fraction, ...]:
    weights = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any))
    return tuple(Fraction(w, sum(weights)) for w in weights)


@st.composite
def variable_groups(draw: st.DrawFn, name: str, kinds: Sequence[str]) -> list[Variable]:
    """One variable, or the cells of an array, now and then with a cell missing or different."""
    sizes = draw(st.sampled_from([(), (), (1,), (3,), (2, 2)]))
    cells = [name + "".join(f"[{i}]" for i in cell) for cell in np.ndindex(*sizes)]
    if len(cells) > 1 and draw(st.integers(0, 4)) == 0:
        cells.pop(draw(st.integers(0, len(cells) - 1)))
    kind, mine, note = draw(st.sampled_from(kinds)), draw(classes), draw(notes)
    shared, alike = None, draw(st.booleans())
    made = []
    for cell in cells:
        if shared is None or not alike:
            if kind == "symbolic":
                symbols = tuple(draw(symbol_domains))
                shared = (np.arange(len(symbols), dtype=np.int32), None, symbols)
            else:
                domain = ints(*draw(integer_domains))
                shared = (domain, draw(distributions(domain.size)) if kind == "stochastic" else None, None)
        if draw(st.integers(0, 6)) == 0:
            note = draw(notes)
        made.append(Variable(cell, *shared, mine, note))
    return made


@st.composite
def tables(draw: st.DrawFn, variables: Sequence[Variable]) -> Table:
    symbolic = draw(st.sampled_from(sorted({v.symbols is not None for v in variables})))
    candidates = [i for i, v in enumerate(variables) if (v.symbols is not None) == symbolic]
    scope = draw(st.lists(st.sampled_from(candidates), min_size=1, max_size=4, unique=True))
    positive = draw(st.booleans())
    extra = [int(STAR)] if positive else []
    columns = [st.sampled_from(variables[i].domain.tolist() + extra) for i in scope]
    if not symbolic:
        columns = [column | st.integers(-2, 3) for column in columns]
    rows = draw(st.lists(st.tuples(*columns), max_size=12))
    return table(scope, rows, positive, draw(classes), draw(notes))


@st.composite
def instances(draw: st.DrawFn, kinds: Sequence[str] = ("integer", "integer", "stochastic", "symbolic")) -> Instance:
    found = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    variables = [variable for name in found for variable in draw(variable_groups(name, kinds))]
    if not variables:
        variables = [Variable("v", ints(0, 1))]
    constraints = draw(st.lists(tables(variables), max_size=5))
    for again in draw(st.lists(st.sampled_from(constraints), max_size=3)) if constraints else []:
        scope = draw(st.permutations(again.scope.tolist()))
        constraints.append(Table(ints(*scope), again.tuples, again.positive, again.classes, again.note))
    plain = [i for i, v in enumerate(variables) if v.symbols is None and not v.stochastic]
    decisions = draw(st.lists(st.sampled_from(plain), max_size=3, unique=True)) if plain else []
    threshold = draw(st.fractions(0, 1, max_denominator=12))
    return Instance("<document>", tuple(variables), tuple(constraints), threshold, tuple(decisions), draw(notes))
