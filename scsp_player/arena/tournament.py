"""Tournaments: every two players meet in every game, on all seats, in parallel processes, with a journal to resume from."""

from __future__ import annotations

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
from scsp_player.arena.sheet import Sheet, read_game
from scsp_player.arena.strength import interval, share_of, verdict
from scsp_player.grounding import BudgetExceeded, Reasoner, ground
from scsp_player.machine import StateMachine
from scsp_player.propnet import PropnetMachine


@dataclass(frozen=True)
class Match:
    """A match to play: everything that a process needs to know.

    Attributes:
        game: path of the rule sheet.
        first, second: the players.
        number: which match of the pairing this is; says who sits where, and seeds everything.
        terms: clocks.
    """

    game: str
    first: str
    second: str
    number: int
    terms: Terms


@dataclass(frozen=True)
class Result:
    """A line of the journal.

    Attributes:
        game: name of the game.
        first, second: the players.
        number: of the match.
        seats: "1" or "2" for each role in turn, the player who had it.
        first_score, second_score: mean scores (0-100) on their seats.
        turns: joint moves.
        first_late, second_late, first_illegal, second_illegal: moves that were late, or illegal.
        first_seconds, second_seconds: processor seconds of each side.
        error: what broke the match off, empty for nothing; such matches count for nobody.
    """

    game: str
    first: str
    second: str
    number: int
    seats: str = ""
    first_score: float = 0.0
    second_score: float = 0.0
    turns: int = 0
    first_late: int = 0
    second_late: int = 0
    first_illegal: int = 0
    second_illegal: int = 0
    first_seconds: float = 0.0
    second_seconds: float = 0.0
    error: str = ""


def seatings(roles: int) -> list[str]:
    """Who has which role, as strings of "1" and "2", in an order in which neighbours are each other's opposite.

    With one role each player plays alone, and the scores are compared.

    >>> seatings(2), seatings(1)
    (['12', '21'], ['1'])
    >>> seatings(3)
    ['112', '221', '121', '212', '122', '211']
    """
    if roles == 1:
        return ["1"]
    halves = ["1" + "".join(rest) for rest in itertools.product("12", repeat=roles - 1) if "2" in rest]
    return [seating for half in halves for seating in (half, half.translate(str.maketrans("12", "21")))]


@lru_cache(maxsize=4)
def _game(path: str) -> tuple[Sheet, StateMachine]:
    sheet = read_game(path)
    try:
        return sheet, PropnetMachine(ground(sheet.program, seconds=60.0))
    except BudgetExceeded:
        return sheet, Reasoner(sheet.program)


@lru_cache(maxsize=16)
def _load(agent: str) -> None:
    """Have an agent's kernels compiled or loaded, once a process, so that no clock of a match runs meanwhile."""
    agent_kind(agent).load()


def play(match: Match) -> Result:
    """Play one match in this process; errors of a player end up in the result."""
    name = Path(match.game).stem
    result = Result(name, match.first, match.second, match.number)
    try:
        sheet, machine = _game(match.game)
        for player in (match.first, match.second):
            _load(player.partition("+")[0])
        order = seatings(len(sheet.seats))
        seats = order[match.number % len(order)]
        # The two matches of a pair of opposite seatings get the same chance moves.
        seed = match.number // 2
        players = {"1": match.first, "2": match.second}
        runs = ["1", "2"] if len(seats) == 1 else [seats]
        numbers: dict[str, list[float]] = {key: [] for key in ("score1", "score2")}
        totals = dict.fromkeys(("late1", "late2", "illegal1", "illegal2", "seconds1", "seconds2"), 0.0)
        turns = 0
        for run in runs:
            outcome = play_match(
                sheet, machine, {role: players[who] for role, who in zip(sheet.seats, run, strict=True)}, match.terms, seed
            )
            turns = max(turns, outcome.turns)
            for role, who in zip(sheet.seats, run, strict=True):
                numbers["score" + who].append(outcome.scores[role])
                totals["late" + who] += outcome.late[role]
                totals["illegal" + who] += outcome.illegal[role]
                totals["seconds" + who] += outcome.seconds[role]
    except Exception as error:  # a crash of an agent must not end the tournament
        return replace(result, error=f"{type(error).__name__}: {error}"[:200])
    means = {key: sum(values) / len(values) for key, values in numbers.items()}
    return replace(
        result,
        seats=seats,
        first_score=means["score1"],
        second_score=means["score2"],
        turns=turns,
        first_late=int(totals["late1"]),
        second_late=int(totals["late2"]),
        first_illegal=int(totals["illegal1"]),
        second_illegal=int(totals["illegal2"]),
        first_seconds=round(totals["seconds1"], 3),
        second_seconds=round(totals["seconds2"], 3),
    )


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
        players: at least two; names of agents, perhaps with settings (see ``contest.make_agent``).
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

    def _matches(self) -> Iterator[tuple[Pairing, Match]]:
        """The matches still to play, one of each pairing in turn; asked one by one, so that verdicts count."""
        done = {id(p): {r.number for r in p.results} for p in self.pairings}
        for number in range(self.rounds):
            for pairing in self.pairings:
                if number not in done[id(pairing)] and self._open(pairing):
                    yield pairing, Match(pairing.game, pairing.first, pairing.second, number, self.terms)

    def run(self, processes: int = 1, progress: Callable[[Result], None] = lambda result: None) -> None:
        """Play everything that is left, in so many processes; ``progress`` is told each result."""
        matches = self._matches()
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=context, initializer=_one_thread) as pool:
            running: dict[Future[Result], Pairing] = {}
            while True:
                while len(running) < processes and (following := next(matches, None)) is not None:
                    running[pool.submit(play, following[1])] = following[0]
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    running.pop(future).results.append(result)
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
