"""How soon a server that thinks in two matches says so, without and with a crowd of clients that only keep it occupied.

    python -m benchmarks.busy_server games/hex-5x5.kif games/breakthrough-6x6.kif --questions 1000

Both matches are against random players and begin again when they have ended. Every few milliseconds the server is asked for INFO
over a new connection; the first half of the questions with nobody else about, the second half beside idle connections and a client
that sends a byte a second. What counts is the time from the first byte to the end of the answer, and that no reply in the matches
is late.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
from pathlib import Path

import numpy as np

from scsp_player.arena.engines import judged
from scsp_player.arena.players import Player, seated
from scsp_player.arena.referee import Clocks, Referee
from scsp_player.protocol.client import ask

PAUSE = 0.01
"""Seconds between questions."""


async def matches(path: Path, ours: Player, others: list[Player], play_clock: float, faults: list[str]) -> None:
    """Play again and again, until cancelled."""
    sheet, machine = judged(str(path))
    referee = Referee(sheet, machine, Clocks(10.0, play_clock, grace=0.0))
    number = 0
    while True:
        number += 1
        seating = dict(zip(sheet.seats, [ours, *others], strict=False))
        record = await referee.play(f"{path.stem}.{number}", seating, seed=number)
        faults.extend(f"{fault.kind}: {fault.detail}" for fault in record.faults if fault.player == ours.label)


async def questions(ours: Player, count: int) -> list[float]:
    """Seconds of each answer."""
    seconds = []
    for _ in range(count):
        seconds.append((await ask(ours.address, "(INFO)", 10.0)).seconds)
        await asyncio.sleep(PAUSE)
    return seconds


@contextlib.asynccontextmanager
async def crowd(ours: Player, idle: int):  # type: ignore[no-untyped-def]
    """Idle connections, and one on which a request comes byte by byte."""
    host, port = ours.address.host, ours.address.port
    writers = [(await asyncio.open_connection(host, port))[1] for _ in range(idle)]
    _, slow = await asyncio.open_connection(host, port)

    async def drip() -> None:
        for byte in b"POST / HTTP/1.0\r\nContent-Length: 100000\r\n\r\n" + b"(" * 1000:
            slow.write(bytes([byte]))
            await slow.drain()
            await asyncio.sleep(1.0)

    dripping = asyncio.create_task(drip())
    try:
        yield
    finally:
        dripping.cancel()
        await asyncio.gather(dripping, return_exceptions=True)
        for writer in (*writers, slow):
            writer.close()


def report(name: str, seconds: list[float]) -> None:
    """Print a line."""
    median, high, worst = 1000 * np.quantile(seconds, [0.5, 0.99, 1.0])
    print(f"{name}: {len(seconds)} questions, median {median:.1f} ms, p99 {high:.1f} ms, worst {worst:.1f} ms", flush=True)


async def run(options: argparse.Namespace) -> None:
    """Measure."""
    faults: list[str] = []
    async with seated([options.agent, "random", "random", "random"], seed=1, matches=2) as (ours, *others):
        playing = [asyncio.create_task(matches(path, ours, others, options.play_clock, faults)) for path in options.games]
        await asyncio.sleep(options.lead)
        report("alone", await questions(ours, options.questions // 2))
        async with crowd(ours, options.idle):
            report(f"beside {options.idle} idle connections", await questions(ours, options.questions // 2))
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    print(f"faults of the player in its matches: {faults or 'none'}; load {os.getloadavg()[0]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs=2, help="two rule sheets")
    parser.add_argument("--agent", default="mac-ucb")
    parser.add_argument("--play-clock", type=float, default=2.0)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--idle", type=int, default=1000, help="idle connections")
    parser.add_argument("--lead", type=float, default=15.0, help="seconds before the first question")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
