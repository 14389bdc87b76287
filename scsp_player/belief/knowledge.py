"""What one role knows for certain, whatever the others have done: fluents that must hold now, and fluents that cannot.

A sample of states says what is likely, and may miss the state that the match is really in. What is kept here says less, but
is never wrong: from what is known before a turn, the own move and the percepts, unit propagation on the completion of the rules
(Clark 1978) finds more about the same turn, and what the next state must be like. The moves that others may have made are tried
side by side, and what all of them agree in is known (singleton consistency: Debruyne and Bessière 1997). In a well-formed game that
is mostly enough to know the own legal moves.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief import knowledge_kernels
from scsp_player.belief.exclusion import NOTHING, Exclusive
from scsp_player.belief.samples import States
from scsp_player.grounding.ground_game import GroundGame

Signs = NDArray[np.int8]
Words = NDArray[np.uint64]

CASES = 64
"""Cases that one propagation looks at."""

MOST_CASES = 256
"""Joint moves of others that are told apart at most."""

RULE_LIMIT = 200_000
"""In games with more ground rules nothing is known for certain: each turn would take too long."""

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


class Knowledge:
    """Certain facts about the state of a match, for one role.

    Attributes:
        fluents: int8[fluents], 1 for what holds, -1 for what does not, 0 for what may or may not.
        legal: int8[moves of the role], the same for its legal moves.
        groups: fluents that exclude each other, none unless somebody says so before the match.
        made: bool[moves], what every role may have done in the last turn, by what was known before it and was seen.
        contradicted: turns in which what was told contradicts the rules; as little of it as need be is ignored then, and in the
            worst case all that had been known is forgotten.
    """

    def __init__(self, game: GroundGame, role: int) -> None:
        self.game = game
        self.role = role
        self.contradicted = 0
        self.groups: Exclusive = NOTHING
        self.made = np.ones(game.moves, np.bool_)
        self.fluents: Signs
        self.legal: Signs
        self._mine = np.flatnonzero(game.percept_role == role)
        self._inside = np.zeros(game.atoms, np.bool_)
        self._founded = np.zeros(game.atoms, np.uint64)
        self._masks = np.zeros((2, game.state_words), np.uint64)
        self.certain(game.initial_state)

    def certain(self, state: NDArray[np.uint64]) -> None:
        """The state is known: uint64[words]."""
        if self.game.rules > RULE_LIMIT:
            self.fluents = np.zeros(self.game.fluents, np.int8)
            self.legal = np.zeros(self.game.role_start[self.role + 1] - self.game.role_start[self.role], np.int8)
            return
        bits = np.unpackbits(np.ascontiguousarray(state).view(np.uint8), bitorder="little", count=self.game.fluents)
        self._settle(np.where(bits > 0, 1, -1).astype(np.int8))

    def update(self, move: int | None, expected: NDArray[np.bool_], refused: int | None = None) -> None:
        """Take in one turn.

        Args:
            move: the own move, a global index, or None if it is not known.
            expected: the percepts, bool[percepts].
            refused: a move that was not accepted, so it was probably not legal.
        """
        self.made[:] = True
        if self.game.rules > RULE_LIMIT:
            return
        now, nothing = self.fluents, np.zeros(self.game.fluents, np.int8)
        after = None if refused is None else self._after(now, move, going=True, expected=expected, refused=refused)
        attempts = ((now, True, expected), (now, False, expected), (now, False, None), (nothing, False, None))
        for number, (fluents, going, seen) in enumerate(attempts):
            if after is not None or (after := self._after(fluents, move, going=going, expected=seen)) is not None:
                break
            self.contradicted += number == 0
            self.made[:] = True
        self._settle(nothing if after is None else after)

    def corrected(self, states: States) -> States:
        """uint64[k, words]: states with the fluents as they must be; nothing changes in a state that is possible."""
        result: States = (states | self._masks[0]) & ~self._masks[1]
        return result

    def _settle(self, fluents: Signs) -> None:
        """These are the fluents now, and we are asked for a move, so the match is not over."""
        game = self.game
        known = self._atoms(fluents)
        _take(known, game.terminal_literal ^ 1, ALL)
        if self._propagate(known, moving=False):
            known = self._atoms(fluents)
            if self._propagate(known, moving=False):
                known = self._atoms(np.zeros(game.fluents, np.int8))
        self.fluents = _signs(known, 2 * game.fluent_atom)
        literals = game.legal_literal[game.role_start[self.role] : game.role_start[self.role + 1]]
        self.legal = _signs(known, literals)
        self._try_out(known, literals)
        for sign, words in zip((1, -1), self._masks, strict=True):
            packed = np.packbits(self.fluents == sign, bitorder="little")
            words.view(np.uint8)[: len(packed)] = packed

    def _try_out(self, known: Words, literals: NDArray[np.int32]) -> None:
        """Moves of which nothing is known: take them for legal, then for illegal, and see what contradicts the rules.

        A piece can go to a square that is empty or an enemy's: that one of the two is so only the groups tell.
        """
        for sign in (-1, 1) if len(self.groups.exact) else ():
            doubtful = np.flatnonzero(self.legal == 0)[:MOST_CASES]
            for begin in range(0, len(doubtful), CASES):
                some, here = doubtful[begin : begin + CASES], known.copy()
                for place, literal in enumerate(literals[some].tolist()):
                    _take(here, literal ^ (sign < 0), np.uint64(1) << np.uint64(place))
                wrong = np.uint64(self._propagate(here, moving=False))
                refuted = (wrong >> np.arange(len(some), dtype=np.uint64)) & np.uint64(1) > 0
                self.legal[some[refuted]] = -sign

    def _after(
        self,
        fluents: Signs,
        move: int | None,
        *,
        going: bool,
        expected: NDArray[np.bool_] | None,
        refused: int | None = None,
    ) -> Signs | None:
        """int8[fluents]: what is known after a turn in a match that is ``going`` on; None if what is told contradicts the rules.

        What may have been ``made`` in that turn is noted.
        """
        game = self.game
        known = self._atoms(fluents)
        if going:
            _take(known, game.terminal_literal ^ 1, ALL)
        if move is not None:
            _take(known, 2 * int(game.does_atom[move]), ALL)
        if refused is not None:
            _take(known, int(game.legal_literal[refused]) ^ 1, ALL)
        if expected is not None:
            for percept in self._mine.tolist():
                _take(known, int(game.percept_literal[percept]) ^ (0 if expected[percept] else 1), ALL)
        if self._propagate(known, moving=True):
            return None
        after: Signs | None = None
        self.made = known[1, game.does_atom] == 0
        cases = self._cases(known)
        tried, found = np.zeros(game.moves, np.bool_), np.zeros(game.moves, np.bool_)
        for begin in range(0, len(cases), CASES):
            some = cases[begin : begin + CASES]
            here = known.copy()
            for place, moves in enumerate(some):
                for made in moves:
                    _take(here, 2 * int(game.does_atom[made]), np.uint64(1) << np.uint64(place))
            possible = ALL >> np.uint64(CASES - len(some))
            if len(some) > 1:
                possible &= ~np.uint64(self._propagate(here, moving=True))
            for place, moves in enumerate(some):
                tried[list(moves)] = True
                found[list(moves)] |= bool(possible >> np.uint64(place) & np.uint64(1))
            if not possible:
                continue
            signs = _signs(here, game.next_literal, possible)
            after = signs if after is None else np.where(after == signs, signs, 0).astype(np.int8)
        self.made &= found | ~tried
        return after

    def _cases(self, known: Words) -> list[tuple[int, ...]]:
        """What others may have done, as far as it can be listed: one tuple of moves, global indices, for each case."""
        game, total = self.game, 1
        choices: list[list[int]] = []
        for role in range(len(game.roles)):
            moves = np.arange(game.role_start[role], game.role_start[role + 1])
            moves = moves[known[1, game.does_atom[moves]] == 0]
            if len(moves) > 1 and total * len(moves) <= MOST_CASES:
                total *= len(moves)
                choices.append(moves.tolist())
        return list(itertools.product(*choices))

    def _atoms(self, fluents: Signs) -> Words:
        """uint64[2, atoms]: in all cases alike, where atoms hold and where they do not."""
        known = np.zeros((2, self.game.atoms), np.uint64)
        known[0, 0] = ALL  # the constant
        for row, sign in enumerate((1, -1)):
            known[row, self.game.fluent_atom] = np.where(fluents == sign, ALL, np.uint64(0))
        return known

    def _propagate(self, known: Words, *, moving: bool) -> int:
        """See ``knowledge_kernels.propagate``."""
        game = self.game
        return int(
            knowledge_kernels.propagate(
                known,
                game.head_start,
                game.rule_start,
                game.rule_body,
                game.component_start,
                game.component_atoms,
                game.component_cyclic,
                game.role_start,
                game.does_atom,
                game.legal_literal,
                *self.groups,
                moving,
                self._inside,
                self._founded,
            )
        )


def _take(known: Words, literal: int, cases: np.uint64) -> None:
    """Let a literal hold in some cases."""
    known[literal & 1, literal >> 1] |= cases


def _signs(known: Words, literals: NDArray[np.int32], cases: np.uint64 = ALL) -> Signs:
    """int8[literals]: 1 for those that hold in all of the cases, -1 for those that hold in none."""
    holds = known[literals & 1, literals >> 1] & cases == cases
    fails = known[~literals & 1, literals >> 1] & cases == cases
    return np.where(holds, 1, np.where(fails, -1, 0)).astype(np.int8)
