"""Exact play: graphs of beliefs for one player, sequence form and counterfactual regrets for several, against enumerated values."""

import numpy as np
import pytest

from scsp_player.agents.information_set import InformationSetPlayer
from scsp_player.belief import BeliefGraph, Equilibrium, Views, sequence_game
from scsp_player.gdl.terms import Compound, Symbol
from scsp_player.propnet import Propnet
from tests.games.sheets import expected, prefix_text
from tests.oracles.naive_grounder import ground

HIDDEN = [
    name
    for name, facts in expected().items()
    if facts["best_play"] is not None and "(sees " in prefix_text(name) and facts["complete"]["positions"] < 2000
]
ALONE = [name for name in HIDDEN if len(expected()[name]["best_play"]) == 1]


def never():
    return False


def whole(game, work=200_000):
    net = Propnet(game)
    return sequence_game(game, net, game.initial_state[None], Views(game).first(1), np.ones(1), work=work, expired=never)


@pytest.mark.parametrize("name", ALONE)
def test_the_graph_of_beliefs_knows_the_value(name):
    game = ground(prefix_text(name))
    (role,) = (r for r in range(len(game.roles)) if r != game.random_role)
    graph = BeliefGraph(game, Propnet(game), role, game.initial_state[None], np.ones(1))
    assert graph.grow(200_000, never)
    _, values, _ = graph.values()
    assert values.max() == pytest.approx(expected()[name]["best_play"][game.roles[role]], abs=1e-5)


@pytest.mark.parametrize("name", HIDDEN)
def test_regrets_lead_to_the_value(name):
    game = ground(prefix_text(name))
    strategies = Equilibrium(whole(game))
    strategies.learn(2000, never)
    for role in strategies.game.players:
        value = expected()[name]["best_play"][game.roles[role]]
        assert 100 * strategies.value(role) == pytest.approx(value, abs=0.3)
        assert 100 * strategies.best_answer(role) == pytest.approx(value, abs=0.3)
        assert strategies.best_answer(role) >= strategies.value(role) - 1e-9
        assert strategies.value(role, strategies.best_answers(role)) == pytest.approx(strategies.best_answer(role), abs=1e-9)


def test_probabilities_of_ends_sum_to_one_for_any_strategy():
    game = whole(ground(prefix_text("kuhn-poker")))
    strategies = Equilibrium(game)
    generator = np.random.default_rng(4)
    plan = np.ones(len(game.move))
    for parent, first, count in zip(game.parent, game.first, game.count, strict=True):
        plan[first : first + count] = plan[parent] * generator.dirichlet(np.ones(count))
    assert (game.end_chance * plan[game.end_sequence].prod(axis=1)).sum() == pytest.approx(1.0)
    assert strategies.iterations == 0


def test_a_game_that_is_too_large_is_refused():
    assert whole(ground(prefix_text("kriegspiel-tic-tac-toe")), work=5000) is None


PATIENT = """
(role random) (role seeker) (init (time 0)) (init unset)
(next_time 0 1) (next_time 1 2) (next_time 2 3) (next_time 3 4) (next_time 4 5) (next_time 5 6)
(place 1) (place 2) (place 3)
(<= (legal random (hide ?p)) (place ?p) (true unset))
(<= (legal random wait) (not (true unset)))
(<= (legal seeker wait) (true unset))
(<= (legal seeker (look ?p)) (place ?p) (not (true unset)))
(<= (next (at ?p)) (does random (hide ?p)))
(<= (next (at ?p)) (true (at ?p)))
(<= (next (time ?n)) (true (time ?m)) (next_time ?m ?n))
(<= (next found) (does seeker (look ?p)) (true (at ?p)))
(<= (sees seeker nothing) (does seeker (look ?p)) (not (true (at ?p))))
(<= terminal (true found))
(<= terminal (true (time 6)))
(<= (goal seeker 100) (true found))
(<= (goal seeker 0) (not (true found)))
(goal random 0)
"""


def test_what_can_be_had_at_any_time_is_had_soon():
    game = ground(PATIENT)
    seeker = game.roles.index("seeker")
    graph = BeliefGraph(game, Propnet(game), seeker, game.initial_state[None], np.ones(1))
    assert graph.grow(200_000, never)
    _, values, turns = graph.values()
    assert values.max() == pytest.approx(100.0)
    assert turns.min() == pytest.approx(1 + (1 + 2 + 3) / 3)  # chance's turn, and looking at one place after the other
    player = InformationSetPlayer(game, Propnet(game), seeker, seed=1)
    player.belief.update(Symbol("wait"), frozenset())
    looked = []
    for _ in range(3):
        looked.append(player.choose(player.clock() + 10.0, lambda move: None))
        if len(looked) < 3:
            assert player.belief.update(game.move(looked[-1]), frozenset({Symbol("nothing")}))
    assert len(set(looked)) == 3


def test_what_wins_at_once_is_played_however_little_else_is_known(monkeypatch):
    monkeypatch.setattr("scsp_player.agents.information_set.WORK", 3)  # one turn of one state
    game = ground(PATIENT)
    player = InformationSetPlayer(game, Propnet(game), game.roles.index("seeker"), seed=1)
    player.belief.update(Symbol("wait"), frozenset())
    for place in "12":
        assert player.belief.update(Compound("look", (Symbol(place),)), frozenset({Symbol("nothing")}))
    move = player.choose(player.clock() + 0.2, lambda move: None)
    assert (str(game.move(move)), player.method, player.value) == ("(look 3)", "beliefs", 100.0)


def test_an_unfinished_graph_gives_lower_bounds_and_information():
    game = ground(prefix_text("monty-hall"))
    graph = BeliefGraph(game, Propnet(game), 0, game.initial_state[None], np.ones(1))
    assert not graph.grow(5, never)
    assert graph.depth == 1
    _, values, _ = graph.values()
    assert values.max() == 0.0
    assert graph.information().max() <= 1.0
