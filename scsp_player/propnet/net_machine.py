"""The propositional network as a state machine over terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.terms import Term
from scsp_player.grounding.ground_game import GroundGame, IntArray
from scsp_player.propnet.net import Propnet

NetState = NDArray[np.uint64]
"""uint64[words], bit f = fluent f of the ground game."""


class PropnetMachine:
    """A ``StateMachine`` that answers from a propositional network; a state is uint64[words].

    Attributes:
        net: the network, for questions about many states and for playouts.
    """

    def __init__(self, game: GroundGame) -> None:
        """Compile a game; errors as of ``Propnet``."""
        self.net = Propnet(game)
        self._game = game

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles."""
        return self._game.roles

    def initial_state(self) -> NetState:
        """The state in which every match starts."""
        return self._game.initial_state.copy()

    def state(self, fluents: Iterable[Term]) -> NetState:
        """The state in which exactly ``fluents`` are true; ValueError if one of them can never be."""
        return self._game.state_of(fluents)

    def fluents(self, state: NetState) -> frozenset[Term]:
        """The fluents that are true in ``state``."""
        return self._game.fluents_of(state)

    def is_terminal(self, state: NetState) -> bool:
        """Whether the match is over."""
        return bool(self.net.terminal(state[None])[0])

    def legal_moves(self, state: NetState) -> tuple[tuple[Term, ...], ...]:
        """For each role its legal moves, sorted by printed form."""
        legal = np.flatnonzero(self.net.legal(state[None])[0])
        start = np.searchsorted(legal, self._game.role_start)
        return tuple(
            tuple(self._game.move(move) for move in legal[start[role] : start[role + 1]]) for role in range(len(self.roles))
        )

    def goals(self, state: NetState) -> tuple[int | None, ...]:
        """For each role its score, None if it has none or several."""
        return tuple(int(score) if score >= 0 else None for score in self.net.goals(state[None])[0])

    def successor(self, state: NetState, joint_move: Sequence[Term]) -> NetState:
        """The state after ``joint_move``; ValueError if a move is not a move of the game."""
        following: NetState = self.net.successors(state[None], self._indices(joint_move))[0]
        return following

    def percepts(self, state: NetState, joint_move: Sequence[Term]) -> tuple[frozenset[Term], ...]:
        """For each role what it sees as a consequence of ``joint_move``; ValueError if a move is not a move of the game."""
        game = self._game
        seen = np.flatnonzero(self.net.percepts(state[None], self._indices(joint_move))[0])
        terms = [(int(game.percept_role[i]), game.terms.term(int(game.percept_term[i]))) for i in seen]
        return tuple(frozenset(term for owner, term in terms if owner == role) for role in range(len(self.roles)))

    def _indices(self, joint_move: Sequence[Term]) -> IntArray:
        """int32[1, roles]: global indices of the moves."""
        if len(joint_move) != len(self.roles):
            raise ValueError(f"{len(joint_move)} moves for {len(self.roles)} roles")
        indices = []
        for role, move in enumerate(joint_move):
            index = self._game.move_index[role].get(move)
            if index is None:
                raise ValueError(f"{move} is not a move of {self.roles[role]} in {self._game.source}")
            indices.append(index)
        return np.array([indices], dtype=np.int32)
