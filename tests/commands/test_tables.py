"""Tables of figures in files, wide and narrow terminals: nothing is cut off."""

import io

import pytest
from rich.console import Console

from scsp_player.commands import tables
from scsp_player.commands.tables import show, table_of

NAMES = ("game", "player")
FIGURES = ("matches", "share", "95 % interval")
ROWS = [
    ("breakthrough-6x6-with-a-long-name", "mac-ucb+exploration=0.1", "60", "93.3", "84.1 - 97.4", "none"),
    ("nim [x]", "a", "1", "0", "-", "none"),
]


def printed(monkeypatch, width, *, terminal):
    text = io.StringIO()

    def console(**settings):
        return Console(file=text, width=width, force_terminal=terminal, color_system=None, **settings)

    monkeypatch.setattr(tables, "Console", console)
    show(table_of(NAMES, FIGURES, ROWS, last="remark"), "done")
    return text.getvalue()


def test_in_a_file_every_row_is_one_line(monkeypatch):
    lines = printed(monkeypatch, 20, terminal=False).splitlines()
    assert len(lines) == 4
    assert [cell in line for row, line in zip(ROWS, lines[1:], strict=False) for cell in row] == [True] * 12
    assert lines[-1] == "done"


@pytest.mark.parametrize("width", [10, 60, 80, 200])
def test_in_a_terminal_no_figure_is_cut_off(monkeypatch, width):
    text = printed(monkeypatch, width, terminal=True)
    assert "…" not in text
    for figure in ("60", "93.3", "84.1 - 97.4", "95 % interval", "nim [x]", "remark"):
        assert figure in text
