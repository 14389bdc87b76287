"""The record of matches: what is on disk when a reply leaves, what an ailing disk costs, what the next server takes up."""

import asyncio
import sqlite3
import time

import pytest

from scsp_player.protocol import ProtocolError, archive
from scsp_player.protocol.archive import FILE, Archive, Past, connect
from tests.protocol.fakes import fake_server, only, post, prompt, slow
from tests.protocol.games import DUEL, start

NEXT = "(PLAY m1 ((choose 1) (choose 2)))"


def rows(folder, statement):
    database = connect(folder / FILE, read_only=True)
    try:
        return database.execute(statement).fetchall()
    finally:
        database.close()


async def test_everything_is_on_disk_when_the_reply_has_come(monkeypatch, tmp_path):
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        assert await post(server, start(DUEL, "Left")) == "ready"
        assert await post(server, "(PLAY m1 NIL)") == "go"
        assert rows(tmp_path, "SELECT name, role, start_clock, play_clock, agent, outcome FROM matches") == [
            ("m1", "Left", 10, 5, "legal", "running")
        ]
        assert rows(tmp_path, "SELECT verb, turn, text, reply, source FROM messages WHERE turn >= 0") == [
            ("PLAY", 0, "(PLAY m1 NIL)", "go", "agent")
        ]
        assert await post(server, "(STOP m1 ((choose 1) (choose 2)))") == "done"
        assert rows(tmp_path, "SELECT outcome, ended > 0 FROM matches") == [("done", 1)]
        assert rows(tmp_path, "SELECT reply FROM messages ORDER BY id DESC LIMIT 1") == [("done",)]


async def test_the_next_server_takes_a_match_up(monkeypatch, tmp_path):
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        await post(server, start(DUEL, "left"))
        for text in ("(PLAY m1 NIL)", NEXT):
            assert await post(server, text) == "go"
        seed = only(server).seed
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        match = only(server)
        assert (match.name, match.turns, match.seed) == ("m1", 2, seed)
        assert await post(server, NEXT) == "go"
        orders = server.player._pool.engines[0].orders
        assert [(order["do"], order.get("turn"), order.get("replied")) for order in orders] == [
            ("start", None, None),
            ("observe", 0, None),
            ("observe", 1, "go"),
            ("play", 2, "go"),
        ]
        assert orders[1]["message"] == "(PLAY m1 NIL)"
        await post(server, "(ABORT m1)")
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        assert only(server) is None


async def test_a_match_nobody_asks_for_again_gives_way(monkeypatch, tmp_path):
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        await post(server, start(DUEL, "left"))
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        assert await post(server, start(DUEL, "left", match="m2")) == "ready"
        assert await post(server, start(DUEL, "left", match="m3")) == "busy"
        assert [row[0] for row in rows(tmp_path, "SELECT outcome FROM matches")] == ["expired", "running"]


async def test_a_server_that_died_too_often_gives_its_matches_up(monkeypatch, tmp_path):
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        await post(server, start(DUEL, "left"))
    async with fake_server(monkeypatch, archive=tmp_path, resumes=False) as server:
        assert only(server) is None
    assert rows(tmp_path, "SELECT outcome FROM matches") == [("expired",)]


async def test_a_passing_archive_keeps_only_what_is_being_played(monkeypatch, tmp_path):
    async with fake_server(monkeypatch, archive=tmp_path, keep=False) as server:
        await post(server, start(DUEL, "left"))
        assert await post(server, "(PLAY m1 NIL)") == "go"
    async with fake_server(monkeypatch, archive=tmp_path, keep=False) as server:
        assert only(server).turns == 1
        assert await post(server, "(STOP m1 ((choose 1) (choose 2)))") == "done"
    assert rows(tmp_path, "SELECT (SELECT count(*) FROM matches) + (SELECT count(*) FROM messages)") == [(0,)]


async def test_a_match_of_yesterday_is_not_taken_up(monkeypatch, tmp_path):
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        await post(server, start(DUEL, "left"))
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 86400)
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        assert only(server) is None


async def test_an_answered_number_is_answered_alike_after_a_restart(monkeypatch, tmp_path):
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        await post(server, start(DUEL, "left"))
        assert await post(server, "(PLAY m1 0 NIL NIL)") == "go"
    async with fake_server(monkeypatch, agent=slow, archive=tmp_path) as server:
        assert await post(server, "(PLAY m1 0 NIL NIL)") == "go"
        assert only(server).turns == 1


