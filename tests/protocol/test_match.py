"""What the server replies when engines are prompt, late, silent, wrong or gone."""

import asyncio
import time

import pytest

from scsp_player.protocol import thinker
from scsp_player.protocol.engine_process import GUARD
from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.match import Match, Setting
from scsp_player.protocol.messages import parse_message
from scsp_player.protocol.thinker import FALSE_STARTS
from scsp_player.protocol.timing import Margin, Timing
from tests.protocol.fakes import FakePool, prompt, silent, slow
from tests.protocol.games import DUEL, start

SHORT = (0.4, 0.4)


def moves(move, legal=("go", "stay")):
    """A script that plays a move at once and tells what is legal."""

    def script(engine, order):
        if order["do"] == "start":
            engine.say(event="started")
        elif order["do"] == "play":
            engine.say(event="move", turn=order["turn"], move=move, legal=list(legal))

    return script


def rejects(engine, order):
    if order["do"] == "start":
        engine.say(event="started")
    else:
        engine.say(event="rejected", turn=order["turn"], text="1 moves for 2 roles")


def unusable(engine, order):
    engine.say(event="unusable", text="no role")


def dies_at_play(engine, order):
    if order["do"] == "start":
        engine.say(event="started")
    elif order["do"] == "play":
        engine.say(event="ended")


def dies_at_start(engine, order):
    engine.say(event="ended")


def match(agent, guard, *, clocks=SHORT, timing=None):
    text = start(DUEL, "left", clocks=clocks)
    pool = FakePool(legal=agent, random=guard)
    timing = timing or Timing(margin=0.1)
    return Match(parse_message(text), text, time.monotonic(), Setting("legal", pool, Margin(timing), seed=1)), pool


async def play(game, text="(PLAY m1 NIL)"):
    return (await game.play(parse_message(text), text, time.monotonic())).text


async def test_ready_as_soon_as_both_engines_are():
    game, _ = match(prompt, prompt, clocks=(600, 5))
    assert await game.ready()


async def test_p18_ready_in_time_while_engines_still_prepare():
    game, _ = match(silent, silent)
    begun = time.monotonic()
    assert await game.ready()
    assert time.monotonic() - begun < SHORT[0]


async def test_rules_that_cannot_be_played_are_refused():
    game, _ = match(prompt, unusable, clocks=(600, 5))
    assert not await game.ready()


async def test_an_agent_that_cannot_play_is_stood_in_for():
    game, _ = match(unusable, moves("stay"), clocks=(600, 600))
    assert await game.ready()
    assert await play(game) == "stay"


@pytest.mark.parametrize(
    ("agent", "guard", "reply"),
    [
        (moves("go"), moves("stay"), "go"),
        (slow, moves("stay"), "go"),  # the best that was reported
        (silent, moves("stay"), "stay"),
        (moves("fly"), moves("stay"), "stay"),  # illegal
        (moves("go"), silent, "go"),
        (dies_at_play, moves("stay"), "stay"),
        (dies_at_start, moves("stay"), "stay"),
        (silent, silent, "nil"),
    ],
)
async def test_p14_the_reply_leaves_before_the_clock(agent, guard, reply):
    game, _ = match(agent, guard)
    await game.ready()
    begun = time.monotonic()
    assert await play(game) == reply
    assert time.monotonic() - begun < SHORT[1]
    game.close()


async def test_a_guess_is_better_than_nothing():
    def dies(engine, order):
        if order["do"] == "start" or order.get("turn", 9) < 2:
            moves("go", legal=("go", "stay"))(engine, order)

    game, _ = match(dies, dies, clocks=(1, 0.4))
    texts = ["(PLAY m1 NIL)", "(PLAY m1 (go go))", "(PLAY m1 (go stay))"]
    assert [await play(game, text) for text in texts] == ["go", "go", "stay"]
    game.close()


async def test_a_late_move_still_counts_in_the_last_moment():
    def late(engine, order):
        if order["do"] == "start":
            engine.say(event="started")
        else:
            asyncio.get_running_loop().call_later(0.36, lambda: engine.say(event="move", turn=order["turn"], move="go"))

    game, _ = match(late, silent, clocks=(1, 0.6), timing=Timing(margin=0.3))
    assert await play(game) == "go"
    game.close()


async def test_without_perfect_information_the_agent_is_believed():
    game, _ = match(moves("fly"), prompt)
    assert await play(game) == "fly"


