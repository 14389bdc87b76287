"""Solution policies and their satisfaction against the definition."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.solver import PolicyTree, Solver, best_policy, sfc
from tests.solver.networks import allows, networks, table, variable
from xcsp import Instance, Variable, XcspError

THIRD = Fraction(1, 3)
UNIFORM = (THIRD, THIRD, THIRD)


def two_stages(threshold: Fraction = THIRD) -> Instance:
    """x1, s1, x2, s2 over 0..2 with x1 = x2, x1 + s1 > 1 and x2 + s2 > 1: the example of the WoodStock paper."""
    variables = (
        variable("x1", range(3)),
        variable("s1", range(3), UNIFORM),
        variable("x2", range(3)),
        variable("s2", range(3), UNIFORM),
    )
    over_one = [(a, b) for a in range(3) for b in range(3) if a + b > 1]
    constraints = (table([0, 2], [(a, a) for a in range(3)]), table([0, 1], over_one), table([2, 3], over_one))
    return Instance("example", variables, constraints, threshold)


def pairs(policies: sfc.Policies) -> list[tuple[tuple[int, ...], Fraction]]:
    assert policies.complete
    return list(zip(map(tuple, policies.values.tolist()), policies.satisfaction, strict=True))


def satisfaction(instance: Instance, values: tuple[int, ...]) -> Fraction:
    """Greatest satisfaction of a policy that begins with ``values``, by the definition."""
    x = len(values)
    if x == len(instance.variables):
        return Fraction(all(allows(c, [values[i] for i in c.scope.tolist()]) for c in instance.constraints))
    here = instance.variables[x]
    below = [satisfaction(instance, (*values, value)) for value in here.domain.tolist()]
    if here.probabilities is None:
        return max(below, default=Fraction(0))
    return sum((p * s for p, s in zip(here.probabilities, below, strict=True)), Fraction(0))


@st.composite
def stochastic_networks(draw: st.DrawFn) -> Instance:
    plain = draw(networks())
    variables = []
    for v in plain.variables:
        weights = draw(st.lists(st.integers(0, 3), min_size=len(v.domain), max_size=len(v.domain)))
        chance = draw(st.booleans()) and sum(weights) > 0
        probabilities = tuple(Fraction(w, sum(weights)) for w in weights) if chance else None
        variables.append(Variable(v.name, v.domain, probabilities))
    return Instance("stochastic", tuple(variables), plain.constraints, Fraction(draw(st.integers(0, 4)), 4))


@given(stochastic_networks())
@settings(max_examples=150, deadline=None)
def test_policies_are_those_of_the_definition(instance: Instance) -> None:
    first_stage = list(itertools.takewhile(lambda v: not v.stochastic, instance.variables))
    expected = []
    for values in itertools.product(*(v.domain.tolist() for v in first_stage)):
        probability = satisfaction(instance, values)
        if probability > 0 and probability >= instance.threshold:
            expected.append((values, probability))
    policies = sfc.solution_policies(instance)
    assert pairs(policies) == expected
    if not expected or not first_stage:
        return
    # The hard part and the feasibility constraint give the same decisions.
    csp = sfc.equivalent_csp(instance)
    assert not csp.stochastic
    project = [csp.index_of(v.name) for v in first_stage]
    assert sorted(map(tuple, Solver(csp).solutions(project=project).values.tolist())) == [values for values, _ in expected]
    # What is assumed is no longer open.
    values, probability = expected[-1]
    assert pairs(sfc.solution_policies(instance, ([0], [values[0]])))[-1] == (values, probability)


def check_tree(tree: PolicyTree, instance: Instance, values: tuple[int, ...] = ()) -> Fraction:
    """The tree is a policy; its satisfaction by the definition."""
    last = max((x for x, v in enumerate(instance.variables) if v.stochastic), default=-1)
    if tree.variable < 0:
        if tree.satisfaction:
            assert len(values) == last + 1
            assert satisfaction(instance, values) == 1
        return tree.satisfaction
    assert tree.variable == len(values)
    variable = instance.variables[tree.variable]
    if variable.probabilities is None:
        (branch,) = tree.branches
        assert (branch.probability, branch.value in variable.domain.tolist()) == (1, True)
    else:
        expected = [(v, p) for v, p in zip(variable.domain.tolist(), variable.probabilities, strict=True) if p]
        assert [(b.value, b.probability) for b in tree.branches] == expected
    total = sum((b.probability * check_tree(b.tree, instance, (*values, b.value)) for b in tree.branches), Fraction(0))
    assert total == tree.satisfaction
    return total


@given(stochastic_networks())
@settings(max_examples=100, deadline=None)
def test_best_policies_are_policies_and_best(instance: Instance) -> None:
    assert check_tree(best_policy(instance), instance) == satisfaction(instance, ())


def test_the_policy_of_the_example() -> None:
    tree = best_policy(two_stages(), ([0], [1]))
    assert tree.satisfaction == Fraction(4, 9)
    shown = tree.as_json(two_stages())
    assert (shown["variable"], shown["branches"][0]["value"]) == ("x1", 1)
    outcomes = shown["branches"][0]["branches"]
    assert [(o["value"], o["probability"], o["satisfaction"]) for o in outcomes] == [
        (0, "1/3", "0"),
        (1, "1/3", "2/3"),
        (2, "1/3", "2/3"),
    ]
    with pytest.raises(XcspError, match="more than 3 nodes"):
        best_policy(two_stages(), most_nodes=3)


def test_the_example_of_the_paper() -> None:
    assert pairs(sfc.solution_policies(two_stages(), threshold=Fraction(0))) == [
        ((0,), Fraction(1, 9)),
        ((1,), Fraction(4, 9)),
        ((2,), Fraction(1)),
    ]
    assert pairs(sfc.solution_policies(two_stages())) == [((1,), Fraction(4, 9)), ((2,), Fraction(1))]
    assert pairs(sfc.solution_policies(two_stages(), threshold=Fraction(1))) == [((2,), Fraction(1))]
    assert pairs(sfc.solution_policies(two_stages(), ([0], [1]))) == [((1,), Fraction(4, 9))]


def test_parts_of_the_example() -> None:
    # x2 is decided in view of s1 and tied to s2, so x1 = x2 belongs to the chance part.
    assert len(sfc.chance_part(two_stages()).constraints) == 3
    assert sfc.hard_part(two_stages()).variables == ()
    feasible = sfc.feasibility_table(two_stages())
    assert (feasible.scope.tolist(), feasible.tuples.tolist(), feasible.positive) == ([0], [[1], [2]], True)


def one_stage() -> Instance:
    """Two moves and a die; the next state, behind chance, is a function of them; only the second move has to do with the die."""
    variables = (
        variable("unused", [0, 1]),
        variable("a", range(3)),
        variable("b", range(2)),
        variable("die", range(4), (Fraction(1, 4),) * 4),
        variable("next", range(8)),
    )
    constraints = (
        table([1, 2], [(0, 0), (1, 1), (2, 0), (2, 1)]),
        table([2, 3, 4], [(b, die, 4 * b + die) for b in range(2) for die in range(4) if b == 1 or die < 3]),
    )
    return Instance("one stage", variables, constraints, Fraction(3, 4), decisions=(1, 2))


def test_hard_and_chance_part_of_one_stage() -> None:
    hard, chance = sfc.hard_part(one_stage()), sfc.chance_part(one_stage())
    assert [v.name for v in hard.variables] == ["unused", "a", "b"]
    assert hard.decisions == (1, 2)
    assert [v.name for v in chance.variables] == ["b", "die", "next"]
    assert chance.threshold == Fraction(3, 4)
    assert chance.constraints[0].scope.tolist() == [0, 1, 2]
    assert pairs(sfc.solution_policies(chance)) == [((0,), Fraction(3, 4)), ((1,), Fraction(1))]
    csp = sfc.equivalent_csp(one_stage(), threshold=Fraction(1))
    assert [v.name for v in csp.variables] == ["unused", "a", "b"]
    assert len(Solver(csp).solutions()) == 4
    assert len(sfc.feasibility_table(one_stage(), ([1, 2], [0, 0])).tuples) == 1


def test_outcomes_that_the_state_rules_out() -> None:
    # In state 1 the last outcome cannot happen: without renormalisation it counts as a failure.
    die = variable("die", range(3), (Fraction(1, 2), THIRD, Fraction(1, 6)))
    variables = (variable("state", [0, 1]), variable("move", [0, 1]), die)
    possible = table([0, 2], [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)])
    useful = table([1, 2], [(0, 0), (0, 1), (0, 2), (1, 1)])
    game = Instance("renormalised", variables, (possible, useful), Fraction(0))
    assert pairs(sfc.solution_policies(game, ([0], [1]))) == [((1, 0), Fraction(5, 6)), ((1, 1), THIRD)]
    assert pairs(sfc.solution_policies(game, ([0], [1]), renormalise=True)) == [((1, 0), Fraction(1)), ((1, 1), Fraction(2, 5))]


def test_chance_without_decisions() -> None:
    die = variable("die", range(3), UNIFORM)
    lone = Instance("lone", (die,), (table([0], [[0], [1]]),), Fraction(2, 3))
    assert pairs(sfc.solution_policies(lone)) == [((), Fraction(2, 3))]
    assert pairs(sfc.solution_policies(lone, threshold=Fraction(3, 4))) == []
    with pytest.raises(ValueError, match="no decision"):
        sfc.feasibility_table(lone)
    aside = Instance("aside", (variable("x", [4, 5]), die), (table([1], [[0], [1]]),), Fraction(2, 3))
    assert sfc.feasibility_table(aside).tuples.tolist() == [[4], [5]]
    assert sfc.feasibility_table(aside, threshold=Fraction(1)).tuples.tolist() == []
    assert len(Solver(sfc.equivalent_csp(aside)).solutions()) == 2
    assert len(Solver(sfc.equivalent_csp(aside, threshold=Fraction(1))).solutions()) == 0


def test_limits_and_reuse_of_a_solver() -> None:
    solver = Solver(two_stages(Fraction(0)))
    few = sfc.solution_policies(solver, limit=1)
    assert (len(few), few.complete) == (1, False)
    assert len(sfc.solution_policies(solver, limit=0)) == 0
    assert not sfc.solution_policies(solver, seconds=0.0).complete
    assert len(sfc.solution_policies(solver)) == 3
    assert sfc.solution_policies(solver, threshold=Fraction(2)).values.shape == (0, 1)
    assert sfc.solution_policies(solver).variables.dtype == np.int32
