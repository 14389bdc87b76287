"""The players of a match as the referee deals with them: at an address, or started here for the occasion."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from scsp_player.agents.registry import agent_kind
from scsp_player.protocol.client import Address, PeerError, ask, parse_info
from scsp_player.protocol.errors import ProtocolError

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


@contextlib.asynccontextmanager
async def seated(names: Sequence[str], *, seed: int | None = None) -> AsyncIterator[list[Player]]:
    """The players called ``names``: agents, which are started as HTTP players of their own on this machine, or addresses.

    Agents are ended when the context is left, whatever happens in it.

    Args:
        names: one an agent or ``http://host:port``; the same agent may come twice.
        seed: seed of the agents; each gets one of its own.

    Raises:
        ProtocolError: if a name is neither, an agent does not start, or nobody answers at an address.
    """
    remote = {name: Address.parse(name) for name in names if "//" in name}
    for name in names:
        if name not in remote:
            try:
                agent_kind(name)
            except LookupError as error:
                raise ProtocolError(str(error.args[0]), None, "a player elsewhere is named http://host:port") from None
    async with contextlib.AsyncExitStack() as stack:
        launched = [
            None if name in remote else await stack.enter_async_context(_process(name, None if seed is None else seed + number))
            for number, name in enumerate(names)
        ]
        players = []
        for name, label, process in zip(names, _labels(names), launched, strict=True):
            if process is not None:
                players.append(Player(label, await _address_of(process)))
            else:
                await _look_for(remote[name])
                players.append(Player(label, remote[name]))
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


@contextlib.asynccontextmanager
async def _process(agent: str, seed: int | None) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "scsp_player.commands.serve",
        *("--agent", agent, "--port", "0", "--json", "--parent", str(os.getpid())),
        *(() if seed is None else ("--seed", str(seed))),
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the referee, which ends its players in an orderly way
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _address_of(process: asyncio.subprocess.Process) -> Address:
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), LAUNCH_SECONDS)
        return Address.parse(json.loads(line)["url"])
    except (TimeoutError, ValueError, KeyError):
        raise ProtocolError("a player process did not start", None, "its messages on standard error say why") from None
