"""Real engine processes behind a real server, and what happens when they are killed, stopped or wrong."""

import asyncio
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

import psutil
import pytest

from scsp_player.protocol import Address, EngineLimits, PlayerServer, PlayerSettings, Timing
from scsp_player.protocol.archive import FILE, connect
from scsp_player.protocol.engine_pool import EnginePool
from scsp_player.protocol.engine_process import GUARD, EngineProcess, EngineSpec
from tests.protocol.fakes import body_of, only, post, post_bytes, raw
from tests.protocol.games import COIN, DUEL, start
from tests.protocol.test_cases import until

ROOT = Path(__file__).resolve().parents[2]
CHOICES = ("(Choose 1)", "(Choose 2)", "(Choose 3)")
NEXT = "(PLAY m1 ((choose 1) (choose 2)))"


@pytest.fixture(autouse=True)
def nothing_left_behind(monkeypatch):
    """Engines find the agents of the tests, and no process outlives its test."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
    before = set(psutil.Process().children(recursive=True))
    yield
    assert set(psutil.Process().children(recursive=True)) <= before


def serving(agent, **timing):
    return PlayerServer(PlayerSettings(agent, seed=1, timing=Timing(**timing)), port=0)


async def test_a_match_in_upper_case_with_the_engine_killed_and_stopped():
    async with serving("legal", hang_seconds=0.2) as server:
        assert await post(server, start(DUEL, "left", clocks=(60, 2)).upper(), seconds=60) == "ready"
        game = only(server)
        assert await post(server, "(play M1 nil)") == "(CHOOSE 1)"
        os.kill(game.agent.pid, signal.SIGKILL)
        begun = time.monotonic()
        assert await post(server, "(PLAY M1 ((CHOOSE 1) (CHOOSE 2)))") in map(str.upper, CHOICES)
        assert time.monotonic() - begun < 2
        await until(lambda: game.agent.started, 30)
        stopped = game.agent.pid
        os.kill(stopped, signal.SIGSTOP)
        begun = time.monotonic()
        assert await post(server, "(PLAY M1 ((CHOOSE 1) (CHOOSE 2)))") in map(str.upper, CHOICES)
        assert time.monotonic() - begun < 2
        await until(lambda: game.agent.pid not in (stopped, None), 30)
        assert await post(server, "(STOP M1 ((CHOOSE 1) (CHOOSE 2)))") == "done"
        await until(lambda: not psutil.pid_exists(stopped) or psutil.Process(stopped).status() == "zombie")


async def test_an_agent_that_cheats_then_crashes_then_dawdles(caplog):
    async with serving("tests.protocol.agents:Troublemaker") as server:
        assert await post(server, start(DUEL, "right", clocks=(60, 20)), seconds=60) == "ready"
        assert await post(server, "(PLAY m1 NIL)", seconds=30) in CHOICES
        assert "cheat is not legal" in caplog.text
        assert "1 moves for 2 roles" in await post(server, "(PLAY m1 ((choose 1)))", seconds=30)
        assert "jump" in await post(server, "(PLAY m1 ((choose 1) jump))", seconds=30)
        assert await post(server, NEXT, seconds=30) == "(Choose 1)"
        assert "as planned" in caplog.text
        pending = asyncio.create_task(post(server, NEXT, seconds=30))
        agent = only(server).agent
        await until(lambda: agent.best is not None and agent.move is None, 30)
        assert await post(server, "(ABORT m1)") == "aborted"
        assert await pending == "(Choose 1)"


async def test_p15_hidden_information_after_two_sheets_that_cannot_be_played(caplog):
    unsafe = "(role left) (init a) (<= (legal left (go ?x)) (not (true ?x))) (<= terminal (true b)) (goal left 0)"
    before = set(psutil.Process().children())  # other tests of the process may have left helpers of their own
    async with serving("legal") as server:
        assert await post(server, start(DUEL, "middle", clocks=(60, 5)), seconds=60) == "busy"
        assert "no role middle" in caplog.text
        assert await post(server, start(unsafe, "left", clocks=(60, 5)), seconds=60) == "busy"
        assert only(server) is None
        assert len(set(psutil.Process().children()) - before) == 2  # engines that are well go on to the next match
        assert await post(server, start(COIN, "guesser", clocks=(60, 20)), seconds=60) == "ready"
        assert await post(server, "(PLAY m1 0 NIL NIL)", seconds=30) == "noop"
        assert await post(server, "(PLAY m1 1 noop NIL)", seconds=30) == "peek"
        assert await post(server, "(PLAY m1 1 noop NIL)", seconds=30) == "peek"
        assert await post(server, "(PLAY m1 2 peek (tails))", seconds=30) == "(name tails)"
        assert await post(server, "(STOP m1 3 (name tails) NIL)") == "done"


async def test_p14_ready_in_time_before_anything_is_imported():
    async with serving("legal") as server:
        begun = time.monotonic()
        assert await post(server, start(DUEL, "left", clocks=(0.2, 30))) == "ready"
        assert time.monotonic() - begun < 2
        assert await post(server, "(PLAY m1 NIL)", seconds=40) == "(Choose 1)"


async def test_an_engine_out_of_memory_is_answered_for(tmp_path, caplog):
    limits = EngineLimits(memory=1 << 30)
    settings = PlayerSettings("tests.protocol.agents:Hungry", limits=limits, archive=tmp_path, timing=Timing(margin=0.5))
    async with PlayerServer(settings, port=0) as server:
        assert await post(server, start(DUEL, "left", clocks=(60, 10)), seconds=60) == "ready"
        begun = time.monotonic()
        assert await post(server, "(PLAY m1 NIL)", seconds=30) == "(Choose 2)"
        assert time.monotonic() - begun < 10
        assert "MemoryError" in caplog.text
        reader = connect(tmp_path / FILE, read_only=True)
        row = reader.execute("SELECT reply, source, view FROM messages WHERE turn = 0").fetchone()
        reader.close()
        assert row == ("(Choose 2)", "agent so far", '{"value": 61.5}')


async def test_thinking_on_others_time_ends_with_the_next_message(tmp_path, monkeypatch):
    log = tmp_path / "begun"
    monkeypatch.setenv("PONDERER_LOG", str(log))
    monkeypatch.setattr("scsp_player.protocol.engine_process.STOP_SECONDS", 30.0)  # the machine may be busy
    begun = 0

    async def pondering():
        nonlocal begun
        begun += 1
        await until(lambda: log.exists() and log.stat().st_size >= begun, 30)

    settings = PlayerSettings("tests.protocol.agents:Ponderer", archive=tmp_path)
    async with PlayerServer(settings, port=0) as server:
        engines = set()
        for end, reply in [("(STOP m1 ((choose 1) (choose 2)))", "done"), ("(ABORT m1)", "aborted")]:
            assert await post(server, start(DUEL, "left", clocks=(60, 20)), seconds=60) == "ready"
            engines.add(only(server).agent.pid)
            await pondering()
            assert await post(server, "(PLAY m1 NIL)", seconds=30) == "(Choose 1)"
            await pondering()
            assert await post(server, NEXT, seconds=30) == "(Choose 1)"
            await pondering()
            assert await post(server, end) == reply
            await until(lambda: server.player._pool._waiting[EngineSpec(settings.agent)], 30)
    assert len(engines) == 1  # it was told to stop, and heard it
    reader = connect(tmp_path / FILE, read_only=True)
    views = [json.loads(view) for (view,) in reader.execute("SELECT view FROM messages WHERE verb = 'PLAY' AND view != '{}'")]
    reader.close()
    assert views == [{"value": 1.0}, {"value": 2.0}] * 2  # after the start, and after a move


async def test_no_thinking_on_others_time_where_it_is_not_allowed(tmp_path):
    limits = EngineLimits(ponder=False)
    async with PlayerServer(PlayerSettings("tests.protocol.agents:Ponderer", limits=limits), port=0) as server:
        assert await post(server, start(DUEL, "left", clocks=(60, 20)), seconds=60) == "ready"
        assert await post(server, "(PLAY m1 NIL)", seconds=30) == "(Choose 1)"
        assert only(server).agent.view == {"value": 0.0}


async def test_an_engine_that_leaves_after_its_match_is_replaced_before_the_next():
    async with serving("tests.protocol.agents:Threaded") as server:
        assert await post(server, start(DUEL, "left", clocks=(60, 20)), seconds=60) == "ready"
        first = only(server).agent.pid
        assert await post(server, "(ABORT m1)") == "aborted"
        await until(lambda: not psutil.pid_exists(first), 30)
        waiting = server.player._pool._waiting[EngineSpec("tests.protocol.agents:Threaded")]
        await until(lambda: waiting, 30)
        assert waiting[0].pid != first


async def test_a_killed_server_goes_on_where_it_was(tmp_path):
    listener = socket.create_server(("127.0.0.1", 0))  # kept open, as systemd does
    hand_over = (
        f"import os, sys; {listener.fileno()} == 3 or os.dup2({listener.fileno()}, 3); os.environ['LISTEN_PID'] = str(os.getpid());"
        " os.environ['LISTEN_FDS'] = '1'; os.execv(sys.executable, [sys.executable, '-m', *sys.argv[1:]])"
    )

    async def serve():
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", hand_over, "scsp_player.commands.serve"),
            *("--agent", "legal", "--json", "--data-dir", str(tmp_path)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
        )
        return process, Address("127.0.0.1", listener.getsockname()[1])

    async def tell(address, text):
        return body_of(await raw(address.port, post_bytes(text), seconds=60))

    process, address = await serve()
    try:
        assert json.loads(await process.stdout.readline())["url"] == str(address)
        assert await tell(address, start(DUEL, "right", clocks=(60, 20))) == "ready"
        assert await tell(address, "(PLAY m1 NIL)") == "(Choose 1)"
        assert await tell(address, NEXT) == "(Choose 1)"
        process.kill()
        await process.wait()
        info = asyncio.create_task(tell(address, "(INFO)"))
        await asyncio.sleep(0.1)
        process, address = await serve()
        assert await info == "((name scsp-player) (status busy))"
        assert "moves for 2 roles" in await tell(address, "(PLAY m1 ((choose 1)))")
        assert await tell(address, NEXT) == "(Choose 1)"
        assert await tell(address, "(STOP m1 ((choose 1) (choose 2)))") == "done"
        process.terminate()
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        listener.close()
    reader = connect(tmp_path / FILE, read_only=True)
    assert reader.execute("SELECT outcome FROM matches").fetchall() == [("done",)]
    replies = reader.execute("SELECT reply FROM messages WHERE verb = 'PLAY' AND source = 'agent'").fetchall()
    assert replies == [("(Choose 1)",)] * 3
    reader.close()


async def test_an_engine_that_is_idle_too_late_is_still_heard(monkeypatch):
    engine = await EngineProcess.launch(EngineSpec("legal"))
    await engine.prepared()
    engine.order(do="start", message=start(DUEL, "left"), deadline=time.monotonic() + 10, seed=1)
    with monkeypatch.context() as hurry:
        hurry.setattr("scsp_player.protocol.engine_process.STOP_SECONDS", 0.0)
        assert not await engine.reset()
    await until(lambda: engine.listener is None, 10)  # now it has said so
    await engine.close()  # raises whatever ended the reading


async def test_an_engine_that_is_wanted_while_one_turns_out_to_be_unfit():
    spec = EngineSpec("legal")
    pool = EnginePool(spec, GUARD, matches=1, limits=EngineLimits())
    try:
        engine = await pool.take(spec)
        os.kill(engine.pid, signal.SIGSTOP)  # it will not say that it is idle
        pool.retire(engine)
        other = await asyncio.wait_for(pool.take(spec), 20)
        assert other.pid != engine.pid
        pool.retire(other, at_once=True)
    finally:
        await asyncio.wait_for(pool.close(), 20)


async def serve_and_play(*options):
    """A server as a program, with two turns behind it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scsp_player.commands.serve", "--agent", "legal", "--port", "0", "--json", *options),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    port = Address.parse(json.loads(await process.stdout.readline())["url"]).port

    async def tell(text):
        return body_of(await raw(port, post_bytes(text), seconds=60))

    assert await tell(start(DUEL, "right", clocks=(60, 20))) == "ready"
    assert await tell("(PLAY m1 NIL)") == "(Choose 1)"
    return process, tell


@pytest.mark.parametrize("recorded", [True, False])
async def test_whoever_serves_is_started_again_and_misses_nothing(tmp_path, recorded):
    process, tell = await serve_and_play(*(["--data-dir", str(tmp_path)] if recorded else []))
    try:
        for _ in range(2):
            (server,) = psutil.Process(process.pid).children()
            server.kill()
            assert await tell(NEXT) == "(Choose 1)"
        assert await tell("(STOP m1 ((choose 1) (choose 2)))") == "done"
        process.terminate()
        assert await process.wait() == 0
        said = (await process.stderr.read()).decode()
        assert "killed by signal 9" in said
        assert "m1: taken up again after" in said
        assert "Traceback" not in said
        if recorded:
            assert "killed by signal 9" in (tmp_path / "serve.log").read_text()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_engines_end_with_their_server():
    process, _ = await serve_and_play()
    below = psutil.Process(process.pid).children(recursive=True)
    assert len(below) >= 3  # the one that serves, and a match's two engines
    process.kill()
    await process.wait()
    await until(lambda: not any(one.is_running() and one.status() != "zombie" for one in below))
