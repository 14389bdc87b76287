"""Histories from the unrolled network: all of them fit, and their weights tend to the exact probabilities."""

import numpy as np
import pytest

from scsp_player.belief import Belief
from scsp_player.belief.histories import HistorySampler
from scsp_player.belief.history_tree import HistoryTree
from scsp_player.belief.joint_moves import draw_joint_moves
from scsp_player.belief.rejuvenation import Rejuvenation
from scsp_player.gdl import parse_term
from scsp_player.network import template
from scsp_player.propnet import Propnet
from tests.games.sheets import prefix_text
from tests.oracles.naive_grounder import ground


def table(role, states, views, weights):
    """Probabilities of states with what the other roles have gone through."""
    result = {}
    for state, view, weight in zip(states, np.delete(views, role, axis=1), weights / weights.sum(), strict=True):
        key = state.tobytes(), view.tobytes()
        result[key] = result.get(key, 0.0) + float(weight)
    return result


def entries_of(belief):
    return table(belief.role, belief.states, belief.views, belief.probabilities)


def played(name, role, turns, seed):
    """A belief that has followed a random match."""
    game = ground(prefix_text(name))
    net = Propnet(game)
    belief = Belief(game, net, role, limit=20_000)
    state, rng = game.initial_state, np.random.default_rng(seed)
    for _ in range(turns):
        legal = net.legal(state[None])[0]
        joint = [
            rng.choice(np.flatnonzero(legal[game.role_start[r] : game.role_start[r + 1]])) + game.role_start[r]
            for r in range(len(game.roles))
        ]
        joint = np.array([joint], np.int32)
        seen = np.flatnonzero(net.percepts(state[None], joint)[0] & (game.percept_role == role))
        state = net.successors(state[None], joint)[0]
        if net.terminal(state[None])[0]:
            break
        belief.update(game.move(int(joint[0, role])), frozenset(game.terms.term(int(game.percept_term[p])) for p in seen.tolist()))
    return game, net, belief


@pytest.mark.parametrize(("name", "role", "turns"), [("kriegspiel-tic-tac-toe", 0, 4), ("monty-hall-five-doors", 0, 4)])
def test_samples_fit_and_weights_are_right(name, role, turns):
    game, net, belief = played(name, role, turns, seed=3)
    assert belief.exact
    tree = HistoryTree(game, net, role)
    found_ones = HistorySampler(template(game), role).draw(belief.past, tree, 150, lambda: False)
    assert not found_ones.complete
    ends, weights = tree.layers[-1].some(found_ones.nodes), found_ones.weights
    states, views = ends.states, ends.views
    exact = {s.tobytes(): p for s, p in zip(*belief.marginal(), strict=True)}
    assert all(state.tobytes() in exact for state in states)
    found = dict.fromkeys(exact, 0.0)
    for state, weight in zip(states, weights / weights.sum(), strict=True):
        found[state.tobytes()] += weight
    assert sum(abs(found[s] - p) for s, p in exact.items()) < 0.4
    assert views.shape == (len(states), len(game.roles))


@pytest.mark.parametrize(("name", "role", "turns"), [("kriegspiel-tic-tac-toe", 0, 3), ("monty-hall-five-doors", 0, 4)])
def test_all_histories_make_the_belief_exact(name, role, turns):
    game, net, belief = played(name, role, turns, seed=4)
    tree = HistoryTree(game, net, role)
    found = HistorySampler(template(game), role).list_all(belief.past, tree, 1000)
    assert found.complete
    ends = tree.layers[-1].some(found.nodes)
    assert table(role, ends.states, ends.views, found.weights) == pytest.approx(entries_of(belief))


def test_nothing_explains_the_impossible():
    game, net, belief = played("monty-hall-five-doors", 0, 4, seed=3)
    move, row = belief.past[-1]
    impossible, tree = [*belief.past[:-1], (move, ~row)], HistoryTree(game, net, 0)
    sampler = HistorySampler(template(game), 0)
    assert sampler.draw(impossible, tree, 5, lambda: False) is None
    assert sampler.list_all(impossible, tree, 5.0) is None
    assert tree.turns == 0


def test_listing_is_not_tried_again_at_once_where_it_failed():
    game, net, belief = played("kriegspiel-tic-tac-toe", 0, 4, seed=3)
    sampler, tree = HistorySampler(template(game), 0), HistoryTree(game, net, 0)
    assert sampler.list_all(belief.past, tree, 1000.0, most=3) is None
    assert sampler.list_all(belief.past, tree, 1000.0) is None
    # Two turns later, by what is said of the turns; the courses are the same.
    sampler._list_from -= 2
    assert sampler.list_all(belief.past, tree, 1000.0) is not None


