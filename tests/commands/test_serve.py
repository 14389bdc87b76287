"""``serve`` as a program: where it listens, what stops it, what it refuses."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
import typer
from typer.testing import CliRunner

from scsp_player.commands import serve

ROOT = Path(__file__).resolve().parents[2]
SERVE = (sys.executable, "-m", "scsp_player.commands.serve", "--agent", "legal")


@pytest.fixture(autouse=True)
def from_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def refused(*arguments):
    app = typer.Typer()
    app.command()(serve.command)
    done = CliRunner().invoke(app, ["--agent", "legal", *arguments])
    assert done.exit_code == 2
    return done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serves_until_it_is_told_to_stop(number, tmp_path):
    arguments = [*SERVE, "--port", "0", "--json", "--name", "Zoe", "--data-dir", str(tmp_path / "new")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            said = json.loads(server.stdout.readline())
            assert said["agent"] == "legal"
            with urlopen(said["url"] + "/(INFO)", timeout=20) as answer:
                assert answer.read() == b"((name Zoe) (status available))"
            server.send_signal(number)
            assert server.wait(20) == 0
            patience = "getting ready; kernels that have to be compiled are kept for the next time\n"
            assert server.stderr.read().replace(patience, "") == ""
            assert (tmp_path / "new" / "matches.sqlite").exists()
            assert (tmp_path / "new" / "serve.log").exists()
        finally:
            server.kill()


def test_ends_when_its_starter_is_gone():
    arguments = [*SERVE, "--port", "0", "--parent", str(os.getppid())]  # whoever that is, it did not start this
    assert subprocess.run(arguments, capture_output=True, timeout=60).returncode == 0


def test_p17_taken_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        text = refused("--port", port)
    assert f"cannot listen on 127.0.0.1, port {port}" in text
    assert "--port" in text


def test_unusable_options(tmp_path):
    assert "there is no agent called nobody; there are mac-ucb" in refused("--agent", "nobody")
    assert "cannot listen on host.invalid" in refused("--host", "host.invalid")
    (tmp_path / "file").write_text("")
    assert "cannot write to" in refused("--data-dir", str(tmp_path / "file" / "sub"))
    refused("--margin", "-1")
    refused("--port", "70000")
