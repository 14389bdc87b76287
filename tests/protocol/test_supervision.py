"""What becomes of a server that ends, one way or another."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, signal, sys, time
from scsp_player.protocol.supervision import supervise

def serve(before):
    print(before.early, before.ending or "first", flush=True)
    {body}

print("status", supervise(serve, wanted=lambda: {wanted}), flush=True)
"""


def begin(body, wanted="True"):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(body=body, wanted=wanted)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
    )


def lines_of(body, **options):
    with begin(body, **options) as process:
        said, errors = process.communicate(timeout=60)
    return said.splitlines(), errors


@pytest.mark.parametrize("status", [0, 2])
def test_an_end_in_order_and_a_refusal_are_final(status):
    assert lines_of(f"return {status}") == (["0 first", f"status {status}"], "")


def test_a_first_server_that_fails_is_not_started_again():
    lines, errors = lines_of("raise OSError('no such thing')")
    assert lines == ["0 first", "status 1"]
    assert "no such thing" in errors


def test_killed_servers_are_started_again_and_early_ends_are_counted():
    lines, _ = lines_of("return 0 if before.early == 3 else os.kill(os.getpid(), signal.SIGKILL)")
    killed = "killed by signal 9"
    assert lines == ["0 first", f"1 {killed}", f"2 {killed}", f"3 {killed}", "status 0"]


def test_later_failures_are_no_reason_to_give_up():
    body = "return {0: lambda: os.kill(os.getpid(), signal.SIGSEGV), 1: lambda: 7, 2: lambda: 0}[before.early]()"
    assert lines_of(body)[0] == ["0 first", "1 killed by signal 11", "2 status 7", "status 0"]


def test_a_server_that_has_lived_long_enough_counts_from_nothing():
    body = "import scsp_player.protocol.supervision as s; return 0 if before.ending else os.kill(os.getpid(), signal.SIGKILL)"
    script = SCRIPT.format(body=body, wanted="True").replace("def serve", "import scsp_player.protocol.supervision as s\n"
        "s.EARLY_SECONDS = 0\ndef serve")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == ["0 first", "0 killed by signal 9", "status 0"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_to_stop_are_passed_on(number):
    with begin("signal.signal(signal.SIGTERM, lambda *_: os._exit(0)); time.sleep(60)") as process:
        assert process.stdout.readline() == "0 first\n"
        process.send_signal(number)
        rest = process.stdout.read()
        assert process.wait(30) == 0
    # Whoever has no handler for the signal is killed by it, which is no reason to start it again.
    assert rest in (["status 0\n", "status 1\n"] if number == signal.SIGTERM else ["status 1\n"])


def test_a_server_that_is_not_wanted_any_more_is_told_to_end():
    lines, _ = lines_of("signal.signal(signal.SIGTERM, lambda *_: os._exit(0)); time.sleep(60)", wanted="False")
    assert lines[-1] in ("status 0", "status 1")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has ended")
def test_a_server_is_killed_with_its_supervisor():
    with begin("print(os.getpid(), flush=True); time.sleep(60)") as process:
        assert process.stdout.readline() == "0 first\n"
        assert int(process.stdout.readline()) != process.pid
        process.kill()
        process.wait()
        assert process.stdout.read() == ""  # nobody holds the other end any more
