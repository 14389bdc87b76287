"""The search on small games whose values are known."""

import time

import numpy as np
import pytest

from scsp_player.grounding.ground_game import pack_state, unpack_state
from scsp_player.network import template
from scsp_player.propnet import Propnet
from scsp_player.search.expansion import NetworkExpander, PropnetExpander
from scsp_player.search.mac_ucb import MacUcb
from scsp_player.search.settings import SearchSettings
from tests.oracles.naive_grounder import ground
from tests.search.edges import child_of

PILE = """
; One pile of six; take one or two; who takes the last one wins. Six is lost for the player to move.
(role first) (role second)
(init (pile 6)) (init (turn first))
(other first second) (other second first)
(minus 1 1 0) (minus 2 1 1) (minus 3 1 2) (minus 4 1 3) (minus 5 1 4) (minus 6 1 5)
(minus 2 2 0) (minus 3 2 1) (minus 4 2 2) (minus 5 2 3) (minus 6 2 4)
(<= (legal ?p (take ?n)) (true (turn ?p)) (true (pile ?m)) (minus ?m ?n ?k))
(<= (legal ?p wait) (true (turn ?q)) (other ?p ?q))
(<= (next (pile ?k)) (does ?p (take ?n)) (true (pile ?m)) (minus ?m ?n ?k))
(<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
(<= terminal (true (pile 0)))
(<= (goal ?p 0) (true (turn ?p)))
(<= (goal ?p 100) (true (turn ?q)) (other ?p ?q))
"""

PENNIES = """
; Two players show a side at the same time; the first wins if they match.
(role even) (role odd)
(init (shown no))
(side heads) (side tails)
(<= (legal ?p ?s) (role ?p) (side ?s) (true (shown no)))
(<= (next (even ?s)) (does even ?s))
(<= (next (odd ?s)) (does odd ?s))
(<= same (true (even ?s)) (true (odd ?s)))
(<= terminal (not (true (shown no))))
(<= (goal even 100) same) (<= (goal even 0) (not same))
(<= (goal odd 0) same) (<= (goal odd 100) (not same))
"""

DIE = """
; Take 50 for sure, or throw a die of three faces that pays 90, 80 or 10 (mean 60).
(role random) (role player)
(init (stage bet))
(pay f1 90) (pay f2 80) (pay f3 10)
(<= (legal player sure) (true (stage bet)))
(<= (legal player throw) (true (stage bet)))
(<= (legal player noop) (true (stage roll)))
(<= (legal random noop) (true (stage bet)))
(<= (legal random ?f) (true (stage roll)) (pay ?f ?n))
(<= (next (won 50)) (does player sure))
(<= (next (stage roll)) (does player throw))
(<= (next (won ?n)) (does random ?f) (pay ?f ?n))
(<= over (true (won ?n)))
(<= terminal over)
(<= (goal player ?n) (true (won ?n)))
"""


def searcher(text, role, expander="propnet", **options):
    game = ground(text)
    propnet = Propnet(game)
    chosen = PropnetExpander(propnet)
    if expander == "network":
        chosen = NetworkExpander(template(game), game, chosen)
    return game, MacUcb(game, propnet, chosen, role, settings=SearchSettings(**options), seed=3)


def soon(seconds=600.0):
    return time.monotonic() + seconds


@pytest.mark.parametrize("expander", ["propnet", "network"])
@pytest.mark.parametrize(("stones", "value"), [(6, 0), (5, 100), (4, 100), (3, 0)])
def test_a_pile_is_solved(expander, stones, value):
    game, search = searcher(PILE.replace("(pile 6)) (init", f"(pile {stones})) (init"), 0, expander)
    search.think(soon(), leaves=2000)
    assert search.decided
    assert search.value == value
    assert search.graph.arrays.exact[0, 1] == 100 - value
    if value:
        assert str(game.move(search.best_move())) == f"(take {stones % 3})"


def test_both_expanders_know_the_same_moves_and_successors():
    game = ground(PILE)
    propnet = Propnet(game)
    plain = PropnetExpander(propnet)
    solving = NetworkExpander(template(game), game, plain)
    by_propnet, by_network = plain.expand(game.initial_state[None]), solving.expand(game.initial_state[None])
    assert by_network.owner.tolist() == [0] * len(by_network.joint_moves)
    assert by_propnet.legal.tolist() == by_network.legal.tolist()
    repeated = np.repeat(game.initial_state[None], len(by_network.joint_moves), axis=0)
    assert propnet.successors(repeated, by_network.joint_moves).tolist() == by_network.successors.tolist()


def test_simultaneous_moves_are_mixed():
    _, search = searcher(PENNIES, 0, playouts=1)
    search.think(soon(), leaves=4000)
    visits = [s.visits for s in search.statistics()]
    assert min(visits) > 0.2 * sum(visits)
    assert not search.decided


