"""The referee and a real player with real engine processes, over HTTP, in every dialect."""

import psutil
import pytest

from scsp_player.arena.players import Player
from scsp_player.arena.referee import Clocks, Referee
from scsp_player.arena.sheet import game_of
from scsp_player.protocol import Address, Dialect, PlayerServer, PlayerSettings
from tests.arena.stubs import says, stub_player
from tests.oracles.ground_machine import GroundMachine
from tests.oracles.naive_grounder import ground
from tests.protocol.games import COIN, DUEL

UNHURRIED = Clocks(start=60, play=20)
SHOW_MOVES = "(<= (sees ?p (did ?q ?m)) (role ?p) (does ?q ?m))"


@pytest.fixture
def nothing_left_behind():
    before = set(psutil.Process().children(recursive=True))
    yield
    assert set(psutil.Process().children(recursive=True)) <= before


async def test_p15_one_match_in_each_dialect(nothing_left_behind):
    async with PlayerServer(PlayerSettings("legal"), port=0) as server, stub_player(says("(choose 3)")) as (other, _):
        player = Player("legal", Address(server.host, server.port))

        async def play(rules, dialect, number, **players):
            referee = Referee(game_of(rules), GroundMachine(ground(rules)), UNHURRIED, dialect=dialect)
            record = await referee.play(f"m{number}", players, seed=number)
            assert record.faults == []
            assert not server.player.matches
            return record

        for number, dialect in enumerate((Dialect.TURN, Dialect.PERCEPTS, Dialect.SEES, Dialect.TURN)):
            record = await play(COIN, dialect, number, guesser=player)
            assert record.scores == {"guesser": 100}
        for dialect, rules in ((Dialect.JOINT, DUEL), (Dialect.PERCEPTS, DUEL + SHOW_MOVES)):
            record = await play(rules, dialect, 9, left=other, right=player)
            assert record.scores == {"left": 100, "right": 0}
