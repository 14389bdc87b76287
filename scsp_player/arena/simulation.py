"""Random matches without players, to see whether a rule sheet that reads well also plays well."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from scsp_player.gdl.program import Program
from scsp_player.gdl.terms import Term
from scsp_player.grounding import BudgetExceeded, Reasoner, ground
from scsp_player.machine import State, StateMachine

STORE_BYTES = 1 << 30
"""Memory for the relations of the reasoner."""

JointMove = tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """How much is simulated at most.

    Attributes:
        seconds: processor time.
        matches: random matches.
        moves: joint moves of a match, after which it is taken to have no end.
        seed: of the random moves.
    """

    seconds: float = 5.0
    matches: int = 100
    moves: int = 1000
    seed: int = 0


@dataclass(frozen=True)
class Moment:
    """A state that a random match has reached, and what the rules say of it.

    Attributes:
        path: the joint moves that led there.
        fluents: what is true.
        terminal: whether the match is over.
        legal: for each role its legal moves; None where the match is over.
        goals: for each role its score, None for none or several; None where the match goes on.
        cut: whether the match is given up here because it has become too long.
    """

    path: Sequence[JointMove]
    fluents: frozenset[Term]
    terminal: bool
    legal: tuple[tuple[Term, ...], ...] | None
    goals: tuple[int | None, ...] | None
    cut: bool = False


@dataclass
class Simulation:
    """Random matches of a game; iterate over ``moments`` to run them.

    Attributes:
        matches: matches that have come to an end, or were given up.
        states: states looked at.
        stopped: why there are no more; empty if everything in scope was done.
    """

    program: Program
    scope: Scope
    matches: int = 0
    states: int = 0
    stopped: str = ""
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = time.process_time() + self.scope.seconds

    @property
    def left(self) -> float:
        """Processor seconds that are left."""
        return max(0.0, self._end - time.process_time())

    def moments(self) -> Iterator[Moment]:
        """Every state of every match in turn; ends early when the time is up.

        Raises:
            GdlError: if an atom depends on its own negation in a state.
        """
        try:
            machine = Reasoner(self.program, seconds=max(self.left, 0.1), memory_bytes=STORE_BYTES, clock=time.process_time)
            rng = Random(self.scope.seed)
            while self.matches < self.scope.matches and self.left:
                yield from self._match(machine, rng)
        except BudgetExceeded as error:
            self.stopped = f"a question about one state takes too much: {error}"
            return
        if self.matches < self.scope.matches:
            self.stopped = f"{self.scope.seconds:g} s of processor time are over"

    def _match(self, machine: StateMachine, rng: Random) -> Iterator[Moment]:
        state: State = machine.initial_state()
        path: list[JointMove] = []
        while self.left:
            self.states += 1
            fluents, terminal = machine.fluents(state), machine.is_terminal(state)
            legal = None if terminal else machine.legal_moves(state)
            goals = machine.goals(state) if terminal else None
            cut = not terminal and len(path) >= self.scope.moves
            yield Moment(tuple(path), fluents, terminal, legal, goals, cut)
            if legal is None or cut or not all(legal):
                self.matches += 1
                return
            path.append(tuple(rng.choice(moves) for moves in legal))
            state = machine.successor(state, path[-1])


def require_stratified(program: Program, seconds: float) -> bool:
    """Whether it is certain that no ground atom depends on its own negation; False if that takes too long to find out.

    Raises:
        GdlError: if one does, with the cycle.
    """
    try:
        ground(program, seconds=seconds, clock=time.process_time)
    except BudgetExceeded:
        return False
    return True
