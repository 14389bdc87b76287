"""Thinking on the opponent's time: from the state that is expected, until somebody interrupts."""

import itertools

import numpy as np
import pytest

from scsp_player.propnet import Propnet
from scsp_player.search.puzzle import REHEARSAL, PuzzleSearch
from scsp_player.search.settings import SearchSettings
from tests.oracles.naive_grounder import ground
from tests.search.test_mac_ucb import PENNIES, PILE, searcher, soon


def after(calls):
    """Says to stop when it is asked for the n-th time."""
    asked = itertools.count(1)
    return lambda: next(asked) >= calls


def successor(game, search, joint_move):
    return Propnet(game).successors(search.states, joint_move[None])


def joint(game, *names):
    return np.array([next(i for i in range(*game.role_start[r : r + 2]) if str(game.move(i)) == n) for r, n in enumerate(names)])


def test_the_expected_state_is_searched_and_kept():
    game, search = searcher(PILE, 0, prove=False)
    take_one, answer = joint(game, "(take 1)", "wait"), joint(game, "wait", "(take 2)")
    expected = successor(game, search, take_one)
    search.think(soon(), leaves=40)
    search.expect(int(take_one[0]))
    assert (search.states == expected).all()
    before, nodes = search.leaves, search.graph.nodes
    search.ponder(after(30))
    assert search.leaves > before
    visits = search.graph.arrays.node["visits"][search._roots[0]]
    search.advance(take_one)
    assert (search.states == expected).all()
    assert search.graph.nodes >= nodes
    assert search.graph.arrays.node["visits"][search._roots[0]] == visits
    then = successor(game, search, answer)
    search.advance(answer)
    assert (search.states == then).all()


def test_another_state_comes():
    game, search = searcher(PILE, 0, prove=False)
    played = joint(game, "(take 2)", "wait")
    real = successor(game, search, played)
    search.think(soon(), leaves=40)
    search.expect(int(joint(game, "(take 1)", "wait")[0]))
    search.ponder(after(10))
    search.advance(played)
    assert (search.states == real).all()


def test_beliefs_replace_what_was_expected():
    game, search = searcher(PILE, 0, prove=False)
    first = search.states
    search.expect(int(joint(game, "(take 1)", "wait")[0]))
    search.set_roots(first, np.ones(1))
    search.advance(joint(game, "(take 2)", "wait"))
    assert (search.states == successor(game, searcher(PILE, 0)[1], joint(game, "(take 2)", "wait"))).all()


def test_nothing_is_expected_where_others_choose_too():
    game, search = searcher(PENNIES, 0)
    first = search.states
    search.expect(int(joint(game, "heads", "heads")[0]))
    assert (search.states == first).all()
    search.ponder(after(20))
    assert search.leaves > 0


@pytest.mark.parametrize("calls", range(2, 12))
def test_an_interrupted_batch_leaves_no_visits(calls):
    _, search = searcher(PILE, 0, prove=False)
    search.think(soon(), leaves=30)
    search.ponder(after(calls))
    g = search.graph.arrays
    for node in range(search.graph.nodes):
        if g.node["status"][node] == 2:
            for role in range(2):
                moves = g.move["visits"][search.graph.slots(node, role)].sum()
                # A node's own evaluation is the one visit that no move has.
                assert moves <= g.node["visits"][node] <= moves + 1
    assert (g.node["visits"][: search.graph.nodes] >= 0).all()


def test_pondering_ends_with_a_proof_and_with_a_full_graph():
    _, search = searcher(PILE, 0)
    search.ponder(lambda: False)
    assert search.decided
    _, small = searcher(PILE, 0, prove=False, memory_bytes=1000)
    small.think(soon(), leaves=5)
    small.graph.memory_bytes = 1
    before = small.leaves
    small.ponder(lambda: False)
    assert small.leaves == before


def test_runs_that_are_to_be_repeated_do_not_ponder():
    _, search = searcher(PILE, 0, prove=False, leaves=10)
    search.ponder(lambda: False)
    assert search.leaves == 0


def test_a_puzzle_goes_on_from_the_expected_state_and_back():
    game = ground(REHEARSAL)
    propnet = Propnet(game)
    search = PuzzleSearch(game, propnet)
    go, back = joint(game, "go"), joint(game, "back")
    first = search.states
    one = propnet.successors(first, go[None])
    search.expect(int(go[0]))
    search.ponder(lambda: False)
    assert search.decided
    assert (search.states == one).all()
    search.advance(go)
    assert (search.states == one).all()
    search.expect(int(go[0]))
    search.advance(back)
    assert (search.states == first).all()
    assert not search._interrupted()


def test_a_puzzle_is_interrupted():
    game = ground(REHEARSAL)
    search = PuzzleSearch(game, Propnet(game), settings=SearchSettings())
    search.ponder(lambda: True)
    assert not search.decided
    search.think(soon())
    assert search.decided
