"""Which fluents become one variable, and that what is proved is true."""

import itertools

import numpy as np
import pytest

from scsp_player.network import state_groups
from scsp_player.network.candidates import Candidate, candidates
from scsp_player.network.groups import choose, prove
from scsp_player.network.rules import inline_moves, merge_moves
from scsp_player.network.unfolding import unfold
from tests.network.checking import expected_turns
from tests.network.games import CHANCE, POSITIVE_CYCLE, ground_text, own
from tests.oracles.lane_machine import LaneMachine


def prepared(game):
    return game, merge_moves(game, inline_moves(game, unfold(game)))


def described(game, groups):
    return {(" ".join(g.label), len(g.fluents), g.exact) for g in groups}


def test_cells_and_turn_of_tic_tac_toe():
    game = own("tic-tac-toe")
    groups = described(game, state_groups(*prepared(game)))
    assert groups == {(f"square {x} {y}", 3, True) for x in "123" for y in "123"} | {("turn", 2, True)}


def test_a_cell_may_be_empty_without_saying_so():
    game = own("breakthrough-6x6")
    groups = described(game, state_groups(*prepared(game)))
    assert {g[2] for g in groups if g[0].startswith("on ") or g[0].startswith("pawn")} <= {False}
    assert sum(1 for g in groups if g[1] == 2) >= 36


def test_every_fluent_stands_in_one_group():
    for name in ("kuhn-poker", "eight-puzzle", "light-trails"):
        game = own(name)
        members = np.concatenate([g.fluents for g in state_groups(*prepared(game))])
        assert sorted(members.tolist()) == list(range(game.fluents))


ROTATION = """
(role a) (role b)
(init (at 1)) (init (seen 1)) (init (lamp off)) (init fixed)
(legal a go) (legal b (press 1))
(<= (legal b (press 2)) (true (at 1)))
(succ 1 2) (succ 2 3) (succ 3 1)
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
(<= (next (seen ?x)) (true (seen ?x)))
(<= (next (seen ?x)) (true (at ?x)))
(<= (next (lamp on)) (does b (press 2)))
(<= (next (lamp on)) (true (lamp on)))
(<= (next (lamp off)) (true (lamp off)))
(<= (next fixed) (true fixed))
(<= (next (choice ?x)) (does b (press ?x)))
(<= terminal (true (at 4)))
(goal a 100)
"""


def test_true_groups_are_found_and_false_ones_are_not():
    game = ground_text(ROTATION)
    groups = described(game, state_groups(*prepared(game)))
    assert ("at", 3, True) in groups
    assert ("choice", 2, False) in groups
    assert not any(g[1] > 1 for g in groups if g[0].startswith(("seen", "lamp")))


def test_moves_that_exclude_each_other_by_legality():
    # Both roles may claim a cell, but only the one to move can; without legality the cell could get two marks.
    game = own("tic-tac-toe")
    cell = [c for c in candidates(game) if c.label == ("square", "1", "1")]
    assert [(c.label, exact) for c, exact in prove(*prepared(game), cell)] == []
    turn = [c for c in candidates(game) if c.label == ("turn",)]
    assert {(c.label, exact) for c, exact in prove(*prepared(game), cell + turn)} == {
        (("square", "1", "1"), True),
        (("turn",), True),
    }


@pytest.mark.parametrize("name", ["kuhn-poker", "hanoi-3", "nim", "rock-paper-scissors", "monty-hall"])
def test_groups_hold_in_reachable_states(name):
    game = own(name)
    check_groups(game, 300)


@pytest.mark.parametrize("text", [POSITIVE_CYCLE, CHANCE, ROTATION], ids=["positive cycle", "chance", "rotation"])
def test_groups_hold_in_special_games(text):
    check_groups(ground_text(text), 300)


def check_groups(game, limit):
    groups = state_groups(*prepared(game))
    lanes = LaneMachine(game)
    queue = [game.initial]
    known = {queue[0].tobytes()}
    for state in itertools.islice(queue, limit):
        for group in groups:
            true = int(state[group.fluents].sum())
            assert true == 1 if group.exact else true <= 1
        for successor, _ in expected_turns(lanes, state)[2].values():
            if successor not in known:
                known.add(successor)
                queue.append(np.frombuffer(successor, dtype=np.bool_))


def test_part_of_an_exact_group_is_not_exact():
    game = ground_text(ROTATION)
    index = {str(f): i for f, i in game.fluent_index.items()}
    whole = Candidate(np.array([index[f"(at {k})"] for k in "123"], dtype=np.int32), ("at",), 0, 1)
    larger = Candidate(np.array([index["(at 3)"], *(index[f"(choice {k})"] for k in "12")], dtype=np.int32), ("mix",), 1, 1)
    groups = described(game, choose(game, [(whole, True), (larger, True)]))
    assert ("mix", 3, True) in groups
    assert ("at", 2, False) in groups


def test_no_time_no_groups():
    game = own("tic-tac-toe")
    assert all(g.boolean for g in state_groups(*prepared(game), work=0))
