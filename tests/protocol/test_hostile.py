"""Floods, bombs and dribbles against a server with scripted engines, and what watches over it."""

import asyncio
import json
import logging
import time
import tracemalloc

import pytest

from scsp_player.protocol.events import JsonLines
from scsp_player.protocol.messages import Abort, Play, Start, parse_long_message
from scsp_player.protocol.server import WAITING_CONNECTIONS
from tests.protocol.fakes import body_of, fake_server, only, post, post_bytes, raw, slow, status_of
from tests.protocol.games import DUEL, start
from tests.protocol.test_cases import AVAILABLE, BUSY, until


@pytest.fixture
async def server(monkeypatch):
    async with fake_server(monkeypatch) as server:
        yield server


async def test_several_matches_at_a_time(monkeypatch):
    async with fake_server(monkeypatch, matches=2) as server:
        assert await post(server, start(DUEL, "left", match="m1")) == "ready"
        assert await post(server, "(INFO)") == AVAILABLE
        assert await post(server, start(DUEL, "right", match="m2")) == "ready"
        assert await post(server, "(INFO)") == BUSY
        assert await post(server, start(DUEL, "left", match="m3")) == "busy"
        assert await asyncio.gather(post(server, "(PLAY M2 NIL)"), post(server, "(PLAY m1 NIL)")) == ["go", "go"]
        assert await post(server, "(STOP m1 NIL)") == "done"
        assert await post(server, "(PLAY m1 NIL)") == "busy"
        assert await post(server, start(DUEL, "left", match="m3")) == "ready"
        assert sorted(server.player.matches) == ["m2", "m3"]


@pytest.mark.parametrize(
    "bomb", ["(" * 30_000, "(PLAY m1 " + "(" * 30_000 + ")" * 30_000 + ")", "(PLAY m1 (" + "(a)" * 30_000 + "))", ")" * 30_000]
)
async def test_deep_and_long_messages_take_little_memory(server, bomb):
    await post(server, start(DUEL, "left"))
    tracemalloc.start()
    try:
        answer = await raw(server.port, post_bytes(bomb), half_close=True, seconds=20)
        assert tracemalloc.get_traced_memory()[1] < 40 * len(bomb)
    finally:
        tracemalloc.stop()
    assert status_of(answer) in (200, 400)
    assert await post(server, "(INFO)") == BUSY


def test_long_messages_are_read_without_their_lists():
    filler = "(rule ; with (a comment\n (of many (words)))" * 2000
    message = parse_long_message(f"; first\n(start M1 R ({filler}) 10 5)")
    assert message == Start("M1", "R", (), 10, 5)
    assert parse_long_message(f"START M1 R ({filler}) 10 5") == message
    play = parse_long_message(f"(PLAY m1 3 (mark 1 2) ({filler}))")
    assert isinstance(play, Play)
    assert (play.match, play.turn) == ("m1", 3)
    assert parse_long_message(f"(ABORT m1 ({filler}))") == Abort("m1")


async def test_a_length_that_is_too_short_is_no_quadratic_work(server):
    text = "(PREVIEW (" + "(fact 1)" * 100_000 + ") 10)"
    begun = time.process_time()
    assert body_of(await raw(server.port, f"POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\n{text}".encode(), seconds=60)) == "ready"
    assert time.process_time() - begun < 20


async def test_many_idle_connections_and_one_that_is_slow(monkeypatch):
    async with fake_server(monkeypatch, agent=slow) as server:
        await post(server, start(DUEL, "left", clocks=(10, 2)))
        _, patient = await asyncio.open_connection("127.0.0.1", server.port)
        patient.write(b"POST / HTTP/1.0\r\n")  # has begun to speak, so silent ones go first
        idle = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(600)]
        begun = time.monotonic()
        pending = asyncio.create_task(post(server, "(PLAY m1 NIL)"))
        assert await post(server, "(INFO)") == BUSY
        assert await pending == "go"
        assert time.monotonic() - begun < 2
        assert len(server._waiting) <= WAITING_CONNECTIONS
        assert any(server._waiting.values())
        for _, writer in [*idle, (None, patient)]:
            writer.close()


async def test_what_watches_over_the_server(server):
    await post(server, start(DUEL, "left"))
    await post(server, "(PLAY m1 NIL)")
    await raw(server.port, post_bytes("garbage"))
    assert body_of(await raw(server.port, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")) == "ok\n"
    text = body_of(await raw(server.port, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"))
    assert 'scsp_player_messages_total{verb="PLAY"} 1\n' in text
    assert 'scsp_player_replies_total{source="agent"} 1\n' in text
    assert "scsp_player_refused_total 1\n" in text
    assert "scsp_player_matches 1\n" in text
    assert 'scsp_player_reply_seconds_bucket{le="+Inf"} 1\n' in text
    assert float(text.partition("gauge\nscsp_player_resident_bytes ")[2].split()[0]) > 1e6


async def test_log_lines_for_programs(server, caplog):
    caplog.set_level(logging.INFO)
    await post(server, start(DUEL, "left"))
    await post(server, "(PLAY m1 NIL)")
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    [reply] = [line for line in lines if line["event"] == "reply"]
    assert (reply["match"], reply["turn"], reply["move"], reply["source"], reply["level"]) == ("m1", 0, "go", "agent", "info")
    assert reply["text"].startswith("match m1 turn 0: go after ")


async def test_the_margin_follows_delays(monkeypatch):
    async with fake_server(monkeypatch, agent=slow) as server:
        server.player.margin.note(0.6)
        await post(server, start(DUEL, "left", clocks=(10, 2)))
        begun = time.monotonic()
        assert await post(server, "(PLAY m1 NIL)") == "go"
        assert time.monotonic() - begun < 1.6  # the configured margin is 0.5
        await until(lambda: len(server.player.margin._delays) == 2)
        assert only(server).turns == 1


async def test_a_question_again_that_is_no_next_turn(monkeypatch):
    def choosy(engine, order):
        if order["do"] == "start":
            engine.say(event="started")
        elif order["turn"] and "NIL" in order["message"]:
            engine.say(event="rejected", turn=order["turn"], text="no moves")
        else:
            engine.say(event="move", turn=order["turn"], move="go")

    async with fake_server(monkeypatch, agent=choosy, guard=choosy) as server:
        await post(server, start(DUEL, "left"))
        assert [await post(server, "(PLAY m1 NIL)") for _ in range(3)] == ["go"] * 3
        assert only(server).turns == 1
