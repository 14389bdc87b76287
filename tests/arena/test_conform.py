"""Replaying traces: an engine that agrees, one that does not, files that are no traces."""

import gzip
import json

import pytest

from scsp_player.arena.conform import conform, read_trace, sheet_of
from scsp_player.gdl import GdlError
from scsp_player.gdl.terms import Symbol

SHEET = """
(role r) (init (s 0))
(<= (legal r go) (true (s 0))) (<= (legal r stay) (true (s 0)))
(<= (next (s 1)) (does r go)) (<= (next (s 0)) (does r stay))
(<= terminal (true (s 1))) (<= (goal r 100) (true (s 1))) (<= (goal r 0) (true (s 0)))
"""

TRACE = {
    "file": "one.kif",
    "roles": ["r"],
    "states": [
        {
            "playout": 0,
            "depth": 0,
            "fluents": ["(s 0)"],
            "terminal": False,
            "legal": [["go", "stay"]],
            "move": ["go"],
            "next": 1,
        },
        {"playout": 0, "depth": 1, "fluents": ["(s 1)"], "terminal": True, "goals": [100]},
    ],
}


@pytest.fixture
def write(tmp_path):
    (tmp_path / "one.kif").write_text(SHEET)

    def make(trace):
        path = tmp_path / "one.json.gz"
        path.write_bytes(gzip.compress(json.dumps(trace).encode()))
        return path

    return make


def reasoner(program):
    from scsp_player.grounding import Reasoner

    return Reasoner(program)


def test_agreement(write):
    outcome = conform(write(TRACE), "reasoner", reasoner)
    assert outcome.states == 2
    assert not outcome.mismatches
    assert not outcome.skipped


@pytest.mark.parametrize(
    ("state", "key", "value", "question"),
    [
        (0, "terminal", True, "terminal"),
        (0, "legal", [["go"]], "legal moves of r"),
        (0, "move", ["stay"], "successor"),
        (0, "sees", [["light"]], "percepts of r"),
        (1, "goals", [0], "goals"),
        (1, "fluents", ["(s 9)"], "state"),
    ],
)
def test_every_disagreement_is_named(write, state, key, value, question):
    trace = json.loads(json.dumps(TRACE))
    trace["states"][state][key] = value
    outcome = conform(write(trace), "propnet", propnet)
    assert question in {m.question for m in outcome.mismatches}
    assert all("one.json.gz" in str(m) for m in outcome.mismatches)


def propnet(program):
    from scsp_player.arena.engines import machine

    return machine("propnet", program)


def test_an_engine_that_gives_up_is_skipped_with_the_reason(write):
    def giving_up(program):
        raise GdlError("too big")

    assert "too big" in conform(write(TRACE), "reasoner", giving_up).skipped


def test_not_a_trace(tmp_path):
    for name, data in (("a.json", b"{}"), ("b.json.gz", b"garbage"), ("c.json", b"\xff"), ("d.json", b"[1]")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(GdlError, match="not a trace"):
            read_trace(tmp_path / name)


def test_no_sheet(tmp_path):
    with pytest.raises(GdlError, match=r"no rule sheet nowhere\.kif"):
        sheet_of(tmp_path / "x.json.gz", {"file": "nowhere.kif"})


def test_states_are_compared_as_sets_of_terms(write):
    machine = reasoner_of(write)
    assert machine.legal_moves(machine.initial_state()) == ((Symbol("go"), Symbol("stay")),)


def reasoner_of(write):
    from scsp_player.gdl import load_program

    return reasoner(load_program(write(TRACE).parent / "one.kif"))
