"""Simplification of circuits, seen in small games whose circuits can be counted by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scsp_player.gdl import load_program, parse_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import FALSE, TRUE, pack_state, unpack_state
from scsp_player.propnet import Propnet
from scsp_player.propnet.circuit import Circuit, build_circuit, outputs_of
from scsp_player.propnet.circuit_kernels import FEEDBACK, GATE, INPUT
from tests.propnet.random_games import game_of, random_game

SHEETS = Path(__file__).resolve().parents[2] / "games"
FRAME = """(role r) (init (p 1)) (init (p 2)) (init (p 3)) (init (p 4)) (legal r go) (legal r stop)
(<= (next (p ?i)) (does r go) (true (p ?i))) (<= (next (p 1)) (does r stop) (true (p 2))) (goal r 100)
"""


def terminal_of(rules):
    """The gates under ``terminal``: literals that name fluent p i are written i or -i, gates as frozensets with a sign."""
    circuit = build_circuit(ground(parse_program(FRAME + rules)))
    names = {1 + i: i + 1 for i in range(4)}

    def written(literal):
        node, sign = literal >> 1, literal & 1
        if node == 0:
            return not sign
        if node in names:
            return -names[node] if sign else names[node]
        children = circuit.child[circuit.child_start[node] : circuit.child_start[node + 1]]
        return "not" if sign else "", frozenset(map(written, children))

    return written(circuit.terminal)


def both(*parts):
    return "", frozenset(parts)


def either(*parts):
    return "not", frozenset(parts)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("(<= terminal (true (p 1)) (true (p 2)))", both(1, 2)),
        ("(<= terminal (true (p 1))) (<= terminal (true (p 2)))", either(-1, -2)),
        ("(<= terminal (true (p 1)) (true (p 2))) (<= terminal (true (p 2)) (true (p 1)))", both(1, 2)),
        # (p and q) or p, p and (p or q): absorption.
        ("(<= terminal (true (p 1)) (true (p 2))) (<= terminal (true (p 1)))", 1),
        ("(<= terminal (true (p 1)) q) (<= q (true (p 1))) (<= q (true (p 2)))", 1),
        # p and (not p or q) is p and q.
        ("(<= terminal (true (p 1)) q) (<= q (not (true (p 1)))) (<= q (true (p 2)))", both(1, 2)),
        # p or (not p and q) is p or q.
        ("(<= terminal (true (p 1))) (<= terminal (not (true (p 1))) (true (p 2)))", either(-1, -2)),
        # Contradiction and tautology.
        ("(<= terminal (true (p 1)) q) (<= q (not (true (p 1))) (true (p 2)))", False),
        ("(<= terminal (true (p 1))) (<= terminal (not q)) (<= q (true (p 1)))", True),
        # Double negation.
        ("(<= terminal (not q)) (<= q (not s)) (<= s (true (p 3)))", 3),
        # Chains of conjunctions and of disjunctions become one gate.
        ("(<= terminal (true (p 1)) q) (<= q (true (p 2)) s) (<= s (true (p 3)) (true (p 4)))", both(1, 2, 3, 4)),
        ("(<= terminal (true (p 1))) (<= terminal q) (<= q (true (p 2))) (<= q (true (p 3)))", either(-1, -2, -3)),
    ],
)
def test_simplification(rules, expected):
    assert terminal_of(rules) == expected


def test_shared_gates_are_one_gate():
    rules = """(<= terminal (true (p 1)) (true (p 2))) (<= both (true (p 2)) (true (p 1)))
    (<= (legal r wait) both) (<= (next (p 4)) (does r wait))"""
    circuit = build_circuit(ground(parse_program(FRAME + rules)))
    waiting = [i for i in circuit.legal if i > 1]
    assert waiting == [circuit.terminal]


def test_logic_without_effect_is_dropped():
    with_dead = build_circuit(ground(parse_program(FRAME + "(<= terminal (true (p 1))) (<= useless (true (p 1)) (true (p 3)))")))
    without = build_circuit(ground(parse_program(FRAME + "(<= terminal (true (p 1)))")))
    assert with_dead.gates == without.gates


def assert_well_formed(circuit: Circuit):
    nodes = len(circuit.kind)
    assert (circuit.kind[: 1 + circuit.inputs] == INPUT).all()
    count = np.diff(circuit.child_start)
    assert (count[circuit.kind == INPUT] == 0).all()
    assert (count[circuit.kind == GATE] >= 2).all()
    assert (count[circuit.kind == FEEDBACK] == 1).all()
    seen = set()
    for node in np.flatnonzero(circuit.kind == GATE):
        children = circuit.child[circuit.child_start[node] : circuit.child_start[node + 1]]
        assert len(set(children.tolist() + (children ^ 1).tolist())) == 2 * len(children), "repeated or contradictory literals"
        assert (children >> 1 < node).all()
        assert (children > 1).all(), "constants"
        assert frozenset(children.tolist()) not in seen, "equal gates"
        seen.add(frozenset(children.tolist()))
    used = np.zeros(nodes, bool)
    used[circuit.child >> 1] = used[outputs_of(circuit) >> 1] = True
    assert used[1 + circuit.inputs :].all(), "dead gates"


@given(seed=st.integers(0, 10**9), atoms=st.integers(2, 80))
def test_random_circuits_are_well_formed(seed, atoms):
    assert_well_formed(build_circuit(random_game(seed, atoms=atoms)))


@pytest.mark.parametrize("name", ["connect-four", "breakthrough-6x6", "hex-5x5", "capture-go-4x4"])
def test_games_are_well_formed(name):
    game = ground(load_program(SHEETS / f"{name}.kif"))
    circuit = build_circuit(game)
    assert_well_formed(circuit)
    assert circuit.gates < game.rules


def test_long_chains_need_no_recursion():
    # Two fluents and a move; atom n + 1 is atom n and the first fluent, alternately negated.
    length = 20_000
    rules = [(4 + n, [2, 2 * (3 + n if n else 2) + n % 2]) for n in range(length)]
    game = game_of(
        rules,
        total=4 + length,
        initial=[True, True],
        moves=[1],
        following=[TRUE, 2 * (3 + length)],
        legal=[TRUE],
        goals=[(0, 100, TRUE)],
        percepts=[],
        terminal=FALSE,
    )
    circuit = build_circuit(game)
    # p and not (p and q) is p and not q, so the chain folds up.
    assert circuit.gates == 1
    assert_well_formed(circuit)


def test_long_cycle():
    # Every atom needs the next one, the last one the first; the first also holds with the second fluent.
    length = 20_000
    rules = [(4, [4]), (4, [2, 10]), *((4 + n, [2, 2 * (4 + (n + 1) % length)]) for n in range(1, length))]
    game = game_of(
        rules,
        total=4 + length,
        initial=[True, True],
        moves=[1],
        following=[2 * (4 + length // 2), TRUE],
        legal=[TRUE],
        goals=[(0, 100, TRUE)],
        percepts=[],
        terminal=FALSE,
    )
    assert_well_formed(build_circuit(game))
    states = pack_state(np.array([[False, False], [False, True], [True, False], [True, True]]))
    following = unpack_state(Propnet(game).successors(states, np.zeros((4, 1), np.int32)), 2)
    assert following[:, 0].tolist() == [False, False, False, True]
