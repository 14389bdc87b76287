"""Hundreds of whole matches between two served players over HTTP, counting late replies, illegal moves and errors.

    python benchmarks/endurance.py ../shared/games --matches 1000 --think 0.03 --journal endurance.csv
    python benchmarks/endurance.py ../shared/games --matches 150 --clock 1 2 3 --journal endurance-full.csv
    python benchmarks/endurance.py ../shared/games-gdl2 --each 20 --opponent random --clock 1 --think 0.03 --journal hidden.csv

With ``--think`` the agent stops after so many seconds, so that many matches are played; else clocks are used to the full. A
journal that exists is taken up again. Illegal moves of the agent are counted apart from those of its opponents. The last line sums
up; the exit status is 1 if anything was late, illegal or wrong, or if the server's memory at the end is more than 10 % above that
after a third of the matches.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import functools
import os
import random
import sys
import time
from pathlib import Path

import psutil

from scsp_player.agents.base import Report, ignore_report
from scsp_player.agents.mac_ucb import MacUcbAgent
from scsp_player.arena.engines import judged
from scsp_player.arena.players import Player
from scsp_player.arena.record import MatchRecord
from scsp_player.arena.referee import Clocks, Referee
from scsp_player.arena.sheet import Sheet, read_game
from scsp_player.commands.bench_rollouts import sheets_in
from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.terms import Term
from scsp_player.machine import StateMachine
from scsp_player.protocol.client import Address, ask

FAULTS = ("timeouts", "illegal", "illegal_own", "other_faults")
COLUMNS = ("number", "game", "clock", "turns", *FAULTS, "slowest", "server_mb", "error")
TURN_LIMIT = 120
THINK = "SCSP_PLAYER_THINK_SECONDS"


class Brief(MacUcbAgent):
    """The default agent, with a bound on thinking that the environment gives."""

    def __init__(self, report: Report = ignore_report) -> None:
        super().__init__(report)
        self._bound = float(os.environ[THINK])

    def play(self, turn, deadline: float) -> Term:  # type: ignore[no-untyped-def]
        """As the default agent, but soon through."""
        return super().play(turn, min(deadline, time.monotonic() + self._bound))


def playable(paths: list[Path], most: int) -> list[Path]:
    """The sheets with at least one and at most so many roles to play."""
    found = []
    for path in paths:
        try:
            if 1 <= len(read_game(path).seats) <= most:
                found.append(path)
        except GdlError as error:
            print(f"left out: {error}", flush=True)
    return found


async def server(arguments: list[str], environment: dict[str, str]) -> tuple[asyncio.subprocess.Process, Player]:
    """A served player."""
    import json

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scsp_player.commands.serve", "--port", "0", "--json", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    assert process.stdout is not None
    return process, Player("", Address.parse(json.loads(await process.stdout.readline())["url"]))


@functools.cache
def referees_view(path: str) -> tuple[Sheet, StateMachine]:
    """What the referee makes of a sheet, once for all of its matches."""
    return judged(path)


async def play(
    number: int, path: Path, clock: float, start: float, players: list[Player], pid: int, seed: int
) -> dict[str, object]:
    """One match as a line of the journal."""
    row: dict[str, object] = dict.fromkeys(COLUMNS, 0) | {"number": number, "game": path.stem, "clock": clock, "error": ""}
    sheet, machine = await asyncio.to_thread(referees_view, str(path))
    referee = Referee(sheet, machine, Clocks(start, clock, grace=0.0), turn_limit=TURN_LIMIT)
    place = number % len(sheet.seats)
    seats = players[1 : place + 1] + players[:1] + players[place + 1 :]
    record: MatchRecord | None = None

    class Keeper:
        """Keeps the record of a match that is broken off."""

        def begun(self, begun: MatchRecord) -> None:
            nonlocal record
            record = begun

        def moved(self, _: MatchRecord) -> None:
            """Nothing to do."""

        def over(self, _: MatchRecord) -> None:
            """Nothing to do."""

    try:
        await referee.play(f"e{number}", dict(zip(sheet.seats, seats, strict=False)), seed=seed, observer=Keeper())  # type: ignore[arg-type]
    except GdlError as error:  # the turn limit, or a sheet that cannot be played to its end
        row["error"] = "" if "not ended" in str(error) else str(error)[:100]
    assert record is not None
    kinds = [fault.kind for fault in record.faults]
    row |= {
        "turns": len(record.turns),
        "timeouts": kinds.count("timeout"),
        "illegal": kinds.count("illegal"),
        "illegal_own": sum(fault.kind == "illegal" and fault.player == players[0].label for fault in record.faults),
        "other_faults": len(kinds) - kinds.count("timeout") - kinds.count("illegal"),
        "slowest": max((seconds for turn in record.turns for seconds in turn.seconds.values()), default=0.0),
        "server_mb": round(sum(process.memory_info().rss for process in serving(pid)) / 2**20, 1),
    }
    return row


def serving(pid: int) -> list[psutil.Process]:
    """The processes of a server that are not engines: the supervisor, and whoever serves."""
    supervisor = psutil.Process(pid)
    return [supervisor, *supervisor.children()]


async def run(options: argparse.Namespace) -> int:
    """Play what the journal lacks; the exit status."""
    most = options.most_roles
    found = [path for given in options.games for path in (sheets_in(given) if given.is_dir() else [given])]
    paths = playable(sorted(found), most)
    done = []
    if options.journal.exists():
        with options.journal.open(newline="") as lines:
            done = list(csv.DictReader(lines))
    environment = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}
    agent = options.agent
    if options.think:
        environment[THINK] = str(options.think)
        agent = "endurance:Brief"
    agents = [agent] + [options.opponent or agent] * (most - 1)
    # Whoever thinks for 30 ms is not to think for seconds while others do.
    short = ["--no-ponder"] if options.think else []
    seeds = range(options.seed * most + 1, (options.seed + 1) * most + 1)
    launched = [
        await server(["--agent", name, "--seed", str(seed), *short], environment) for seed, name in zip(seeds, agents, strict=True)
    ]
    players = [Player(f"player {i + 1}", player.address) for i, (_, player) in enumerate(launched)]
    rng = random.Random(options.seed)
    games = [path for _ in range(options.each) for path in paths] or [rng.choice(paths) for _ in range(options.matches)]
    schedule = [(path, rng.choice(options.clock)) for path in games]
    fresh = not options.journal.exists()
    try:
        with options.journal.open("a", newline="") as lines:
            writer = csv.DictWriter(lines, COLUMNS)
            if fresh:
                writer.writeheader()
            for number in range(len(done), len(schedule)):
                path, clock = schedule[number]
                seed = options.seed * len(schedule) + number
                row = await play(number, path, clock, options.start, players, launched[0][0].pid, seed)
                writer.writerow(row)
                lines.flush()
                done.append({key: str(value) for key, value in row.items()})
                if any(row[key] for key in (*FAULTS, "error")):
                    print(row, flush=True)
                if number % 25 == 24:
                    print(f"{number + 1} matches, server {row['server_mb']} MB, load {os.getloadavg()[0]:.1f}", flush=True)
                if options.seconds and time.monotonic() > options.until:
                    break
        for player in players:
            await ask(player.address, "(INFO)", 5)
    finally:
        for process, _ in launched:
            process.terminate()
            await process.wait()
    return summary(done)


def summary(rows: list[dict[str, str]]) -> int:
    """Print sums; 1 if anything went wrong."""
    bad = {key: sum(int(row[key]) for row in rows) for key in FAULTS}
    errors = sum(bool(row["error"]) for row in rows)
    memory = [float(row["server_mb"]) for row in rows]
    early = memory[min(len(memory), max(1, len(memory) // 3)) - 1]
    late = max(memory[-5:])
    turns = sum(int(row["turns"]) for row in rows)
    print(f"{len(rows)} matches, {turns} turns, {bad}, {errors} errors")
    print(f"server memory {early} MB after a third, {late} MB at the end")
    return int(any(bad.values()) or errors > 0 or late > 1.1 * early)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+", help="rule sheets, or folders of them")
    parser.add_argument("--matches", type=int, default=100, help="how many, of sheets that are drawn")
    parser.add_argument("--each", type=int, default=0, help="instead, so many of every sheet, one of each at a time")
    parser.add_argument("--clock", type=float, nargs="+", default=[2.0], help="play clocks, one is drawn for each match")
    parser.add_argument("--start", type=float, default=10.0, help="start clock")
    parser.add_argument("--think", type=float, help="seconds that the agent thinks about a move")
    parser.add_argument("--agent", default="mac-ucb")
    parser.add_argument("--opponent", help="agent on all other seats (default: the same)")
    parser.add_argument("--most-roles", type=int, default=2, help="sheets with more roles to play are left out")
    parser.add_argument("--seed", type=int, default=0, help="another seed: other moves of chance and of random players")
    parser.add_argument("--seconds", type=float, help="stop after so many seconds; run again to go on")
    parser.add_argument("--journal", type=Path, default=Path("endurance.csv"))
    options = parser.parse_args()
    options.until = time.monotonic() + (options.seconds or 0)
    sys.exit(asyncio.run(run(options)))


if __name__ == "__main__":
    main()
