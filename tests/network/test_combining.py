"""What is worked out once holds for other variables, too."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.network.combining import Combiner
from scsp_player.network.functions import Function, Partitions, common_axes, disjunction, simplify
from scsp_player.network.tables import TableBuilder
from xcsp.model import STAR

SIZES = (3, 4, 3, 4, 4, 3)
"""Variables of two sizes, so that some are alike."""


@st.composite
def formulas(draw):
    """Rules over some of three variables: of each condition its variables, labels of their values, and bits of its table."""
    conditions = st.tuples(
        st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True).map(sorted),
        st.lists(st.integers(0, 2), min_size=4, max_size=4),
        st.integers(0, 2**27 - 1),
    )
    return draw(st.lists(st.lists(conditions, max_size=3), max_size=3))


def build(partitions, formula, variables):
    rules = []
    for rule in formula:
        functions = []
        for places, labels, bits in rule:
            axes = tuple(partitions.of(variables[p], np.array(labels[: SIZES[variables[p]]])) for p in places)
            shape = [axis.size for axis in axes]
            table = np.array([bool(bits >> k & 1) for k in range(int(np.prod(shape)))]).reshape(shape)
            functions.append(Function(axes, table))
        rules.append(functions)
    return rules, common_axes(partitions, [f for rule in rules for f in rule])


SCOPES = list(itertools.combinations(range(len(SIZES)), 3))


@settings(max_examples=80, deadline=None)
@given(formulas(), st.lists(st.sampled_from(SCOPES), min_size=2, max_size=5))
def test_the_same_formula_over_other_variables(formula, scopes):
    partitions = Partitions()
    combiner = Combiner(partitions)
    for variables in scopes:
        rules, axes = build(partitions, formula, variables)
        assert combiner.disjunction(rules, axes).key == simplify(partitions, axes, disjunction(rules, axes)).key


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*(st.integers(0, 2),) * 3), max_size=8), st.lists(st.sampled_from(SCOPES), min_size=2, max_size=5))
def test_the_same_list_over_other_variables(rows, scopes):
    partitions = Partitions()
    combiner = Combiner(partitions)
    listed = np.array(rows, dtype=np.int32).reshape(-1, 3)
    for variables in scopes:
        axes = [partitions.identity(v, SIZES[v]) for v in variables]
        table = np.zeros([axis.size for axis in axes], dtype=bool)
        for row in rows:
            table[row] = True
        assert combiner.listed(axes, listed).key == simplify(partitions, axes, table).key


PAIRS = [(0, 1), (1, 2), (2, 3), (0, 3), (1, 3)]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**9 - 1), st.lists(st.tuples(st.sampled_from(PAIRS), st.booleans()), min_size=2, max_size=4))
def test_the_same_table_over_other_variables(bits, uses):
    """Definitions and relations, class variables left out, against the dense table."""
    table = np.array([bool(bits >> k & 1) for k in range(9)]).reshape(3, 3)
    builder = TableBuilder(1000)
    inputs = [builder.variable(f"x{number}", size, "state") for number, size in enumerate(SIZES[:4])]
    outputs = []
    for pair, defined in uses:
        axes = [builder.partitions.of(v, np.arange(SIZES[v]) % 3) for v in pair]
        if defined:
            outputs.append((pair, builder.variable("y", 2, "terminal", domain=(5, 7))))
            builder.define(outputs[-1][1], axes, table.astype(np.int32), "y")
        else:
            builder.restrict(axes, table, "r")
    finished = builder.finish(())
    domains = [draft.domain or tuple(range(draft.size)) for draft in finished.variables]
    kept = finished.index[[*inputs, *(y for _, y in outputs)]]
    found = [tuple(x[v] for v in kept) for x in solutions(domains, finished.tables)]
    assert sorted(found) == [
        (*x, *(5 + 2 * table[x[a] % 3, x[b] % 3] for (a, b), _ in outputs))
        for x in itertools.product(*map(range, SIZES[:4]))
        if all(defined or table[x[a] % 3, x[b] % 3] for (a, b), defined in uses)
    ]


def solutions(domains, tables):
    """Backtracking over the variables in order."""
    partial = [()]
    for v, domain in enumerate(domains):
        own = [t for t in tables if t.scope.max() == v]
        partial = [(*x, value) for x in partial for value in domain if all(allowed(t, (*x, value)) for t in own)]
    return partial


def allowed(table, x):
    chosen = np.array([x[v] for v in table.scope])
    return bool(((table.tuples == chosen) | (table.tuples == STAR)).all(axis=1).any()) == table.positive
