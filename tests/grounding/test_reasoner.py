"""The reasoner against ground rules, against the recorded answers, and on the oddities of the language."""

from __future__ import annotations

from pathlib import Path

import pytest

from scsp_player.gdl import GdlError, load_program, parse_program, parse_term
from scsp_player.grounding import BudgetExceeded, Reasoner, ground
from tests.grounding.walks import assert_same_along_random_matches
from tests.oracles import naive_grounder
from tests.oracles.ground_machine import GroundMachine
from tests.shared_data import SHARED, needs_shared

SHEETS = sorted((Path(__file__).resolve().parents[2] / "games").glob("*.kif"))
FRAME = "(role r) (init (s 0)) (legal r go) (<= (next (s 1)) (does r go)) (<= terminal (true (s 1))) (goal r 100)\n"


@pytest.mark.parametrize("path", SHEETS, ids=lambda p: p.stem)
def test_agrees_with_the_ground_rules(path):
    program = load_program(path)
    assert_same_along_random_matches(Reasoner(program), GroundMachine(ground(program)), matches=2, seed=3, longest=25)


@pytest.mark.parametrize("path", SHEETS, ids=lambda p: p.stem)
def test_restriction_to_what_is_asked_for_changes_nothing(path, monkeypatch):
    program = load_program(path)
    plain = Reasoner(program)
    monkeypatch.setattr("scsp_player.grounding.reasoner.TRIAL_STEPS", 0)
    assert_same_along_random_matches(Reasoner(program), plain, matches=1, seed=4, longest=15)


@needs_shared
@pytest.mark.parametrize("path", sorted((SHARED / "cases").glob("R*.kif")), ids=lambda p: p.stem)
def test_cases(path):
    program = load_program(path)
    assert_same_along_random_matches(Reasoner(program), GroundMachine(ground(program)), matches=2, seed=3)


def test_questions_may_come_in_any_order():
    reasoner = Reasoner(load_program(next(p for p in SHEETS if p.stem == "tic-tac-toe")))
    first = reasoner.initial_state()
    joint = tuple(moves[-1] for moves in reasoner.legal_moves(first))
    second = reasoner.successor(first, joint)
    legal = reasoner.legal_moves(second)
    assert reasoner.successor(first, joint) == second
    assert reasoner.goals(first) == reasoner.goals(reasoner.state(reasoner.fluents(first)))
    assert reasoner.legal_moves(second) == legal


def test_fluents_and_moves_of_a_form_that_the_rules_do_not_know_are_refused():
    reasoner = Reasoner(parse_program(FRAME))
    with pytest.raises(ValueError, match="never be true"):
        reasoner.state([parse_term("(t 0)")])
    with pytest.raises(ValueError, match="no move"):
        reasoner.successor(reasoner.initial_state(), (parse_term("(go away)"),))


def test_a_state_space_without_end_is_played_step_by_step():
    reasoner = Reasoner(parse_program("(role r) (legal r go) (init (p z)) (<= (next (p (s ?x))) (true (p ?x)))"))
    state = reasoner.initial_state()
    for _ in range(50):
        state = reasoner.successor(state, (parse_term("go"),))
    assert str(next(iter(reasoner.fluents(state)))).count("(s ") == 50


def test_a_negative_cycle_of_one_state_is_refused_there():
    loop = "(<= (a ?x) (true (s ?x)) (not (b ?x))) (<= (b ?x) (true (s ?x)) (not (a ?x))) (<= (legal r loop) (a 1))"
    with pytest.raises(GdlError, match="negation"):
        Reasoner(parse_program(FRAME + loop))


def test_memory_is_bounded_in_every_question_and_later_questions_work():
    rules = "".join(f"(d {i})" for i in range(60))
    rules += "(<= (big ?a ?b ?c ?e) (true (s 1)) (d ?a) (d ?b) (d ?c) (d ?e)) (<= (goal r 50) (big ?a ?b ?c ?e) (distinct ?a ?b))"
    rules += "(<= (legal r (m ?a ?b ?c ?e)) (big ?a ?b ?c ?e))"
    reasoner = Reasoner(parse_program(FRAME + rules), memory_bytes=64 << 20)
    late = reasoner.state([parse_term("(s 1)")])
    with pytest.raises(BudgetExceeded):
        reasoner.legal_moves(late)
    assert reasoner.is_terminal(late)
    assert reasoner.legal_moves(reasoner.initial_state()) == ((parse_term("go"),),)


def test_a_static_relation_too_large_to_compute_is_asked_for_what_is_needed():
    facts = "".join(f"(d {i})" for i in range(20))
    rules = "(<= (all ?a ?b ?c ?e ?f ?g) (d ?a) (d ?b) (d ?c) (d ?e) (d ?f) (d ?g)) (init (x 7)) (<= (next (x ?a)) (true (x ?a)))"
    rules += "(<= (legal r (six ?a)) (true (x ?a)) (all ?a ?a ?a ?a ?a ?a))"
    reasoner = Reasoner(parse_program(FRAME + facts + rules))
    assert [str(m) for m in reasoner.legal_moves(reasoner.initial_state())[0]] == ["(six 7)", "go"]


def test_what_is_asked_for_never_makes_a_relation_depend_on_its_own_negation(monkeypatch):
    monkeypatch.setattr("scsp_player.grounding.reasoner.TRIAL_STEPS", 0)
    rules = """
        (n 1) (n 2) (n 3) (init (at 1)) (<= (next (at ?y)) (does r (go ?x ?y))) (<= (open ?x ?y) (n ?x) (n ?y) (true (at ?x)))
        (<= (safe ?x) (n ?x) (not (hit ?x))) (<= (hit ?x) (near ?x ?y) (true (at ?y)) (distinct ?x ?y))
        (<= (near ?x ?y) (n ?x) (n ?y) (open ?y ?x))
        (<= (legal r (go ?x ?y)) (open ?x ?y) (safe ?x) (near ?y ?x))"""
    text = FRAME + rules
    assert_same_along_random_matches(Reasoner(parse_program(text)), GroundMachine(naive_grounder.ground(text)), matches=3, seed=1)


def test_the_clock_is_asked_for_each_question():
    seconds = iter(range(10**6))
    reasoner = Reasoner(parse_program(FRAME), seconds=100.0, clock=lambda: next(seconds))
    for _ in range(200):
        assert not reasoner.is_terminal(reasoner.state([parse_term("(s 0)")]))
    rules = "".join(f"(d {i})" for i in range(3000)) + "(<= (legal r (m ?x ?y)) (d ?x) (d ?y))"
    with pytest.raises(BudgetExceeded, match="5 s"):
        Reasoner(parse_program(FRAME + rules), seconds=5.0, clock=lambda: next(seconds))
