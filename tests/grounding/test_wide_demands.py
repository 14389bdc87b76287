"""Demands that are larger than what they restrict are noticed, and grounding without them gives the same game."""

from __future__ import annotations

from scsp_player.gdl import parse_program
from scsp_player.grounding import wide_demands
from scsp_player.grounding.budget import Budget
from scsp_player.grounding.evaluation import Statistics
from scsp_player.grounding.grounding_steps import ground_within
from scsp_player.grounding.instances import possible_atoms
from scsp_player.grounding.static import prepared_rules
from scsp_player.grounding.store import Store
from tests.grounding.walks import assert_same_along_random_matches
from tests.oracles.ground_machine import GroundMachine

SIDE = 10
LINES = f"""
(role r)
{" ".join(f"(succ {i} {i + 1}) (at {i})" for i in range(SIDE))}
(init (on 3)) (init (on 4)) (init (on 9))
(<= (legal r (go ?x)) (true (on ?x)))
(<= (next (on ?y)) (does r (go ?x)) (succ ?x ?y))
(<= (next (on ?y)) (does r (go ?x)) (true (on ?y)) (distinct ?x ?y))
(<= (free ?x ?y ?z) (at ?z) (succ ?x ?y) (not (true (on ?y))))
(<= (free ?x ?y ?x) (succ ?x ?y))
(<= (free ?x ?y ?z) (succ ?x ?w) (free ?w ?y ?z) (distinct ?w ?z) (distinct ?y 5))
(<= (sight ?x ?y ?z) (at ?z) (true (on ?x)) (at ?y) (free ?x ?y ?z))
(<= (next (seen ?x ?z)) (sight ?x ?y ?z) (true (on ?y)))
(<= terminal (true (on {SIDE - 1})))
(<= (goal r 50) (true (on 3)))
(<= (goal r 0) (not (true (on 3))))
"""


def test_the_game_is_the_same_without_wide_demands(monkeypatch):
    monkeypatch.setattr(wide_demands, "LARGE", 500)
    program = parse_program(LINES)
    budget = Budget(60.0, 1 << 30)
    store = Store(budget)
    statistics = Statistics(store)
    rules = prepared_rules(program, store, statistics, restricted=True)
    rules.restrict(statistics.matches, positive=False)
    possible_atoms(rules, [*rules.clauses, *rules.demand_clauses], statistics)
    wide = wide_demands.wide_demands(rules)
    assert "free" in {rules.name_of(relation)[0] for relation in wide}
    plain = ground_within(program, budget, restricted=False)
    every = {relation: frozenset([0, 1, 2]) for relation in rules.wanted}
    for relaxed in (wide, every):
        game = ground_within(program, budget, restricted=True, relaxed=dict(relaxed))
        assert game.fluents == plain.fluents
        assert_same_along_random_matches(GroundMachine(game), GroundMachine(plain), matches=1, seed=1, longest=10)
