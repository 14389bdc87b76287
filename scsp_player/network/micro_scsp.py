"""The micro-SCSP of a game: the network of one turn, whichever it is, and the turn's state put into it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scsp_player.gdl.terms import Term
from scsp_player.grounding.ground_game import GroundGame, pack_state, unpack_state
from scsp_player.network.evaluation import Evaluator
from scsp_player.network.groups import StateGroup
from xcsp.model import Instance, Table

Ints = NDArray[np.int32]
Words = NDArray[np.uint64]

NEVER, ALWAYS = -1, -2
"""In place of a variable that says whether a move is legal: no state allows it; every state does."""


@dataclass(frozen=True, eq=False)
class MicroSCSP:
    """A template: the constraints of one turn for every state.

    With a state injected, the solutions are exactly the legal joint moves of that state (times the outcomes of chance), each once,
    with successor, terminal flag, scores and percepts; in a terminal state there is one solution, in which all do nothing, the
    next state is the state itself, and the scores are the final ones. Otherwise scores are 0. Every variable is a function of
    the state and the moves.

    Attributes:
        game: the ground rules.
        instance: variables and tables.
        groups: fluents by state variable.
        now: int32[groups], the variables of the state; next: int32[groups], of the next state, with the same values.
        action_variable: int32[roles]; value k is the k-th move of the role, value ``none_value[role]`` means none (terminal).
        none_value: int32[roles], the role's number of moves.
        fluent_variable, fluent_value: int32[fluents], a fluent is true exactly if the variable has that value.
        next_variable, next_value: the same for the next state.
        terminal_variable: 1 in terminal states, else 0.
        score_variable: int32[roles].
        percept_variable, percept_value: int32[percepts], as for fluents.
        defines: for each constraint the variables that it makes functions of the others in its scope.
        legality: for the roles of which ``template`` was asked for it: int32[moves] variables and int32[moves] values; a move is
            legal (if the state is not terminal) exactly if its variable has its value. ``ALWAYS`` and ``NEVER`` stand for moves
            that need no variable.
    """

    game: GroundGame
    instance: Instance
    groups: tuple[StateGroup, ...]
    now: Ints
    next: Ints
    action_variable: Ints
    none_value: Ints
    fluent_variable: Ints
    fluent_value: Ints
    next_variable: Ints
    next_value: Ints
    terminal_variable: int
    score_variable: Ints
    percept_variable: Ints
    percept_value: Ints
    defines: tuple[tuple[int, ...], ...]
    legality: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)

    @cached_property
    def _fluent_group(self) -> Ints:
        group = np.zeros(self.game.fluents, dtype=np.int32)
        for number, members in enumerate(self.groups):
            group[members.fluents] = number
        return group

    @cached_property
    def _empty_values(self) -> Ints:
        """Value of each state variable when none of its fluents is true; -1 if one always is."""
        values = [-1 if group.exact else 0 if group.boolean else len(group.fluents) for group in self.groups]
        return np.array(values, dtype=np.int32)


def state_values(micro: MicroSCSP, states: Words) -> Ints:
    """Values of the state variables ``micro.now``: uint64[..., words] → int32[..., groups].

    Raises:
        ValueError: if a state violates one of the proved groups, hence can never be reached.
    """
    bits = unpack_state(states, micro.game.fluents)
    rows = bits.reshape(math.prod(bits.shape[:-1]), micro.game.fluents)
    values = np.tile(micro._empty_values, (len(rows), 1))
    places, fluents = np.nonzero(rows)
    groups = micro._fluent_group[fluents]
    values[places, groups] = micro.fluent_value[fluents]
    # Fluents lose their place to others of their group if several are true.
    overwritten = np.flatnonzero(values[places, groups] != micro.fluent_value[fluents])
    if len(overwritten):
        fluent = micro.game.fluent(int(fluents[overwritten[0]]))
        raise ValueError(f"{fluent} excludes another fluent of the state in every reachable state of {micro.game.source}")
    if (values < 0).any():
        group = micro.groups[int(np.argwhere(values < 0)[0][-1])]
        raise ValueError(f"one of {', '.join(str(micro.game.fluent(int(f))) for f in group.fluents[:5])} … must be true")
    return values.reshape(*bits.shape[:-1], len(micro.groups))


def inject(micro: MicroSCSP, state: Words) -> tuple[Ints, Ints]:
    """The state (uint64[words]) as assignments: variables and their values.

    Raises:
        ValueError: if the state cannot be reached (see ``state_values``).
    """
    return micro.now, state_values(micro, state)


def injected_instance(micro: MicroSCSP, state: Words) -> Instance:
    """The template with unary constraints for the state, and chance uniform over the outcomes that are legal in the state.

    Outcomes that are not legal are left out of the domain of the chance variable and of its tables.

    Raises:
        ValueError: if the state cannot be reached.
    """
    template = micro.instance
    variables, constraints = list(template.variables), list(template.constraints)
    if micro.game.random_role >= 0:
        chance = int(micro.action_variable[micro.game.random_role])
        values = _outcomes(micro, state)
        if len(values):
            weight = Fraction(1, len(values))
            variables[chance] = replace(variables[chance], domain=values, probabilities=(weight,) * len(values))
            constraints = [_within(table, chance, values) for table in constraints]
            constraints = [table for table in constraints if table.positive or len(table.tuples)]
    for variable, value in zip(*inject(micro, state), strict=True):
        constraints.append(
            Table(np.array([variable], dtype=np.int32), np.array([[value]], dtype=np.int32), True, ("state",), "injected")
        )
    return replace(template, variables=tuple(variables), constraints=tuple(constraints), _index={})


def successor_states(micro: MicroSCSP, values: Ints, project: ArrayLike | None = None) -> Words:
    """The next states of solutions: int32[n, k] → uint64[n, words].

    Args:
        micro: the template.
        values: solutions, one a row.
        project: the variables of the columns; all variables of the instance, in order, if left out.
    """
    column = np.arange(len(micro.instance.variables))
    if project is not None:
        column = np.full(len(micro.instance.variables), -1, dtype=np.int64)
        column[np.asarray(project)] = np.arange(len(np.asarray(project)))
    return pack_state(values[:, column[micro.next_variable]] == micro.next_value)


def joint_moves(micro: MicroSCSP, values: Ints) -> list[tuple[Term | None, ...]]:
    """The moves in solutions over all variables, one tuple a solution; None for a role that does nothing."""
    game = micro.game
    chosen = values[:, micro.action_variable]
    return [
        tuple(
            None if move == micro.none_value[role] else game.move(int(game.role_start[role] + move))
            for role, move in enumerate(row)
        )
        for row in chosen.tolist()
    ]


def _outcomes(micro: MicroSCSP, state: Words) -> Ints:
    """Values that the chance variable can take in a state, ascending."""
    game, role = micro.game, micro.game.random_role
    evaluator = Evaluator(game)
    evaluator.load(state)
    if evaluator.terminal() & np.uint64(1):
        return micro.none_value[role : role + 1]
    legal = evaluator.legal_moves()[game.role_start[role] : game.role_start[role + 1]]
    return np.flatnonzero(legal).astype(np.int32)


def _within(table: Table, variable: int, values: Ints) -> Table:
    """The table without the tuples in which ``variable`` has none of ``values``."""
    place = np.flatnonzero(table.scope == variable)
    if not len(place):
        return table
    column = table.tuples[:, place[0]]
    # The least integer stands for "any value" and no move has a negative number.
    return replace(table, tuples=np.ascontiguousarray(table.tuples[(column < 0) | np.isin(column, values)]))
