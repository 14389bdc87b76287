"""The rule sheets in ``games/`` and the facts about them that were computed once."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

GAMES = Path(__file__).resolve().parents[2] / "games"
EXPECTED = GAMES / "expected.json"

PREFIX_SHEETS = tuple(sorted(p.stem for p in GAMES.glob("*.kif")))
INFIX_SHEETS = tuple(sorted(p.stem for p in GAMES.glob("*.gdl")))
SHEETS = tuple(sorted(PREFIX_SHEETS + INFIX_SHEETS))


def path_of(name):
    """The file of a sheet, whichever notation it is in."""
    return next(p for p in (GAMES / f"{name}.kif", GAMES / f"{name}.gdl") if p.is_file())


@cache
def prefix_text(name):
    """The text of a sheet in prefix notation; an infix sheet is translated by the package."""
    path = path_of(name)
    if path.suffix == ".kif":
        return path.read_text(encoding="utf-8")
    from scsp_player.gdl import format_kif, load_program

    return format_kif(load_program(path))


@cache
def expected():
    """Sheet to its facts; see ``tests/games/expected.py`` for what they mean."""
    return json.loads(EXPECTED.read_text(encoding="utf-8"))
