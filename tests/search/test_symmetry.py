"""Symmetries against groups known from mathematics, and against the engine: they must commute with every move."""

import math

import numpy as np
import pytest

from scsp_player.gdl import load_program
from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import pack_state, unpack_state
from scsp_player.propnet import Propnet
from scsp_player.search.backward import backward_induction
from scsp_player.search.reduction import Reduction
from scsp_player.search.rule_graph import GROWTH, rule_graph
from scsp_player.search.state_space import StateSpace
from scsp_player.search.symmetry import find_symmetries
from tests.games.sheets import path_of
from tests.search.test_mac_ucb import PILE

ORDERS = {
    "tic-tac-toe": 8,  # of the square
    "connect-four": 2,  # left and right
    "breakthrough-6x6": 2,
    "queens-6": 2,  # rows are filled from one side
    "light-trails": 8,
    "kriegspiel-tic-tac-toe": 8,
    "flood-fill-4x4": 2 * math.factorial(3),  # the diagonal through the corner it begins in, and the colours
    "monty-hall-five-doors": math.factorial(5),
    "rock-paper-scissors": 3,  # round and round
    "sudoku-4x4": 128 * math.factorial(4),  # bands, lines in bands and transposition (2 · 8²), and the digits
    "nim": 1,
    "hex-5x5": 1,
}


def game_of(name):
    return ground(load_program(path_of(name)))


@pytest.mark.parametrize("name", ORDERS)
def test_known_orders(name):
    found = find_symmetries(game_of(name), 20.0)
    assert found.complete
    assert found.order == ORDERS[name]


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "monty-hall-five-doors", "sudoku-4x4", "rock-paper-scissors"])
def test_symmetries_commute_with_the_rules(name):
    game = game_of(name)
    net, rng = Propnet(game), np.random.default_rng(1)
    for generator in find_symmetries(game, 20.0).generators:
        assert sorted(generator[: game.fluents]) == list(range(game.fluents))
        fluent, move = generator[: game.fluents], generator[game.fluents :] - game.fluents
        state = game.initial_state[None]
        for _ in range(12):
            image = image_of(state, fluent, game)
            over, legal, scores = net.evaluate(state)
            over_there, legal_there, scores_there = net.evaluate(image)
            assert over == over_there
            assert (legal_there[:, move] == legal).all()
            if over:
                assert (scores == scores_there).all()
                break
            bounds = zip(game.role_start[:-1], game.role_start[1:], strict=True)
            joint = np.array([[first + rng.choice(np.flatnonzero(legal[0, first:last])) for first, last in bounds]], np.int32)
            state = net.successors(state, joint)
            assert (net.successors(image, move[joint].astype(np.int32)) == image_of(state, fluent, game)).all()


def image_of(state, fluent, game):
    bits = np.zeros((1, game.fluents), np.bool_)
    bits[:, fluent] = unpack_state(state, game.fluents)
    return pack_state(bits)


def test_elements_are_a_group_without_repetition():
    found = find_symmetries(game_of("tic-tac-toe"), 20.0)
    elements = found.elements(8)
    assert len({e.tobytes() for e in elements}) == 8
    assert {a[b].tobytes() for a in elements for b in elements} == {e.tobytes() for e in elements}
    assert found.elements(7) is None


def test_no_time_finds_nothing_and_says_so():
    found = find_symmetries(game_of("tic-tac-toe"), -1.0)
    assert not found.complete
    assert found.generators == ()
    assert found.order == 1


def test_a_long_body_and_its_mirror_image_are_alike_however_grounding_cuts_them():
    text = """
    (role r) (cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (cell 6) (<= (legal r (put ?c)) (cell ?c))
    (<= (next (on ?c)) (does r (put ?c))) (<= (next (on ?c)) (true (on ?c)))
    (<= line (true (on 1)) (true (on 2)) (true (on 3)) (true (on 4)))
    (<= line (true (on 6)) (true (on 5)) (true (on 4)) (true (on 3)))
    (<= terminal line) (<= (goal r 100) line)
    """
    # 1 and 2, 3 and 4, 5 and 6 change places, and so do the lines.
    assert find_symmetries(ground(parse_program(text, "lines")), 20.0).order == 16


def test_tic_tac_toe_has_765_positions_up_to_symmetry():
    game = game_of("tic-tac-toe")
    reduction = Reduction.of(game, find_symmetries(game, 20.0))
    space = StateSpace(Propnet(game), game.initial_state, 1 << 28, reduction)
    assert space.explore(math.inf)
    assert space.count == 765
    assert backward_induction(space, math.inf).value(0, 0) == 50
    with pytest.raises(ValueError, match="line"):
        space.line_to(1)


def test_games_without_symmetry_are_not_reduced():
    game = ground(parse_program(PILE, "pile"))
    assert Reduction.of(game, find_symmetries(game, 20.0)) is None


def test_long_chains_of_conjunctions_are_not_written_out_without_end():
    steps = 400
    rules = " ".join(f"(<= (all {k + 1}) (all {k}) (true (on {k})))" for k in range(steps))
    cells = " ".join(f"(cell {k})" for k in range(steps))
    text = f"""(role r) {cells} (<= (legal r (put ?c)) (cell ?c)) (<= (next (on ?c)) (does r (put ?c)))
    (<= (next (on ?c)) (true (on ?c))) (<= (all 0) (true (on 0))) {rules}
    (<= terminal (all {steps})) (<= (goal r 100) (true (on 0)))
    """
    game = ground(parse_program(text, "chain"))
    graph = rule_graph(game)
    assert len(graph.source) < 2 * (GROWTH + 2) * (len(game.rule_body) + game.rules + game.fluents + game.moves)
