"""The players of a match as the referee deals with them: at an address, or started here for the occasion."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shlex
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from scsp_player.agents.registry import agent_kind
from scsp_player.protocol.client import Address, PeerError, ask, parse_info
from scsp_player.protocol.errors import ProtocolError

COMMAND = "cmd:"
"""Starts the name of a player that is a command to run."""

LOOK_SECONDS = 0.1
"""How often it is tried whether a command listens already."""

LAUNCH_SECONDS = 300.0
"""Time for a player process to open its port."""

INFO_SECONDS = 2.0
"""Time for a player to say whether it is free; old players never answer."""

STOP_SECONDS = 5.0
"""Time for a player process to end before it is killed."""


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody who can be asked for moves.

    Attributes:
        label: what results call it; no two players of a match have the same.
        address: where it listens.
    """

    label: str
    address: Address


def is_address(name: str) -> bool:
    """Whether the name of a player is meant as an address."""
    return name.startswith("http:") or "//" in name.split(" ")[0]


@contextlib.asynccontextmanager
async def seated(
    names: Sequence[str], *, seed: int | None = None, matches: int = 1, ponder: bool = False
) -> AsyncIterator[list[Player]]:
    """The players called ``names``: agents, which are started as HTTP players of their own on this machine, commands, or addresses.

    Agents and commands are ended when the context is left, whatever happens in it.

    Args:
        names: one an agent, ``http://host:port`` or ``cmd:COMMAND LINE`` with ``{port}`` where the command wants its port; the same
            agent or command may come twice.
        seed: seed of the agents; each gets one of its own.
        matches: how many matches each agent has to play at a time.
        ponder: whether agents started here think on each other's time; the processor is then shared by all of them.

    Raises:
        ProtocolError: if a name is none of these, an agent or command does not start, or nobody answers at an address.
    """
    remote = {name: Address.parse(name) for name in names if is_address(name)}
    for name in names:
        if name.startswith(COMMAND):
            _command_line(name, 0)
        elif name not in remote:
            try:
                agent_kind(name)
            except LookupError as error:
                raise ProtocolError(str(error.args[0]), None, "a player elsewhere is named http://host:port") from None
    async with contextlib.AsyncExitStack() as stack:
        launched: list[tuple[asyncio.subprocess.Process | None, int]] = []
        for number, name in enumerate(names):
            port = _free_port() if name.startswith(COMMAND) else 0
            if name in remote:
                launched.append((None, port))
            else:
                own_seed = None if seed is None else seed + number
                words = _command_line(name, port) if port else _agent_line(name, own_seed, matches, ponder)
                launched.append((await stack.enter_async_context(_process(words, told=not port)), port))
        players = []
        for name, label, (process, port) in zip(names, _labels(names), launched, strict=True):
            if process is None:
                await _look_for(remote[name])
                players.append(Player(label, remote[name]))
            elif port:
                players.append(Player(label, await _listening(process, port)))
            else:
                players.append(Player(label, await _address_of(process)))
        yield players


def _labels(names: Sequence[str]) -> list[str]:
    labels: list[str] = []
    for name in names:
        count = sum(label == name or label.startswith(f"{name} (") for label in labels)
        labels.append(f"{name} ({count + 1})" if count else name)
    return labels


async def _look_for(address: Address) -> None:
    """Complain now about an address where nobody is, or is free, rather than play a match without the player."""
    try:
        reply = await ask(address, "(INFO)", INFO_SECONDS)
    except PeerError as error:
        if error.kind == "connection":
            raise ProtocolError(error.text, None, "start the player first, or correct the address") from None
        return
    try:
        available = parse_info(reply.text).available
    except ProtocolError:
        return
    if not available:
        raise ProtocolError(f"the player at {address} is busy", None, "wait until its match is over")


def _agent_line(agent: str, seed: int | None, matches: int, ponder: bool) -> list[str]:
    """How to start an agent as an HTTP player that says on standard output where it listens."""
    return [
        *(sys.executable, "-m", "scsp_player.commands.serve"),
        *("--agent", agent, "--port", "0", "--json", "--matches", str(matches), "--parent", str(os.getpid())),
        "--ponder" if ponder else "--no-ponder",
        *(() if seed is None else ("--seed", str(seed))),
    ]


def _command_line(name: str, port: int) -> list[str]:
    try:
        words = shlex.split(name.removeprefix(COMMAND))
    except ValueError as error:
        raise ProtocolError(f"{name} is no command line: {error}", None, "quote it as for a shell") from None
    if not words or not any("{port}" in word for word in words):
        raise ProtocolError(f"{name} does not say where its port goes", None, "write {port} there") from None
    return [word.replace("{port}", str(port)) for word in words]


def _free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


@contextlib.asynccontextmanager
async def _process(words: Sequence[str], *, told: bool) -> AsyncIterator[asyncio.subprocess.Process]:
    """A player process; ``told`` if its standard output is read here, else it goes to standard error."""
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE if told else sys.__stderr__,
            start_new_session=True,  # Ctrl-C is for the referee, which ends its players in an orderly way
        )
    except OSError as error:
        raise ProtocolError(f"cannot run {words[0]}: {error.strerror}", None, "correct the command") from None
    try:
        yield process
    finally:
        _signal(process, signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            _signal(process, signal.SIGKILL)
            await process.wait()


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """To the process and everything that it has started; agents see to their engines themselves."""
    with contextlib.suppress(ProcessLookupError):
        if process.returncode is None:
            os.killpg(process.pid, number)


async def _listening(process: asyncio.subprocess.Process, port: int) -> Address:
    """The address of a command, when it listens there."""
    address = Address("127.0.0.1", port)
    end = time.monotonic() + LAUNCH_SECONDS
    while process.returncode is None and time.monotonic() < end:
        try:
            _, writer = await asyncio.open_connection(address.host, port)
        except OSError:
            await asyncio.sleep(LOOK_SECONDS)
        else:
            writer.close()
            return address
    raise ProtocolError("a player's command does not listen on its port", None, "its messages on standard error say why")


async def _address_of(process: asyncio.subprocess.Process) -> Address:
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), LAUNCH_SECONDS)
        return Address.parse(json.loads(line)["url"])
    except (TimeoutError, ValueError, KeyError):
        raise ProtocolError("a player process did not start", None, "its messages on standard error say why") from None
