"""Every sheet in ``games/`` under every engine: the computed facts, and what a proper rule sheet promises."""

import random

import pytest

from scsp_player.gdl import check_program, load_program
from tests.engines import ENGINES, machine
from tests.games import expected as facts_of
from tests.games.sheets import EXPECTED, INFIX_SHEETS, PREFIX_SHEETS, SHEETS, expected, path_of
from tests.games.walking import walk

EDGES = {"network": 40}
"""Joint moves to try a sheet and engine; 200 unless named here."""


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("engine", ENGINES)
class TestFacts:
    def test_roles_and_opening_moves(self, engine, sheet):
        game, facts = machine(engine, sheet), expected()[sheet]
        assert list(game.roles) == facts["roles"]
        moves = game.legal_moves(game.initial_state())
        assert {role: len(mine) for role, mine in zip(game.roles, moves, strict=True)} == facts["opening_moves"]
        assert all(list(mine) == sorted(mine) for mine in moves)

    def test_counts(self, engine, sheet):
        counts, facts = walk(machine(engine, sheet), edge_limit=EDGES.get(engine, 200)), expected()[sheet]
        depth = len(counts.positions)
        assert depth > 1
        assert counts.positions == facts["positions"][:depth]
        assert counts.ends == facts["ends"][:depth]
        assert counts.sequences == facts["sequences"][:depth]

    def test_random_matches(self, engine, sheet):
        """Somebody can always move, play ends in time, and every end has one score for each player."""
        game, complete = machine(engine, sheet), expected()[sheet]["complete"]
        rng = random.Random(len(sheet))
        for _ in range(1 if engine == "network" else 2):
            state, turns = game.initial_state(), 0
            while not game.is_terminal(state):
                moves = game.legal_moves(state)
                assert all(moves)
                state, turns = game.successor(state, [rng.choice(mine) for mine in moves]), turns + 1
                assert turns < 100
            scores = {role: score for role, score in zip(game.roles, game.goals(state), strict=True) if role != "random"}
            assert all(isinstance(score, int) and 0 <= score <= 100 for score in scores.values())
            if complete:
                assert complete["shortest"] <= turns <= complete["longest"]
            if len(scores) == 2:
                assert sum(scores.values()) == 100


@pytest.mark.parametrize("sheet", SHEETS)
def test_sheet_explains_itself(sheet):
    path = path_of(sheet)
    mark = {".kif": ";", ".gdl": "%"}[path.suffix]
    heading = path.read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    assert all(line.startswith(mark) for line in heading)
    for word in ("Exercises:", "Known:"):
        assert sum(word in line for line in heading) == 1


@pytest.mark.parametrize("sheet", SHEETS)
def test_checker_finds_nothing(sheet):
    assert check_program(load_program(path_of(sheet))) == []


def test_table_of_games_is_complete():
    table = (EXPECTED.parent / "README.md").read_text(encoding="utf-8")
    assert [s for s in SHEETS if f"`{path_of(s).name}`" not in table] == []
    assert set(expected()) == set(SHEETS)


@pytest.mark.parametrize("sheet", ["hanoi-3", "kuhn-poker", "matching-pennies", "monty-hall", "queens-6", "rock-paper-scissors"])
def test_facts_can_be_renewed(sheet):
    """The stored facts are those that the oracles compute now, and the oracles agree with each other."""
    assert facts_of.facts(sheet) == expected()[sheet]


@pytest.mark.parametrize("sheet", INFIX_SHEETS)
def test_infix_copy_is_the_same_game(sheet):
    facts, original = expected()[sheet], sheet.removesuffix("-infix")
    assert original in PREFIX_SHEETS
    assert facts == expected()[original]


def test_facts_known_from_theory():
    """Figures that the literature or plain arithmetic gives, against the computed ones."""
    facts = expected()
    assert facts["tic-tac-toe"]["complete"]["positions"] == 5478
    assert sum(facts["tic-tac-toe"]["sequences"]) == 549_946
    assert facts["tic-tac-toe"]["best_play"] == {"cross": 50, "nought": 50}
    assert facts["nim"]["best_play"] == {"first": 100, "second": 0}
    assert facts["monty-hall"]["best_play"]["candidate"] == pytest.approx(200 / 3, abs=1e-6)
    assert facts["kuhn-poker"]["best_play"]["opener"] == pytest.approx(50 - 25 / 18, abs=1e-6)
    assert facts["queens-6"]["sequences"][6] == 4
    assert facts["hanoi-3"]["solution"] == {"score": 100, "turns": 7, "sequences": 1}
    assert facts["lights-out-3x3"]["solution"] == {"score": 100, "turns": 5, "sequences": 120}
    assert facts["connect-four"]["positions"][:6] == [1, 7, 49, 238, 1120, 4263]
    outcomes = facts["tic-tac-toe"]["complete"]["random_outcomes"]
    assert [outcomes[score] for score in ("100 0", "50 50", "0 100")] == pytest.approx([737 / 1260, 8 / 63, 121 / 420], abs=1e-6)
