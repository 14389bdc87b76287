"""Moves that are never legal together are found, and drawing among groups of them changes no chance."""

from __future__ import annotations

from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest

from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet, program
from scsp_player.propnet.circuit import build_circuit
from scsp_player.propnet.exclusive_moves import exclusive_moves
from scsp_player.propnet.simplify import simplify
from scsp_player.propnet.simplify.sampling import evaluated, literal_rows, random_positions, unpacked
from tests.shared_data import SHARED, needs_shared

SHEETS = Path(__file__).resolve().parents[2] / "games"


def groups_of(game, circuit):
    return [exclusive_moves(circuit, range(a, b), circuit.exclusive) for a, b in pairwise(game.role_start.tolist())]


def assert_never_legal_together(game, reference, groups, turns):
    for inputs in islice(random_positions(reference, game, 128, np.random.default_rng(1)), turns):
        legal = unpacked(literal_rows(evaluated(reference, inputs), reference.legal), inputs.shape[1])
        for group in groups:
            assert legal[group].sum(axis=0).max() <= 1


@pytest.mark.parametrize("name", ["breakthrough-6x6", "connect-four", "eight-puzzle", "monty-hall"])
def test_own_games(name):
    game = ground(load_program(SHEETS / f"{name}.kif"))
    circuit = build_circuit(game)
    roles = pairwise(game.role_start.tolist())
    for groups, (a, b) in zip(groups_of(game, simplify(circuit, game, seconds=100)), roles, strict=True):
        assert sorted(move for group in groups for move in group) == list(range(a, b))
        assert_never_legal_together(game, circuit, groups, 40)


@needs_shared
def test_kinds_of_pieces_share_a_place():
    game = ground(load_program(SHARED / "games" / "checkers_v1.kif"))
    circuit = build_circuit(game)
    for groups in groups_of(game, simplify(circuit, game, seconds=100)):
        assert len(groups) < 200 < 600 < sum(map(len, groups))
        assert_never_legal_together(game, circuit, groups, 30)


def test_nothing_known_nothing_grouped():
    game = ground(load_program(SHEETS / "breakthrough-6x6.kif"))
    circuit = build_circuit(game)
    assert exclusive_moves(circuit, [3, 5, 9], ()) == [[3], [5], [9]]
    assert groups_of(game, circuit) == [[[move] for move in range(a, b)] for a, b in pairwise(game.role_start.tolist())]


@pytest.mark.parametrize("name", ["breakthrough-6x6", "eight-puzzle"])
def test_chances_stay(name, monkeypatch):
    monkeypatch.setattr(program, "LEAST_GROUPED", 2)
    game = ground(load_program(SHEETS / f"{name}.kif"))
    net = Propnet(game)
    state, count = game.initial_state[None], 40_000
    before = net.playouts(state, playouts_per_state=count, lanes_per_state=1024, seed=1)
    circuit = simplify(net.circuit, game, seconds=100)
    net.use(circuit)
    grouped = [draw for code in net.player.program.codes for draw in code.draws if draw]
    after = net.playouts(state, playouts_per_state=count, lanes_per_state=1024, seed=2)
    assert grouped
    assert after.finished.tolist() == before.finished.tolist() == [count]
    assert after.plies[0] == pytest.approx(before.plies[0], rel=0.01)
    share = before.goal_count[0] / count
    np.testing.assert_allclose(after.goal_count[0] / count, share, atol=5 * np.sqrt(0.5 / count))
    net.use(circuit, same_draws=True)
    again = net.playouts(state, playouts_per_state=count, lanes_per_state=1024, seed=1)
    assert again.goal_count.tolist() == before.goal_count.tolist()
