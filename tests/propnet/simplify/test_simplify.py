"""What simplification may not change, and what it must achieve."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import load_program, parse_program
from scsp_player.grounding import ground
from scsp_player.propnet.circuit import Circuit, build_circuit, cleaned, outputs_of
from scsp_player.propnet.circuit_kernels import FEEDBACK
from scsp_player.propnet.simplify import simplify
from scsp_player.propnet.simplify.draft import Draft
from scsp_player.propnet.simplify.exclusion import exclusive_groups
from scsp_player.propnet.simplify.factoring import with_factors
from scsp_player.propnet.simplify.one_move import with_one_move
from scsp_player.propnet.simplify.sampling import evaluated, literal_rows
from scsp_player.propnet.simplify.sharing import with_sharing
from tests.propnet.random_games import random_game
from tests.propnet.simplify.equivalence import assert_same_in_play
from tests.shared_data import SHARED, needs_shared

SHEETS = Path(__file__).resolve().parents[3] / "games"


@given(seed=st.integers(0, 10**9), atoms=st.integers(2, 60), cyclic=st.booleans())
@settings(max_examples=40)
def test_random_games(seed, atoms, cyclic):
    game = random_game(seed, atoms=atoms, cyclic=cyclic)
    circuit = build_circuit(game)
    assert_same_in_play(circuit, simplify(circuit, game, seconds=10), game, turns=10, lanes=64)


@given(literals=st.lists(st.lists(st.integers(2, 15), min_size=1, max_size=5), min_size=1, max_size=12), shared=st.booleans())
@settings(max_examples=40)
def test_sharing_and_factors_keep_every_function(literals, shared):
    # Seven fluents, no knowledge at all: a disjunction of conjunctions, on all assignments.
    draft = Draft(8)
    alternatives = [draft.all_of(conjunction) for conjunction in literals]
    outputs = np.array([draft.any_of(alternatives), *(alternatives * 8)[:1], 0, *([alternatives[-1]] * 7)], np.int32)
    frame = Circuit(7, 1, *(np.zeros(0, np.uint8),) * 3, 0, *(np.zeros(n, np.int32) for n in (1, 1, 7, 0)))
    circuit = cleaned(draft.freeze(frame, outputs))
    changed = cleaned(with_sharing(circuit, math.inf) if shared else with_factors(circuit, math.inf))
    assert changed.literals <= circuit.literals
    inputs = (np.arange(256)[None, :] >> np.arange(8)[:, None]) & 1 == 1
    for a, b in zip(outputs_of(circuit).reshape(-1, 1), outputs_of(changed).reshape(-1, 1), strict=True):
        np.testing.assert_array_equal(literal_rows(evaluated(circuit, inputs), a), literal_rows(evaluated(changed, inputs), b))


@given(seed=st.integers(0, 10**9), roles=st.lists(st.integers(1, 9), min_size=1, max_size=3))
@settings(max_examples=40)
def test_random_games_with_many_moves(seed, roles):
    game = random_game(seed, fluents=4, moves=tuple(roles), atoms=40)
    circuit = build_circuit(game)
    assert_same_in_play(circuit, simplify(circuit, game, seconds=10), game, turns=10, lanes=64)


@pytest.mark.parametrize("sheet", sorted(p.name for p in SHEETS.glob("*.[kg]*") if p.suffix in (".kif", ".gdl")))
def test_own_games(sheet):
    game = ground(load_program(SHEETS / sheet))
    circuit = build_circuit(game)
    simplified = simplify(circuit, game, seconds=10)
    assert simplified.literals <= circuit.literals
    assert assert_same_in_play(circuit, simplified, game) > 100


@needs_shared
@pytest.mark.parametrize(
    ("name", "gates", "literals"),
    [
        ("breakthrough_v0", 900, 2700),
        ("eightPuzzle_v0", 380, 920),
        ("sheepAndWolf_v0", 950, 2900),
    ],
)
def test_sizes_of_known_games(name, gates, literals):
    game = ground(load_program(SHARED / "games" / f"{name}.kif"))
    circuit = build_circuit(game)
    simplified = simplify(circuit, game, seconds=1000)
    assert simplified.gates <= gates
    assert simplified.literals <= literals
    assert_same_in_play(circuit, simplified, game, turns=25)


def test_no_time_gives_a_right_circuit():
    game = ground(load_program(SHEETS / "breakthrough-6x6.kif"))
    circuit = build_circuit(game)
    assert_same_in_play(circuit, simplify(circuit, game, seconds=0), game)


def test_positive_cycles_stay():
    game = ground(load_program(SHEETS / "hex-5x5.kif"))
    circuit = build_circuit(game)
    simplified = simplify(circuit, game, seconds=10)
    assert (simplified.kind == FEEDBACK).any() == (circuit.kind == FEEDBACK).any()


FRAME = """(role r) (init (at 1)) (init (day 1)) (place 1) (place 2) (place 3) (place 4) (place 5) (place 6) (place 7) (place 8)
(<= (legal r (go ?x)) (place ?x)) (<= (legal r (mark ?x)) (place ?x))
(<= (next (marked ?x)) (does r (mark ?x)))
(<= (next (marked ?x)) (true (marked ?x)) (does r (mark ?y)) (distinct ?x ?y))
(<= (next (marked ?x)) (true (marked ?x)) (does r (go ?y)))
(<= (next (at ?x)) (does r (go ?x))) (<= (next (at ?x)) (true (at ?x)) (does r (mark ?y)))
(<= terminal (true (marked 1)) (true (marked 2))) (goal r 100)
"""


def test_frame_axioms_become_short():
    game = ground(parse_program(FRAME))
    circuit = build_circuit(game)
    simplified = simplify(circuit, game, seconds=10)
    assert circuit.literals > 150
    # A mark stays, whatever the move is: marked or the move that marks.
    assert simplified.literals < 80
    marked = [i for i in range(game.fluents) if str(game.fluent(i)).startswith("(marked")]
    for literal in simplified.next[marked]:
        node = literal >> 1
        assert simplified.child_start[node + 1] - simplified.child_start[node] == 2
    assert_same_in_play(circuit, simplified, game)


def test_same_result_every_time():
    game = ground(load_program(SHEETS / "connect-four.kif"))
    circuit = build_circuit(game)
    first, second = (simplify(circuit, game, seconds=1000) for _ in range(2))
    np.testing.assert_array_equal(first.child, second.child)
    np.testing.assert_array_equal(first.next, second.next)


def test_squares_are_found_to_have_one_content():
    game = ground(load_program(SHEETS / "tic-tac-toe.kif"))
    groups = exclusive_groups(with_one_move(build_circuit(game), game, math.inf), game, math.inf)
    names = {frozenset(str(game.fluent(int(i))) for i in group) for group in groups}
    assert {"(square 1 1 cross)", "(square 1 1 empty)", "(square 1 1 nought)"} in names


def test_what_can_be_true_together_is_no_group():
    game = ground(parse_program(FRAME))
    groups = exclusive_groups(with_one_move(build_circuit(game), game, math.inf), game, math.inf)
    assert all(not str(game.fluent(int(i))).startswith("(marked") for group in groups for i in group)
