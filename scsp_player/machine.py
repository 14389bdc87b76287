"""The questions that every engine answers about a game: reasoner, propnet and network alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from scsp_player.gdl.terms import Term

State = Any
"""A state as the engine at hand represents it; opaque to callers. Pass it back only to the engine it came from."""


class StateMachine(Protocol):
    """A game as a state machine over terms.

    The order of roles is that of the rule sheet and rules every tuple "one entry a role". Lists of moves are sorted by their
    printed form. None of the methods changes a state.
    """

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles, ``random`` included."""
        ...

    def initial_state(self) -> State:
        """The state in which every match starts."""
        ...

    def state(self, fluents: Iterable[Term]) -> State:
        """The state in which exactly ``fluents`` are true.

        Raises:
            ValueError: if a fluent can never be true in this game.
        """
        ...

    def fluents(self, state: State) -> frozenset[Term]:
        """The fluents that are true in ``state``."""
        ...

    def is_terminal(self, state: State) -> bool:
        """Whether the match is over in ``state``."""
        ...

    def legal_moves(self, state: State) -> tuple[tuple[Term, ...], ...]:
        """For each role its legal moves, sorted. In terminal states what the rules say, or nothing (the network)."""
        ...

    def goals(self, state: State) -> tuple[int | None, ...]:
        """For each role its score, or None if the rules give it no score or several in ``state``."""
        ...

    def successor(self, state: State, joint_move: Sequence[Term]) -> State:
        """The state after ``joint_move`` (one move a role).

        Raises:
            ValueError: if a move is not a move of the game.
        """
        ...

    def percepts(self, state: State, joint_move: Sequence[Term]) -> tuple[frozenset[Term], ...]:
        """For each role what it sees as a consequence of ``joint_move`` in ``state`` (GDL-II; empty sets without ``sees``)."""
        ...
