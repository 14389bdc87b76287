"""A match told to somebody who watches the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scsp_player.arena.board import boards_of
from scsp_player.arena.record import MatchRecord
from scsp_player.arena.referee import Observer
from scsp_player.arena.series import Series
from scsp_player.gdl.reading import parse_term


class Narrator(Observer):
    """Prints moves as they are played, and the final position and the scores at the end."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._faults_told = 0

    def begun(self, record: MatchRecord) -> None:
        """Names the game and the players."""
        self._faults_told = 0
        seats = ", ".join(f"{role} = [bold]{escape(player)}[/]" for role, player in record.players.items())
        clocks = f"{record.start_clock:g} s to prepare, {record.play_clock:g} s a move"
        self._console.print(f"\n[bold]{escape(record.game)}[/]: {seats} ({clocks})", highlight=False)

    def moved(self, record: MatchRecord) -> None:
        """Prints the last turn in one line."""
        turn = record.turns[-1]
        self._tell_faults(record)
        parts = []
        for role, move in turn.moves.items():
            seconds = f" [dim]{turn.seconds[role]:.2f} s[/]" if role in turn.seconds else ""
            parts.append(f"{escape(role)} [cyan]{escape(move)}[/]{seconds}")
        self._console.print(f"{turn.number + 1:4d}  " + "   ".join(parts), highlight=False)

    def over(self, record: MatchRecord) -> None:
        """Prints the final position and the scores."""
        self._tell_faults(record)
        boards, others = boards_of(parse_term(fluent) for fluent in record.final_state)
        self._console.print("\nFinal position", style="bold")
        for board in boards:
            self._console.print(f"[dim]{escape(board.relation)}[/]", highlight=False)
            for line in board.lines():
                self._console.print("  " + escape(line), highlight=False)
        if others:
            self._console.print("  " + escape(" ".join(map(str, others))), highlight=False)
        scores = Table("role", "player", "score")
        for role, score in record.scores.items():
            scores.add_row(escape(role), escape(record.players[role]), str(score))
        self._console.print(scores)

    def _tell_faults(self, record: MatchRecord) -> None:
        for fault in record.faults[self._faults_told :]:
            instead = f", playing {fault.played} for it" if fault.played else ""
            text = f"      {fault.player} ({fault.role}): {fault.kind}: {fault.detail or 'empty reply'}{instead}"
            self._console.print(escape(text), style="red", highlight=False)
        self._faults_told = len(record.faults)


def print_totals(console: Console, series: Series) -> None:
    """The sums of several matches."""
    matches = len(series.records)
    table = Table("player", "total", "mean", title=f"{matches} matches")
    for player, total in series.totals.items():
        table.add_row(escape(player), str(total), f"{total / matches:.1f}")
    console.print(table)
