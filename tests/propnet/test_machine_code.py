"""Machine code, interpreter and written-out draws do the same; what matches get to looks the same in every phase."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import load_program, parse_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import pack_state
from scsp_player.propnet import Propnet, stretches
from scsp_player.propnet.draw_circuit import draw_instructions
from scsp_player.propnet.native import processor
from scsp_player.propnet.stretches import Stretches, kernels
from scsp_player.propnet.workspace import Workspace, whole_cache_lines
from tests.propnet.random_games import random_game

SHEETS = Path(__file__).resolve().parents[2] / "games"
WORDS = processor().words
LANES = 64 * WORDS
needs_machine_code = pytest.mark.skipif(processor().vectors < 256, reason="no machine code is written for this processor")


def same_answers(game, seed, count=70):
    rng = np.random.default_rng(seed)
    states = pack_state(rng.random((count, game.fluents)) < 0.5)
    joint = np.stack([rng.integers(a, b, count) for a, b in zip(game.role_start[:-1], game.role_start[1:], strict=True)], axis=1)
    nets = [Propnet(game, native=native, split=False) for native in (True, False)]
    for question in (
        lambda net: np.concatenate([np.atleast_2d(a.T) for a in net.evaluate(states)]),
        lambda net: net.successors(states, joint),
        lambda net: net.percepts(states, joint),
    ):
        np.testing.assert_array_equal(*(question(net) for net in nets))


@needs_machine_code
@given(seed=st.integers(0, 10**9), atoms=st.integers(2, 60), cyclic=st.booleans())
@settings(max_examples=30)
def test_random_circuits(seed, atoms, cyclic):
    same_answers(random_game(seed, atoms=atoms, cyclic=cyclic), seed)


@needs_machine_code
@pytest.mark.parametrize("seed", range(3))
def test_more_values_than_registers_and_several_stretches(seed):
    same_answers(random_game(seed, fluents=60, moves=(40, 20), atoms=2500, goals=20), seed, 300)


def run(stretches, workspace, groups, stage):
    memory, entries = workspace.memory, stretches.entries
    bounds = (int(stretches.stage[stage]), int(stretches.stage[stage + 1]))
    kernels(WORDS).run(memory.ctypes.data, groups, memory.strides[0], entries.ctypes.data, *bounds)


def bits(lines):
    """bool[lines, lanes] of uint64[groups, lines, WORDS]."""
    words = np.ascontiguousarray(lines.transpose(1, 0, 2)).reshape(lines.shape[1], -1)
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").astype(bool)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("moves", [2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 64, 65, 100])
def test_written_out_draw_finds_the_move_of_every_rank(moves, native):
    draw = draw_instructions([[line] for line in range(5, 5 + moves)], 5 + moves)
    stretches = Stretches.of(draw.code, WORDS, native)
    rng = np.random.default_rng(moves)
    workspace = Workspace.of(2, whole_cache_lines(draw.code.lines, WORDS), WORDS, 0, 1)
    memory = workspace.memory
    density = rng.random((2, 1, WORDS))
    legal = np.zeros((2, moves, WORDS), np.uint64)
    for bit in range(64):
        legal |= (rng.random((2, moves, WORDS)) < density).astype(np.uint64) << np.uint64(bit)
    memory[:, 5 : 5 + moves] = legal
    run(stretches, workspace, 2, 0)
    width, root = draw.width, draw.root
    counts = bits(legal).sum(axis=0)
    counted = bits(memory[:, root : root + width])
    np.testing.assert_array_equal((counted * (1 << np.arange(width))[:, None]).sum(axis=0), counts % (1 << width))
    np.testing.assert_array_equal(bits(memory[:, draw.any : draw.any + 1])[0], counts > 0)
    rank = rng.integers(0, np.maximum(counts, 1))
    for j in range(width):
        packed = np.packbits(rank >> j & 1, bitorder="little").view(np.uint64).reshape(2, WORDS)
        memory[:, root + j] = packed
    here = np.packbits(counts > 0, bitorder="little").view(np.uint64).reshape(2, WORDS)
    memory[:, root + width] = here
    run(stretches, workspace, 2, 1)
    drawn = bits(memory[:, 5 : 5 + moves])
    for lane in range(2 * LANES):
        expected = np.flatnonzero(bits(legal)[:, lane])[rank[lane] : rank[lane] + 1] if counts[lane] else []
        assert np.flatnonzero(drawn[:, lane]).tolist() == list(expected)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("sizes", [(1, 2), (3, 1, 1, 2), (2,) * 9, (5, 1, 7, 3, 2, 4)])
def test_draw_among_groups_of_exclusive_moves(sizes, native):
    first = 5 + np.append(0, np.cumsum(sizes))
    draw = draw_instructions([list(range(a, b)) for a, b in pairwise(first.tolist())], int(first[-1]))
    stretches = Stretches.of(draw.code, WORDS, native)
    rng = np.random.default_rng(len(sizes))
    memory = (workspace := Workspace.of(1, whole_cache_lines(draw.code.lines, WORDS), WORDS, 0, 1)).memory
    # In every lane one move of each group is legal, or none.
    legal = np.zeros((int(first[-1]) - 5, LANES), np.bool_)
    for a, size in zip(first[:-1] - 5, sizes, strict=True):
        legal[a + rng.integers(0, size, LANES), np.arange(LANES)] = rng.random(LANES) < 0.6

    def rows(lanes):
        return np.packbits(lanes, axis=-1, bitorder="little").view(np.uint64)

    memory[0, 5 : first[-1]] = rows(legal)
    run(stretches, workspace, 1, 0)
    counts = legal.sum(axis=0)
    counted = bits(memory[:, draw.root : draw.root + draw.width])
    np.testing.assert_array_equal((counted << np.arange(draw.width)[:, None]).sum(axis=0), counts % (1 << draw.width))
    rank = rng.integers(0, np.maximum(counts, 1))
    for j in range(draw.width):
        memory[0, draw.root + j] = rows(rank >> j & 1)
    memory[0, draw.root + draw.width] = rows(counts > 0)
    run(stretches, workspace, 1, 1)
    drawn = bits(memory[:, 5 : first[-1]])
    for lane in range(LANES):
        expected = np.flatnonzero(legal[:, lane])[rank[lane] : rank[lane] + 1] if counts[lane] else []
        assert np.flatnonzero(drawn[:, lane]).tolist() == list(expected)


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "monty-hall", "nim", "kuhn-poker"])
def test_interpreted_playouts_are_the_same(name):
    game = ground(load_program(SHEETS / f"{name}.kif"))
    results = [Propnet(game, native=native).playouts(game.initial_state[None], playouts_per_state=500) for native in (True, False)]
    assert results[0].goal_count.tolist() == results[1].goal_count.tolist()
    assert results[0].plies.tolist() == results[1].plies.tolist()


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "breakthrough-6x6", "monty-hall"])
def test_improvement_changes_no_playout(name):
    game = ground(load_program(SHEETS / f"{name}.kif"))
    net = Propnet(game)
    before = net.playouts(game.initial_state[None], playouts_per_state=1000, seed=3)
    first = net.player
    net.improve(5.0)
    assert net.player is not first
    after = net.playouts(game.initial_state[None], playouts_per_state=1000, seed=3)
    assert before.goal_count.tolist() == after.goal_count.tolist()
    assert before.plies.tolist() == after.plies.tolist()


THREE_TURNS = """
(role a) (role b) (role c) (init (turn a)) (init (count 0)) (after a b) (after b c) (after c a)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
(<= (legal ?r (say ?x)) (true (turn ?r)) (succ ?x ?y)) (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s)) (<= (next (count ?y)) (true (count ?x)) (succ ?x ?y))
(<= (next (said ?r ?x)) (does ?r (say ?x))) (<= (next (said ?r ?x)) (true (said ?r ?x)))
(<= terminal (true (count 7))) (<= (goal ?r 100) (true (said ?r 0))) (<= (goal ?r 0) (role ?r) (not (true (said ?r 0))))
"""


def test_phases_are_turns():
    game = ground(parse_program(THREE_TURNS))
    net, whole = Propnet(game), Propnet(game, split=False)
    assert (len(net.phases), len(whole.phases)) == (3, 1)
    state, states = game.initial_state[None], []
    for turn in range(7):
        assert net.phases.of(state, game.fluents).tolist() == [turn % 3]
        states.append(state[0])
        legal = net.legal(state)[0]
        joint = [a + int(np.argmax(legal[a:b])) for a, b in zip(game.role_start[:-1], game.role_start[1:], strict=True)]
        state = net.successors(state, np.array([joint]))
    # No phase: nobody's turn.
    states.append(np.zeros_like(states[0]))
    states = np.stack(states)
    result = net.playouts(states[:7], playouts_per_state=3000, seed=1)
    other = whole.playouts(states[:7], playouts_per_state=3000, seed=2)
    assert (result.finished == 3000).all()
    assert result.plies.tolist() == other.plies.tolist() == [3000 * (7 - turn) for turn in range(7)]
    np.testing.assert_allclose(result.mean_scores(), other.mean_scores(), atol=5)
    alone = net.playouts(states[7:], max_depth=4)
    assert alone.truncated.tolist() == [64]


def test_threads_add_up_and_repeat():
    game = ground(load_program(SHEETS / "tic-tac-toe.kif"))
    net = Propnet(game)

    def play(threads):
        return net.playouts(game.initial_state[None], lanes_per_state=256, playouts_per_state=10_001, seed=7, threads=threads)

    assert play(3).finished[0] == play(2).finished[0] == 10_001
    assert play(2).goal_count.tolist() == play(2).goal_count.tolist() != play(3).goal_count.tolist()
    assert play(2).mean_scores()[0, 0] == pytest.approx(64.8, abs=2)


class Refused:
    def __init__(self, code):
        raise OSError("executable memory is forbidden here")


@pytest.mark.parametrize("obstacle", ["processor", "memory"])
def test_without_machine_code_everything_is_interpreted(monkeypatch, obstacle):
    game = ground(load_program(SHEETS / "tic-tac-toe.kif"))
    expected = Propnet(game).playouts(game.initial_state[None], playouts_per_state=300)
    if obstacle == "processor":
        monkeypatch.setattr(stretches, "processor", lambda: replace(processor(), vectors=0))
    else:
        monkeypatch.setattr(stretches, "ExecutableMemory", Refused)
    net = Propnet(game)
    assert net.player.program.code_bytes == net.general.code_bytes == 0
    for _ in range(2):
        found = net.playouts(game.initial_state[None], playouts_per_state=300)
        assert found.goal_count.tolist() == expected.goal_count.tolist()
        net.improve(5.0)
