"""Symmetries in the search: classes of states, orbits of moves, and the way back to the match."""

import numpy as np
import pytest

from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import pack_state, unpack_state
from scsp_player.network import template
from scsp_player.propnet import Propnet
from scsp_player.search.expansion import NetworkExpander, PropnetExpander
from scsp_player.search.mac_ucb import MacUcb
from scsp_player.search.reduction import Reduction
from scsp_player.search.settings import SearchSettings
from scsp_player.search.symmetry import find_symmetries
from tests.games.sheets import path_of
from tests.search.test_mac_ucb import soon

NAMES = ["tic-tac-toe", "connect-four", "light-trails"]


def reduced_game(name):
    game = ground(load_program(path_of(name)))
    symmetries = find_symmetries(game, 20.0)
    return game, Propnet(game), Reduction.of(game, symmetries), symmetries.elements(48)


def joint_moves(game, legal, rng, count=1):
    """Random joint moves int32[count, roles]."""
    bounds = list(zip(game.role_start[:-1], game.role_start[1:], strict=True))
    return np.array([[a + rng.choice(np.flatnonzero(legal[a:b])) for a, b in bounds] for _ in range(count)], np.int32)


def random_walk(game, net, rng, length=8):
    state = game.initial_state[None]
    for _ in range(length):
        yield state
        over, legal, _ = net.evaluate(state)
        if over[0]:
            return
        state = net.successors(state, joint_moves(game, legal[0], rng))


def images(state, elements, game):
    """All images of uint64[1, words], the plain way."""
    found = []
    for element in elements:
        bits = np.zeros((1, game.fluents), np.bool_)
        bits[:, element[: game.fluents]] = unpack_state(state, game.fluents)
        found.append(pack_state(bits)[0])
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_canonical_state_is_the_least_image_and_moves_follow(name):
    game, net, reduction, elements = reduced_game(name)
    assert reduction.order == len(elements)
    rng = np.random.default_rng(2)
    for state in random_walk(game, net, rng):
        canonical = reduction.canonical(state)
        assert tuple(canonical[0]) == min(map(tuple, images(state, elements, game)))
        assert (reduction.canonical(canonical) == canonical).all()
        same, number = reduction.turned(state)
        assert (same == canonical).all()
        turn = reduction.turn(state[0])
        if turn is None:
            assert (canonical == state).all()
        else:
            assert (net.legal(canonical)[0, turn] == net.legal(state)[0]).all()
            assert (reduction.frames.moves[number[0]] == turn).all()


@pytest.mark.parametrize("name", NAMES)
def test_products_of_symmetries_do_one_after_the_other(name):
    _, _, reduction, _ = reduced_game(name)
    moves, product = reduction.frames
    for second, first in np.ndindex(product.shape):
        assert (moves[product[second, first]] == moves[second][moves[first]]).all()


@pytest.mark.parametrize("name", NAMES)
def test_of_each_orbit_of_the_only_choosers_moves_one_is_left(name):
    game, net, reduction, elements = reduced_game(name)
    for state in random_walk(game, net, np.random.default_rng(3)):
        legal = net.legal(state)
        if net.terminal(state)[0]:
            return
        thinned = reduction.thin(state, legal)[0]
        fixing = [e for e in elements if (images(state, [e], game)[0] == state[0]).all()]
        wide = [r for r in range(len(game.roles)) if legal[0, game.role_start[r] : game.role_start[r + 1]].sum() > 1]
        expected = legal[0].copy()
        if len(wide) == 1 and wide[0] != game.random_role:
            for move in np.flatnonzero(legal[0]):
                expected[move] = move == min(e[game.fluents + move] - game.fluents for e in fixing)
        assert (thinned == expected).all()


def test_tic_tac_toe_has_three_first_moves():
    game, net, reduction, _ = reduced_game("tic-tac-toe")
    legal = reduction.thin(game.initial_state[None], net.legal(game.initial_state[None]))
    assert legal.sum() == 3 + 1


def test_simultaneous_moves_stay():
    game, net, reduction, _ = reduced_game("rock-paper-scissors")
    state = game.initial_state[None]
    assert (reduction.thin(state, net.legal(state)) == net.legal(state)).all()


def searcher(name, expander="propnet", *, merge=True, **options):
    game, net, reduction, _ = reduced_game(name)
    chosen = PropnetExpander(net)
    if expander == "network":
        chosen = NetworkExpander(template(game), game, chosen)
    search = MacUcb(game, net, chosen, 0, settings=SearchSettings(**options), seed=3)
    if merge:
        search.merge(reduction)
    return game, net, search


@pytest.mark.parametrize("expander", ["propnet", "network"])
def test_a_proof_needs_fewer_nodes(expander):
    nodes = {}
    for merge in (False, True):
        _, _, search = searcher("tic-tac-toe", expander, merge=merge)
        search.think(soon(), leaves=20_000)
        assert search.value == 50
        nodes[merge] = search.graph.nodes
    assert nodes[True] < 0.5 * nodes[False]


@pytest.mark.parametrize("expander", ["propnet", "network"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_match_is_followed_whatever_the_images(expander, seed):
    game, net, search = searcher("tic-tac-toe", expander, prove=False)
    rng = np.random.default_rng(seed)
    state = game.initial_state[None]
    while not net.terminal(state)[0]:
        assert (search.states == state).all()
        legal = net.legal(state)[0]
        search.think(soon(), leaves=12)
        best = search.best_move()
        assert legal[best]
        assert all(legal[entry.move] for entry in search.statistics())
        joint = joint_moves(game, legal, rng)
        search.expect(best)
        search.advance(joint[0])
        state = net.successors(state, joint)
    assert (search.states == state).all()


def test_the_same_seed_finds_the_same():
    runs = []
    for _ in range(2):
        _, _, search = searcher("connect-four", prove=False)
        search.think(soon(), leaves=200)
        runs.append([(s.move, s.visits, s.mean) for s in search.statistics()])
    assert runs[0] == runs[1]
    assert len(runs[0]) == 4  # of seven columns


def test_with_several_possible_states_there_is_no_reduction():
    game, net, search = searcher("tic-tac-toe")
    first = game.initial_state[None]
    states = net.successors(np.repeat(first, 2, axis=0), joint_moves(game, net.legal(first)[0], np.random.default_rng(1), 2))
    search.set_roots(states, np.array([0.5, 0.5]))
    search.think(soon(), leaves=50)
    assert (search.states == states).all()
    assert search.leaves >= 50
