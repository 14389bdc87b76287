"""Several matches in a row or at a time."""

import asyncio
from types import SimpleNamespace

import pytest

from scsp_player.arena.series import play_series
from scsp_player.gdl import GdlError


class NoWayOn:
    """A referee of a game that cannot be played to an end."""

    sheet = SimpleNamespace(seats=("a", "b"), source="stuck")

    async def play(self, match, seating, *, seed, observer):
        await asyncio.sleep(0)
        raise GdlError("the rules give b no legal move in turn 2", None, "this game cannot be played on")


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_game_that_cannot_go_on_is_an_error_of_the_sheet(parallel):
    players = [SimpleNamespace(label="x"), SimpleNamespace(label="y")]
    with pytest.raises(GdlError, match="no legal move in turn 2"):
        asyncio.run(play_series(NoWayOn(), players, repeat=3, parallel=parallel))
