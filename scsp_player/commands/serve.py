"""``scsp-player serve``: be a player that game managers can call."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.protocol import PlayerServer

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
    data_dir: Annotated[Path | None, typer.Option(help="Folder for the log file serve.log.", file_okay=False)] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Say where it listens as a JSON object.")] = False,
    parent: Annotated[int | None, typer.Option(help="End when this process is no longer the parent.", hidden=True)] = None,
) -> None:
    """Wait for game managers over HTTP and play the matches that they start, until interrupted.

    Example: `scsp-player serve --port 9147 --agent mac-ucb --margin 1.5`
    """
    from scsp_player.protocol import PlayerServer, PlayerSettings, ProtocolError, Timing

    _log_to(data_dir)
    settings = PlayerSettings(agent, name, seed, Timing(margin=margin))
    try:
        server = PlayerServer(settings, host, port)
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


def _log_to(folder: Path | None) -> None:
    """Warnings go to standard error, everything to the log file if there is a folder for one."""
    form = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    screen = logging.StreamHandler()
    screen.setLevel(logging.WARNING)
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
