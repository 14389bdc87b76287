"""Rules made ready for tables still say the same."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from scsp_player.network.errors import NetworkTooLargeError
from scsp_player.network.rules import inline_moves, merge_moves
from scsp_player.network.unfolding import unfold
from tests.network.games import POSITIVE_CYCLE, ground_text, own
from tests.network.test_random_games import rule_sheets


def evaluate_original(game, inputs):
    """Truth of all atoms by plain rounds from all-false, component by component."""
    value = inputs.copy()
    for c in range(len(game.component_cyclic)):
        atoms = game.component_atoms[game.component_start[c] : game.component_start[c + 1]]
        for _ in range(len(atoms)):
            for atom in atoms:
                bodies = [
                    game.rule_body[game.rule_start[r] : game.rule_start[r + 1]]
                    for r in range(game.head_start[atom], game.head_start[atom + 1])
                ]
                value[atom] |= any(all(value[x >> 1] != bool(x & 1) for x in body) for body in bodies)
    return value


def evaluate_merged(game, rules, merged, inputs):
    """Truth of all atoms of the prepared rules, in their order."""
    value = np.zeros(rules.atoms, dtype=np.bool_)
    value[: game.atoms] = inputs
    done = [set(np.flatnonzero(inputs[game.does_atom[a:b]])) for a, b in zip(game.role_start, game.role_start[1:], strict=False)]
    for atom in rules.order:
        for r in range(merged.head_start[atom], merged.head_start[atom + 1]):
            body = merged.body[merged.body_start[r] : merged.body_start[r + 1]]
            holds = all(value[x >> 1] != bool(x & 1) for x in body)
            for role, number in enumerate(merged.moves[r]):
                holds &= number < 0 or bool(done[role] & set(merged.sets[role][number].tolist()))
            value[atom] |= holds
    return value[: game.atoms]


def compare(game, seed=0, samples=6):
    rules = inline_moves(game, unfold(game))
    merged = merge_moves(game, rules)
    random = np.random.default_rng(seed)
    outputs = np.concatenate([game.next_literal, game.legal_literal, game.goal_literal, game.percept_literal]) >> 1
    for _ in range(samples):
        inputs = np.zeros(game.atoms, dtype=np.bool_)
        inputs[0] = True
        inputs[game.fluent_atom] = random.random(game.fluents) < 0.5
        for a, b in zip(game.role_start, game.role_start[1:], strict=False):
            if b > a:
                inputs[game.does_atom[random.integers(a, b)]] = True
        expected = evaluate_original(game, inputs)
        assert (evaluate_merged(game, rules, merged, inputs)[outputs] == expected[outputs]).all()


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(rule_sheets())
def test_random_rules(text):
    compare(ground_text(text))


@pytest.mark.parametrize("name", ["tic-tac-toe", "breakthrough-6x6", "capture-go-4x4", "light-trails", "kuhn-poker"])
def test_games(name):
    compare(own(name), samples=2)


def test_rules_that_differ_in_the_move_become_one():
    game = own("breakthrough-6x6")
    merged = merge_moves(game, inline_moves(game, unfold(game)))
    assert len(merged.moves) < game.rules


def test_cycles_are_gone_and_bounded():
    game = ground_text(POSITIVE_CYCLE)
    rules = unfold(game)
    place = np.full(rules.atoms, -1)
    place[rules.order] = np.arange(len(rules.order))
    head = np.repeat(np.arange(rules.atoms), np.diff(rules.head_start))
    row = np.repeat(np.arange(len(head)), np.diff(rules.rule_start))
    assert (place[rules.rule_body >> 1] < place[head[row]]).all()
    with pytest.raises(NetworkTooLargeError, match="too many conditions"):
        unfold(game, max_literals=10)
