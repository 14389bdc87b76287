"""Ground rules and the reasoner against the recorded answers of independent engines, on a few sheets of each kind."""

from __future__ import annotations

import gzip
import json

import pytest

from scsp_player.gdl import load_program, parse_term
from scsp_player.grounding import Reasoner, ground
from tests.oracles.ground_machine import GroundMachine
from tests.shared_data import SHARED, needs_shared

ENGINES = {"ground": lambda program: GroundMachine(ground(program)), "reasoner": Reasoner}
SHEETS = ["connectFour_v0", "chess_200_v0", "hexPie_v0", "atariGoVariant_7x7_v0", "blocker_v0", "kalaha_2009_v0"]
GROUND_IS_SLOW_TO_EVALUATE = {"chess_200_v0", "hexPie_v0", "kalaha_2009_v0", "atariGoVariant_7x7_v0"}
FEW = 12


@needs_shared
@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("engine", ENGINES)
def test_recorded_answers(engine, name):
    if engine == "ground" and name in GROUND_IS_SLOW_TO_EVALUATE:
        pytest.skip("the evaluator of the tests is too slow for a game of this size; the propnet is tested on it")
    machine = ENGINES[engine](load_program(SHARED / "games" / f"{name}.kif"))
    states = json.loads(gzip.decompress((SHARED / "traces" / f"{name}.json.gz").read_bytes()))["states"]
    for entry in [*states[:FEW], *[s for s in states if s["terminal"]][:2]]:
        state = machine.state(map(parse_term, entry["fluents"]))
        assert machine.is_terminal(state) == entry["terminal"]
        if entry["terminal"]:
            assert list(machine.goals(state)) == entry["goals"]
            continue
        assert [[str(m) for m in moves] for moves in machine.legal_moves(state)] == [sorted(moves) for moves in entry["legal"]]
        if entry["next"] is not None:
            successor = machine.successor(state, tuple(map(parse_term, entry["move"])))
            assert {str(f) for f in machine.fluents(successor)} == set(states[entry["next"]]["fluents"])
