"""Covers of static relations, and clauses rewritten with them, against the relations and clauses themselves."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import parse_program
from scsp_player.grounding import Reasoner, dense_joins
from scsp_player.grounding.budget import Budget
from scsp_player.grounding.covers import cover
from scsp_player.grounding.grounding_steps import ground_within
from tests.grounding.walks import assert_same_along_random_matches
from tests.oracles.ground_machine import GroundMachine


def pairs_of(found):
    """The pairs (x, u) that a cover stands for."""
    above = dict(found.parent.tolist())
    under = dict[int, set[int]]()
    for u, node in found.up.tolist():
        while node is not None:
            under.setdefault(node, set()).add(u)
            node = above.get(node)
    pairs = {(x, u) for x, node in found.over.tolist() for u in under[node]}
    return pairs | {(x, u) for x, u in found.single.tolist()}


@settings(max_examples=150)
@given(st.integers(1, 9), st.integers(2, 19), st.data())
def test_a_cover_stands_for_its_relation(xs, us, data):
    everything = list(itertools.product(range(xs), range(us)))
    missing = data.draw(st.sets(st.sampled_from(everything), max_size=len(everything) // 2))
    relation = sorted(set(everything) - missing)
    found = cover(np.array(relation, dtype=np.int32), 1)
    assert found is None or pairs_of(found) == set(relation)
    assert found is not None or len({u for _, u in relation}) == 1


def test_sides_of_several_columns():
    cells = list(itertools.product(range(4), range(4)))
    relation = [(*a, *b) for a in cells for b in cells if a != b]
    found = cover(np.array(relation, dtype=np.int32), 2)
    assert found.size * 2 < len(relation)
    assert {tuple(row) for row in found.single.tolist()} == {(*a, *b) for a, b in zip(cells, partners(cells), strict=True)}


def partners(cells):
    return [cells[i ^ 1] for i in range(len(cells))]


def test_what_is_too_large_has_no_cover():
    rows = np.column_stack([np.arange(9000), np.arange(9000)]).astype(np.int32)
    assert cover(rows, 1) is None


SIZE = 40
LAMPS = f"""
(role r)
{" ".join(f"(at {i})" for i in range(SIZE))}
{" ".join(f"(init (lit {i}))" for i in range(0, SIZE, 5))}
(<= (apart ?x ?y) (at ?x) (at ?y) (distinct ?x ?y))
(<= (legal r (move ?x ?y)) (at ?x) (true (lit ?x)) (step ?x ?y))
{" ".join(f"(step {i} {j})" for i in range(SIZE) for j in {i, (i + 1) % SIZE, i * 7 % SIZE})}
(<= (next (lit ?y)) (does r (move ?x ?y)))
(<= (next (lit ?z)) (true (lit ?z)) (does r (move ?x ?y)) (apart ?z ?x))
(<= (goal r 100) (true (lit 3)))
(<= (goal r 0) (not (true (lit 3))))
"""
READERS = {
    "positive": "(<= (next (seen ?x)) (at ?x) (apart ?x ?u) (true (lit ?u)))",
    "negated": "(<= (other ?x) (apart ?x ?u) (true (lit ?u))) (<= (next (seen ?x)) (at ?x) (not (other ?x)))",
    "with a negation inside": "(<= (next (seen ?x)) (apart ?x ?u) (true (lit ?u)) (not (true (seen ?u))))",
    "two readers": "(<= (next (seen ?x)) (apart ?x ?u) (true (lit ?u)))"
    "(<= (next (dark ?x)) (apart ?x ?u) (true (lit ?u)) (true (seen ?x)))",
    "what u is for": "(kind 0 a) (kind 1 b) (kind 5 a) (kind 6 b)"
    "(<= (next (pair ?x ?k)) (apart ?x ?u) (true (lit ?u)) (kind ?u ?k))",
    "recursive": "(<= (near ?x) (true (lit ?x))) (<= (near ?x) (apart ?x ?u) (near ?u)) (<= (next (seen ?x)) (near ?x))",
}


@pytest.fixture
def small_gains(monkeypatch):
    monkeypatch.setattr(dense_joins, "GAIN", 4)


@pytest.mark.usefixtures("small_gains")
@pytest.mark.parametrize("name", READERS)
def test_clauses_with_covers_have_the_same_consequences(name):
    program = parse_program(LAMPS + READERS[name])
    plain, covered = (ground_within(program, Budget(60.0, 1 << 30), restricted=r) for r in (False, True))
    assert_same_along_random_matches(GroundMachine(covered), GroundMachine(plain), matches=2, seed=1, longest=8)
    assert_same_along_random_matches(GroundMachine(covered), Reasoner(program), matches=1, seed=2, longest=4)


@pytest.mark.usefixtures("small_gains")
def test_a_dense_join_has_fewer_rules_with_a_cover():
    rules = f"{LAMPS} {' '.join(f'(k {i})' for i in range(20))}" + (
        "(<= (next (on ?k ?x)) (k ?k) (true (on ?k ?x)))"
        "(<= (next (on ?k ?x)) (k ?k) (does r (move ?x ?x)))"
        "(<= (next (lone ?k ?x)) (apart ?x ?u) (true (on ?k ?u)))"
    )
    program = parse_program(rules)
    plain, covered = (ground_within(program, Budget(60.0, 1 << 30), restricted=r) for r in (False, True))
    assert covered.rules * 2 < plain.rules
    assert covered.fluents == plain.fluents
    assert_same_along_random_matches(GroundMachine(covered), GroundMachine(plain), matches=2, seed=1, longest=8)
