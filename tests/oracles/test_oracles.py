"""The oracles against answers recorded with other engines, so that what they say counts."""

import gzip
import json

import pytest

from scsp_player.gdl.terms import Compound, Symbol
from tests.oracles import naive_grounder
from tests.oracles.clingo_engine import ClingoMachine
from tests.oracles.ground_machine import GroundMachine
from tests.shared_data import SHARED, needs_shared

ORACLES = {"clingo": ClingoMachine, "lanes": lambda text: GroundMachine(naive_grounder.ground(text))}

TRACES = [
    ("games", "traces", "ticTacToe_v0.kif", "ticTacToe_v0.json.gz"),
    ("games", "traces", "blocker_v0.kif", "blocker_v0.json.gz"),
    ("games", "traces", "roshambo2_v0.kif", "roshambo2_v0.json.gz"),
    ("games-gdl2", "traces-gdl2", "unsw__MontyHall.gdl", "unsw__MontyHall.gdl.json.gz"),
    ("games-gdl2", "traces-gdl2", "scully__pennies.gdl", "scully__pennies.gdl.json.gz"),
]


def term(text):
    def build(form):
        return Symbol(form) if isinstance(form, str) else Compound(form[0], tuple(map(build, form[1:])))

    return build(naive_grounder.read(text)[0])


@needs_shared
@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize(("sheets", "traces", "sheet", "trace"), TRACES, ids=lambda v: v if v.endswith(".gz") else "")
def test_recorded_answers(oracle, sheets, traces, sheet, trace):
    machine = ORACLES[oracle]((SHARED / sheets / sheet).read_text(encoding="utf-8", errors="replace"))
    recorded = json.loads(gzip.decompress((SHARED / traces / trace).read_bytes()))
    assert list(machine.roles) == recorded["roles"]
    for entry in recorded["states"]:
        state = machine.state(map(term, entry["fluents"]))
        assert machine.is_terminal(state) == entry["terminal"]
        if entry["terminal"]:
            assert list(machine.goals(state)) == entry["goals"]
            continue
        assert [[str(m) for m in moves] for moves in machine.legal_moves(state)] == entry["legal"]
        if entry["move"]:
            joint = tuple(map(term, entry["move"]))
            after = machine.fluents(machine.successor(state, joint))
            assert sorted(map(str, after)) == recorded["states"][entry["next"]]["fluents"]
            if "sees" in entry:
                assert [sorted(map(str, seen)) for seen in machine.percepts(state, joint)] == entry["sees"]


CYCLE = """
(role one) (init (p a)) (edge a b) (edge b c) (edge c b)
(<= (linked ?x) (true (p ?x)))
(<= (linked ?y) (edge ?x ?y) (linked ?x) (not (does one cut)))
(legal one cut) (legal one keep)
(<= (next (p ?y)) (linked ?y)) (<= terminal (true (p c)))
"""


@pytest.mark.parametrize("oracle", ORACLES)
def test_positive_cycles_need_support(oracle):
    """b and c hold each other up, but only as long as something reaches them."""
    machine = ORACLES[oracle](CYCLE)
    start = machine.initial_state()
    kept = machine.successor(start, (Symbol("keep"),))
    assert {str(f) for f in machine.fluents(kept)} == {"(p a)", "(p b)", "(p c)"}
    cut = machine.successor(start, (Symbol("cut"),))
    assert {str(f) for f in machine.fluents(cut)} == {"(p a)"}
    assert machine.is_terminal(kept)
    assert not machine.is_terminal(cut)
    assert machine.goals(kept) == (None,)
