"""The solutions of an injected template are the legal joint moves with their consequences: on games."""

import pytest

from scsp_player.network import NetworkTooLargeError, template
from scsp_player.solver import Solver
from tests.network.checking import check_walks
from tests.network.games import CHANCE, POSITIVE_CYCLE, ground_sheet, ground_text, own
from tests.oracles.table_search import TableSearch
from tests.shared_data import SHARED, needs_shared

OWN = [
    "bidding-tug-of-war",
    "hanoi-3",
    "kuhn-poker",
    "lights-out-3x3",
    "matching-pennies",
    "monty-hall",
    "nim",
    "push-your-luck",
    "queens-6",
    "rock-paper-scissors",
    "sudoku-4x4",
    "three-colours",
    "tic-tac-toe",
]

CORPUS = ["buttons_v0", "ticTacToe_v0", "connectFour_v0", "nim1_v0", "roshambo2_v0", "lightsOn_v0", "maze_v0"]


def solve_with(solver):
    return lambda variables, values: solver.solutions((variables, values)).values


@pytest.mark.parametrize("name", OWN)
def test_own_games(name):
    micro = template(own(name))
    assert check_walks(micro, solve_with(Solver(micro.instance)), walks=3, plies=20) > 2


@needs_shared
@pytest.mark.parametrize("name", CORPUS)
def test_games_of_the_corpus(name):
    micro = template(ground_sheet(SHARED / "games" / f"{name}.kif"))
    assert check_walks(micro, solve_with(Solver(micro.instance)), walks=3, plies=20) > 1


@pytest.mark.parametrize("text", [POSITIVE_CYCLE, CHANCE], ids=["positive cycle", "chance"])
def test_special_rules_with_an_independent_solver(text):
    micro = template(ground_text(text))
    assert check_walks(micro, TableSearch(micro.instance).solutions, walks=12, plies=5) > 3


@pytest.mark.parametrize("name", ["tic-tac-toe", "eight-puzzle", "kuhn-poker"])
def test_a_small_tuple_limit_splits_tables_and_changes_no_answer(name):
    micro = template(own(name), tuple_limit=64)
    assert max(len(table.tuples) for table in micro.instance.constraints) <= 64
    assert check_walks(micro, solve_with(Solver(micro.instance)), walks=2, plies=9) > 5


def test_what_cannot_be_split_is_refused():
    with pytest.raises(NetworkTooLargeError, match="the limit is 64"):
        template(own("bidding-tug-of-war"), tuple_limit=64)
    with pytest.raises(ValueError, match="at least 64"):
        template(own("nim"), tuple_limit=63)


def test_a_translation_can_be_given_up():
    with pytest.raises(NetworkTooLargeError, match="takes longer than 0 s"):
        template(own("tic-tac-toe"), seconds=0.0)
