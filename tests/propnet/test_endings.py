"""What is left out of the circuits of phases because the match has not been over before."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import load_program, parse_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import pack_state
from scsp_player.propnet import Propnet
from scsp_player.propnet.circuit import build_circuit
from scsp_player.propnet.endings import circuits_of_phases
from scsp_player.propnet.phase_kernels import find_kept
from scsp_player.propnet.phases import find_phases
from scsp_player.propnet.simplify import simplify
from scsp_player.propnet.simplify.sampling import evaluated, literal_rows, random_positions, unpacked
from tests.propnet.random_games import random_game

SHEETS = Path(__file__).resolve().parents[2] / "games"


def outputs(circuit, inputs):
    """Terminal, legal, goal and next, bool[…, assignments] each."""
    values, count = evaluated(circuit, inputs), inputs.shape[1]
    literals = np.array([circuit.terminal], np.int32), circuit.legal, circuit.goal, circuit.next
    return [unpacked(literal_rows(values, each), count) for each in literals]


def assert_same_after_moves(game, circuit, *, lanes=64, turns=60):
    """In states that a legal joint move leads to, phases say what the circuit says; returns the number of states."""
    reference, phases = build_circuit(game), find_phases(game, circuit)
    circuits, _ = circuits_of_phases(game, circuit, phases)
    states = 0
    for _, inputs in zip(range(turns), random_positions(reference, game, lanes, np.random.default_rng(1)), strict=False):
        after = np.zeros_like(inputs)
        after[: game.fluents] = outputs(reference, inputs)[3]
        over, legal, _, _ = outputs(reference, after)
        # Any legal moves: the first ones.
        for first, last in zip(game.role_start[:-1], game.role_start[1:], strict=True):
            move = legal[first:last].argmax(axis=0)
            after[game.fluents + first + move, np.arange(after.shape[1])] = True
            over |= ~legal[first:last].any(axis=0)
        ended, _, scores, following = outputs(reference, after)
        numbers = phases.of(pack_state(after[: game.fluents].T), game.fluents)
        assert (numbers >= 0).all()
        for number in np.unique(numbers):
            lane = numbers == number
            ours = outputs(circuits[number], np.ascontiguousarray(after[:, lane]))
            np.testing.assert_array_equal(ours[0], ended[:, lane])
            np.testing.assert_array_equal(ours[2][:, ended[0, lane]], scores[:, lane][:, ended[0, lane]])
            goes_on = ~over[0, lane]
            np.testing.assert_array_equal(ours[1][:, goes_on], legal[:, lane][:, goes_on])
            changing = np.setdiff1d(np.arange(game.fluents), phases.fluents)
            np.testing.assert_array_equal(ours[3][changing][:, goes_on], following[changing][:, lane][:, goes_on])
        states += after.shape[1]
    return states


@pytest.mark.parametrize("sheet", sorted(p.name for p in SHEETS.glob("*.[kg]*") if p.suffix in (".kif", ".gdl")))
def test_own_games(sheet):
    game = ground(load_program(SHEETS / sheet))
    circuit = build_circuit(game)
    assert assert_same_after_moves(game, circuit) > 10
    assert_same_after_moves(game, simplify(circuit, game, seconds=1))


@given(seed=st.integers(0, 10**9), atoms=st.integers(2, 60), cyclic=st.booleans())
@settings(max_examples=40)
def test_random_games(seed, atoms, cyclic):
    game = random_game(seed, atoms=atoms, cyclic=cyclic)
    assert_same_after_moves(game, build_circuit(game), turns=10)


@given(seed=st.integers(0, 10**9), atoms=st.integers(2, 40))
@settings(max_examples=40)
def test_kept_literals_are_true_only_if_they_were(seed, atoms):
    game = random_game(seed, fluents=6, moves=(2, 2), atoms=atoms, cyclic=False)
    circuit = build_circuit(game)
    kept = np.zeros(2 * len(circuit.kind), np.uint8)
    find_kept(circuit.kind, circuit.child_start, circuit.child, circuit.next, kept)
    inputs = (np.arange(1 << circuit.inputs)[None, :] >> np.arange(circuit.inputs)[:, None]) & 1 == 1
    before, after = inputs[: game.fluents], outputs(circuit, inputs)[3]
    for fluent in range(game.fluents):
        assert not kept[2 * (1 + fluent)] or not (after[fluent] & ~before[fluent]).any()
        assert not kept[2 * (1 + fluent) + 1] or not (~after[fluent] & before[fluent]).any()


# In turns the two take cells; the second and third one and one beside them win.
CORRIDOR = """(role white) (role black) (init (control white)) (cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (init (free 1))
(init (free 2)) (init (free 3)) (init (free 4)) (init (free 5)) (opposite white black) (opposite black white)
(<= (legal ?r (take ?c)) (true (control ?r)) (true (free ?c))) (<= (legal ?r wait) (opposite ?r ?o) (true (control ?o)))
(<= (next (free ?c)) (true (free ?c)) (not (taken ?c))) (<= (taken ?c) (does ?r (take ?c)))
(<= (next (has ?r ?c)) (does ?r (take ?c))) (<= (next (has ?r ?c)) (true (has ?r ?c)))
(<= (next (control ?o)) (opposite ?r ?o) (true (control ?r)))
(<= (wins ?r) (true (has ?r 2)) (true (has ?r 3)) (end ?r)) (<= (end ?r) (true (has ?r 1))) (<= (end ?r) (true (has ?r 4)))
(<= open (true (free ?c))) (<= terminal (wins ?r)) (<= terminal (not open))
(<= (goal ?r 100) (wins ?r)) (<= (goal ?r 0) (opposite ?r ?o) (wins ?o))
(<= (goal ?r 50) (role ?r) (not (wins white)) (not (wins black)))
"""


def test_a_phase_does_not_ask_what_only_the_other_can_bring_about():
    game = ground(parse_program(CORRIDOR))
    circuit = build_circuit(game)
    phases = find_phases(game, circuit)
    circuits, all_ends = circuits_of_phases(game, circuit, phases)
    assert len(phases) == 2
    assert not all_ends
    for number, winner in ((0, "black"), (1, "white")):
        # Whoever has just moved may have won.
        part, asked, waiting = circuits[number], set(), [circuits[number].terminal >> 1]
        while waiting:
            node = waiting.pop()
            asked.add(node)
            waiting.extend((part.child[part.child_start[node] : part.child_start[node + 1]] >> 1).tolist())
        fluents = {str(game.fluent(node - 1)) for node in asked if 1 <= node <= game.fluents}
        assert any(winner in fluent for fluent in fluents)
        assert not any(name in fluent for name in {"white", "black"} - {winner} for fluent in fluents)
    assert assert_same_after_moves(game, circuit) > 100


def test_terminal_start_states_are_scored_at_once():
    game = ground(parse_program(CORRIDOR))
    net = Propnet(game)
    assert not net.player.sees_all_ends
    state, seen = game.initial_state[None], []
    rng = np.random.default_rng(0)
    while not net.terminal(state)[0]:
        seen.append(state[0])
        legal = net.legal(state)[0]
        joint = [int(rng.choice(first + np.flatnonzero(legal[first:last]))) for first, last in pairwise(game.role_start)]
        state = net.successors(state, np.array([joint], np.int32))
    seen.append(state[0])
    result = net.playouts(np.stack(seen), playouts_per_state=100)
    assert (result.finished == 100).all()
    assert result.plies[-1] == 0
    np.testing.assert_array_equal(result.mean_scores()[-1], net.goals(state)[0])