async def test_a_full_disk_costs_nothing_but_time_for_the_record(monkeypatch, tmp_path):
    monkeypatch.setattr(archive, "RETRY_SECONDS", 0.05)
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        store = server.player.archive
        pages = store._database.execute("PRAGMA page_count").fetchone()[0]
        store._database.execute(f"PRAGMA max_page_count = {pages}")
        filler = " ".join(f"(fact {i})" for i in range(2000))  # more than is free in the pages that are there
        assert await post(server, start(DUEL + filler, "left")) == "ready"
        assert await post(server, "(PLAY m1 NIL)") == "go"
        assert store.failures
        assert store.pending
        store._database.execute("PRAGMA max_page_count = 100000")  # somebody has made room
        assert await post(server, NEXT) == "go"
        assert await store.settle(10)
    assert [row[0] for row in rows(tmp_path, "SELECT reply FROM messages WHERE turn >= 0")] == ["go", "go"]


async def test_a_disk_that_hangs_delays_no_reply(monkeypatch, tmp_path):
    async with fake_server(monkeypatch, archive=tmp_path) as server:
        await post(server, start(DUEL, "left", clocks=(10, 1)))
        store = server.player.archive
        blocker = sqlite3.connect(store.path, isolation_level=None)
        blocker.execute("BEGIN EXCLUSIVE")
        begun = time.monotonic()
        assert await post(server, "(PLAY m1 NIL)") == "go"
        assert time.monotonic() - begun < 1
        assert store.pending
        blocker.execute("ROLLBACK")
        blocker.close()
        assert await store.settle(10)


async def test_the_calendar_may_jump(monkeypatch, tmp_path):
    async with fake_server(monkeypatch, agent=slow, archive=tmp_path) as server:
        await post(server, start(DUEL, "left", clocks=(10, 1)))
        now = time.time
        for jump in (1e6, -1e6):
            monkeypatch.setattr(time, "time", lambda jump=jump: now() + jump)
            begun = time.monotonic()
            assert await post(server, "(PLAY m1 NIL)" if jump > 0 else NEXT) == "go"
            assert 0.3 < time.monotonic() - begun < 1
    async with fake_server(monkeypatch, agent=prompt, archive=tmp_path) as server:
        assert only(server).turns == 2


def test_what_can_never_be_written_does_not_hold_up_the_rest(tmp_path):
    store = Archive(tmp_path)
    store.reply(1, "\ud800", "agent", 0.1, {})
    key = store.begin("m", "r", "(START)", (1, 1), "legal", 1)
    store.message(key, "PLAY", 3, 0, "(PLAY)")
    store.close()
    assert store.lost == 1
    again = Archive(tmp_path)
    [found] = again.unfinished()
    assert found.past == (Past("(PLAY)", 3, None),)
    again.close()


def test_memory_for_what_cannot_be_written_is_bounded(monkeypatch, tmp_path):
    monkeypatch.setattr(archive, "UNWRITTEN_BYTES", 5000)
    store = Archive(tmp_path)
    blocker = sqlite3.connect(store.path, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    for number in range(50):
        store.message(1, "PLAY", None, number, "x" * 300)
    assert len(store._rows) < 15
    assert store.lost > 30
    blocker.execute("ROLLBACK")
    blocker.close()
    store.close()


def test_folders_that_cannot_be_used(tmp_path):
    store = Archive(tmp_path)
    with pytest.raises(ProtocolError, match="another server uses"):
        Archive(tmp_path)
    store.close()
    (tmp_path / "file").write_text("")
    with pytest.raises(ProtocolError, match="cannot write to"):
        Archive(tmp_path / "file" / "sub")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / FILE).write_text("no database " * 1000)
    with pytest.raises(ProtocolError, match="move it away"):
        Archive(broken)


async def test_waiting_ends_when_time_is_up(tmp_path):
    store = Archive(tmp_path)
    with store._changed:  # the writer cannot even begin
        store._put += 1
    assert not await store.settle(0.01)
    store._put -= 1
    await asyncio.to_thread(store.close)
