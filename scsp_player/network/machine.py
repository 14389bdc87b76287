"""The network as an engine: every answer is a solution of the template under assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.terms import Term
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network.micro_scsp import inject, successor_states
from scsp_player.network.translation import TUPLE_LIMIT, template
from scsp_player.solver import Solver

Words = NDArray[np.uint64]


class NetworkMachine:
    """A ``StateMachine`` that asks the solver; its states are bitsets (uint64[words]).

    What the network does not hold, this machine does not know: in terminal states no role has legal moves here, before the end no
    role has a score, and a score of 0 also stands for "no score or several" where 0 is one of the role's scores.

    Args:
        ground_game: the ground rules.
        tuple_limit: as for ``template``.

    Raises:
        NetworkTooLargeError: if the game's tables exceed their bounds.
    """

    def __init__(self, ground_game: GroundGame, *, tuple_limit: int = TUPLE_LIMIT) -> None:
        self.game = ground_game
        self.micro = template(ground_game, tuple_limit=tuple_limit)
        self._solver = Solver(self.micro.instance)

    @property
    def roles(self) -> tuple[str, ...]:
        """See ``StateMachine``."""
        return self.game.roles

    def initial_state(self) -> Words:
        """See ``StateMachine``."""
        return self.game.initial_state

    def state(self, fluents: Iterable[Term]) -> Words:
        """See ``StateMachine``; unreachable states (two values of one variable) are refused when they are asked about."""
        return self.game.state_of(fluents)

    def fluents(self, state: Words) -> frozenset[Term]:
        """See ``StateMachine``."""
        return self.game.fluents_of(state)

    def is_terminal(self, state: Words) -> bool:
        """See ``StateMachine``.

        Raises:
            ValueError: if the state violates a proved invariant, here and in the other methods.
        """
        domains = self._solver.propagate(inject(self.micro, state), [self.micro.terminal_variable])
        return domains is not None and domains[0].tolist() == [1]

    def legal_moves(self, state: Words) -> tuple[tuple[Term, ...], ...]:
        """See ``StateMachine``; the values of the move variables that are singleton consistent."""
        domains = self._solver.singleton_consistent(inject(self.micro, state), self.micro.action_variable)
        result: list[tuple[Term, ...]] = []
        for role, none in enumerate(self.micro.none_value.tolist()):
            values = [] if domains is None else [v for v in domains[role].tolist() if v != none]
            result.append(tuple(self.game.move(int(self.game.role_start[role]) + value) for value in values))
        return tuple(result)

    def goals(self, state: Words) -> tuple[int | None, ...]:
        """See ``StateMachine``."""
        scores = self._one(*inject(self.micro, state), [self.micro.terminal_variable, *self.micro.score_variable])
        if scores is None or not scores[0]:
            return (None,) * len(self.roles)
        possible = [set(self.game.goal_value[self.game.goal_role == role].tolist()) for role in range(len(self.roles))]
        return tuple(int(s) if int(s) in known else None for s, known in zip(scores[1:], possible, strict=True))

    def successor(self, state: Words, joint_move: Sequence[Term]) -> Words:
        """See ``StateMachine``.

        Raises:
            ValueError: if a move is not a legal one.
        """
        values = self._after(state, joint_move, self.micro.next)
        following: Words = successor_states(self.micro, values[None], self.micro.next)[0]
        return following

    def percepts(self, state: Words, joint_move: Sequence[Term]) -> tuple[frozenset[Term], ...]:
        """See ``StateMachine``.

        Raises:
            ValueError: if a move is not a legal one.
        """
        variables = np.unique(self.micro.percept_variable)
        if not len(variables):
            return (frozenset(),) * len(self.roles)
        values = self._after(state, joint_move, variables)
        held = values[np.searchsorted(variables, self.micro.percept_variable)] == self.micro.percept_value
        seen: list[set[Term]] = [set() for _ in self.roles]
        for percept in np.flatnonzero(held):
            seen[self.game.percept_role[percept]].add(self.game.terms.term(int(self.game.percept_term[percept])))
        return tuple(map(frozenset, seen))

    def _after(self, state: Words, joint_move: Sequence[Term], wanted: NDArray[np.int32]) -> NDArray[np.int32]:
        """Values of ``wanted`` when the joint move is done."""
        variables, values = inject(self.micro, state)
        chosen: list[int] = []
        for role, move in enumerate(joint_move):
            index = self.game.move_index[role].get(move)
            if index is None:
                raise ValueError(f"{move} is not a move of {self.roles[role]} in {self.game.source}")
            chosen.append(index - int(self.game.role_start[role]))
        found = self._one(
            np.concatenate([variables, self.micro.action_variable]), np.concatenate([values, chosen]).astype(np.int32), wanted
        )
        if found is None:
            raise ValueError(f"({' '.join(map(str, joint_move))}) is not legal in this state")
        return found

    def _one(
        self, variables: NDArray[np.int32], values: NDArray[np.int32], wanted: Sequence[int] | NDArray[np.int32]
    ) -> NDArray[np.int32] | None:
        solutions = self._solver.solutions((variables, values), project=wanted, limit=1).values
        return solutions[0] if len(solutions) else None
