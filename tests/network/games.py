"""Small games for the tests of the network, as ground games."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from tests.oracles import naive_grounder

OWN = Path(__file__).resolve().parents[2] / "games"

POSITIVE_CYCLE = """
(role r) (init (s 0)) (init (p 1)) (nx 1 2) (nx 2 3) (nx 3 1)
(legal r go)
(<= (legal r (see ?x)) (reach ?x))
(<= (reach ?x) (true (p ?x)))
(<= (reach ?x) (nx ?x ?y) (reach ?y))
(<= (next (s 1)) (true (s 0)))
(<= (next (s 2)) (true (s 1)))
(<= (next (p ?x)) (does r (see ?x)) (true (s 0)))
(<= terminal (true (s 2)))
(goal r 100)
"""
"""After case R01: ``reach`` depends on itself, and must not hold by itself once ``p`` is gone."""

CHANCE = """
(role random) (role guesser)
(face 1) (face 2) (face 3) (face 4)
(init (phase roll)) (init fair)
(<= (legal random (roll ?f)) (true (phase roll)) (face ?f) (distinct ?f 4))
(<= (legal random (roll 4)) (true (phase roll)) (true fair))
(<= (legal random wait) (true (phase guess)))
(<= (legal guesser wait) (true (phase roll)))
(<= (legal guesser (guess ?f)) (true (phase guess)) (face ?f))
(<= (next (phase guess)) (true (phase roll)))
(<= (next (phase done)) (true (phase guess)))
(<= (next (shown ?f)) (does random (roll ?f)))
(<= (next hit) (does guesser (guess ?f)) (true (shown ?f)))
(<= (next fair) (true fair) (not (does random (roll 1))))
(<= (sees guesser odd) (does random (roll 1)))
(<= (sees guesser odd) (does random (roll 3)))
(<= (sees guesser (echo ?f)) (does guesser (guess ?f)))
(<= terminal (true (phase done)))
(<= (goal guesser 100) (true hit))
(<= (goal guesser 0) (not (true hit)))
(<= (goal random 50) (true fair))
(<= (goal random 60) (true hit))
"""
"""Chance with a legality of its own, percepts, and a role with no score or two."""


def ground_text(text, source="test"):
    """A small sheet given as text, through the slow grounder."""
    return naive_grounder.ground(text, source)


@cache
def ground_sheet(path):
    """A sheet of games/ or of the shared folder, by path."""
    return ground(load_program(path))


@cache
def own(name):
    """A sheet of games/ by name."""
    return ground_sheet(OWN / f"{name}.kif")
