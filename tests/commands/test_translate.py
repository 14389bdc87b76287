"""The command ``translate``: which document it writes, for which state, and what it says about wrong input."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scsp_player.cli import build
from scsp_player.gdl import GdlError, load_program, parse_term
from scsp_player.grounding import Reasoner
from scsp_player.network.position import position
from scsp_player.solver import Solver
from xcsp import read_instance

GAMES = Path(__file__).parents[2] / "games"


def translate(*arguments):
    result = CliRunner().invoke(build(), ["translate", *map(str, arguments)])
    if isinstance(result.exception, GdlError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("sheet", ["tic-tac-toe", "rock-paper-scissors", "hanoi-3", "monty-hall"])
@pytest.mark.parametrize("at", ["init", "random:1", "random:2"])
def test_solutions_are_the_legal_joint_moves(sheet, at, tmp_path):
    report = translate(GAMES / f"{sheet}.kif", "-o", tmp_path / "turn.xml", "--at", at, "--seed", "3", "--json")
    machine = Reasoner(load_program(GAMES / f"{sheet}.kif"))
    state = machine.state(map(parse_term, report["state"]))
    expected = math.prod(len(moves) for moves in machine.legal_moves(state))
    document = Path(report["files"][-1])
    assert Solver(read_instance(document)).count().number == expected
    assert sum(Path(f).stat().st_size for f in report["files"]) == report["bytes"]


def test_chance_writes_a_stochastic_document_and_its_twin(tmp_path):
    report = translate(GAMES / "monty-hall.kif", "-o", tmp_path / "turn.xml", "--at", "init", "--json")
    assert [Path(f).name for f in report["files"]] == ["turn.xml", "turn.csp.xml"]
    assert 'type="SCSP"' in (tmp_path / "turn.xml").read_text()
    assert 'type="CSP"' in (tmp_path / "turn.csp.xml").read_text()
    for name in ("turn.xml", "turn.csp.xml"):
        [chance] = [v for v in read_instance(tmp_path / name).variables if v.stochastic]
        assert chance.probabilities == (Fraction(1, 3),) * 3


def test_the_hard_part_has_no_chance(tmp_path):
    report = translate(GAMES / "monty-hall.kif", "-o", tmp_path / "turn.xml", "--at", "init", "--hard-part", "--json")
    assert len(report["files"]) == 1
    assert not read_instance(tmp_path / "turn.xml").stochastic


def test_the_template_is_every_state(tmp_path):
    report = translate(GAMES / "hanoi-3.kif", "-o", tmp_path / "turn.xml", "--json")
    assert "state" not in report
    assert report["variables"] == len(read_instance(tmp_path / "turn.xml").variables)


def test_moves_from_a_file(tmp_path):
    (tmp_path / "moves").write_text("(claim 2 2) wait\n\n(wait (claim 1 1))\n")
    place = position(load_program(GAMES / "tic-tac-toe.kif"), "init", moves=tmp_path / "moves")
    assert [" ".join(map(str, joint)) for joint in place.moves] == ["(claim 2 2) wait", "wait (claim 1 1)"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(claim 9 9) wait", r"moves:1:1: \(claim 9 9\) is not a legal move of cross \(legal are \(claim 1 1\)"),
        ("wait", "1 moves for 2 roles"),
        ("(claim 1 1) wait\n(claim 1 2", "moves:2:1"),
    ],
)
def test_wrong_moves_are_named_with_their_line(text, message, tmp_path):
    (tmp_path / "moves").write_text(text)
    with pytest.raises(GdlError, match=message):
        position(load_program(GAMES / "tic-tac-toe.kif"), "init", moves=tmp_path / "moves")


@pytest.mark.parametrize("at", ["somewhere", "random", "random:x", "random:-1", "random:99999999999"])
def test_unknown_places(at):
    with pytest.raises(GdlError, match="no state is called"):
        position(load_program(GAMES / "tic-tac-toe.kif"), at)


def test_same_seed_same_state():
    program = load_program(GAMES / "connect-four.kif")
    assert position(program, "random:6", seed=4) == position(program, "random:6", seed=4)
    assert position(program, "random:6", seed=4) != position(program, "random:6", seed=5)


def test_an_output_that_cannot_be_written(tmp_path):
    with pytest.raises(GdlError, match="cannot write"):
        translate(GAMES / "hanoi-3.kif", "-o", tmp_path / "nowhere" / "turn.xml", "--json")


def test_several_turns_with_a_goal(tmp_path):
    report = translate(GAMES / "hanoi-3.kif", "-o", tmp_path / "plan.xml", "--horizon", "7", "--goal", "mover=100", "--json")
    [document] = report["files"]
    assert Solver(read_instance(Path(document))).count().number == 1


def test_several_turns_against_an_opponent_are_stochastic(tmp_path):
    report = translate(GAMES / "nim.kif", "-o", tmp_path / "win.xml", "--horizon", "2", "--goal", "first=100", "--json")
    assert len(report["files"]) == 2
    instance = read_instance(Path(report["files"][0]))
    assert instance.threshold == 1
    assert [v.name for v in instance.variables if v.stochastic] == ["draw_second_at_0", "draw_second_at_1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--goal", "first=100"], "several turns"),
        (["--horizon", "2", "--goal", "third=100"], "no goal"),
        (["--horizon", "2", "--goal", "first=many"], "no goal"),
        (["--horizon", "2", "--goal", "first=100", "--threshold", "1/2"], "depends on how they play"),
        (["--horizon", "2", "--goal", "first=100", "--threshold", "2"], "no probability"),
    ],
)
def test_goals_that_make_no_sense(options, message, tmp_path):
    with pytest.raises(GdlError, match=message):
        translate(GAMES / "nim.kif", "-o", tmp_path / "win.xml", *options, "--json")


def test_time_is_no_remedy_for_terms_without_end(tmp_path):
    """What only a negation bounds has no end for the grounder; the match itself may have one."""
    sheet = tmp_path / "boxes.kif"
    sheet.write_text(
        "(role r) (init (has key)) (<= (legal r (wrap ?x)) (true (has ?x)) (not full))"
        "(<= (next (has (box ?x))) (does r (wrap ?x))) (<= full (true (has (box (box ?x))))) (<= terminal full)"
        "(<= (goal r 100) full) (<= (goal r 0) (not full))"
    )
    with pytest.raises(GdlError, match=r"terms grow without end \(bound the depth of terms by a positive condition\)"):
        translate(sheet, "-o", tmp_path / "turn.xml")