async def test_a_dead_engine_is_replaced_and_catches_up():
    game, pool = match([dies_at_play, moves("go")], moves("stay"), clocks=(1, 1))
    assert await play(game) == "go"
    assert await play(game, "(PLAY m1 ((choose 1) (choose 2)))") == "go"
    replacement = next(e for e in pool.engines[::-1] if e.spec != GUARD)
    assert [order["do"] for order in replacement.orders] == ["start", "play", "play"]
    assert replacement.orders[-1]["replied"] == "go"


async def test_an_engine_that_hangs_is_replaced():
    game, pool = match([silent_after_start, moves("go")], moves("stay"), timing=Timing(margin=0.1, hang_seconds=0.05))
    await game.ready()
    assert await play(game) == "stay"
    await asyncio.sleep(0.15)
    assert len(pool.retired) == 1
    assert await play(game, "(PLAY m1 ((choose 1) (choose 2)))") == "go"


async def test_an_engine_that_is_only_slow_is_left_alone_for_a_while(monkeypatch):
    def busy(engine, order):
        if order["do"] == "ping":
            engine.say(event="alive")
        else:
            silent_after_start(engine, order)

    game, pool = match(busy, busy, timing=Timing(margin=0.3, hang_seconds=0.02))
    await game.ready()
    await play(game)
    await asyncio.sleep(0.2)
    assert pool.retired == []
    monkeypatch.setattr(thinker, "OVERRUN", 0.1)
    await asyncio.sleep(0.2)
    assert [engine.spec != GUARD for engine in pool.retired] == [True]
    game.close()


async def test_an_engine_that_hangs_before_it_is_ready_is_replaced(monkeypatch):
    monkeypatch.setattr(thinker, "START_OVERRUN", 0.05)

    def preparing(engine, order):
        if order["do"] == "ping":
            engine.say(event="alive")

    game, pool = match([silent, moves("go")], preparing, clocks=(0.1, 600))
    assert await game.ready()
    await asyncio.sleep(0.4)
    assert [engine.spec != GUARD for engine in pool.retired] == [True]
    assert game.agent.started
    game.close()


def silent_after_start(engine, order):
    if order["do"] == "start":
        engine.say(event="started")


async def test_an_engine_that_never_starts_is_given_up():
    game, pool = match(dies_at_start, moves("stay"), clocks=(600, 600))
    assert await game.ready()
    assert game.agent.lost
    assert sum(engine.spec != GUARD for engine in pool.engines) == FALSE_STARTS
    assert await play(game) == "stay"


async def test_a_message_that_does_not_fit_changes_nothing():
    def choosy(engine, order):
        if order["do"] != "start" and "choose 1" not in order["message"] and "NIL" not in order["message"]:
            engine.say(event="rejected", turn=order["turn"], text="1 moves for 2 roles")
        else:
            moves("go")(engine, order)

    game, pool = match(choosy, choosy, clocks=(600, 600))
    await play(game)
    with pytest.raises(ProtocolError, match="1 moves for 2 roles"):
        await play(game, "(PLAY m1 ((choose 2)))")
    assert await play(game, "(PLAY m1 ((choose 1) (choose 2)))") == "go"
    assert len(pool.engines) == 2
    assert [order["turn"] for order in pool.engines[0].orders if order["do"] == "play"] == [0, 1, 1]


async def test_an_engine_that_took_in_a_void_message_starts_afresh():
    game, pool = match(moves("go"), rejects, clocks=(600, 600))
    with pytest.raises(ProtocolError):
        await play(game)
    assert len(pool.retired) == 1


async def test_a_question_asked_twice_is_answered_once():
    game, pool = match(slow, moves("stay"))
    assert await asyncio.gather(play(game), play(game)) == ["go", "go"]
    assert sum(order["do"] == "play" for engine in pool.engines for order in engine.orders) == 2
    game.close()


async def test_a_turn_number_asked_again_gets_the_same_answer():
    game, pool = match(moves("go"), moves("stay"))
    assert [await play(game, text) for text in ("(PLAY m1 0 NIL NIL)", "(PLAY m1 0 nil ())")] == ["go", "go"]
    assert sum(order["do"] == "play" for engine in pool.engines for order in engine.orders) == 2


async def test_closing_answers_what_is_pending():
    game, _ = match(slow, moves("stay"), clocks=(600, 600))
    pending = asyncio.create_task(play(game))
    while game.agent.best is None:
        await asyncio.sleep(0)
    game.close()
    assert await pending == "go"
