"""The relational grounder against a slow independent one, and against the recorded answers of other engines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scsp_player.gdl import GdlError, check_program, load_program, parse_program, parse_term
from scsp_player.grounding import BudgetExceeded, Reasoner, ground
from scsp_player.grounding.budget import Budget
from scsp_player.grounding.grounding_steps import ground_within
from tests.grounding.walks import assert_same_along_random_matches
from tests.oracles import naive_grounder
from tests.oracles.ground_machine import GroundMachine
from tests.shared_data import SHARED, needs_shared

SHEETS = Path(__file__).resolve().parents[2] / "games"
FRAME = "(role r) (init (s 0)) (legal r go) (<= (next (s 1)) (does r go)) (<= terminal (true (s 1))) (goal r 100)\n"


def framed(text):
    return ground(parse_program(FRAME + text))


def moves(game, role=0):
    return [str(game.move(i)) for i in range(game.role_start[role], game.role_start[role + 1])]


SMALL = ["tic-tac-toe", "monty-hall", "nim", "lights-out-3x3", "matching-pennies", "rock-paper-scissors", "kuhn-poker", "hanoi-3"]


@pytest.mark.parametrize("name", SMALL)
def test_behaves_like_the_naive_grounder(name):
    text = (SHEETS / f"{name}.kif").read_text()
    game, oracle = ground(parse_program(text)), naive_grounder.ground(text)
    assert [game.fluent(i) for i in range(game.fluents)] == [oracle.fluent(i) for i in range(oracle.fluents)]
    assert [moves(game, r) for r in range(len(game.roles))] == [moves(oracle, r) for r in range(len(game.roles))]
    assert_same_along_random_matches(GroundMachine(game), GroundMachine(oracle), matches=5, seed=1)


@needs_shared
@pytest.mark.parametrize("path", sorted((SHARED / "cases").glob("R*.kif")), ids=lambda p: p.stem)
def test_case_behaves_like_the_naive_grounder(path):
    game = ground(load_program(path))
    oracle = naive_grounder.ground(path.read_text())
    assert_same_along_random_matches(GroundMachine(game), GroundMachine(oracle), matches=3, seed=1)


def test_bodies_hold_no_constants_and_only_known_atoms():
    game = ground(load_program(SHEETS / "connect-four.kif"))
    has_rules = np.diff(game.head_start) > 0
    inputs = np.zeros(game.atoms, dtype=bool)
    inputs[game.fluent_atom] = inputs[game.does_atom] = True
    body = game.rule_body >> 1
    assert (np.diff(game.rule_start) > 0).all()
    assert (np.diff(game.rule_head) >= 0).all()
    assert (inputs[body] | has_rules[body]).all()
    assert not (inputs & has_rules).any()


def test_fluents_and_moves_are_sorted_as_printed():
    game = ground(load_program(SHEETS / "connect-four.kif"))
    fluents = [str(game.fluent(i)) for i in range(game.fluents)]
    assert fluents == sorted(fluents)
    assert moves(game) == sorted(moves(game))


def test_r03_a_negative_cycle_is_refused_with_its_atoms():
    with pytest.raises(GdlError, match=r"a ← not b ← not a|b ← not a ← not b") as error:
        framed("(<= a (not b))\n(<= b (not a))")
    assert error.value.position is not None


def test_local_stratification_is_enough():
    game = framed("(n 0 1) (n 1 2) (n 2 3) (<= (even ?y) (n ?x ?y) (not (even ?x))) (<= (legal r (m ?x)) (even ?x))")
    assert moves(game) == ["(m 1)", "(m 3)", "go"]


def test_r07_base_and_input_of_another_arity_are_ordinary_relations():
    game = framed("(base 1 2) (<= (input ?x) (base ?x ?y)) (<= (legal r (m ?x)) (input ?x))")
    assert moves(game) == ["(m 1)", "go"]


def test_r13_an_unsafe_variable_is_named_with_its_place():
    with pytest.raises(GdlError, match=r"\?x") as error:
        framed("(<= (dc ?x ?y) (distinct ?x ?y))")
    assert error.value.position.line == 2


def test_r25_terms_that_grow_without_end_are_noticed():
    with pytest.raises(GdlError, match="nat"):
        framed("(nat z) (<= (nat (s ?x)) (nat ?x)) (<= (legal r ?x) (nat ?x))")


def test_a_state_that_grows_without_end_is_over_budget():
    with pytest.raises(BudgetExceeded):
        framed("(init (p z)) (<= (next (p (s ?x))) (true (p ?x)))")


def test_the_budget_of_memory_holds():
    rules = "".join(f"(d {i})" for i in range(100)) + "(<= (next (p ?a ?b ?c ?e)) (d ?a) (d ?b) (d ?c) (d ?e))"
    with pytest.raises(BudgetExceeded, match="MiB"):
        ground(parse_program(FRAME + rules), memory_bytes=64 << 20)


def test_r27_leading_zeros_are_numbers_in_goals_only():
    assert framed("(<= (goal r 00) (true (s 0)))").goal_value.tolist() == [0, 100]


def test_a_goal_that_is_no_integer_is_refused():
    with pytest.raises(GdlError, match="high") as error:
        framed("(<= (goal r high) (true (s 0)))")
    assert error.value.position.line == 2


def test_r28_deep_terms():
    deep = "".join(f"(l {i} " for i in range(300)) + "end" + ")" * 300
    game = framed(f"(init (stack {deep})) (<= (legal r (pop ?rest)) (true (stack (l ?top ?rest))))")
    assert len(moves(game)) == 2


def test_variables_may_stand_for_whole_fluents_and_moves():
    replies = "(<= (next (did ?m)) (does r ?m) (old ?m)) (old (s 0)) (<= (legal r true) (true (did (s ?x))))"
    game = framed("(<= (legal r ?f) (true ?f))" + replies)
    assert moves(game) == sorted(moves(game))
    assert {"(s 0)", "(s 1)", "(did (s 0))", "true", "go"} <= set(moves(game))


def test_missing_parts_do_not_crash():
    game = ground(parse_program("(role r) (role idle) (init (s 0)) (<= (legal r go) (true (s 0)))"))
    assert game.terminal_literal == 1
    assert game.role_start.tolist() == [0, 1, 1]
    assert not len(game.goal_value)


def test_moves_of_strangers_are_ignored():
    game = framed("(legal stranger hello)")
    assert moves(game) == ["go"]


def test_an_atom_that_can_never_hold_takes_its_fluents_along():
    impossible = "(<= (next (ghost 1)) (true (s 0)) (not (true (s 0))))"
    game = framed(impossible + "(<= (next (ghost 1)) (true (ghost 1))) (<= (legal r see) (true (ghost 1)))")
    assert parse_term("(ghost 1)") not in game.fluent_index
    assert moves(game) == ["go"]


@pytest.mark.parametrize("path", sorted(SHEETS.glob("*.kif")), ids=lambda p: p.stem)
def test_restriction_to_what_is_asked_for_changes_nothing(path):
    program = load_program(path)
    plain, restricted = (ground_within(program, Budget(60, 1 << 30), restricted=r) for r in (False, True))
    assert [str(plain.fluent(i)) for i in range(plain.fluents)] == [str(restricted.fluent(i)) for i in range(restricted.fluents)]
    assert_same_along_random_matches(GroundMachine(plain), GroundMachine(restricted), matches=1, seed=2, longest=20)


def test_a_counter_for_any_number_is_computed_for_the_numbers_that_are_asked_for():
    facts = "".join(f"(next_number {i} {i + 1})" for i in range(400)) + "".join(f"(piece {i} {i + 1})" for i in range(20))
    rules = """
        (init (lit 0)) (<= (next (lit ?y)) (true (lit ?x)) (piece ?x ?y)) (<= (next (lit ?x)) (true (lit ?x)))
        (<= (number ?x) (next_number ?x ?y))
        (<= (count 20 ?n ?n) (number ?n) (true (lit 0)))
        (<= (count ?p ?n ?m) (piece ?p ?q) (true (lit ?p)) (next_number ?n ?n2) (count ?q ?n2 ?m))
        (<= (count ?p ?n ?m) (piece ?p ?q) (not (true (lit ?p))) (number ?n) (count ?q ?n ?m))
        (<= (goal r ?m) (count 0 0 ?m))"""
    program = parse_program(FRAME.replace("(goal r 100)", "") + facts + rules)
    plain, restricted = Budget(60, 1 << 30), Budget(60, 1 << 30)
    games = ground_within(program, plain), ground_within(program, restricted, restricted=True)
    assert 10 * restricted.spent < plain.spent
    assert_same_along_random_matches(*map(GroundMachine, games), matches=1, seed=2)


def test_r40_a_long_dynamic_chain():
    links = "".join(f"(n {i} {i + 1})" for i in range(20000))
    game = framed(links + "(<= (p 0) (true (s 0))) (<= (p ?y) (p ?x) (n ?x ?y)) (<= (legal r late) (p 20000))")
    assert moves(game) == ["go", "late"]


@pytest.mark.parametrize("test", ["(distinct ?y ?z)", "(not (wall ?y ?z))", "(not (distinct ?y ?z))"])
def test_a_static_cluster_may_test_what_only_the_state_binds(test):
    text = f"""
    (role r) (init (s 0)) (init (p 1)) (init (p 2)) (link 0 1) (link 1 2) (link 2 2) (wall 1 1) (wall 2 0)
    (<= (legal r (go ?x)) (link ?x ?y) {test} (true (s ?z)) (true (p ?w)) (true (s ?v)) (distinct ?w ?v))
    (legal r stay)
    (<= (next (s 1)) (does r (go ?x))) (<= (next (p ?x)) (does r (go ?x))) (<= (next (s 2)) (does r stay))
    (<= terminal (true (s 2))) (goal r 0)
    """
    game, oracle = ground(parse_program(text)), naive_grounder.ground(text)
    assert_same_along_random_matches(GroundMachine(game), GroundMachine(oracle), matches=8, seed=2)


def test_a_static_relation_too_large_to_compute_is_instantiated_for_what_is_asked():
    facts = "".join(f"(d {i})" for i in range(20))
    rules = "(<= (all ?a ?b ?c ?e ?f ?g) (d ?a) (d ?b) (d ?c) (d ?e) (d ?f) (d ?g)) (init (x 7)) (<= (next (x ?a)) (true (x ?a)))"
    assert moves(framed(facts + rules + "(<= (legal r (six ?a)) (true (x ?a)) (all ?a ?a ?a ?a ?a ?a))")) == ["(six 7)", "go"]


def test_alternatives_are_united_before_the_rest_is_joined():
    cells = "".join(f"(n {i})(init (p {i}))(init (q {i}))" for i in range(8))
    rule = "(<= (legal r (go ?x)) (or (true (p ?y)) (true (q ?y))) (n ?x) (distinct ?x ?y) (not (true (s ?x))))"
    frame = "(<= (next (p ?x)) (true (p ?x)) (not (does r (go ?x)))) (<= (next (q ?x)) (true (q ?x)) (not (does r go)))"
    text = FRAME + cells + rule + frame
    game, oracle = ground(parse_program(text)), naive_grounder.ground(text)
    assert game.rules < 0.8 * oracle.rules
    assert_same_along_random_matches(GroundMachine(game), GroundMachine(oracle), matches=3, seed=2)


HINTS = [
    "(base (s ?x)) (input ?p go)",
    "(<= (base (s ?x)) (distinct ?x 3))",
    "(<= (input ?p ?m) (not (legal ?p ?m))) (<= (base ?m) (input r ?m))",
    "(base (s ?x)) (<= (input r (go ?x)) (base (s ?x)))",
]


@pytest.mark.parametrize("hint", HINTS)
def test_hints_that_nothing_reads_may_be_unsafe(hint):
    program = parse_program(FRAME + hint)
    assert {m.level for m in check_program(program)} == {"warning"}
    assert_same_along_random_matches(Reasoner(program), GroundMachine(ground(program)), matches=1, seed=1)


@pytest.mark.parametrize("engine", [ground, Reasoner])
def test_hints_that_are_read_must_be_safe(engine):
    with pytest.raises(GdlError, match=r"\?x"):
        engine(parse_program(FRAME + "(base (s ?x)) (<= (input r (go ?x)) (base (s ?x))) (<= (legal r ?m) (input r ?m))"))
