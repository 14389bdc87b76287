"""What is said of single joint moves, against all states one by one."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from scsp_player.grounding.ground_game import pack_state
from scsp_player.propnet import Propnet
from scsp_player.propnet.circuit import build_circuit
from scsp_player.structure.dependence import STAYS, UnknownError, find_dependence
from tests.network.games import ground_text
from tests.network.test_random_games import rule_sheets


def all_states(game):
    return np.array(list(itertools.product([False, True], repeat=game.fluents)), np.bool_)


def check(game):
    known = find_dependence(game, build_circuit(game), math.inf)
    propnet, bits = Propnet(game), all_states(game)
    states = pack_state(bits)
    over, legal, _ = propnet.evaluate(states)
    # Phases are what happens from the initial state on: only states of some phase count, and their moves only.
    phases = propnet.phases
    phase = phases.of(states, game.fluents) if len(phases.fluents) else np.zeros(len(states), np.int64)
    mentioned = set()
    for lane, (joint, number) in enumerate(zip(known.joint, known.phase, strict=True)):
        rows = np.flatnonzero(~over & legal[:, joint].all(axis=1) & (phase == number))
        mentioned.add((int(number), *joint.tolist()))
        if not len(rows):
            continue
        after = np.array(
            [
                [value >> f & 1 for f in range(game.fluents)]
                for value in propnet.successors(states[rows], np.repeat(joint[None], len(rows), axis=0))[:, 0].tolist()
            ],
            np.bool_,
        )
        still = ~known.changes[:, lane]
        assert (after[:, still] == bits[rows][:, still]).all()
        assert (known.outcome[still, lane] == STAYS).all()
        # The next value is a function of what it depends on.
        for fluent in np.flatnonzero(known.changes[:, lane]):
            own = bits[rows][:, known.depends[fluent] | np.isin(np.arange(game.fluents), phases.fluents)]
            seen = {}
            for key, value in zip(map(bytes, own), after[:, fluent].tolist(), strict=True):
                assert seen.setdefault(key, value) == value
    # No joint move that can be made is missing.
    bounds = list(zip(game.role_start[:-1].tolist(), game.role_start[1:].tolist(), strict=True))
    for state in np.flatnonzero(~over & (phase >= 0)).tolist():
        for joint in itertools.product(*(first + np.flatnonzero(legal[state, first:last]) for first, last in bounds)):
            assert (int(phase[state]), *map(int, joint)) in mentioned
    # A move is legal exactly if its conditions hold; each is a function of what it needs.
    for move, conditions in enumerate(known.conditions):
        needed = np.zeros(game.fluents, np.bool_)
        needed[phases.fluents] = True
        for condition in conditions:
            needed |= known.needs.get(condition, np.zeros(game.fluents, np.bool_))
        seen = {}
        going_on = ~over & (phase >= 0)
        for key, value in zip(map(bytes, bits[going_on][:, needed]), legal[going_on, move].tolist(), strict=True):
            assert seen.setdefault(key, value) == value


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(rule_sheets())
def test_random_rules(text):
    check(ground_text(text))


FRAMES = """
(role r) (init (at 1)) (next-to 1 2) (next-to 2 3)
(<= (legal r (to ?y)) (true (at ?x)) (next-to ?x ?y)) (<= (legal r (light ?x)) (true (at ?x)))
(<= moves (does r (to ?y)))
(<= (next (at ?y)) (does r (to ?y)))
(<= (next (at ?x)) (true (at ?x)) (not moves))
(<= (next (lit ?x)) (does r (light ?x)))
(<= (next (lit ?x)) (true (lit ?x)) (does r (light ?y)))
(<= (next (lit ?x)) (true (lit ?x)) moves (true (at ?y)))
(<= (next (lit ?x)) (true (lit ?x)) moves)
(<= terminal (true (lit 3))) (<= (goal r 100) (true (lit 3))) (<= (goal r 0) (not (true (lit 3))))
"""


def test_frame_rules_are_seen_through():
    game = ground_text(FRAMES)
    known = find_dependence(game, build_circuit(game), math.inf)
    changes = {
        str(game.move(int(joint[0]))): {str(game.fluent(int(f))) for f in np.flatnonzero(known.changes[:, lane])}
        for lane, joint in enumerate(known.joint)
    }
    assert changes["(light 1)"] == {"(lit 1)"}
    assert {"(at 2)", "(at 3)"} <= changes["(to 3)"]
    assert not any(f.startswith("(lit") for f in changes["(to 3)"])
    check(game)


def test_no_time_means_unknown():
    game = ground_text(FRAMES)
    with pytest.raises(UnknownError):
        find_dependence(game, build_circuit(game), -math.inf)
