"""What peers are known to send, byte by byte, to a server with scripted engines. Numbers P01… name the known cases."""

import asyncio
import gc
import time

import pytest

from scsp_player.protocol import PlayerServer, PlayerSettings, ProtocolError, Timing
from tests.protocol.fakes import body_of, fake_server, only, post, post_bytes, prompt, raw, slow, status_of
from tests.protocol.games import DUEL, start

AVAILABLE = "((name scsp-player) (status available))"
BUSY = "((name scsp-player) (status busy))"
NEXT = "(PLAY m1 ((choose 1) (choose 2)))"


@pytest.fixture
async def server(monkeypatch):
    async with fake_server(monkeypatch) as server:
        yield server


@pytest.fixture
async def thinking(monkeypatch):
    """A server whose agent has reported a move and goes on thinking."""
    async with fake_server(monkeypatch, agent=slow) as server:
        yield server


async def test_an_old_manager_s_request(server):
    request = (
        b"POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMEMASTER\r\nReceiver: X\r\n"
        b"Content-type: text/acl\r\nContent-length: 6\r\n\r\n(INFO)"
    )
    answer = await raw(server.port, request)
    assert answer.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"Content-Type: text/acl\r\n" in answer
    assert f"Content-Length: {len(AVAILABLE)}\r\n".encode() in answer
    assert body_of(answer) == AVAILABLE


async def test_p01_preview(server):
    preview = "( PREVIEW ((role r) (init a)) 10 )"
    assert await post(server, preview) == "ready"
    await post(server, start(DUEL, "left"))
    assert await post(server, preview) == "busy"


@pytest.mark.parametrize("off_by", [-1, 0, 1])
async def test_p02_length_counted_in_characters(server, off_by):
    body = "; né à Orléans\n(INFO)"
    request = f"POST / HTTP/1.0\r\nContent-Length: {len(body) + off_by}\r\n\r\n{body}".encode()
    assert body_of(await raw(server.port, request)) == AVAILABLE


async def test_p03_no_length_and_half_closed(server):
    assert body_of(await raw(server.port, b"POST / HTTP/1.0\r\n\r\n(INFO)", half_close=True)) == AVAILABLE


async def test_p03_no_length_and_left_open(server):
    assert body_of(await raw(server.port, b"POST / HTTP/1.0\r\n\r\n(INFO)")) == AVAILABLE


async def test_p04_message_in_pieces(server):
    text = "(PREVIEW\n ((role r)\r\n (init a))\n 10)\n"
    pieces = [piece.encode() + b" " for piece in text.split(" ")]
    head = f"POST / HTTP/1.0\r\nContent-Length: {sum(map(len, pieces))}\r\n\r\n".encode()
    assert body_of(await raw(server.port, head[:9], head[9:], *pieces, pause=0.05)) == "ready"


async def test_p05_get(server):
    assert body_of(await raw(server.port, b"GET /%28INFO%29 HTTP/1.0\r\n\r\n")) == AVAILABLE
    answer = await raw(server.port, b"GET /(PREVIEW+((role+r))%2010) HTTP/1.1\r\nHost: here\r\n\r\n")
    assert body_of(answer) == "ready"
    assert b"\r\nAccess-Control-Allow-Origin: *\r\n" in answer


async def test_p05_options(server):
    answer = await raw(server.port, b"OPTIONS / HTTP/1.1\r\nHost: here\r\nOrigin: null\r\n\r\n")
    assert status_of(answer) == 200
    for header in (b"Origin: *", b"Methods: POST, GET, OPTIONS", b"Headers: Content-Type"):
        assert b"\r\nAccess-Control-Allow-" + header + b"\r\n" in answer


