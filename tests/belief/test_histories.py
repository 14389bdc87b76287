"""Histories from the unrolled network: all of them fit, and their weights tend to the exact probabilities."""

import numpy as np
import pytest

from scsp_player.belief import Belief
from scsp_player.belief.histories import HistorySampler
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
        belief.update(
            game.move(int(joint[0, role])), frozenset(game.terms.term(int(game.percept_term[p])) for p in seen.tolist())
        )
    return game, net, belief


@pytest.mark.parametrize(("name", "role", "turns"), [("kriegspiel-tic-tac-toe", 0, 4), ("monty-hall-five-doors", 0, 4)])
def test_samples_fit_and_weights_are_right(name, role, turns):
    game, net, belief = played(name, role, turns, seed=3)
    assert belief.exact
    sampler = HistorySampler(template(game), net, role)
    states, views, weights = sampler.sample(belief.past, 150, lambda: False)
    exact = {s.tobytes(): p for s, p in zip(*belief.marginal(), strict=True)}
    assert all(state.tobytes() in exact for state in states)
    found = dict.fromkeys(exact, 0.0)
    for state, weight in zip(states, weights / weights.sum(), strict=True):
        found[state.tobytes()] += weight
    assert sum(abs(found[s] - p) for s, p in exact.items()) < 0.4
    assert views.shape == (len(states), len(game.roles))


def test_nothing_explains_the_impossible():
    game, net, belief = played("monty-hall-five-doors", 0, 4, seed=3)
    move, row = belief.past[-1]
    sampler = HistorySampler(template(game), net, 0)
    assert sampler.sample([*belief.past[:-1], (move, ~row)], 5, lambda: False) is None
