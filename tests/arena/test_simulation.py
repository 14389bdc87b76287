"""Random matches that show what reading a sheet does not. Tests named after a row reproduce that row of the collected cases."""

from __future__ import annotations

import pytest

from scsp_player.arena.hints import hinted
from scsp_player.arena.simulation import Scope, Simulation
from scsp_player.arena.simulation_checks import simulate
from scsp_player.gdl import check_program, parse_program
from tests.games.sheets import SHEETS, path_of
from tests.gdl.sheets import FRAME

SCOPE = Scope(seconds=60, matches=10, moves=50)


def simulated(text, scope=SCOPE):
    program = parse_program(text, "game")
    messages = check_program(program)
    assert not [m for m in messages if m.level == "error"]
    return simulate(program, messages, scope)


def found(text, scope=SCOPE):
    """Level, kind and place of each message, and all texts."""
    messages, _ = simulated(text, scope)
    places = [(m.level, m.check, m.position.line, m.position.column) for m in messages]
    return places, " / ".join(m.text for m in messages)


def test_a_faultless_sheet():
    messages, simulation = simulated(FRAME)
    assert messages == []
    assert (simulation.matches, simulation.states, simulation.stopped) == (10, 20, "")


def test_r17_two_goals_at_the_end_come_with_the_way_there():
    places, text = found(FRAME + "\n(goal r 0)")
    assert places == [("error", "goal-not-unique", 1, 93)]
    assert "role r has no goal, or several, after 1 move (go) in the state {(s 1)}" in text


def test_r36_random_needs_no_goal():
    assert found(FRAME + "(role random) (legal random roll)")[0] == []


def test_a_role_without_goal_at_the_end():
    places, _ = found(FRAME.replace("(goal r 100)", "(<= (goal r 100) (true (s 0)))"))
    assert [kind for _, kind, *_ in places] == ["goal-not-unique"]


def test_r18_a_role_without_legal_move():
    places, text = found(
        "(role r) (init (s 0)) (<= (legal r go) (true (s 0))) (<= (next (s 1)) (does r go)) (<= terminal (true (s 9))) (goal r 0)"
    )
    assert ("error", "no-legal-move", 1, 23) in places
    assert "role r has no legal move after 1 move (go) in the state {(s 1)}" in text


def test_r19_a_match_without_end():
    places, text = found(FRAME.replace("(<= terminal (true (s 1)))", "(<= terminal (true never))"))
    assert ("warning", "no-end") in [place[:2] for place in places]
    assert "goes on after 50 moves" in text


def test_a_match_that_is_over_at_once():
    assert [kind for _, kind, *_ in found(FRAME + "(<= terminal (true (s 0)))")[0]] == ["over-at-start"]


def test_r02_a_cycle_of_relations_that_is_none_of_atoms():
    places, text = found(FRAME.replace("(goal r 100)", "(<= (goal r 100) (true (s 1))) (<= (goal r 0) (not (goal r 100)))"))
    assert [place[:2] for place in places] == [("warning", "negative-cycle")]
    assert "no ground atom depends on its own negation" in text


def test_r03_a_cycle_of_atoms_is_an_error_that_names_it():
    places, text = found(FRAME + "\n(d 1) (<= (a ?x) (d ?x) (not (b ?x)))\n(<= (b ?x) (d ?x) (not (a ?x))) (<= (legal r m) (a 1))")
    assert ("error", "unstratified") in [place[:2] for place in places]
    assert "not (a 1)" in text
    assert "not (b 1)" in text


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        ("(input r wait)", "legal not covered by input: go of role r"),
        ("(base (s 0))", "fluent not covered by base: (s 1)"),
        ("(n 0) (<= (base (s ?x)) (n ?x))", "fluent not covered by base: (s 1)"),
    ],
)
def test_r04_hints_that_are_incomplete(hint, words):
    places, text = found(FRAME + "\n" + hint)
    assert [(level, kind, line) for level, kind, line, _ in places] == [("warning", "hint-incomplete", 3)]
    assert words in text


def test_r05_hints_over_derived_relations():
    hint = "(n 0) (n 1) (<= (base (s ?x)) (n ?x)) (<= (kn ?x) (n ?x)) (<= (input r ?m) (moves ?m) (kn 1)) (moves go) (moves rest)"
    assert found(FRAME + hint)[0] == []


def test_hints_without_meaning_are_passed_over():
    assert hinted(parse_program(FRAME + "(base (s ?x))"), 60.0) == (None, None)


def test_names_are_spelled_as_in_the_sheet():
    assert "(go Far)" in found(FRAME.replace("go)", "(go Far))") + "(goal r 0)")[1]


def test_time_is_bounded():
    messages, simulation = simulated(FRAME, Scope(seconds=0.0))
    assert messages == []
    assert simulation.matches == 0
    assert "0 s of processor time are over" in simulation.stopped


def test_the_same_seed_gives_the_same_matches():
    program = parse_program(path_of("nim").read_text())
    runs = [[m.path for m in Simulation(program, Scope(60.0, 3)).moments()] for _ in range(2)]
    assert runs[0] == runs[1]
    assert len({path for path in runs[0] if path}) > 10


@pytest.mark.parametrize("name", SHEETS)
def test_the_sheets_of_the_project_play_well(name):
    messages, simulation = simulated(path_of(name).read_text(), Scope(seconds=60, matches=3))
    assert [str(m) for m in messages if m.level == "error"] == []
    assert simulation.matches == 3