async def test_p06_empty_post(server):
    assert body_of(await raw(server.port, b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\n\r\n")) == AVAILABLE


async def test_p08_info_while_thinking(thinking):
    await post(thinking, start(DUEL, "left", clocks=(10, 600)))
    pending = asyncio.create_task(post(thinking, "(PLAY m1 NIL)", seconds=30))
    await until(lambda: only(thinking).agent.best)
    assert await post(thinking, "(INFO)") == BUSY
    assert await post(thinking, "(PING)") == "busy"
    assert not pending.done()
    assert await post(thinking, "(ABORT m1)") == "aborted"
    assert await pending == "go"  # an answer for whoever still listens
    assert await post(thinking, "(INFO)") == AVAILABLE


async def test_p09_unknown_match(server):
    for text in ("(PLAY nosuch NIL)", "(STOP nosuch NIL)", "(ABORT nosuch)"):
        assert await post(server, text) == "busy"
    await post(server, start(DUEL, "left"))
    for text in ("(PLAY nosuch NIL)", "(STOP nosuch NIL)", "(ABORT nosuch)"):
        assert await post(server, text) == "busy"
    assert only(server).name == "m1"
    assert await post(server, "(PLAY M1 NIL)") == "go"


async def test_p10_second_match_while_busy(server):
    assert await post(server, start(DUEL, "left")) == "ready"
    assert await post(server, start(DUEL, "left", match="m2")) == "busy"
    assert await post(server, start(DUEL, "right")) == "busy"
    assert await post(server, start(DUEL, "left")) == "ready"  # the very same message again
    assert await post(server, "(PLAY m1 NIL)") == "go"


async def test_p10_silent_manager(monkeypatch):
    async with fake_server(monkeypatch, timing=Timing(grace=0.1)) as server:
        assert await post(server, start(DUEL, "left", clocks=(0.1, 0.1))) == "ready"
        await until(lambda: only(server) is None)
        assert await post(server, "(PLAY m1 NIL)") == "busy"
        assert await post(server, start(DUEL, "left", match="m2", clocks=(10, 0.2))) == "ready"
        assert await post(server, "(PLAY m2 NIL)") == "go"
        await until(lambda: only(server) is None)


async def test_p10_a_silent_manager_gives_way(monkeypatch):
    monkeypatch.setattr("scsp_player.protocol.match.SLOW_MANAGER", 0.1)
    async with fake_server(monkeypatch, timing=Timing(grace=3600)) as server:
        assert await post(server, start(DUEL, "left", clocks=(0.1, 0.1))) == "ready"
        overdue = only(server).overdue
        await until(lambda: time.monotonic() > overdue)
        assert only(server) is not None  # nobody else has asked
        assert await post(server, start(DUEL, "left", match="m2", clocks=(10, 10))) == "ready"
        assert await post(server, "(PLAY m1 NIL)") == "busy"
        assert await post(server, start(DUEL, "left", match="m3")) == "busy"  # m2's manager is not due yet
        assert await post(server, "(PLAY m2 NIL)") == "go"


@pytest.mark.parametrize("stop", ["(STOP m1 NIL)", "(STOP m1)", "(stop m1 ((choose 1) (choose 2)))", "(STOP m1 1 go ())"])
async def test_p11_stop(server, stop):
    await post(server, start(DUEL, "left"))
    await post(server, "(PLAY m1 NIL)")
    assert await post(server, stop) == "done"
    assert only(server) is None
    assert len(server.player._pool.retired) == len(server.player._pool.engines) == 2
    assert await post(server, stop) == "busy"


@pytest.mark.parametrize("seconds", [1, 2])
async def test_p14_short_clocks(thinking, seconds):
    await post(thinking, start(DUEL, "left", clocks=(1, seconds)))
    begun = time.monotonic()
    assert await post(thinking, "(PLAY m1 NIL)") == "go"
    assert time.monotonic() - begun < seconds


async def test_p14_the_clock_runs_from_the_first_byte(thinking):
    await post(thinking, start(DUEL, "left", clocks=(1, 1)))
    request = post_bytes("(PLAY m1 NIL)")
    begun = time.monotonic()
    assert body_of(await raw(thinking.port, *[request[i : i + 10] for i in range(0, len(request), 10)], pause=0.1)) == "go"
    assert time.monotonic() - begun < 1


async def test_p16_old_verbs(server):
    assert await post(server, "(PING)") == "available"
    assert await post(server, "(ANALYZE ((role r)) 5)") == "ready"


async def test_p17_taken_port(server):
    with pytest.raises(ProtocolError, match=f"port {server.port}: .*choose another one"):
        async with PlayerServer(PlayerSettings("legal"), port=server.port):
            pass


async def test_p18_early_ready(server):
    begun = time.monotonic()
    assert await post(server, start(DUEL, "left", clocks=(600, 600))) == "ready"
    assert time.monotonic() - begun < 60


async def test_p22_a_hundred_matches_leave_nothing(server):
    async def matches(count):
        for number in range(count):
            await post(server, start(DUEL, "left", match=f"m{number}"))
            await post(server, f"(PLAY m{number} NIL)")
            await post(server, f"(STOP m{number} NIL)")
        server.player._pool.engines.clear()
        server.player._pool.retired.clear()
        gc.collect()

    await matches(10)
    before = len(gc.get_objects()), len(asyncio.all_tasks())
    await matches(100)
    assert len(gc.get_objects()) < before[0] + 2000
    assert len(asyncio.all_tasks()) == before[1]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("garbage", "<message>:1:1: unknown message garbage"),
        ("(PLAY m1", "<message>:1:1: opening parenthesis without a closing one"),
        ("(PLAY m1))", "<message>:1:10: closing parenthesis"),
        ("(START m1 left ((role left)) soon 5)", "the start clock is soon"),
        ("\0\1\2", "<message>:1:1: the text contains NUL bytes"),
    ],
)
async def test_garbage_is_refused_and_changes_nothing(server, body, complaint):
    await post(server, start(DUEL, "left"))
    answer = await raw(server.port, post_bytes(body))
    assert status_of(answer) == 400
    assert complaint in body_of(answer)
    assert await post(server, "(PLAY m1 NIL)") == "go"


