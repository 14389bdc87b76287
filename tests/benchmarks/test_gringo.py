"""The encodings for gringo describe the same game: what they reach is what our grounder reaches, up to negation."""

from __future__ import annotations

import json

import clingo
import pytest
import typer
from typer.testing import CliRunner

from benchmarks import gringo, grounding
from scsp_player.gdl import load_program, parse_program
from scsp_player.grounding import ground
from scsp_player.grounding.budget import Budget
from tests.games.sheets import path_of

APP = typer.Typer()
APP.command()(grounding.main)


def atoms_of(text, predicate_arity):
    """Number of ground atoms by arity of those predicates that only choices define."""
    control = clingo.Control(["--warn=none"])
    control.add("base", [], text)
    control.ground([("base", [])])
    chosen = {line.split("(")[0].removeprefix("{ ") for line in text.splitlines() if line.startswith("{")}
    return sum(1 for name in chosen for _ in control.symbolic_atoms.by_signature(name, predicate_arity))


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "three-colours", "hex-5x5"])
def test_both_encodings_reach_the_fluents_and_moves(name):
    program = load_program(path_of(name))
    game = ground(program)
    for text in (gringo.plain(program), gringo.split(program, Budget(60.0, 1 << 30))):
        assert atoms_of(text, 1) == game.fluents
        assert atoms_of(text, 2) == game.moves


def test_hints_functions_and_negation():
    program = parse_program(
        "(role r) (init (s (n 0))) (base (s (n 7))) (<= (legal r (go ?x)) (true (s (n ?x))) (not (bad ?x)) (distinct ?x 9))"
        "(bad 3) (<= (next (s (n 1))) (does r (go ?x))) (<= terminal (true (s (n 1)))) (goal r 0)"
    )
    for text in (gringo.plain(program), gringo.split(program, Budget(60.0, 1 << 30))):
        assert atoms_of(text, 1) == 2
        assert atoms_of(text, 2) == 2


def test_a_run_goes_on_where_the_last_one_ended(tmp_path):
    results = tmp_path / "results.jsonl"
    options = [str(path_of("nim")), "--results", str(results), "--contestants", "gringo"]
    first = CliRunner().invoke(APP, options)
    assert first.exit_code == 0
    assert "gringo 1/1 nim ground" in first.output
    (row,) = map(json.loads, results.read_text().splitlines())
    assert (row["contestant"], row["sheet"], row["outcome"]) == ("gringo", "nim.kif", "ground")
    again = CliRunner().invoke(APP, options)
    assert again.exit_code == 0
    assert "1/1" not in again.output
    assert "100.0 %" in again.output
