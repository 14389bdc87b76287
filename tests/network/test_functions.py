"""Functions over classes of values mean the same as functions over the values."""

import itertools
from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.network.circuit import _MostShared
from scsp_player.network.functions import Function, Partitions, common_axes, disjunction, simplify, spread

DOMAINS = (4, 3, 5)


@st.composite
def functions(draw):
    """A truth value over classes of some of the variables, and the same as a Python function."""
    partitions = []
    for variable, size in enumerate(DOMAINS):
        if draw(st.booleans()):
            partitions.append((variable, draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))))
    return partitions, draw(st.integers(0, 2**27 - 1))


def build(interner, description):
    partitions, bits = description
    axes = tuple(interner.of(variable, np.array(labels)) for variable, labels in partitions)
    shape = [axis.size for axis in axes]
    size = int(np.prod(shape))
    return Function(axes, np.array([bool(bits >> k & 1) for k in range(size)]).reshape(shape))


def value(function, assignment):
    return bool(function.table[tuple(int(axis.labels[assignment[axis.variable]]) for axis in function.axes)])


@given(st.lists(st.integers(0, 200), min_size=1, max_size=150))
def test_partitions_number_classes_by_first_appearance(labels):
    partitions = Partitions()
    found = partitions.of(0, np.array(labels))
    order = list(dict.fromkeys(labels))
    assert found.labels.tolist() == [order.index(label) for label in labels]
    assert found.first.tolist() == [labels.index(label) for label in order]
    assert found.counts.tolist() == [labels.count(label) for label in order]
    assert found is partitions.of(0, np.array(labels) + 1_000_000)
    if len(order) == len(labels):
        assert found is partitions.identity(0, len(labels))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(functions(), max_size=3), max_size=3))
def test_disjunctions_of_conjunctions(descriptions):
    interner = Partitions()
    rules = [[build(interner, d) for d in rule] for rule in descriptions]
    axes = common_axes(interner, [f for rule in rules for f in rule])
    result = simplify(interner, axes, disjunction(rules, axes))
    for assignment in itertools.product(*map(range, DOMAINS)):
        expected = any(all(value(f, assignment) for f in rule) for rule in rules)
        assert value(result, assignment) == expected


@settings(max_examples=60, deadline=None)
@given(functions())
def test_simplified_functions_are_canonical(description):
    interner = Partitions()
    function = build(interner, description)
    once = simplify(interner, function.axes, function.table)
    finest = tuple(interner.of(v, np.arange(size)) for v, size in enumerate(DOMAINS))
    table = np.broadcast_to(spread(function, finest), DOMAINS)
    assert simplify(interner, finest, table).key == once.key
    assert (~once).key == simplify(interner, function.axes, ~function.table).key


def test_equal_partitions_are_one_object():
    interner = Partitions()
    assert interner.of(0, np.array([5, 7, 5])) is interner.of(0, np.array([1, 0, 1]))
    assert interner.of(0, np.array([0, 1])) is not interner.of(1, np.array([0, 1]))


@given(st.lists(st.lists(st.integers(0, 6), unique=True, max_size=4), max_size=12), st.randoms(use_true_random=False))
def test_the_condition_that_most_rules_share(keys, random):
    """Against counting anew each time, while rules are taken away."""
    shared, left = _MostShared(keys), list(range(len(keys)))
    while any(keys[number] for number in left):
        counts = Counter(key for number in left for key in keys[number])
        most = max(counts.values())
        place = {key: i for i, key in enumerate(dict.fromkeys(key for rule in keys for key in rule))}
        wanted = min((key for key in counts if counts[key] == most), key=place.__getitem__)
        numbers = shared.next()
        assert numbers == [number for number in left if wanted in keys[number]]
        gone = numbers if random.random() < 0.5 else numbers[:1]
        shared.remove(gone)
        left = [number for number in left if number not in gone]
        assert shared.left() == left
