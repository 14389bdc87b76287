"""Keeping up with a match: the state, or with hidden information a sample of the states that it may be in."""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from scsp_player.agents.base import Turn
from scsp_player.gdl.terms import Term
from scsp_player.machine import State, StateMachine

SAMPLE = 24
"""States kept at most when the real one is hidden."""

BRANCHES = 64
"""Joint moves tried at most from one possible state when others' moves are hidden."""

SEARCH_SECONDS = 2.0
"""Time at most for finding a possible state by replaying the match, when no kept state fits what was seen."""


class MatchTracker:
    """The states that a match may be in, as one of its players knows them.

    With perfect information that is exactly one state. With hidden information it is a sample of states, each reached by some
    course of the match in which the player makes the same moves and sees the same things. Every player knows its own legal moves
    in a well-formed game, so any such state tells them; nothing is claimed about how likely the states are.

    Attributes:
        states: the possible states; never empty.
        role: index of the role that is played.
    """

    def __init__(self, machine: StateMachine, role: str, rng: np.random.Generator) -> None:
        self.machine = machine
        self.role = machine.roles.index(role)
        self.states: list[State] = [machine.initial_state()]
        self._rng = rng
        self._seen: list[tuple[Term | None, frozenset[Term]]] = []

    def advance(self, turn: Turn, deadline: float = math.inf) -> None:
        """Take in what a turn tells about the last joint move; the deadline bounds the search for possible states.

        Raises:
            ValueError: if the joint move contains a move that is not legal; nothing has changed then.
        """
        if turn.joint_move is not None:
            self._check(turn.joint_move)
            self.states = [self.machine.successor(state, turn.joint_move) for state in self.states]
        elif turn.percepts is not None:
            self._seen.append((turn.own_move, turn.percepts))
            self._filter(min(deadline, time.monotonic() + SEARCH_SECONDS))

    def legal_moves(self) -> tuple[Term, ...]:
        """The own moves that are legal in as many possible states as can be; sorted, empty only if there is none at all."""
        count = Counter(move for state in self.states for move in self.machine.legal_moves(state)[self.role])
        most = max(count.values(), default=0)
        return tuple(sorted(move for move, states in count.items() if states == most))

    def _check(self, joint_move: tuple[Term, ...]) -> None:
        legal = self.machine.legal_moves(self.states[0])
        for role, move, moves in zip(self.machine.roles, joint_move, legal, strict=True):
            # A role without any legal move is the sheet's fault; whatever the manager makes of it has to be taken.
            if moves and move not in moves:
                raise ValueError(f"{move} is not legal for {role}")

    def _filter(self, deadline: float) -> None:
        own_move, percepts = self._seen[-1]
        fitting: list[State] = []
        for state in self.states:
            fitting.extend(self._successors(state, own_move, percepts))
            if time.monotonic() > deadline and fitting:
                break
        if not fitting:
            fitting = self._replay(deadline)
        if not fitting:
            # Nothing that was tried explains what was seen. Going on from the old states keeps the player in the match.
            for state in self.states:
                fitting.extend(itertools.islice(self._successors(state, own_move, None), 1))
        if len(fitting) > SAMPLE:
            fitting = [fitting[i] for i in sorted(self._rng.choice(len(fitting), SAMPLE, replace=False))]
        self.states = fitting or self.states

    def _successors(self, state: State, own_move: Term | None, percepts: frozenset[Term] | None) -> Iterator[State]:
        """States after a joint move that contains the own move and shows the percepts (None: anything), in random order."""
        choices: list[Sequence[Term]] = list(self.machine.legal_moves(state))
        if own_move is not None:
            if own_move not in choices[self.role]:
                return
            choices[self.role] = (own_move,)
        for joint_move in self._joint_moves(choices):
            if percepts is None or self.machine.percepts(state, joint_move)[self.role] == percepts:
                successor = self.machine.successor(state, joint_move)
                if not self.machine.is_terminal(successor):  # being asked for a move tells that the match goes on
                    yield successor

    def _joint_moves(self, choices: list[Sequence[Term]]) -> Iterator[tuple[Term, ...]]:
        """All joint moves in random order, or random ones if they are too many."""
        if math.prod(map(len, choices)) <= BRANCHES:
            joint_moves = list(itertools.product(*choices))
            for i in self._rng.permutation(len(joint_moves)):
                yield joint_moves[i]
            return
        for _ in range(BRANCHES):
            yield tuple(moves[int(self._rng.integers(len(moves)))] for moves in choices)

    def _replay(self, deadline: float) -> list[State]:
        """Possible states found by depth-first search through the whole match in random order; empty if time ran out."""
        found: list[State] = []
        while len(found) < SAMPLE and time.monotonic() < deadline:
            path = [self._successors(self.machine.initial_state(), *self._seen[0])]
            state: State | None = None
            while path and time.monotonic() < deadline:
                state = next(path[-1], None)
                if state is None:
                    path.pop()
                elif len(path) == len(self._seen):
                    break
                else:
                    path.append(self._successors(state, *self._seen[len(path)]))
            if state is None:
                break
            if len(path) == len(self._seen):
                found.append(state)
        return found
