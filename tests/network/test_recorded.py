"""Recorded answers of another engine to games whose rules support themselves in circles: no atom may hold itself up."""

import pytest

from scsp_player.arena.conform import conform
from scsp_player.arena.engines import machine
from tests.shared_data import SHARED, needs_shared


@needs_shared
@pytest.mark.parametrize("name", ["cubicup_3player_v0", "atariGoVariant_7x7_v0", "linesOfAction_v0"])
def test_recorded_answers(name):
    outcome = conform(SHARED / "traces" / f"{name}.json.gz", "network", lambda program: machine("network", program))
    assert not outcome.skipped
    assert outcome.mismatches == ()
    assert outcome.states > 0
