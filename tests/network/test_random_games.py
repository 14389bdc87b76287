"""Random ground rules, with and without positive cycles: the network answers like a direct evaluation."""

import itertools
from unittest.mock import patch

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scsp_player.network import cases, circuit, formulas, template, translation
from scsp_player.solver import Solver
from tests.network.checking import check_state, expected_turns
from tests.network.games import ground_text
from tests.oracles.lane_machine import LaneMachine
from tests.oracles.table_search import TableSearch

FLUENTS = ["f0", "f1", "f2", "(g 0)", "(g 1)", "(g 2)"]
ROLES = ["a", "b", "random"]
MOVES = ["m0", "(m 1)", "m2"]
STATES_LOOKED_AT = 12


@st.composite
def rule_sheets(draw):
    """A sheet without variables: derived atoms in three layers, positive literals also within a layer, hence cycles."""
    roles = ROLES[: draw(st.integers(1, 3))]
    fluents = FLUENTS[: draw(st.integers(2, 6))]
    moves = MOVES[: draw(st.integers(1, 3))]
    state_atoms = [f"d{i}" for i in range(draw(st.integers(0, 5)))]
    move_atoms = [f"e{i}" for i in range(draw(st.integers(0, 4)))]

    def literal(layer, with_moves):
        choices = [st.sampled_from([f"(true {f})" for f in fluents])]
        if with_moves:
            choices.append(st.sampled_from([f"(does {r} {m})" for r in roles for m in moves]))
        below = state_atoms[: layer * 2]
        same = state_atoms[layer * 2 : layer * 2 + 2]
        if with_moves:
            below, same = state_atoms, move_atoms
        if below:
            choices.append(st.sampled_from(below))
        atom = draw(st.one_of(choices))
        if same and draw(st.booleans()):
            return draw(st.sampled_from(same))
        return f"(not {atom})" if draw(st.booleans()) else atom

    def body(layer, with_moves=False):
        return " ".join(literal(layer, with_moves) for _ in range(draw(st.integers(1, 3))))

    lines = [f"(role {r})" for r in roles]
    lines += [f"(init {f})" for f in fluents if draw(st.booleans())]
    for number, atom in enumerate(state_atoms):
        lines += [f"(<= {atom} {body(number // 2)})" for _ in range(draw(st.integers(1, 3)))]
    for atom in move_atoms:
        lines += [f"(<= {atom} {body(0, True)})" for _ in range(draw(st.integers(1, 3)))]
    for fluent in fluents:
        lines += [f"(<= (next {fluent}) {body(0, True)})" for _ in range(draw(st.integers(0, 3)))]
    for role, move in itertools.product(roles, moves):
        if draw(st.booleans()):
            lines.append(f"(legal {role} {move})")
        else:
            lines += [f"(<= (legal {role} {move}) {body(3)})" for _ in range(draw(st.integers(1, 2)))]
    lines += [f"(<= terminal {body(3)})" for _ in range(draw(st.integers(0, 2)))]
    for role, value in itertools.product(roles, (0, 50, 100)):
        if draw(st.booleans()):
            lines.append(f"(<= (goal {role} {value}) {body(3)})")
        if draw(st.integers(0, 3)) == 0:
            lines.append(f"(<= (sees {role} p{value}) {body(0, True)})")
    return "\n".join(lines)


def reachable_states(lanes):
    """The first states met in a breadth-first walk from the initial one."""
    queue = [lanes.game.initial]
    known = {queue[0].tobytes()}
    for state in queue:
        yield state
        for successor, _ in expected_turns(lanes, state)[2].values():
            if successor not in known:
                known.add(successor)
                queue.append(np.frombuffer(successor, dtype=np.bool_))


def check_sheet(text):
    game = ground_text(text)
    micro = template(game)
    lanes = LaneMachine(game)
    search, solver = TableSearch(micro.instance), Solver(micro.instance)
    for state in itertools.islice(reachable_states(lanes), STATES_LOOKED_AT):
        check_state(micro, lanes, state, search.solutions)
        check_state(micro, lanes, state, lambda variables, values: solver.solutions((variables, values)).values)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(rule_sheets())
def test_network_equals_evaluation(text):
    check_sheet(text)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(rule_sheets())
def test_the_same_when_everything_has_to_be_split(text):
    with (
        patch.multiple(circuit, MAX_CELLS=8, MAX_COLUMNS=2, MAX_FLAT_COLUMNS=2, CASE_ROWS=6, LARGE_CELLS=8),
        patch.multiple(translation, DENSE_CELLS=8, DENSE_COLUMNS=2),
        patch.multiple(cases, DENSE_CELLS=4),
        patch.multiple(formulas, INLINE_CELLS=4, INLINE_COLUMNS=1, MANY_RULES=1, MANY_PATTERNS=1, DENSE_CELLS=64),
    ):
        check_sheet(text)