def test_no_network_is_made_that_takes_longer_than_there_is_time():
    game, net, belief = played("kriegspiel-tic-tac-toe", 0, 4, seed=3)
    sampler, tree = HistorySampler(template(game), 0), HistoryTree(game, net, 0)
    assert sampler.draw(belief.past, tree, 5, lambda: False, 1e-9) is None
    assert sampler.draw(belief.past, tree, 5, lambda: False) is not None


def three_dials():
    """The sheet of the five dials with three of them and nine questions: 512 courses that look alike before the questions."""
    text = prefix_text("five-dials")
    for old, new in (
        ("(dial 4) (dial 5)", ""),
        ("(next-dial 3 4) (next-dial 4 5)", ""),
        ("(setting 5)", "(setting 3)"),
        ("(naming 5)", "(naming 3)"),
        ("(questions 15)", "(questions 9)"),
    ):
        assert old in text
        text = text.replace(old, new)
    return ground(text)


def asked_by_halving(game, net, belief, dials):
    """Find out all dials by halving; whether what is so is among what is believed to the end."""
    state = net.successors(game.initial_state[None], joint_of(game, "idle", f"(turn 1 {dials[0]})"))
    belief.update(parse_term("idle"), frozenset())
    for number, digit in enumerate(dials[1:], 2):
        state = net.successors(state, joint_of(game, "idle", f"(turn {number} {digit})"))
        belief.update(parse_term("idle"), frozenset())
    low, high = [0] * len(dials), [8] * len(dials)
    explained = True
    for turn in range(3 * len(dials)):
        which = turn % len(dials)
        middle = (low[which] + high[which]) // 2
        yes = dials[which] >= middle
        (low if yes else high)[which] = middle
        own = f"(ask {which + 1} {middle})"
        state = net.successors(state, joint_of(game, own, "idle"))
        explained &= belief.update(parse_term(own), frozenset([parse_term("yes")] if yes else []))
    return explained and any(np.array_equal(s, state[0]) for s in belief.states)


def joint_of(game, *moves):
    return np.array([[table[parse_term(move)] for table, move in zip(game.move_index, moves, strict=True)]], np.int32)


@pytest.mark.parametrize("dials", [(6, 1, 3), (0, 7, 4), (2, 2, 5)])
def test_the_network_keeps_a_belief_alive_that_dries_up_without_it(dials):
    game = three_dials()
    net = Propnet(game)
    micro = template(game)

    def with_network(seed):
        sampler = HistorySampler(micro, 0, seed=seed)
        return Belief(game, net, 0, limit=64, seed=seed, resampler=lambda past, tree: sampler.draw(past, tree, 12, lambda: False))

    assert all(asked_by_halving(game, net, with_network(seed), dials) for seed in range(2))
    blind = [asked_by_halving(game, net, Belief(game, net, 0, limit=64, seed=seed), dials) for seed in range(20)]
    assert sum(blind) < 10  # 64 of 512 are kept, so that what is so is one of them every eighth time


def sweeps(number):
    """An ``expired`` that says so after so many questions; a sweep asks in every turn of the match."""
    left = [number]

    def expired():
        left[0] -= 1
        return left[0] < 0

    return expired


def assert_sound(tree, past):
    """Every node is where its parent's moves lead, and shows what was seen."""
    net, mine = tree.propnet, tree.game.percept_role == tree.role
    for turn, layer in enumerate(tree.layers[1:], 1):
        own, row = past[turn - 1]
        before = tree.layers[turn - 1].states[layer.parent]
        assert (layer.moves[:, tree.role] == own).all()
        assert (net.successors(before, layer.moves) == layer.states).all()
        assert (net.percepts(before, layer.moves)[:, mine] == row[mine]).all()


def one_course(game, net, belief):
    """A tree with a single course in each layer, one that the belief holds."""
    tree = HistoryTree(game, net, belief.role)
    found = HistorySampler(template(game), belief.role, seed=5).draw(belief.past, tree, 1, lambda: False)
    assert len(found.nodes) == 1
    return tree


@pytest.mark.parametrize(
    ("name", "role", "turns"), [("kriegspiel-tic-tac-toe", 0, 4), ("kriegspiel-tic-tac-toe", 1, 5), ("monty-hall-five-doors", 0, 4)]
)
def test_changing_one_course_finds_all_others(name, role, turns):
    game, net, belief = played(name, role, turns, seed=3)
    assert belief.exact
    tree = one_course(game, net, belief)
    found = Rejuvenation(tree, seed=1).find(belief.past, 10**6, sweeps(400))
    assert not found.complete
    assert len(np.unique(found.nodes)) == len(found.nodes)
    ends = tree.layers[-1]
    assert table(role, ends.states, ends.views, np.exp(ends.chance)) == pytest.approx(entries_of(belief))
    assert_sound(tree, belief.past)


