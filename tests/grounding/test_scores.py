"""What is a score, in every engine: numbers are; other values are refused where written, and no scores where they turn up."""

from __future__ import annotations

import pytest

from scsp_player.arena.engines import ENGINES, machine
from scsp_player.gdl import GdlError, check_program, parse_program, parse_term
from tests.gdl.sheets import FRAME

STATE_GOALS = FRAME.replace("(goal r 100)", "(<= (goal r ?x) (true (worth ?x)) (true (s 1)))")


def goals_at_end(engine, text):
    game = machine(engine, parse_program(text))
    state = game.successor(game.initial_state(), (parse_term("go"),))
    assert game.is_terminal(state)
    return tuple(goal or 0 for goal in game.goals(state))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("value", "score"), [("40", 40), ("007", 7), ("much", 0), ("(f 1)", 0)])
def test_values_that_come_by_a_variable(engine, value, score):
    kept = "(<= (next (worth ?x)) (true (worth ?x)))"
    assert goals_at_end(engine, STATE_GOALS + f"(init (worth {value}))" + kept) == (score,)
    assert goals_at_end(engine, STATE_GOALS + f"(init (worth {value})) (init (worth 3))" + kept) == (0 if score else 3,)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("value", ["high", "(f 1)", "1" * 10])
def test_values_that_are_written(engine, value):
    program = parse_program(FRAME + f"(<= (goal r {value}) (true (s 0)))")
    assert "goal-no-number" in [m.check for m in check_program(program) if m.level == "error"]
    with pytest.raises(GdlError, match="is no score") as error:
        machine(engine, program)
    assert error.value.position.line == 2
