"""Histories from the unrolled network: all of them fit, and their weights tend to the exact probabilities."""

import numpy as np
import pytest

from scsp_player.belief import Belief
from scsp_player.belief.histories import HistorySampler
from scsp_player.gdl import parse_term
from scsp_player.network import template
from scsp_player.propnet import Propnet
from tests.games.sheets import prefix_text
from tests.oracles.naive_grounder import ground


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
    sampler = HistorySampler(template(game), net, role)
    states, views, weights, complete = sampler.sample(belief.past, 150, lambda: False)
    assert not complete
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
    found = HistorySampler(template(game), net, role).sample(belief.past, 0, lambda: False, seconds=1000)
    assert found.complete
    others = [r for r in range(len(game.roles)) if r != role]

    def table(states, views, weights):
        return {(s.tobytes(), v[others].tobytes()): w for s, v, w in zip(states, views, weights / weights.sum(), strict=True)}

    assert table(*found[:3]) == pytest.approx(table(belief.states, belief.views, belief.probabilities))


def test_nothing_explains_the_impossible():
    game, net, belief = played("monty-hall-five-doors", 0, 4, seed=3)
    move, row = belief.past[-1]
    sampler = HistorySampler(template(game), net, 0)
    assert sampler.sample([*belief.past[:-1], (move, ~row)], 5, lambda: False) is None


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
        sampler = HistorySampler(micro, net, 0, seed=seed)
        return Belief(game, net, 0, limit=64, seed=seed, resampler=lambda past: sampler.sample(past, 12, lambda: False))

    assert all(asked_by_halving(game, net, with_network(seed), dials) for seed in range(2))
    blind = [asked_by_halving(game, net, Belief(game, net, 0, limit=64, seed=seed), dials) for seed in range(20)]
    assert sum(blind) < 10  # 64 of 512 are kept, so that what is so is one of them every eighth time
