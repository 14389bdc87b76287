"""Two state machines side by side along random matches."""

from __future__ import annotations

import random


def assert_same_along_random_matches(left, right, *, matches, seed, longest=60):
    """Legal moves, successors, percepts, terminal flags and goals agree in every state of random matches."""
    rng = random.Random(seed)
    assert left.roles == right.roles
    for _ in range(matches):
        a, b = left.initial_state(), right.initial_state()
        for _ in range(longest):
            assert left.fluents(a) == right.fluents(b)
            assert left.is_terminal(a) == right.is_terminal(b)
            assert left.goals(a) == right.goals(b)
            legal = left.legal_moves(a)
            assert legal == right.legal_moves(b)
            if left.is_terminal(a) or not all(legal):
                break
            joint = tuple(rng.choice(moves) for moves in legal)
            assert left.percepts(a, joint) == right.percepts(b, joint)
            a, b = left.successor(a, joint), right.successor(b, joint)
