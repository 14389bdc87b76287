"""``scsp-player serve``: be a player that game managers can call."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import resource
import signal
import sys
from enum import StrEnum
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.protocol import PlayerServer


class LogFormat(StrEnum):
    """Form of log lines."""

    TEXT = "text"
    JSON = "json"


PATIENCE_SECONDS = 5.0
"""Time for engines to start before the user is told why it takes long."""

PARENT_SECONDS = 1.0
"""How often a player that was started for an occasion looks whether its starter is still there."""


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

    With `--data-dir` every match is kept, and one that was being played when the server ended goes on when it is started again.

    Example: `scsp-player serve --port 9147 --agent mac-ucb --margin 1.5 --data-dir matches`
    """
    from scsp_player.protocol import EngineLimits, PlayerServer, PlayerSettings, ProtocolError, Timing
    from scsp_player.protocol.engine_limits import default_memory
    from scsp_player.protocol.server import inherited_listener

    _log_to(data_dir, log_format)
    _allow_many_connections()
    limits = EngineLimits(default_memory(matches) if memory is None else int(memory * 2**30), nice, cores, ponder)
    try:
        settings = PlayerSettings(agent, name, seed, Timing(margin=margin, grace=grace), matches, limits, data_dir)
        server = PlayerServer(settings, host, port, listener=inherited_listener())
        asyncio.run(_serve(server, json_output, parent))
    except ProtocolError as error:
        print(f"scsp-player: {error}", file=sys.stderr)
        raise typer.Exit(2) from None


async def _serve(server: PlayerServer, json_output: bool, parent: int | None) -> None:
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
        while parent is not None and os.getppid() == parent and not stop.is_set():
            try:
                await asyncio.wait_for(stop.wait(), PARENT_SECONDS)
            except TimeoutError:
                continue
        if parent is None:
            await stop.wait()


async def _prepared(server: PlayerServer, stop: asyncio.Event) -> None:
    """Wait for the engines, saying so if it takes long; the server answers meanwhile."""
    waiting = asyncio.ensure_future(server.player.prepared())
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait([waiting, stopping], timeout=PATIENCE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done() and not stop.is_set():
        print("compiling kernels; they are kept for the next time", file=sys.stderr, flush=True)
        await asyncio.wait([waiting, stopping], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    stopping.cancel()


def _allow_many_connections() -> None:
    """As many open files as the system lets this process have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65536 if hard == resource.RLIM_INFINITY else min(hard, 65536)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _log_to(folder: Path | None, log_format: LogFormat) -> None:
    """Everything goes to the log file if there is a folder for one; to standard error go warnings, and everything if it is JSON."""
    from scsp_player.protocol.events import JsonLines

    form = JsonLines() if log_format is LogFormat.JSON else logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    screen = logging.StreamHandler()
    screen.setLevel(logging.INFO if log_format is LogFormat.JSON else logging.WARNING)
    handlers: list[logging.Handler] = [screen]
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handlers.append(RotatingFileHandler(folder / "serve.log", maxBytes=10_000_000, backupCount=5, encoding="utf-8"))
        except OSError as error:
            print(f"scsp-player: cannot write to {folder}: {error.strerror} (choose another --data-dir)", file=sys.stderr)
            raise typer.Exit(2) from None
    for handler in handlers:
        handler.setFormatter(form)
    logging.basicConfig(level=logging.INFO, handlers=handlers)


if __name__ == "__main__":
    typer.run(command)
