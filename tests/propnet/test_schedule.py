"""Evaluation order: stages by purpose, children first, cycles as loops, states that can be replaced in place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scsp_player.gdl import parse_program
from scsp_player.grounding import ground
from scsp_player.propnet.circuit import build_circuit
from scsp_player.propnet.schedule import GOAL, LEGAL, NEXT, PERCEPT, STAGES, TERMINAL, schedule
from tests.propnet.random_games import random_game

READABLE = {
    TERMINAL: {TERMINAL},
    LEGAL: {TERMINAL, LEGAL},
    GOAL: {TERMINAL, LEGAL, GOAL},
    NEXT: {TERMINAL, LEGAL, NEXT},
    PERCEPT: {TERMINAL, LEGAL, NEXT, PERCEPT},
}
"""Stages that a stage may read: GOAL can be skipped."""


def stages_of(plan):
    """Stage of every gate."""
    stage = np.full(plan.gates, -1)
    for s in range(STAGES):
        for first, _, last in plan.segment[plan.stage_segment[s] : plan.stage_segment[s + 1]]:
            stage[first:last] = s
    return stage


@given(seed=st.integers(0, 10**9), atoms=st.integers(2, 80))
def test_order(seed, atoms):
    circuit = build_circuit(random_game(seed, atoms=atoms))
    plan = schedule(circuit)
    stage = stages_of(plan)
    assert (stage >= 0).all()
    assert (np.diff(stage) >= 0).all()
    for segment in plan.segment:
        first, feedback, last = segment
        for gate in range(first, last):
            lines = plan.code[plan.code_start[gate] : plan.code_start[gate + 1]] >> 1
            assert len(lines) >= 1
            below = lines[lines >= plan.first_gate] - plan.first_gate
            assert all(stage[g] in READABLE[stage[gate]] for g in below)
            inside_loop = (below >= feedback) & (below < last)
            assert ((below < gate) | inside_loop).all()
    outputs = ((TERMINAL, [plan.terminal]), (LEGAL, plan.legal), (GOAL, plan.goal), (NEXT, plan.next), (PERCEPT, plan.percept))
    for purpose, literals in outputs:
        gates = (np.asarray(literals) >> 1) - plan.first_gate
        assert all(stage[g] in READABLE[purpose] for g in gates[gates >= 0])
    assert plan.stage_literals().sum() == plan.literals


@pytest.mark.parametrize("purpose", ["terminal", "legal", "goal"])
def test_what_depends_on_moves_too_early_is_refused(purpose):
    circuit = build_circuit(random_game(1, atoms=10))
    move = 2 * (1 + circuit.fluents)
    change = {"terminal": move, "legal": np.full_like(circuit.legal, move), "goal": np.full_like(circuit.goal, move)}
    with pytest.raises(ValueError, match=f"{purpose} depends on the moves"):
        schedule(replace(circuit, **{purpose: change[purpose]}))


def test_nothing_to_compute():
    plan = schedule(build_circuit(ground(parse_program("(role r) (legal r go) (init p) (<= terminal (true p)) (goal r 1)"))))
    assert plan.gates == plan.literals == 0
    assert plan.stage_segment.tolist() == [0] * (STAGES + 1)
