"""All engines give the same answers along random games, clingo leading."""

from random import Random

import pytest

from benchmarks.agreement import Agreement, compare_game
from scsp_player.gdl.terms import Symbol
from tests.engines import ENGINES, machine
from tests.games.sheets import SHEETS

GAMES = 1
"""Random games a sheet; ``benchmarks/agreement.py`` plays as many as it is told."""


@pytest.mark.parametrize("sheet", SHEETS)
def test_engines_agree(sheet):
    machines = {engine: machine(engine, sheet) for engine in ("clingo", *(e for e in ENGINES if e != "clingo"))}
    agreement, rng = Agreement(mismatches=dict.fromkeys(ENGINES, 0)), Random(20)
    for _ in range(GAMES):
        compare_game(machines, rng, agreement)
    assert agreement.examples == []
    assert agreement.games == GAMES
    assert agreement.positions > 1


class Forgetful:
    """An engine with one fault: it never says that a game is over."""

    def __init__(self, engine):
        self._engine = engine

    def is_terminal(self, state):
        return False

    def __getattr__(self, name):
        return getattr(self._engine, name)


def test_a_wrong_engine_is_found_out():
    right = machine("clingo", "matching-pennies")
    agreement = Agreement(mismatches={"wrong": 0})
    compare_game({"right": right, "wrong": Forgetful(right)}, Random(1), agreement)
    assert agreement.mismatches == {"wrong": 1}
    assert agreement.examples == ["wrong: turn 1, terminal: False instead of True"]
    assert agreement.positions == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_refuse_what_is_no_move(engine):
    game = machine(engine, "tic-tac-toe")
    with pytest.raises(ValueError):  # noqa: PT011
        game.successor(game.initial_state(), (Symbol("castle"), Symbol("wait")))
    with pytest.raises(ValueError):  # noqa: PT011
        game.state([Symbol("checkmate")])
