"""What the searching agents do in games of several players who do not see everything."""

import time
from pathlib import Path

import pytest

from scsp_player.agents.base import Turn
from scsp_player.agents.information_set import WALKS_EACH
from scsp_player.agents.registry import AGENTS
from scsp_player.gdl import load_program, parse_program

KRIEGSPIEL = Path(__file__).resolve().parents[2] / "games" / "kriegspiel-tic-tac-toe.kif"
KUHN = KRIEGSPIEL.with_name("kuhn-poker.kif")


def started(name, path, role, seconds):
    agent = AGENTS[name].make()
    agent.clock = time.thread_time
    agent.start(load_program(path), role, play_seconds=seconds, deadline=time.thread_time() + 2.0, seed=3)
    return agent


@pytest.mark.parametrize(("least_walks", "method"), [(1_000_000_000, "determinised"), (0, "search")])
def test_what_is_too_large_for_strategies_is_searched(least_walks, method):
    agent = started("mac-ucb", KRIEGSPIEL, "cross", 0.05)
    agent._hidden.least_walks = least_walks
    reported = []
    agent.report = reported.append
    move = agent.play(Turn(0), time.thread_time() + 0.05)
    assert agent._hidden.method == method
    assert move in {agent._game.move(int(m)) for m in agent._hidden.belief.legal_moves()}
    assert reported
    again = agent.play(Turn(1, None, move, frozenset()), time.thread_time() + 0.05)
    assert again in {agent._game.move(int(m)) for m in agent._hidden.belief.legal_moves()}


def test_longer_matches_take_more_walks():
    # From five marks to each square twice.
    assert 5 <= started("mac-ucb", KRIEGSPIEL, "cross", 0.05)._hidden.least_walks / WALKS_EACH <= 18


@pytest.mark.parametrize("name", ["mac-ucb", "ismcts"])
def test_a_small_game_is_solved(name):
    agent = started(name, KUHN, "opener", 0.05)
    agent.play(Turn(0), time.thread_time() + 0.05)
    assert agent._hidden.equilibrium is not None


def test_short_clocks_mean_fewer_states_and_no_more_than_are_believed():
    agent = started("mac-ucb", KRIEGSPIEL, "cross", 0.1)
    hidden = agent._hidden
    assert hidden.minds.entries == 200
    assert hidden.roots == 40
    move = agent.play(Turn(0), time.thread_time() + 0.05)
    agent.observe(Turn(1, None, move, frozenset()))
    states, probabilities = hidden.roots_drawn()
    believed = {state.tobytes() for state in hidden.belief.states}
    assert {state.tobytes() for state in states} <= believed
    assert probabilities.sum() == pytest.approx(1.0)
    hidden.roots = 3
    assert 1 <= len(hidden.roots_drawn()[0]) <= 3


def test_others_are_modelled_by_what_they_believe():
    hidden = started("ismcts", KRIEGSPIEL, "cross", 0.05)._hidden
    assert hidden.belief.model is hidden.search.minds is hidden.minds
    assert hidden.least_walks == 0


OVER = """(role me) (role other) (init start) (cell 1) (cell 2) (cell 3)
    (<= (legal me (try ?c)) (cell ?c) (not (true (tried ?c)))) (legal other yes) (legal other no)
    (<= (next (tried ?c)) (does me (try ?c))) (<= (next (tried ?c)) (true (tried ?c)))
    {sees}
    (<= terminal (true (tried ?c))) (goal me 0) (goal other 0)"""


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("sees", ["(<= (sees me loud) (does me (try ?c)) (does other ?m) (does me (try 4)))", "(sees other light)"])
def test_who_holds_the_match_to_be_over_makes_a_move_if_asked(name, sees):
    clock = time.thread_time
    agent = AGENTS[name].make()
    agent.clock = clock
    agent.start(parse_program(OVER.format(sees=sees), "over"), "me", play_seconds=0.02, deadline=clock() + 0.5, seed=3)
    moves = [agent.play(Turn(0), clock() + 0.02)]
    for number in (1, 2):
        moves.append(agent.play(Turn(number, None, moves[-1], frozenset()), clock() + 0.02))
    agent.stop()
    assert sorted(map(str, moves)) == ["(try 1)", "(try 2)", "(try 3)"]
