"""Games over the bounds of the network are played on the propositional network alone."""

import math
from functools import partial

import pytest

from scsp_player.agents import mac_ucb
from scsp_player.network import template
from scsp_player.propnet import Propnet
from tests.network.games import own


@pytest.mark.parametrize("bound", [{"tuple_limit": 64}, {"seconds": 0.0}], ids=["too large", "too slow"])
def test_the_search_goes_on_without_the_network(bound, monkeypatch):
    game = own("bidding-tug-of-war")

    def limited(ground_game, **_):
        return template(ground_game, **bound)

    monkeypatch.setattr(mac_ucb, "template", limited)
    monkeypatch.setattr(mac_ucb, "choose_expander", partial(mac_ucb.choose_expander, share=math.inf))
    assert mac_ucb.MacUcbAgent().make_expander(game, Propnet(game), math.inf).name == "propnet"
    monkeypatch.setattr(mac_ucb, "template", template)
    assert mac_ucb.MacUcbAgent().make_expander(game, Propnet(game), math.inf).name == "network"
