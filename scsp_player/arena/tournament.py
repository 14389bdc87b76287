"""Tournaments: every two players meet in every game, on all seats, in parallel processes, with a journal to resume from."""

from __future__ import annotations

import asyncio
import csv
import itertools
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from scsp_player.agents.registry import agent_kind
from scsp_player.arena.contest import Terms, play_match
from scsp_player.arena.engines import judged
from scsp_player.arena.results import Match, Result, blank, chance_seed, result_of, runs_of
from scsp_player.arena.served import is_elsewhere, served
from scsp_player.arena.strength import interval, share_of, verdict


@lru_cache(maxsize=16)
def _load(agent: str) -> None:
    """Have an agent's kernels compiled or loaded, once a process, so that no clock of a match runs meanwhile."""
    agent_kind(agent).load()


def play(match: Match) -> Result:
    """Play one match in this process; errors of a player end up in the result."""
    try:
        sheet, machine = judged(match.game)
        for player in (match.first, match.second):
            _load(player.partition("+")[0])
        runs = runs_of(match, len(sheet.seats))
        players = {"1": match.first, "2": match.second}
        outcomes = []
        for run in runs:
            seating = {role: players[who] for role, who in zip(sheet.seats, run, strict=True)}
            outcomes.append(play_match(sheet, machine, seating, match.terms, chance_seed(match, len(sheet.seats))))
    except Exception as error:  # a crash of an agent must not end the tournament
        return replace(blank(match), error=f"{type(error).__name__}: {error}"[:200])
    return result_of(match, runs, outcomes)


@dataclass
class Pairing:
    """Two players in one game, with the results so far."""

    game: str
    first: str
    second: str
    results: list[Result] = field(default_factory=list)
    begun: int = 0

    @property
    def shares(self) -> list[float]:
        """The first player's share of each match."""
        return [share_of(r.first_score, r.second_score) for r in self.results if not r.error]

    def row(self) -> dict[str, object]:
        """What standings show."""
        good = [r for r in self.results if not r.error]
        low, high = interval(self.shares)
        count = max(1, len(good))
        return {
            "game": Path(self.game).stem,
            "first": self.first,
            "second": self.second,
            "matches": len(good),
            "share": round(100 * sum(self.shares) / count, 1) if good else None,
            "low": round(100 * low, 1),
            "high": round(100 * high, 1),
            "first_score": round(sum(r.first_score for r in good) / count, 1) if good else None,
            "second_score": round(sum(r.second_score for r in good) / count, 1) if good else None,
            "verdict": verdict(self.shares),
            "late": sum(r.first_late + r.second_late for r in good),
            "illegal": sum(r.first_illegal + r.second_illegal for r in good),
            "errors": len(self.results) - len(good),
        }


class Tournament:
    """All pairings of players in all games.

    Args:
        games: paths of rule sheets.
        players: at least two; names of agents, perhaps with settings (see ``contest.make_agent``), or players from elsewhere, as
            ``http://host:port`` or ``cmd:COMMAND {port}`` (see ``players.seated``).
        terms: clocks.
        rounds: matches of each pairing.
        decide: end a pairing before that when one player is shown to be better (see ``strength.verdict``).
        journal: file that results are appended to, and from which results of an earlier run are taken; None for none.
    """

    def __init__(
        self,
        games: Sequence[Path],
        players: Sequence[str],
        terms: Terms,
        *,
        rounds: int = 20,
        decide: bool = False,
        journal: Path | None = None,
    ) -> None:
        self.terms = terms
        self.rounds = rounds
        self.decide = decide
        self.journal = journal
        self.pairings = [Pairing(str(game), a, b) for game in games for a, b in itertools.combinations(players, 2)]
        if journal is not None and journal.exists():
            self._resume(journal)

    def _resume(self, journal: Path) -> None:
        by_key = {(Path(p.game).stem, p.first, p.second): p for p in self.pairings}
        with journal.open(newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                pairing = by_key.get((row["game"], row["first"], row["second"]))
                # What broke off is played again: the reason may be gone.
                if pairing is not None and int(row["number"]) < self.rounds and not row["error"]:
                    values: dict[str, Any] = {f.name: _VALUE[str(f.type)](row[f.name]) for f in fields(Result)}
                    pairing.results.append(Result(**values))

    def _open(self, pairing: Pairing) -> bool:
        return len(pairing.results) < self.rounds and not (self.decide and verdict(pairing.shares) != 0)

    def _matches(self, *, served: bool) -> Iterator[tuple[Pairing, Match]]:
        """The matches still to play over HTTP, or in processes here, one of each pairing in turn.

        Asked one by one, so that verdicts count.
        """
        pairings = [p for p in self.pairings if (is_elsewhere(p.first) or is_elsewhere(p.second)) == served]
        done = {id(p): {r.number for r in p.results} for p in pairings}
        for number in range(self.rounds):
            for pairing in pairings:
                if number not in done[id(pairing)] and self._open(pairing):
                    yield pairing, Match(pairing.game, pairing.first, pairing.second, number, self.terms)

    def run(self, processes: int = 1, progress: Callable[[Result], None] = lambda result: None) -> None:
        """Play everything that is left; ``progress`` is told each result.

        Matches between agents are played in so many processes. Those in which a player from elsewhere takes part are played over
        HTTP, one after the other.

        Raises:
            ProtocolError: if a player from elsewhere cannot be started or does not answer.
        """
        self._run_here(processes, progress)
        if next(self._matches(served=True), None) is not None:
            asyncio.run(self._run_served(progress))

    async def _run_served(self, progress: Callable[[Result], None]) -> None:
        open_pairings = {id(pairing): pairing for pairing, _ in self._matches(served=True)}.values()
        names = sorted({name for pairing in open_pairings for name in (pairing.first, pairing.second)})
        async with served(names, [pairing.game for pairing in open_pairings]) as players:
            for pairing, match in self._matches(served=True):
                self._keep(pairing, await players.play(match), progress)

    def _run_here(self, processes: int, progress: Callable[[Result], None]) -> None:
        matches = self._matches(served=False)
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=context, initializer=_one_thread) as pool:
            running: dict[Future[Result], Pairing] = {}
            while True:
                while len(running) < processes and (following := next(matches, None)) is not None:
                    running[pool.submit(play, following[1])] = following[0]
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    self._keep(running.pop(future), future.result(), progress)

    def _keep(self, pairing: Pairing, result: Result, progress: Callable[[Result], None]) -> None:
        pairing.results.append(result)
        self._note(result)
        progress(result)

    def _note(self, result: Result) -> None:
        if self.journal is None:
            return
        fresh = not self.journal.exists()
        with self.journal.open("a", newline="", encoding="utf-8") as lines:
            writer = csv.DictWriter(lines, [f.name for f in fields(Result)])
            if fresh:
                writer.writeheader()
            writer.writerow(asdict(result))


_VALUE: dict[str, Callable[[str], object]] = {"str": str, "int": int, "float": float}


def _one_thread() -> None:
    """Libraries must not spread over the processors that other matches use."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(name, "1")
