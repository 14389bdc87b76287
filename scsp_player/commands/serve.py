"""``scsp-player serve``: be a player that game managers can call."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import resource
import signal
import sys
import tempfile
from enum import StrEnum
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.protocol import PlayerServer
    from scsp_player.protocol.supervision import Before

LOG = logging.getLogger("scsp_player.protocol")

LOG_FILE = "serve.log"
"""Name of the log in the data folder."""


class LogFormat(StrEnum):
    """Form of log lines."""

    TEXT = "text"
    JSON = "json"


PATIENCE_SECONDS = 5.0
"""Time for engines to start before the user is told why it takes long."""

SUPERVISOR_SECONDS = 1.0
"""How often the server looks whether its supervisor is still there, where the system does not tell."""

HOPELESS = 3
"""After so many early ends in succession, whatever match was being played is given up."""


def command(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes any free one.", min=0, max=65535)] = 9147,
    agent: Annotated[str, typer.Option(help="Which agent plays; see the command agents.")] = "mac-ucb",
    name: Annotated[str, typer.Option(help="Name told to managers that ask for it.")] = "scsp-player",
    margin: Annotated[float, typer.Option(help="Seconds before the end of a clock at which the answer leaves.", min=0.0)] = 0.5,
    seed: Annotated[int | None, typer.Option(help="Makes the agent's choices repeatable.")] = None,
    matches: Annotated[int, typer.Option(help="Matches played at a time; to others the player is busy.", min=1)] = 1,
    grace: Annotated[float, typer.Option(help="Seconds of silence after which a match is given up.", min=0.0)] = 60.0,
    memory: Annotated[float | None, typer.Option(help="Gigabytes for each engine; by default a share of what there is.")] = None,
    nice: Annotated[int, typer.Option(help="How far engines stand back behind other processes.", min=0, max=19)] = 0,
    cores: Annotated[int, typer.Option(help="Processor cores for each match's engine; 0 lets all engines use all.", min=0)] = 0,
    ponder: Annotated[bool, typer.Option(help="Think on the others' time too.")] = True,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder for the database of matches and the log file serve.log.", file_okay=False)
    ] = None,
    log_format: Annotated[LogFormat, typer.Option(help="Lines for people, or one JSON object each.")] = LogFormat.TEXT,
    json_output: Annotated[bool, typer.Option("--json", help="Say where it listens as a JSON object.")] = False,
    parent: Annotated[int | None, typer.Option(help="End when this process is no longer the parent.", hidden=True)] = None,
) -> None:
    """Wait for game managers over HTTP and play the matches that they start, until interrupted.

    Should the serving process be killed or crash, it is started again at once, connections wait meanwhile, and matches go on. With
    `--data-dir` every match is kept, and one that was being played goes on even if everything has ended and is started again.

    Example: `scsp-player serve --port 9147 --agent mac-ucb --margin 1.5 --data-dir matches`
    """
    from scsp_player.protocol import EngineLimits, PlayerServer, PlayerSettings, ProtocolError, Timing
    from scsp_player.protocol.engine_limits import default_memory
    from scsp_player.protocol.listening import inherited_listeners
    from scsp_player.protocol.supervision import supervise

    _log_to_screen(log_format)
    _allow_many_connections()
    limits = EngineLimits(default_memory(matches) if memory is None else int(memory * 2**30), nice, cores, ponder)
    timing = Timing(margin=margin, grace=grace)
    with tempfile.TemporaryDirectory(prefix="scsp-player-", ignore_cleanup_errors=True) as passing:
        archive = data_dir or Path(passing)
        if data_dir is not None:
            _require_writable(data_dir)
        try:
            settings = PlayerSettings(agent, name, seed, timing, matches, limits, archive, keep=data_dir is not None)
            server = PlayerServer(settings, host, port, listeners=inherited_listeners())
            server.listen()
        except ProtocolError as error:
            print(f"scsp-player: {error}", file=sys.stderr)
            raise typer.Exit(2) from None
        supervisor = os.getpid()

        def serve(before: Before) -> int:
            _log_to_file(data_dir, log_format)
            return _serve(server, before, supervisor, json_output)

        status = supervise(serve, wanted=lambda: parent is None or os.getppid() == parent)
    raise typer.Exit(status)


def _serve(server: PlayerServer, before: Before, supervisor: int, json_output: bool) -> int:
    """Serve until told to stop; the exit status."""
    from scsp_player.protocol import ProtocolError
    from scsp_player.protocol.events import tell

    if before.ending:
        text = f"the server has ended ({before.ending}) and is started again"
        tell(LOG, logging.ERROR, "restart", text, ending=before.ending, early=before.early)
    server.resumes = before.early < HOPELESS
    try:
        asyncio.run(_serve_until_stopped(server, supervisor, json_output))
    except ProtocolError as error:
        print(f"scsp-player: {error}", file=sys.stderr)
        return 2
    return 0


async def _serve_until_stopped(server: PlayerServer, supervisor: int, json_output: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with server:
        agent = server.player.settings.agent
        await _prepared(server, stop)
        print(
            json.dumps({"url": server.url, "agent": agent}) if json_output else f"{agent} listens on {server.url} (Ctrl-C ends it)",
            flush=True,
        )
        while os.getppid() == supervisor and not stop.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), SUPERVISOR_SECONDS)


async def _prepared(server: PlayerServer, stop: asyncio.Event) -> None:
    """Wait for the engines, saying so if it takes long; the server answers meanwhile."""
    waiting = asyncio.ensure_future(server.player.prepared())
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait([waiting, stopping], timeout=PATIENCE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done() and not stop.is_set():
        print("getting ready; kernels that have to be compiled are kept for the next time", file=sys.stderr, flush=True)
        await asyncio.wait([waiting, stopping], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    stopping.cancel()


def _allow_many_connections() -> None:
    """As many open files as the system lets this process have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65536 if hard == resource.RLIM_INFINITY else min(hard, 65536)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _log_to_screen(log_format: LogFormat) -> None:
    """Warnings go to standard error, and everything if it is JSON."""
    screen = logging.StreamHandler()
    screen.setLevel(logging.INFO if log_format is LogFormat.JSON else logging.WARNING)
    screen.setFormatter(_form(log_format))
    logging.basicConfig(level=logging.INFO, handlers=[screen])


def _require_writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOG_FILE).open("a"):
            pass
    except OSError as error:
        print(f"scsp-player: cannot write to {folder}: {error.strerror} (choose another --data-dir)", file=sys.stderr)
        raise typer.Exit(2) from None


def _log_to_file(folder: Path | None, log_format: LogFormat) -> None:
    """Everything goes to the log file, if there is a folder for one. Only one process may do so: the file is renamed when full."""
    if folder is not None:
        log_file = RotatingFileHandler(folder / LOG_FILE, maxBytes=10_000_000, backupCount=5, encoding="utf-8")
        log_file.setFormatter(_form(log_format))
        logging.getLogger().addHandler(log_file)


def _form(log_format: LogFormat) -> logging.Formatter:
    from scsp_player.protocol.events import JsonLines

    return JsonLines() if log_format is LogFormat.JSON else logging.Formatter("%(asctime)s %(levelname)s %(message)s")


if __name__ == "__main__":
    typer.run(command)
