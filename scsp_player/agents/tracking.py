"""Keeping up with a match: the state, or with hidden information a sample of the states that it may be in."""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence

import numpy as np

from scsp_player.agents.base import Turn
from scsp_player.agents.likeness import Likeness
from scsp_player.gdl.terms import Term
from scsp_player.machine import State, StateMachine

SAMPLE = 24
"""States kept at most when the real one is hidden."""

BRANCHES = 64
"""Joint moves tried at most from one possible state when others' moves are hidden."""

SPOKEN_OF = 0.5
"""Share of these for moves that are most like what was seen."""

SEARCH_SECONDS = 2.0
"""Time at most for finding a possible state by replaying turns, when no kept state fits what was seen."""

REPLAY_SHARE = 0.8
"""Share of the time for that; the rest is for finding what comes nearest if there is none."""

NEAR_MOVES = 16
"""Joint moves tried at most from one state to find what comes nearest."""

LEAST_SECONDS = 0.05
"""Time that one turn may take in any case, however late it is told: being lost costs more."""


class MatchTracker:
    """The states that a match may be in, as one of its players knows them.

    With perfect information that is exactly one state. With hidden information it is a sample of states, each reached by some
    course of the match in which the player makes the same moves and sees the same things. Every player knows its own legal moves
    in a well-formed game, so any such state tells them; nothing is claimed about how likely the states are.

    The samples of all turns are kept: when none of the last states fits what was seen, turns are replayed from one turn earlier,
    from two, from four, at last from the beginning. A tracker that found nothing in time goes on from states that do not fit, and
    tries again in each later turn.

    Attributes:
        states: the possible states; never empty.
        role: index of the role that is played.
        lost: whether the states do not fit what was seen.
    """

    def __init__(self, machine: StateMachine, role: str, rng: np.random.Generator) -> None:
        self.machine = machine
        self.role = machine.roles.index(role)
        self.states: list[State] = [machine.initial_state()]
        self._rng = rng
        self.lost = False
        self._likeness = Likeness()
        # _samples[i] goes with the first i entries of _seen; empty where the tracker was lost.
        self._seen: list[tuple[Term | None, frozenset[Term]]] = []
        self._samples: list[list[State]] = [self.states]

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
            now = time.monotonic()
            self._filter(max(now + LEAST_SECONDS, min(deadline, now + SEARCH_SECONDS)))

    def legal_moves(self, deadline: float = math.inf) -> tuple[Term, ...]:
        """The own moves that are legal in as many possible states as can be; sorted, empty only if there is none at all.

        After the deadline no further states are looked at.
        """
        count: Counter[Term] = Counter()
        for number, state in enumerate(self.states):
            if number and time.monotonic() > deadline:
                break
            count.update(self.machine.legal_moves(state)[self.role])
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
        fitting = [] if self.lost else self._sampled(self.states, own_move, percepts, deadline)
        if not fitting:
            now = time.monotonic()
            fitting = self._replay(now + REPLAY_SHARE * (deadline - now))
        self.lost = not fitting
        self._samples.append(fitting)
        if self.lost:
            # Nothing that was tried explains what was seen. Going on from what comes nearest keeps the player in the match.
            for state in self.states:
                if fitting and time.monotonic() > deadline:
                    break
                if (successor := self._nearest(state, own_move, percepts, deadline)) is not None:
                    fitting.append(successor)
            self._samples[-1] = []
        self.states = fitting or self.states

    def _sampled(
        self, states: list[State], own_move: Term | None, percepts: frozenset[Term], deadline: float
    ) -> list[State]:
        """Successors of states that fit, no more than ``SAMPLE``; none are looked for after the deadline.

        One of each state in turn, so that none is left out because others have many.
        """
        fitting: dict[State, None] = {}
        waiting = deque(self._successors(states[i], own_move, percepts, deadline) for i in self._rng.permutation(len(states)))
        while waiting and len(fitting) < SAMPLE:
            successors = waiting.popleft()
            if (successor := next(successors, None)) is not None:
                fitting[successor] = None
                waiting.append(successors)
        return list(fitting)

    def _successors(
        self, state: State, own_move: Term | None, percepts: frozenset[Term], deadline: float = math.inf
    ) -> Iterator[State]:
        """States after a joint move that contains the own move and shows the percepts, in random order."""
        if time.monotonic() > deadline:
            return
        choices: list[Sequence[Term]] = list(self.machine.legal_moves(state))
        if own_move is not None:
            if own_move not in choices[self.role]:
                return
            choices[self.role] = (own_move,)
        for joint_move in self._joint_moves(choices, percepts):
            if time.monotonic() > deadline:
                return
            if self.machine.percepts(state, joint_move)[self.role] == percepts:
                successor = self.machine.successor(state, joint_move)
                if not self.machine.is_terminal(successor):  # being asked for a move tells that the match goes on
                    yield successor

    def _nearest(self, state: State, own_move: Term | None, percepts: frozenset[Term], deadline: float) -> State | None:
        """Of some states after the own move, legal here or not, the one that shows least that was not seen or should have been.

        One at least is tried, however late it is; None if others have no moves, or the own move is none of the game.
        """
        choices: list[Sequence[Term]] = list(self.machine.legal_moves(state))
        if own_move is not None:
            choices[self.role] = (own_move,)
        if not all(choices):
            return None
        best, least = None, (True, 0)
        try:
            for joint_move in itertools.islice(self._joint_moves(choices, percepts), NEAR_MOVES):
                wrong = len(self.machine.percepts(state, joint_move)[self.role] ^ percepts)
                successor = self.machine.successor(state, joint_move)
                rank = self.machine.is_terminal(successor), wrong
                if best is None or rank < least:
                    best, least = successor, rank
                if time.monotonic() > deadline:
                    break
        except ValueError:
            return None
        return best

    def _joint_moves(self, choices: list[Sequence[Term]], percepts: frozenset[Term]) -> Iterator[tuple[Term, ...]]:
        """All joint moves in random order; if they are too many, random ones after such as the percepts may speak of."""
        if math.prod(map(len, choices)) <= BRANCHES:
            joint_moves = list(itertools.product(*choices))
            for i in self._rng.permutation(len(joint_moves)):
                yield joint_moves[i]
            return
        spoken_of = [self._likeness.most_alike(moves, percepts) for moves in choices]
        for number in range(BRANCHES):
            some = spoken_of if number < SPOKEN_OF * BRANCHES else choices
            yield tuple(moves[int(self._rng.integers(len(moves)))] for moves in some)

    def _replay(self, deadline: float) -> list[State]:
        """Possible states found by replaying the last turns from the states kept then; empty if time ran out."""
        turns, back = len(self._seen), 2
        while time.monotonic() < deadline:
            first = max(0, turns - back)
            now = time.monotonic()
            # What lies nearer is tried first, but must not take the time of what lies farther back.
            found = self._replay_from(first, deadline if first == 0 else now + (deadline - now) / 2) if self._samples[first] else []
            if found or first == 0:
                return found
            back *= 2
        return []

    def _replay_from(self, first: int, deadline: float) -> list[State]:
        """Depth-first search in random order from the states of turn ``first``, begun anew for each state that is found."""
        found: list[State] = []
        sample = self._samples[first]
        while len(found) < SAMPLE and time.monotonic() < deadline:
            path: list[Iterator[State]] = [
                itertools.chain.from_iterable(
                    self._successors(sample[i], *self._seen[first], deadline) for i in self._rng.permutation(len(sample))
                )
            ]
            end: State | None = None
            while path and end is None and time.monotonic() < deadline:
                state = next(path[-1], None)
                if state is None:
                    path.pop()
                elif first + len(path) == len(self._seen):
                    end = state
                else:
                    path.append(self._successors(state, *self._seen[first + len(path)], deadline))
            if end is None:
                break
            found.append(end)
        return found
