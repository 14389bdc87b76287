"""How long a new user waits: commands and the server with nothing compiled, and again with everything compiled.

    python -m benchmarks.cold_start
    python -m benchmarks.cold_start --only serve --start-clock 10 --play-clock 5

Each row has folders of its own for compiled code, empty the first time. Seconds are those of whole processes, start of Python
included; CPU seconds count all processes of a command. A served player plays a match of tic-tac-toe against moves in alphabetical
order; what counts is how long the first message took, who found its moves (the agent, the guard that stands in for it, nobody), and
how many seconds after the server's start the agent found one for the first time.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from scsp_player.arena.sheet import read_game
from scsp_player.grounding import Reasoner
from scsp_player.protocol.client import Address, Answer, PeerError, ask

ROOT = Path(__file__).resolve().parents[1]
GAME = ROOT / "games" / "tic-tac-toe.kif"
PATIENCE = 600.0
"""Seconds after which anything is given up."""

PLAYER = [sys.executable, "-m", "scsp_player"]


@dataclass
class Row:
    """What one command took.

    Attributes:
        name: which one.
        wall: seconds.
        cpu: seconds of all its processes.
        remarks: whatever else is worth knowing.
    """

    name: str
    wall: float = 0.0
    cpu: float = 0.0
    remarks: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.name:<28} {self.wall:8.2f} s  {self.cpu:8.2f} CPU-s  {'; '.join(self.remarks)}"


def children_cpu() -> float:
    """CPU seconds of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def environment(folder: Path) -> dict[str, str]:
    """An environment in which compiled code is kept in a folder."""
    return {**os.environ, "NUMBA_CACHE_DIR": str(folder / "kernels"), "SCSP_PLAYER_CACHE_DIR": str(folder / "code")}


def command(name: str, arguments: list[str], folder: Path) -> Row:
    """Run a command of the player."""
    row = Row(name)
    begun, cpu = time.monotonic(), children_cpu()
    setting = environment(folder)
    subprocess.run([*PLAYER, *arguments], env=setting, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE, cwd=ROOT)
    row.wall, row.cpu = time.monotonic() - begun, children_cpu() - cpu
    return row


async def listening(address: Address) -> None:
    """Wait until somebody accepts connections."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            await ask(address, "(INFO)", 5)
            return
        except PeerError:
            await asyncio.sleep(0.02)
    raise TimeoutError(f"nobody listens on {address}")


async def served(name: str, folder: Path, clocks: tuple[float, float]) -> Row:
    """Start a server and play a match with it at once."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    row, address, data = Row(name), Address("127.0.0.1", port), folder / "data"
    log = data / "serve.log"
    log.unlink(missing_ok=True)
    begun, cpu = time.monotonic(), children_cpu()
    arguments = ["serve", "--port", str(port), "--data-dir", str(data), "--seed", "1", "--json"]
    server = await asyncio.create_subprocess_exec(
        *PLAYER, *arguments, env=environment(folder), cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    assert server.stdout is not None
    try:
        await listening(address)
        row.remarks.append(f"listens after {time.monotonic() - begun:.2f} s")
        await match(row, address, log, begun, clocks)
        # It says where it listens when its engines have compiled everything.
        await asyncio.wait_for(server.stdout.readline(), PATIENCE)
        row.remarks.append(f"everything compiled after {time.monotonic() - begun:.0f} s")
    finally:
        server.terminate()
        await server.wait()
    row.cpu = children_cpu() - cpu
    return row


async def match(row: Row, address: Address, log: Path, begun: float, clocks: tuple[float, float]) -> None:
    """Play a match of two seats: the player has the first one."""
    sheet = read_game(GAME)
    machine = Reasoner(sheet.program)
    start, play = clocks
    rules = GAME.read_text(encoding="utf-8")
    rules = " ".join(line.split(";")[0] for line in rules.splitlines())

    async def send(text: str, clock: float) -> Answer:
        return await ask(address, text, 2 * clock + 30.0)

    answer = await send(f"(START cold {sheet.seats[0]} ({rules}) {start:g} {play:g})", start)
    row.remarks.append(f"{answer.text} after {answer.seconds:.2f} s")
    state, last = machine.initial_state(), "nil"
    times: list[float] = []
    while not machine.is_terminal(state):
        answer = await send(f"(PLAY cold {last})", play)
        times.append(time.monotonic() - begun)
        legal = machine.legal_moves(state)
        own = next((move for move in legal[0] if str(move) == answer.text), None)
        if answer.seconds > play or own is None:
            row.remarks.append(f"turn {len(times) - 1}: {answer.text!r} after {answer.seconds:.2f} s")
        joint = (own or legal[0][0], *(moves[0] for moves in legal[1:]))
        state = machine.successor(state, joint)
        last = f"({' '.join(map(str, joint))})"
        if " (agent" in log.read_text(encoding="utf-8"):
            break
    row.wall = times[0]
    await send(f"(STOP cold {last})", play)
    replies = re.findall(r" turn \d+: .* \(([a-z ]+)\)$", log.read_text(encoding="utf-8"), re.MULTILINE)
    row.remarks.append("moves by " + ", ".join(replies))
    own_moves = [at for at, source in zip(times, replies, strict=False) if source.startswith("agent")]
    row.remarks.append(f"first one of the agent after {own_moves[0]:.1f} s" if own_moves else "none of the agent")


def measure(name: str, folder: Path, instance: Path, clocks: tuple[float, float]) -> Row:
    """One row."""
    if name == "serve":
        return asyncio.run(served(name, folder, clocks))
    arguments = {
        "ground": ["ground", str(GAME)],
        "solve": ["solve", str(instance)],
        "solve --engine ct": ["solve", str(instance), "--engine", "ct", "--theta", "0.5"],
        "match": ["match", str(GAME), "mac-ucb", "random", "--start-clock", "10", "--play-clock", "1"],
        "check": ["check", str(GAME)],
        "plan": ["plan", str(ROOT / "games" / "eight-puzzle.kif"), "--time-limit", "2"],
    }
    return command(name, arguments[name], folder)


ROWS = ("ground", "check", "solve", "solve --engine ct", "plan", "match", "serve")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=ROWS, default=ROWS)
    parser.add_argument("--start-clock", type=float, default=10.0)
    parser.add_argument("--play-clock", type=float, default=5.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        instance = Path(name) / "instance.xml"
        export = ["translate", str(GAME), "-o", str(instance), "--at", "init"]
        subprocess.run([*PLAYER, *export], check=True, stdout=subprocess.DEVNULL)
        for row in options.only:
            folder = Path(name) / row.replace(" ", "-")
            folder.mkdir()
            for again in ("nothing compiled", "again"):
                print(measure(row, folder, instance, (options.start_clock, options.play_clock)), f"[{again}]", flush=True)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
