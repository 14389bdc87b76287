"""The property that the network rests on, checked against a direct evaluation of the ground rules."""

from __future__ import annotations

import itertools

import numpy as np

from scsp_player.grounding.ground_game import pack_state, unpack_state
from scsp_player.network import inject, successor_states
from tests.oracles.lane_machine import LaneMachine


def expected_turns(lanes, state):
    """Legal joint moves of a state (bool[fluents]) with successor and percepts; in a terminal state None and the scores.

    Returns (terminal, scores, {joint move as positions within roles: (successor bits, percept bits)}).
    """
    game = lanes.game
    terminal, legal, scores = lanes.evaluate(state[None])
    if terminal[0]:
        return True, np.maximum(scores[0], 0), {}
    starts = game.role_start
    choices = [np.flatnonzero(legal[0][a:b]) for a, b in itertools.pairwise(starts)]
    joints = np.array(list(itertools.product(*choices)), dtype=np.int64).reshape(-1, len(game.roles))
    if not len(joints):
        return False, np.zeros(len(game.roles)), {}
    states = np.repeat(state[None], len(joints), axis=0)
    following = lanes.successors(states, joints + starts[:-1])
    seen = lanes.percepts(states, joints + starts[:-1]) if len(game.percept_role) else np.zeros((len(joints), 0), dtype=np.bool_)
    turns = {tuple(j): (f.tobytes(), s.tobytes()) for j, f, s in zip(joints.tolist(), following, seen, strict=True)}
    return False, np.zeros(len(game.roles)), turns


def check_state(micro, lanes, state, solve):
    """Assert the property in one state (bool[fluents]).

    ``solve(variables, values)`` returns all solutions over all variables, int[n, variables].
    """
    game = micro.game
    terminal, scores, turns = expected_turns(lanes, state)
    solutions = np.asarray(solve(*inject(micro, pack_state(state))), dtype=np.int64).reshape(-1, len(micro.instance.variables))
    actions = solutions[:, micro.action_variable]
    assert (solutions[:, micro.terminal_variable] == terminal).all()
    if terminal:
        assert len(solutions) == 1
        assert actions[0].tolist() == micro.none_value.tolist()
        assert solutions[0, micro.score_variable].tolist() == scores.tolist()
        assert unpack_state(successor_states(micro, solutions), game.fluents)[0].tolist() == state.tolist()
        return
    assert len(solutions) == len(turns), "one solution for each legal joint move"
    assert {tuple(a) for a in actions.tolist()} == set(turns)
    assert (solutions[:, micro.score_variable] == 0).all()
    following = unpack_state(successor_states(micro, solutions), game.fluents)
    seen = solutions[:, micro.percept_variable] == micro.percept_value
    for action, successor, percepts in zip(actions.tolist(), following, seen, strict=True):
        assert turns[tuple(action)] == (successor.tobytes(), percepts.tobytes())


def check_walks(micro, solve, *, walks, plies, seed=0, max_turns=300):
    """Assert the property in the states of random matches; returns the number of states looked at."""
    game = micro.game
    lanes = LaneMachine(game)
    random = np.random.default_rng(seed)
    seen = set()
    for _ in range(walks):
        state = game.initial.copy()
        for _ in range(plies):
            terminal, legal, _ = lanes.evaluate(state[None])
            counts = [int(legal[0][a:b].sum()) for a, b in itertools.pairwise(game.role_start)]
            if state.tobytes() not in seen and (terminal[0] or np.prod(counts) <= max_turns):
                seen.add(state.tobytes())
                check_state(micro, lanes, state, solve)
            if terminal[0] or 0 in counts:
                break
            joint = [random.choice(np.flatnonzero(legal[0][a:b])) + a for a, b in itertools.pairwise(game.role_start)]
            state = lanes.successors(state[None], np.array([joint]))[0]
    return len(seen)
