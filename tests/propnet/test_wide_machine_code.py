"""The code for AVX-512 does what it should on a processor that is emulated; lines of any width give the same kind of answers.

The emulator itself is compared with this processor, where that has AVX2.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import pack_state
from scsp_player.propnet import Propnet, native, stretches
from scsp_player.propnet.native import Processor, processor
from scsp_player.propnet.stretches import cuts_of, machine_code
from tests.propnet.random_games import random_game
from tests.propnet.vector_emulator import EmulatedMemory, mnemonics

SHEETS = Path(__file__).resolve().parents[2] / "games"
WIDTHS = [4, 8]


def emulated(monkeypatch, game, words, **options):
    """A network whose machine code is executed by the emulator."""
    with monkeypatch.context() as patch:
        patch.setattr(stretches, "processor", lambda: replace(processor(), vectors=64 * words))
        patch.setattr(stretches, "ExecutableMemory", EmulatedMemory)
        net = Propnet(game, words=words, **options)
    assert net.player.program.code_bytes > 0
    return net


def answers(net, game, seed, count):
    """Everything there is to ask about random states and moves."""
    rng = np.random.default_rng(seed)
    states = pack_state(rng.random((count, game.fluents)) < 0.5)
    joint = np.stack([rng.integers(a, b, count) for a, b in zip(game.role_start[:-1], game.role_start[1:], strict=True)], axis=1)
    return [*net.evaluate(states), net.successors(states, joint), net.percepts(states, joint)]


@pytest.mark.parametrize("words", WIDTHS)
@given(seed=st.integers(0, 10**9), atoms=st.integers(2, 40), cyclic=st.booleans())
@settings(max_examples=5)
def test_random_circuits(words, seed, atoms, cyclic):
    game = random_game(seed, atoms=atoms, cyclic=cyclic)
    with pytest.MonkeyPatch.context() as patch:
        net = emulated(patch, game, words, split=False)
    for found, expected in zip(answers(net, game, seed, 70), answers(Propnet(game, native=False), game, seed, 70), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("words", WIDTHS)
def test_more_values_than_registers_and_several_stretches(monkeypatch, words):
    game = random_game(1, fluents=60, moves=(20, 10), atoms=400, goals=8)
    net = emulated(monkeypatch, game, words, split=False)
    for found, expected in zip(answers(net, game, 2, 260), answers(Propnet(game, native=False), game, 2, 260), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("words", WIDTHS)
@pytest.mark.parametrize(("name", "improved"), [("tic-tac-toe", True), ("monty-hall", False), ("nim", True)])
def test_playouts_are_those_of_the_interpreter(monkeypatch, words, name, improved):
    game = ground(load_program(SHEETS / f"{name}.kif"))
    nets = [emulated(monkeypatch, game, words), Propnet(game, words=words, native=False)]
    if improved:
        with monkeypatch.context() as patch:
            patch.setattr(stretches, "processor", lambda: replace(processor(), vectors=64 * words))
            patch.setattr(stretches, "ExecutableMemory", EmulatedMemory)
            nets[0].improve(5.0)
        nets[1].improve(5.0)
    found, expected = (net.playouts(game.initial_state[None], lanes_per_state=520, playouts_per_state=600) for net in nets)
    assert found.finished[0] == 600
    assert found.goal_count.tolist() == expected.goal_count.tolist()
    assert found.plies.tolist() == expected.plies.tolist()


@pytest.mark.skipif(processor().vectors < 256, reason="no machine code is written for this processor")
def test_the_emulator_does_what_this_processor_does(monkeypatch):
    game = ground(load_program(SHEETS / "connect-four.kif"))
    nets = [emulated(monkeypatch, game, 4), Propnet(game, words=4)]
    assert nets[1].player.program.code_bytes == nets[0].player.program.code_bytes > 0
    found, expected = (net.playouts(game.initial_state[None], lanes_per_state=256) for net in nets)
    assert found.goal_count.tolist() == expected.goal_count.tolist()
    for question, answer in zip(answers(nets[0], game, 3, 300), answers(nets[1], game, 3, 300), strict=True):
        np.testing.assert_array_equal(question, answer)


def test_wide_code_computes_with_fewer_instructions():
    game = ground(load_program(SHEETS / "connect-four.kif"))
    code = Propnet(game, native=False, split=False).general.codes[0].code
    cuts = [cut for cut in cuts_of(code)[0] if not cut.clears]
    counts = {}
    for words in WIDTHS:
        text, places = machine_code(code, cuts, words)
        names = [name for begin in places for name in mnemonics(text, int(begin))]
        counts[words] = sum(name.startswith("vp") for name in names)
        assert ("vpternlogq" in names) == (words == 8)
    assert counts[8] < 0.75 * counts[4]


@pytest.mark.parametrize("words", [1, 2, 8, 16])
def test_lines_of_other_widths(words):
    game = random_game(7, atoms=80)
    for found, expected in zip(
        answers(Propnet(game, words=words), game, 7, 1100), answers(Propnet(game, words=4), game, 7, 1100), strict=True
    ):
        np.testing.assert_array_equal(found, expected)
    net = Propnet(ground(load_program(SHEETS / "tic-tac-toe.kif")), words=words)
    result = net.playouts(net.game.initial_state[None], lanes_per_state=net.lanes, playouts_per_state=20_000, seed=words)
    assert result.finished[0] == 20_000
    assert result.mean_scores()[0, 0] == pytest.approx(64.85, abs=1.5)


@pytest.mark.parametrize(
    ("features", "allowed", "vectors", "words"),
    [
        ({"avx2": True, "avx512f": True}, "", 512, 8),
        ({"avx2": True, "avx512f": True}, "avx2", 256, 4),
        ({"avx2": True, "avx512f": False}, "avx512", 256, 4),
        ({"avx2": True}, "none", 0, 4),
        ({"neon": True}, "", 0, 4),
    ],
)
def test_what_is_used_of_the_processor(monkeypatch, features, allowed, vectors, words):
    features = type("Features", (dict,), {"flatten": lambda self: ",".join(self)})(features)
    monkeypatch.setattr(native.llvm, "get_host_cpu_features", lambda: features)
    monkeypatch.setattr(native.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(native.sys, "platform", "linux")
    monkeypatch.setenv(native.VECTORS_VARIABLE, allowed)
    found: Processor = processor.__wrapped__()
    assert (found.vectors, found.words) == (vectors, words)


def test_unknown_vectors_are_refused(monkeypatch):
    monkeypatch.setenv(native.VECTORS_VARIABLE, "avx1024")
    with pytest.raises(ValueError, match="avx512, not 'avx1024'"):
        processor.__wrapped__()