def test_who_is_lost_finds_back_turn_by_turn():
    game, net, belief = played("kriegspiel-tic-tac-toe", 0, 5, seed=3)
    exact = entries_of(belief)
    tree = one_course(game, net, belief)
    del tree.layers[3:]
    found = Rejuvenation(tree, seed=1).find(belief.past, 1, sweeps(1000))
    ends = tree.layers[-1].some(found.nodes)
    assert tree.turns == 5
    assert table(0, ends.states, ends.views, found.weights).keys() <= exact.keys()
    assert_sound(tree, belief.past)


def test_nothing_is_found_for_the_impossible():
    game, net, belief = played("monty-hall-five-doors", 0, 4, seed=3)
    move, row = belief.past[-1]
    tree = one_course(game, net, belief)
    del tree.layers[4:]
    assert Rejuvenation(tree).find([*belief.past[:-1], (move, ~row)], 5, sweeps(100)) is None


@pytest.mark.parametrize("dials", [(6, 1, 3), (0, 7, 4)])
def test_a_belief_that_dries_up_stays_alive_by_changes(dials):
    game = three_dials()
    net = Propnet(game)

    def with_changes(seed):
        other = []

        def resample(past, tree):
            other[:] = other or [Rejuvenation(tree, seed=seed)]
            return other[0].find(past, 100, sweeps(100))

        return Belief(game, net, 0, limit=64, seed=seed, resampler=resample)

    assert all(asked_by_halving(game, net, with_changes(seed), dials) for seed in range(3))


def test_a_pruned_tree_holds_what_leads_to_its_leaves():
    game, net, belief = played("kriegspiel-tic-tac-toe", 0, 4, seed=3)
    tree = one_course(game, net, belief)
    Rejuvenation(tree, seed=1).find(belief.past, 10**6, sweeps(200))
    leaves = np.array([5, 2, 5, 9])
    states, size = tree.layers[-1].states[leaves], tree.bytes
    rows = tree.prune(leaves)
    assert (tree.layers[-1].states[rows] == states).all()
    assert [len(layer.states) <= 3 for layer in tree.layers] == [True] * 5
    assert tree.bytes < size
    assert_sound(tree, belief.past)


@pytest.mark.parametrize(("most", "kept"), [(22_000, True), (1_000, False)])
def test_courses_take_no_more_memory_than_they_may(most, kept, monkeypatch):
    game = three_dials()
    net = Propnet(game)
    monkeypatch.setattr("scsp_player.belief.information_set.TREE_BYTES", most)
    other = []

    def resample(past, tree):
        other[:] = other or [Rejuvenation(tree, seed=1)]
        return other[0].find(past, 100, sweeps(100))

    belief = Belief(game, net, 0, limit=64, seed=1, resampler=resample)
    asked_by_halving(game, net, belief, (6, 1, 3))
    assert (belief.tree is not None) == kept
    if kept:
        assert_sound(belief.tree, belief.past)
        assert (belief.tree.layers[-1].states[belief._nodes] == belief.states).all()


def test_a_change_ends_with_the_time_and_fewer_are_tried_then():
    game, net, belief = played("kriegspiel-tic-tac-toe", 0, 5, seed=3)
    tree = one_course(game, net, belief)
    changes = Rejuvenation(tree, seed=1)
    before = [len(layer.states) for layer in tree.layers]
    for _ in range(20):
        assert changes.find(belief.past, 10, sweeps(2)) is None
    assert (changes.tried, changes._lanes) == (0, 64)
    assert [len(layer.states) for layer in tree.layers] == before
    assert changes.find(belief.past, 10, sweeps(10**6)) is not None


def test_courses_from_the_beginning_end_where_somebody_tells_the_state():
    game = ground(prefix_text("kriegspiel-tic-tac-toe"))
    net = Propnet(game)
    belief = Belief(game, net, 0, resampler=lambda past, tree: None)
    assert belief.tree is not None
    start = game.initial_state[None]
    belief.certain(net.successors(start, draw_joint_moves(game, net.legal(start), np.random.default_rng(1)))[0])
    assert belief.tree is None
    legal = belief.legal_moves()
    belief.update(game.move(int(legal[0])), frozenset())
    assert len(belief.states)
