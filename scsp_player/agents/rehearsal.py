"""A tiny match against nobody, so that everything an agent needs is imported, compiled and cached before a clock runs."""

from __future__ import annotations

import time

from scsp_player.agents.base import Agent, Turn
from scsp_player.gdl.reading import parse_program, parse_term

RULES = """
(role left) (role right)
(init (count 0)) (init (turn left))
(after 0 1) (after 1 2) (after 2 3) (after 3 4)
(linked 0 1) (linked 1 2) (linked 2 0)
(step one) (step two)
(<= (legal ?r ?s) (true (turn ?r)) (step ?s))
(<= (legal left wait) (true (turn right)))
(<= (legal right wait) (true (turn left)))
(<= (next (count ?m)) (true (count ?n)) (after ?n ?m))
(<= (next (turn left)) (true (turn right)))
(<= (next (turn right)) (true (turn left)))
(<= (next (taken ?r)) (does ?r two))
(<= (next (taken ?r)) (true (taken ?r)))
(<= terminal (true (count 4)))
(<= (reached ?n) (true (count ?n)))
(<= (reached ?n) (reached ?m) (linked ?m ?n) (true (turn left)))
(<= (next (met ?n)) (reached ?n))
(<= (goal ?r 100) (role ?r) (true (taken ?r)))
(<= (goal ?r 0) (role ?r) (not (true (taken ?r))))
"""

PATIENCE_SECONDS = 3600.0
"""Deadline of every step: how long compiling takes is not known, and nobody waits."""


def rehearse(agent: Agent) -> None:
    """Let an agent play two turns of a tiny game; it is of no use afterwards."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    agent.start(parse_program(RULES, "<rehearsal>"), "left", play_seconds=0.05, deadline=deadline, seed=0)
    agent.play(Turn(0), time.monotonic() + 0.05)
    agent.play(Turn(1, joint_move=(parse_term("one"), parse_term("wait"))), time.monotonic() + 0.05)
    agent.stop()
