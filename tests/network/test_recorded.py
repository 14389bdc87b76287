"""Recorded answers of another engine to games whose rules support themselves in circles: no atom may hold itself up."""

import pytest

from scsp_player.arena.conform import conform, read_trace
from scsp_player.arena.engines import machine
from scsp_player.gdl import load_program, parse_term
from tests.shared_data import SHARED, needs_shared


@needs_shared
@pytest.mark.parametrize("name", ["cubicup_3player_v0", "atariGoVariant_7x7_v0"])
def test_recorded_answers(name):
    outcome = conform(SHARED / "traces" / f"{name}.json.gz", "network", lambda program: machine("network", program))
    assert not outcome.skipped
    assert outcome.mismatches == ()
    assert outcome.states > 0


@needs_shared
def test_all_pieces_connected():
    """A question about all pairs of squares; some of the recorded states, because the network is large."""
    network = machine("network", load_program(SHARED / "games" / "linesOfAction_v0.kif"))
    states = read_trace(SHARED / "traces" / "linesOfAction_v0.json.gz")["states"]
    assert any(record["terminal"] for record in states)
    for record in states:
        if record["terminal"] or record["depth"] % 10 == 0:
            state = network.state(map(parse_term, record["fluents"]))
            assert network.is_terminal(state) == record["terminal"]
            if record["terminal"]:
                assert [score or 0 for score in network.goals(state)] == [score or 0 for score in record["goals"]]
            else:
                legal = network.legal_moves(state)
                assert [set(moves) for moves in legal] == [set(map(parse_term, moves)) for moves in record["legal"]]
