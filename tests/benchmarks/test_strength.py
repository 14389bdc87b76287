"""The table of strength, from a journal."""

from pathlib import Path

from benchmarks.strength import lines
from scsp_player.arena.contest import Terms
from scsp_player.arena.tournament import Tournament
from tests.games.sheets import path_of

JOURNAL = """\
game,first,second,number,seats,first_score,second_score,turns,first_late,second_late,first_illegal,second_illegal,\
first_seconds,second_seconds,error
nim,mac-ucb,uct,0,12,100.0,0.0,9,0,0,0,0,1.0,1.0,
nim,mac-ucb,uct,1,21,0.0,100.0,9,1,0,0,0,1.0,1.0,
nim,mac-ucb,uct,2,12,100.0,0.0,9,0,0,0,0,1.0,1.0,
nim,mac-ucb,uct,3,,0.0,0.0,0,0,0,0,0,0.0,0.0,MemoryError: none left
"""


def test_a_line_a_game_and_the_mean(tmp_path: Path):
    journal = tmp_path / "journal.csv"
    journal.write_text(JOURNAL, encoding="utf-8")
    tournament = Tournament([path_of("nim")], ["mac-ucb", "uct"], Terms(), rounds=4, journal=journal)
    table = lines([tournament])
    assert len(table) == 4
    assert table[2].startswith("| nim | uct | 3 | 66.7 % |")
    assert table[2].endswith("| 1 | 0 | 0 |")
    assert "mean of 1 games" in table[3]
    # The match that broke off is to be played again.
    assert [match.number for _, match in tournament._matches(served=False)] == [3]
