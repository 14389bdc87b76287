"""The network as an engine, beside direct evaluation."""

import numpy as np
import pytest

from scsp_player.gdl import parse_term
from scsp_player.network import NetworkMachine
from tests.network.games import CHANCE, ground_text, own
from tests.oracles.ground_machine import GroundMachine


def games():
    return {"chance": ground_text(CHANCE)} | {name: own(name) for name in ("tic-tac-toe", "matching-pennies", "capture-go-4x4")}


@pytest.mark.parametrize("name", ["tic-tac-toe", "matching-pennies", "chance", "capture-go-4x4"])
def test_answers_along_random_matches(name):
    game = games()[name]
    network, oracle = NetworkMachine(game), GroundMachine(game)
    assert network.roles == oracle.roles
    random = np.random.default_rng(1)
    for _ in range(5):
        ours, theirs = network.initial_state(), oracle.initial_state()
        while True:
            assert network.fluents(ours) == oracle.fluents(theirs)
            assert network.is_terminal(ours) == oracle.is_terminal(theirs)
            if oracle.is_terminal(theirs):
                # Where the rules give no single score the network may say 0, never another number.
                for mine, right in zip(network.goals(ours), oracle.goals(theirs), strict=True):
                    assert mine == right or (right is None and mine in (0, None))
                break
            legal = oracle.legal_moves(theirs)
            assert network.legal_moves(ours) == legal
            joint = tuple(moves[random.integers(len(moves))] for moves in legal)
            assert network.percepts(ours, joint) == oracle.percepts(theirs, joint)
            ours, theirs = network.successor(ours, joint), oracle.successor(theirs, joint)


def test_outside_what_the_network_holds():
    machine = NetworkMachine(own("matching-pennies"))
    start = machine.initial_state()
    assert machine.goals(start) == (None, None)
    end = machine.successor(start, tuple(map(parse_term, ("(show heads)", "(show tails)"))))
    assert machine.is_terminal(end)
    assert machine.legal_moves(end) == ((), ())


def test_moves_that_cannot_be_done():
    machine = NetworkMachine(own("tic-tac-toe"))
    start = machine.initial_state()
    with pytest.raises(ValueError, match="not a move of cross"):
        machine.successor(start, tuple(map(parse_term, ("(claim 9 9)", "wait"))))
    with pytest.raises(ValueError, match="not legal in this state"):
        machine.successor(start, tuple(map(parse_term, ("wait", "wait"))))


def test_states_from_terms():
    machine = NetworkMachine(own("tic-tac-toe"))
    fluents = machine.fluents(machine.initial_state())
    assert (machine.state(fluents) == machine.initial_state()).all()
    with pytest.raises(ValueError, match="can never be true"):
        machine.state([parse_term("(square 9 9 x)")])
