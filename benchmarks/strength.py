"""How strong the search is: one player against its yardsticks in two groups of games, as a table with 95 % intervals.

    python -m benchmarks.strength ../shared/games --rounds 60 --play-clock 0.3 --journal strength.csv
    python -m benchmarks.strength ../shared/games --rounds 12 --decide --only connectFour_v0 --journal strength.csv
    python -m benchmarks.strength ../shared/games --group others --rounds 30 --journal strength.csv
    python -m benchmarks.strength ../shared/games-gdl2 --group hidden --against pimc,hyperplay --journal strength.csv
    python -m benchmarks.strength ../shared/games --journal strength.csv --table-only

Both sides get the same processor time a move and sit on all seats equally often. The journal holds every match; a run that was
interrupted goes on where it ended, matches that broke off are played again; what it was called with may differ from run to run, so
that all pairings get some matches first and more of them later. A share is 50 % plus half the difference of the scores.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from scsp_player.arena.contest import Terms
from scsp_player.arena.tournament import Tournament

YARDSTICKS = ("uct", "uct+exploration=0.1", "woodstock")
"""Classical UCT with two exploration constants, and MAC-UCB as published."""

GROUPS = {
    # The games of the one head-to-head with 64-playout leaves that is specified in full (LeJoueur, table 5.2).
    "main": ("breakthrough_v0", "breakthroughSuicide_v0", "hex_v0", "connectFour_v0", "checkers_v0"),
    # Three and more players, simultaneous moves, large branching, long matches.
    "others": (
        "3pConnectFour_v0",
        "chineseCheckers3_v0",
        "connectFourSimultaneous_v0",
        "tron_10x10_v0",
        "amazons_8x8_v0",
        "reversi_v0",
        "skirmish_v0",
        "pentago_v0",
        "quarto_v0",
        "sheepAndWolf_v0",
    ),
    # Hidden information, two players; against pimc and hyperplay. Of the families of sheets the eight in which knowing the state
    # helps pimc most against itself (benchmarks.knowing): elsewhere what a player believes decides little.
    "hidden": (
        "pyggp__battleship(6,6,(4,3,2))",
        "unsw__BlindBreakthrough",
        "pyggp__phantom_connect(6,6,6)",
        "pyggp__phantom_split_corridor(4,4)",
        "ggpmck__transit",
        "ggpmck__stratego",
        "ggpmck__meier",
        "ggpmck__kriegTTT_5x5",
    ),
    # Eight that were taken before that was known.
    "hidden-small": (
        "ggpmck__kriegtictactoe",
        "ggpmck__latenttictactoe",
        "ggpmck__meier",
        "pyggp__minipoker",
        "pyggp__phantom_connect(4,5,4)",
        "pyggp__dark_split_corridor(3,4)",
        "unsw__HiddenConnect",
        "ggpmck__kriegTTT_5x5",
    ),
}


def lines(tournaments: list[Tournament]) -> list[str]:
    """A table in Markdown: a line for each game and yardstick, and the mean share against each yardstick."""
    text = ["| game | against | matches | share | 95 % interval | late | illegal | broken off |", "|---" * 8 + "|"]
    for tournament in tournaments:
        rows = [pairing.row() for pairing in tournament.pairings]
        for row in rows:
            share = "-" if row["share"] is None else f"{row['share']} %"
            text.append(
                f"| {row['game']} | {row['second']} | {row['matches']} | {share} | {row['low']} – {row['high']} % "
                f"| {row['late']} | {row['illegal']} | {row['errors']} |"
            )
        shares = [float(str(row["share"])) for row in rows if row["share"] is not None]
        if shares:
            text.append(f"| mean of {len(shares)} games | {rows[0]['second']} | | {sum(shares) / len(shares):.1f} % | | | | |")
    return text


def main(
    folder: Annotated[Path, typer.Argument(help="Folder of the rule sheets.", exists=True, file_okay=False)],
    group: Annotated[str, typer.Option(help=f"Which games: {', '.join(GROUPS)}.")] = "main",
    player: Annotated[str, typer.Option(help="The player that is measured; settings as `mac-ucb+exploration=0.05`.")] = "mac-ucb",
    against: Annotated[str, typer.Option(help="Yardsticks with commas between them.")] = ",".join(YARDSTICKS),
    rounds: Annotated[int, typer.Option(help="Matches of each game against each yardstick.", min=1)] = 60,
    play_clock: Annotated[float, typer.Option(help="Processor seconds a move.")] = 0.3,
    start_clock: Annotated[float, typer.Option(help="Processor seconds to prepare.")] = 10.0,
    forced: Annotated[bool, typer.Option(help="Give time for moves without alternative as well, to look ahead.")] = True,
    processes: Annotated[int, typer.Option(help="Matches played at the same time.", min=1)] = 1,
    decide: Annotated[bool, typer.Option(help="End a pairing as soon as one side is shown to be the better one.")] = False,
    only: Annotated[list[str] | None, typer.Option(help="Of the games only this one; may be said several times.")] = None,
    journal: Annotated[Path | None, typer.Option(help="CSV file of results; what is in it is not played again.")] = None,
    table_only: Annotated[bool, typer.Option("--table-only", help="Play nothing, show what the journal holds.")] = False,
) -> None:
    """Play what is missing in the journal and print the table."""
    names = [name for name in GROUPS[group] if not only or name in only]
    games = [path for name in names for suffix in (".kif", ".gdl") if (path := folder / f"{name}{suffix}").is_file()]
    terms = Terms(start_clock, play_clock, forced=forced)
    tournaments = [
        Tournament(games, [player, other], terms, rounds=rounds, decide=decide, journal=journal) for other in against.split(",")
    ]
    began = time.time()
    for tournament in tournaments if not table_only else []:
        tournament.run(processes)
    print("\n".join(lines(tournaments)))
    moves = "a move" if forced else "where there is a choice"
    print(f"\n{play_clock} s {moves}, {start_clock} s to prepare, {time.time() - began:.0f} s of wall time")


if __name__ == "__main__":
    typer.run(main)
