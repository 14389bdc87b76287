"""A game that cannot be grounded at once: who plays, and when the agent proper takes over."""

import os
import signal
import time

import psutil
import pytest

from scsp_player.agents import stand_in
from scsp_player.agents.base import Turn
from scsp_player.agents.stand_in import StandIn
from scsp_player.gdl.reading import parse_program, parse_term
from tests.agents.no_room import NoRoom
from tests.protocol.fakes import post
from tests.protocol.games import COIN, DUEL, start
from tests.protocol.test_engine import nothing_left_behind, serving  # noqa: F401  (the first is a fixture for all tests here)

CHOICES = tuple(parse_term(f"(choose {n})") for n in (1, 2, 3))
SECOND = Turn(1, (CHOICES[0], CHOICES[1]))
THIRD = Turn(2, (CHOICES[1], CHOICES[1]))
PATIENT = 600.0


class Scripted:
    """A companion that says what it is told to."""

    lost = False
    ready = False
    answer = None

    def __init__(self, agent, program, role, **clocks):
        self.told = []
        self.closed = False

    def wait(self, deadline):
        return self.ready

    def observe(self, turn):
        self.told.append(("observe", turn.number))

    def play(self, turn, deadline, report):
        self.told.append(("play", turn.number))
        if self.answer is not None:
            report(self.answer)
        return self.answer

    def ponder(self):
        self.told.append(("ponder",))

    def close(self):
        self.closed = True


@pytest.fixture
def seat(monkeypatch):
    """A stand-in with a scripted companion, and what it has reported."""
    monkeypatch.setattr(stand_in, "Companion", Scripted)
    reports = []
    agent = StandIn("nobody:Nobody", reports.append)
    agent.start(parse_program(DUEL), "left", play_seconds=1.0, deadline=0.0, seed=1)
    agent.reports = reports
    return agent


def test_the_stand_in_plays_and_the_agent_proper_is_told(seat):
    companion = seat._companion
    assert seat.play(Turn(0), 0.0) in CHOICES
    seat.observe(SECOND)
    assert companion.told == [("observe", 0), ("observe", 1)]
    assert not seat.handed_over


def test_the_agent_proper_takes_over(seat):
    seat.play(Turn(0), 0.0)
    seat._companion.ready, seat._companion.answer = True, CHOICES[2]
    assert [seat.play(SECOND, 0.0), seat.play(THIRD, 0.0)] == [CHOICES[2]] * 2
    assert seat.handed_over
    assert seat._companion.told == [("observe", 0), ("play", 1), ("play", 2)]
    assert seat.reports[-1] == CHOICES[2]


@pytest.mark.parametrize("answer", [None, parse_term("fly")])
def test_an_agent_proper_without_a_legal_move_is_passed_over(seat, answer):
    seat._companion.ready, seat._companion.answer = True, answer
    assert seat.play(Turn(0), 0.0) in CHOICES
    assert set(seat.reports) <= set(CHOICES)


def test_an_agent_proper_that_is_lost_is_closed(seat):
    companion = seat._companion
    companion.ready = companion.lost = True
    assert seat.play(Turn(0), 0.0) in CHOICES
    assert companion.closed
    assert seat.play(SECOND, 0.0) in CHOICES
    seat.stop()


def test_a_turn_that_does_not_fit_is_told_to_nobody(seat):
    seat.play(Turn(0), 0.0)
    with pytest.raises(ValueError, match="fly is not legal"):
        seat.play(Turn(1, (parse_term("fly"), CHOICES[0])), 0.0)
    assert seat._companion.told == [("observe", 0)]


def test_only_the_agent_proper_thinks_on_others_time(seat):
    seat.play(Turn(0), time.monotonic() + 0.1)
    seat.ponder(lambda: False)
    companion = seat._companion
    assert ("ponder",) not in companion.told
    companion.ready = True
    companion.answer = CHOICES[0]
    seat.play(SECOND, time.monotonic() + 0.1)
    seat.ponder(lambda: False)
    assert companion.told[-1] == ("ponder",)


def test_a_real_process_takes_over_and_dies():
    agent = NoRoom()
    agent.start(parse_program(DUEL), "left", play_seconds=1.0, deadline=time.monotonic() + PATIENT, seed=1)
    try:
        assert agent.play(Turn(0), time.monotonic() + 0.3) in CHOICES
        assert agent._stand_in.handed_over
        agent.ponder(lambda: False)  # goes on in the other process, which hears of the next turn all the same
        agent.observe(SECOND)
        assert agent._stand_in._companion.wait(time.monotonic() + PATIENT)
        os.kill(agent._stand_in._companion.pid, signal.SIGKILL)
        assert agent.play(THIRD, time.monotonic() + 0.3) in CHOICES
    finally:
        agent.stop()


async def test_behind_a_server_ready_in_time_and_hidden_information():
    async with serving("tests.agents.no_room:NoRoom") as server:
        await server.player.prepared()
        assert await post(server, start(COIN, "guesser", clocks=(1, 30))) == "ready"
        assert await post(server, "(PLAY m1 0 NIL NIL)", seconds=40) == "noop"
        assert await post(server, "(PLAY m1 1 noop NIL)", seconds=40) == "peek"
        assert await post(server, "(PLAY m1 2 peek (tails))", seconds=40) == "(name tails)"
        assert await post(server, "(STOP m1 3 (name tails) NIL)") == "done"
    assert not [p for p in psutil.Process().children(recursive=True) if "companion" in " ".join(p.cmdline())]
