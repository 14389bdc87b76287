"""The normal form of a sheet means what the sheet means."""

from __future__ import annotations

import numpy as np
import pytest

from scsp_player.gdl import format_kif, parse_program
from tests.oracles.naive_grounder import ground
from tests.shared_data import SHARED

SMALL = [SHARED / "games" / name for name in ("buttons_v0.kif", "ticTacToe_v0.kif")]
SMALL = [path for path in SMALL if path.exists()] + sorted((SHARED / "cases").glob("*.kif"))


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_normal_form_has_the_meaning_of_the_sheet(path):
    """The slow grounder, which has a reader of its own, gives the same ground rules for a sheet and for its normal form."""
    text = path.read_text(encoding="utf-8", errors="replace")
    original, normal = ground(text), ground(format_kif(parse_program(text)).lower())
    for name in ("rule_head", "rule_start", "rule_body", "fluent_term", "next_literal", "initial", "move_term", "legal_literal"):
        assert np.array_equal(getattr(original, name), getattr(normal, name)), name
    atoms = [[str(game.terms.term(i)) for i in game.atom_term[1:]] for game in (original, normal)]
    assert atoms[0] == atoms[1]