async def test_no_http_at_all(server):
    assert status_of(await raw(server.port, b"(INFO)\n", half_close=True)) == 400
    assert status_of(await raw(server.port, b"DELETE / HTTP/1.1\r\n\r\n")) == 405
    assert await raw(server.port, half_close=True) == b""
    assert await post(server, "(INFO)") == AVAILABLE


async def test_too_long_a_message_is_refused_before_it_is_sent(server):
    answer = await raw(server.port, b"POST / HTTP/1.0\r\nContent-Length: 9999999999\r\n\r\n(START")
    assert status_of(answer) == 413


async def test_slow_and_idle_clients_harm_nobody(monkeypatch):
    async with fake_server(monkeypatch, request_seconds=0.3) as server:
        idle = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(450)]
        dribble = asyncio.create_task(raw(server.port, *[b"P"] * 100, pause=0.02, seconds=5))
        assert await post(server, "(INFO)") == AVAILABLE
        await until(lambda: len(server._waiting) <= 400)
        with pytest.raises(ConnectionError):
            await dribble
        for _, writer in idle:
            writer.close()


async def test_a_client_that_hangs_up_harms_nobody(thinking):
    await post(thinking, start(DUEL, "left", clocks=(10, 600)))
    _, writer = await asyncio.open_connection("127.0.0.1", thinking.port)
    writer.write(post_bytes("(PLAY m1 NIL)"))
    await until(lambda: only(thinking).agent.best)
    writer.transport.abort()
    assert await post(thinking, "(STOP m1 NIL)") == "done"


async def test_a_long_sheet_is_read_while_others_are_answered(server):
    rules = DUEL + "".join(f"(fact {i})" for i in range(5000))
    pending = asyncio.create_task(post(server, start(rules, "left")))
    assert await post(server, "(INFO)") in (AVAILABLE, BUSY)
    assert await pending == "ready"


async def test_closing_the_server_answers_what_is_pending(monkeypatch):
    async with fake_server(monkeypatch, agent=slow, guard=prompt) as server:
        await post(server, start(DUEL, "left", clocks=(10, 600)))
        pending = asyncio.create_task(post(server, "(PLAY m1 NIL)"))
        await until(lambda: only(server).agent.best)
    assert await pending == "go"


async def until(condition, seconds=10.0):
    """Wait for something that is bound to happen."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it has not happened"
        await asyncio.sleep(0.01)
