"""The published algorithm: it finds winning moves, explores small games completely, and follows a match."""

import time

import numpy as np
import pytest

from scsp_player.network import template
from scsp_player.propnet import Propnet
from scsp_player.search.best_first import BestFirstUcb
from scsp_player.search.expansion import NetworkExpander, PropnetExpander
from scsp_player.search.settings import SearchSettings
from tests.oracles.naive_grounder import ground
from tests.search.test_mac_ucb import DIE, PENNIES, PILE

SETTINGS = SearchSettings(exploration=2**0.5, playouts=1, batch=16)


def search_of(text, role=0, *, network=True):
    game = ground(text)
    propnet = Propnet(game)
    expander = PropnetExpander(propnet)
    if network:
        expander = NetworkExpander(template(game), game, expander)
    return BestFirstUcb(game, propnet, expander, role, settings=SETTINGS, seed=2)


def thought(search, leaves):
    search.think(time.monotonic() + 1000.0, leaves=leaves)
    return search


@pytest.mark.parametrize("network", [True, False])
def test_a_pile_is_explored_completely(network):
    search = thought(search_of(PILE.replace("(pile 6)) (init", "(pile 5)) (init"), network=network), 5_000)
    assert search._root.value.tolist() == [100, 0]
    assert str(search.game.move(search.best_move())) == "(take 2)"
    assert search.leaves < 5_000


def test_chance_is_averaged():
    search = thought(search_of(DIE, 1), 5_000)
    assert search._root.value[1] == 60
    assert str(search.game.move(search.best_move())) == "throw"


def test_simultaneous_moves():
    search = thought(search_of(PENNIES), 300)
    assert search.best_move() in range(2)


def test_a_match_is_followed():
    search = thought(search_of(PILE), 40)
    for text in ("(take 1)", "wait"), ("wait", "(take 2)"):
        tables = search.game.move_index
        joint = [next(i for t, i in table.items() if str(t) == move) for table, move in zip(tables, text, strict=True)]
        search.advance(np.array(joint, np.int32))
        thought(search, 40)
    assert "(pile 3)" in map(str, search.game.fluents_of(search.states[0]))
    assert search.best_move() >= 0


def test_no_time_still_gives_a_move():
    search = search_of(PILE)
    reported = []
    search.think(time.monotonic(), reported.append)
    assert reported[-1] == search.best_move() >= 0
