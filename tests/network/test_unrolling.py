"""Several turns as one network: its solutions are the plays, and its policies answer chance and opponents."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from scsp_player.gdl import parse_term
from scsp_player.network import NetworkTooLargeError, template
from scsp_player.network.unrolling import unroll
from scsp_player.solver import Solver, sfc
from tests.network.games import CHANCE, ground_text, own
from tests.oracles.lane_machine import LaneMachine

RACE = """
(role hare) (role fox)
(init (gap 2))
(pace 0) (pace 1) (pace 2)
(less 2 1 1) (less 2 2 0) (less 2 0 2) (less 1 0 1) (less 1 1 0)
(<= (legal hare (run ?n)) (pace ?n) (distinct ?n 0))
(<= (legal fox (run ?n)) (pace ?n) (distinct ?n 2))
(<= (legal fox (run 2)) (true (gap 1)))
(<= (next safe) (does hare (run 2)) (true (gap 2)) (does fox (run ?n)) (distinct ?n 2))
(<= (next (gap ?r)) (true (gap ?g)) (less ?g ?n ?r) (does fox (run ?n)) (not (does hare (run 2))))
(<= (next (gap 1)) (does hare (run 2)))
(<= (next (clock 1)) (true (gap 2)) (not (true (clock 1))))
(<= (next (clock 2)) (true (clock 1)))
(<= terminal (true safe))
(<= terminal (true (clock 2)))
(<= (goal hare 100) (true safe))
(<= (goal hare 0) (not (true safe)))
(<= (goal fox 50) (true (gap 1)))
"""

DICE = """
(role random) (role player)
(init (phase roll)) (init loaded)
(face 1) (face 2) (face 3)
(<= (legal random (roll ?f)) (true (phase roll)) (face ?f) (distinct ?f 3))
(<= (legal random (roll 3)) (true (phase roll)) (not (true loaded)))
(<= (legal random wait) (not (true (phase roll))))
(<= (legal player (keep ?x)) (true (phase roll)) (yesno ?x))
(<= (legal player (guess ?f)) (true (phase guess)) (face ?f))
(yesno yes) (yesno no)
(<= (next (phase guess)) (true (phase roll)))
(<= (next (phase done)) (true (phase guess)))
(<= (next (shown ?f)) (does random (roll ?f)))
(<= (next kept) (does player (keep yes)))
(<= (next right) (does player (guess ?f)) (true (shown ?f)) (true kept))
(<= (next right) (does player (guess 1)) (true (shown 1)))
(<= terminal (true (phase done)))
(<= (goal player 100) (true right))
(<= (goal player 0) (not (true right)))
(<= (goal random 0) (true (phase done)))
"""


def plays(game, state, turns):
    """Number of plays of so many turns, by recursion over legal joint moves; what has ended stays."""
    lanes = LaneMachine(game)

    def count(bits, left):
        terminal, legal, _ = lanes.evaluate(bits[None])
        if not left or terminal[0]:
            return 1
        choices = [np.flatnonzero(legal[0][a:b]) + a for a, b in itertools.pairwise(game.role_start)]
        joints = np.array(list(itertools.product(*choices))).reshape(-1, len(game.roles))
        return sum(count(following, left - 1) for following in lanes.successors(np.repeat(bits[None], len(joints), 0), joints))

    return count(state, turns)


@pytest.mark.parametrize(("name", "turns"), [("tic-tac-toe", 3), ("nim", 2), ("hanoi-3", 5), ("matching-pennies", 2)])
def test_solutions_are_the_plays(name, turns):
    micro = template(own(name))
    network = unroll(micro, turns, state=micro.game.initial_state)
    assert Solver(network.instance).count().number == plays(micro.game, micro.game.initial, turns)


def test_a_solution_tells_the_moves_and_the_goal_is_met():
    micro = template(own("hanoi-3"))
    network = unroll(micro, 7, state=micro.game.initial_state, goal=(0, 100))
    [values] = Solver(network.instance).solutions().values
    assert next(str(m) for (m,) in network.moves(values)) == "(shift small left right)"
    assert len(network.moves(values)) == 7
    assert "100 within 7" in network.instance.note


def test_names_say_what_and_when():
    micro = template(own("tic-tac-toe"))
    instance = unroll(micro, 2).instance
    names = [v.name for v in instance.variables]
    assert len(set(names)) == len(names)
    assert {"now_square_1_1_at_0", "action_cross_at_1", "now_square_1_1_at_2", "terminal_at_2", "score_cross_at_2"} <= set(names)
    assert "action_cross_at_2" not in names
    assert [instance.variables[d].name for d in instance.decisions][:2] == ["action_cross_at_0", "action_nought_at_0"]


def test_an_opponent_is_met_whatever_it_does():
    game = ground_text(RACE)
    micro = template(game, explicit_legality=[1])
    network = unroll(micro, 2, state=game.initial_state, goal=(0, 100), opponents=[1])
    policies = sfc.solution_policies(network.instance)
    first = network.variable[0, micro.action_variable[0]]
    column = policies.variables.tolist().index(int(first))
    moves = {str(game.move(int(game.role_start[0] + v))) for v in policies.values[:, column]}
    # Running fast at once makes the hare safe; a fox that comes near may run two paces at the next turn.
    assert moves == {"(run 2)"}
    assert set(policies.satisfaction) == {Fraction(1)}


def test_chance_is_uniform_over_the_outcomes_of_the_state():
    game = ground_text(DICE)
    micro = template(game, explicit_legality=[game.random_role])
    keep = {}
    for loaded in (True, False):
        fluents = ["(phase roll)"] + ["loaded"] * loaded
        network = unroll(micro, 2, state=game.state_of(map(parse_term, fluents)), goal=(1, 100), threshold=Fraction(1, 100))
        chance = [v for v in network.instance.variables if v.stochastic]
        assert [len(v.domain) for v in chance] == [2 if loaded else 3]
        policies = sfc.solution_policies(network.instance)
        column = policies.variables.tolist().index(int(network.variable[0, micro.action_variable[1]]))
        for row, satisfaction in zip(policies.values, policies.satisfaction, strict=True):
            keep[loaded, str(game.move(int(game.role_start[1] + row[column])))] = satisfaction
    assert keep == {
        (True, "(keep yes)"): Fraction(1),
        (True, "(keep no)"): Fraction(1, 2),
        (False, "(keep yes)"): Fraction(1),
        (False, "(keep no)"): Fraction(1, 3),
    }


def test_numbers_of_outcomes_that_vary():
    game = ground_text(CHANCE)
    micro = template(game, explicit_legality=[game.random_role])
    network = unroll(micro, 1)
    [draw] = [v for v in network.instance.variables if v.stochastic]
    # Three or four faces, or waiting: twelve equally likely numbers suit all.
    assert len(draw.domain) == 12


def test_draws_that_need_too_many_values_are_refused(monkeypatch):
    monkeypatch.setattr("scsp_player.network.outcomes.MAX_DRAWS", 11)
    game = ground_text(CHANCE)
    with pytest.raises(NetworkTooLargeError, match="equally likely outcomes needs 12 values"):
        unroll(template(game, explicit_legality=[game.random_role]), 1)


def test_templates_must_tell_which_outcomes_are_legal():
    with pytest.raises(ValueError, match="explicit_legality"):
        unroll(template(own("kuhn-poker")), 1)
