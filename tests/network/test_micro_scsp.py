"""Injection of states, and what is read off solutions."""

from fractions import Fraction

import numpy as np
import pytest

from scsp_player.gdl import parse_term
from scsp_player.network import inject, injected_instance, joint_moves, state_values, successor_states, template
from scsp_player.solver import Solver
from tests.network.games import CHANCE, ground_text, own


@pytest.fixture(scope="module")
def noughts():
    return template(own("tic-tac-toe"))


@pytest.fixture(scope="module")
def dice():
    return template(ground_text(CHANCE))


def state(micro, *fluents):
    return micro.game.state_of(map(parse_term, fluents))


def test_injected_values_say_which_fluents_hold(noughts):
    variables, values = inject(noughts, noughts.game.initial_state)
    value_of = dict(zip(variables.tolist(), values.tolist(), strict=True))
    held = np.array([value_of[v] == x for v, x in zip(noughts.fluent_variable, noughts.fluent_value, strict=True)])
    assert (held == noughts.game.initial).all()


def test_many_states_at_once(noughts):
    one = state_values(noughts, noughts.game.initial_state)
    two = state_values(noughts, np.stack([noughts.game.initial_state] * 2))
    assert (two == one).all()


def test_states_that_cannot_be_reached_are_refused(noughts):
    board = [f"(square {x} {y} blank)" for x in "123" for y in "123"]
    turn = next(str(f) for f in noughts.game.fluents_of(noughts.game.initial_state) if str(f).startswith("(turn"))
    start = {str(f) for f in noughts.game.fluents_of(noughts.game.initial_state)}
    assert len(start) == len(board) + 1
    with pytest.raises(ValueError, match="must be true"):
        inject(noughts, state(noughts, *(start - {turn})))
    with pytest.raises(ValueError, match="excludes another fluent"):
        inject(noughts, noughts.game.state_of(noughts.game.fluent_index))


def test_an_injected_instance_needs_no_assumptions(noughts):
    instance = injected_instance(noughts, noughts.game.initial_state)
    solutions = Solver(instance).solutions().values
    assert len(solutions) == 9
    assert len(set(joint_moves(noughts, solutions))) == 9
    template_solutions = Solver(noughts.instance).solutions(inject(noughts, noughts.game.initial_state)).values
    assert sorted(map(tuple, solutions.tolist())) == sorted(map(tuple, template_solutions.tolist()))


def test_successors_of_projected_solutions(noughts):
    solver = Solver(noughts.instance)
    assumptions = inject(noughts, noughts.game.initial_state)
    project = np.concatenate([noughts.action_variable, noughts.next])
    whole = successor_states(noughts, solver.solutions(assumptions).values)
    part = successor_states(noughts, solver.solutions(assumptions, project=project).values, project)
    assert sorted(whole.tolist()) == sorted(part.tolist())


def chance_variable(instance):
    [variable] = [v for v in instance.variables if v.stochastic]
    return variable


def test_chance_is_uniform_over_what_is_legal(dice):
    game = dice.game
    role = game.random_role
    moves = [str(game.move(m)) for m in range(game.role_start[role], game.role_start[role + 1])]
    fair = chance_variable(injected_instance(dice, game.initial_state))
    assert [moves[v] for v in fair.domain] == [f"(roll {k})" for k in "1234"]
    assert fair.probabilities == (Fraction(1, 4),) * 4
    unfair = chance_variable(injected_instance(dice, state(dice, "(phase roll)")))
    assert [moves[v] for v in unfair.domain] == ["(roll 1)", "(roll 2)", "(roll 3)"]
    assert unfair.probabilities == (Fraction(1, 3),) * 3


def test_chance_does_nothing_at_the_end(dice):
    instance = injected_instance(dice, state(dice, "(phase done)", "fair"))
    assert chance_variable(instance).domain.tolist() == dice.none_value[[dice.game.random_role]].tolist()
    [solution] = Solver(instance).solutions().values
    assert joint_moves(dice, solution[None]) == [(None, None)]


def test_tables_of_an_injected_instance_keep_within_the_outcomes(dice):
    instance = injected_instance(dice, state(dice, "(phase roll)"))
    domains = [set(v.domain.tolist()) for v in instance.variables]
    least = np.iinfo(np.int32).min
    for table in instance.constraints:
        for column, variable in zip(table.tuples.T, table.scope, strict=True):
            assert set(column.tolist()) <= domains[variable] | {least}


def test_scores_without_meaning_are_zero(dice):
    random, guesser = dice.game.roles.index("random"), dice.game.roles.index("guesser")
    solver = Solver(dice.instance)
    for fluents, expected in [
        (["(phase done)", "fair", "hit"], (0, 100)),
        (["(phase done)", "fair"], (50, 0)),
        (["(phase done)", "hit"], (60, 100)),
        (["(phase done)"], (0, 0)),
        (["(phase guess)", "hit"], (0, 0)),
    ]:
        values = solver.solutions(inject(dice, state(dice, *fluents)), project=dice.score_variable).values
        assert {(int(row[random]), int(row[guesser])) for row in values} == {expected}


def test_variables_are_named_after_what_they_stand_for(noughts):
    names = [v.name for v in noughts.instance.variables]
    assert len(set(names)) == len(names)
    assert {"action_cross", "action_nought", "terminal", "score_cross", "now_square_1_1", "next_square_1_1"} <= set(names)
    action = noughts.instance.variables[noughts.instance.index_of("action_cross")]
    assert action.note.startswith("0 = (claim 1 1); ")
    assert action.note.endswith("= none")
    assert [noughts.instance.variables[d].name for d in noughts.instance.decisions] == ["action_cross", "action_nought"]