def test_chance_is_an_expectation():
    game, search = searcher(DIE, 1)
    search.think(soon(), leaves=3000)
    assert search.value == 60.0
    assert str(game.move(search.best_move())) == "throw"


def test_same_seed_same_search():
    results = []
    for _ in range(2):
        _, search = searcher(PILE, 0, prove=False)
        search.think(soon(), leaves=500)
        results.append(search.statistics())
    assert results[0] == results[1]


def test_what_was_learnt_is_kept_below_the_move_played():
    game, search = searcher(PILE, 0, prove=False)
    search.think(soon(), leaves=500)
    move = game.move_index
    joint = np.array([index_of(move[0], "(take 1)"), index_of(move[1], "wait")], dtype=np.int32)
    before = search.graph.arrays.node["visits"][child_of(search.graph, 0, joint)]
    search.advance(joint)
    assert sum(s.visits for s in search.statistics()) == before - 1 > 0
    assert "(pile 5)" in map(str, game.fluents_of(search.states[0]))


def test_a_move_never_searched_still_leads_on():
    game, search = searcher(PILE, 0)
    joint = np.array([index_of(game.move_index[0], "(take 2)"), index_of(game.move_index[1], "wait")], dtype=np.int32)
    search.advance(joint)
    assert "(pile 4)" in map(str, game.fluents_of(search.states[0]))


def index_of(table, text):
    return next(i for term, i in table.items() if str(term) == text)


def test_the_deadline_holds_and_the_best_move_is_reported():
    _, search = searcher(PENNIES, 0)
    reports = []
    start = time.monotonic()
    search.think(start + 0.2, reports.append)
    assert reports
    assert reports[-1] == search.best_move()


def test_a_full_tree_goes_on_evaluating():
    _, search = searcher(PILE, 0, memory_bytes=0, prove=False)
    search.think(soon(), leaves=200)
    assert search.leaves >= 200
    assert search.best_move() >= 0


def test_states_of_a_belief_share_statistics():
    game, search = searcher(DIE.replace("(init (stage bet))", "(init (stage bet)) (init (stage roll))"), 1)
    bits = unpack_state(game.initial_state, game.fluents)
    assert bits.sum() == 2
    search.set_roots(np.stack([game.initial_state, game.initial_state]), np.array([0.5, 0.5]))
    search.think(soon(), leaves=300)
    assert sum(s.visits for s in search.statistics()) >= 300


DOORS = """
; Behind one of the doors, which it is nobody sees, are 100 points; whoever opens none has 50 or 10.
(role player)
(init (door a)) (init (door b)) (init (door c)) (init safe)
(<= (legal player (open ?d)) (true (door ?d)))
(<= (legal player stay) (true safe))
(<= (legal player leave) (true safe))
(<= (next (scored 100)) (does player (open ?d)))
(<= (next (scored 50)) (does player stay))
(<= (next (scored 10)) (does player leave))
(<= terminal (true (scored ?n)))
(<= (goal player ?n) (true (scored ?n)))
"""


def doors(*worlds, **options):
    """A search from states with these fluents, all of them equally likely."""
    game, search = searcher(DOORS, 0, prove=False, **options)
    numbers = {str(game.fluent(i)): i for i in range(game.fluents)}
    bits = np.zeros((len(worlds), game.fluents), np.bool_)
    for world, fluents in enumerate(worlds):
        bits[world, [numbers[fluent] for fluent in fluents]] = True
    search.set_roots(pack_state(bits), np.full(len(worlds), 1 / len(worlds)))
    return game, search


@pytest.mark.parametrize("memory_bytes", [0, 1 << 29])
def test_moves_that_may_not_be_legal_get_no_visits(memory_bytes):
    game, search = doors(["(door a)", "safe"], ["(door b)", "safe"], ["(door c)", "safe"], memory_bytes=memory_bytes)
    search.think(soon(), leaves=300)
    found = {str(game.move(s.move)): s for s in search.statistics()}
    assert set(found) == {"stay", "leave"}
    assert sum(s.visits for s in found.values()) == search.leaves
    assert found["stay"].mean == 50
    assert found["leave"].mean == 10
    assert str(game.move(search.best_move())) == "stay"


def test_where_no_move_is_legal_in_all_states_the_most_widely_legal_one_is_played():
    game, search = doors(["(door a)"], ["(door a)", "(door b)"], ["(door c)"])
    search.think(soon(), leaves=300)
    (only,) = search.statistics()
    assert str(game.move(only.move)) == "(open a)"
    assert 0 < only.visits < search.leaves  # none where it is not legal
    assert only.mean == 100


def test_a_state_in_which_the_match_is_over_is_not_searched():
    game, search = doors(["(door a)", "safe"], ["(scored 10)"])
    search.think(soon(), leaves=100)
    assert str(game.move(search.best_move())) == "(open a)"
