"""Keeping up with a match of hidden information on ground rules: which own moves are legal in all that is held possible."""

from __future__ import annotations

import math
import time

from scsp_player.agents.base import Turn
from scsp_player.belief import Belief, rehearsal
from scsp_player.belief.knowledge_kernels import propagate
from scsp_player.gdl.program import Program
from scsp_player.gdl.reading import parse_program
from scsp_player.gdl.terms import Term, signature
from scsp_player.grounding import BudgetExceeded, ground
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.kernels import PLAIN, is_kept
from scsp_player.network import proof_kernels
from scsp_player.propnet import Propnet

ENTRIES = 512
"""States kept at most."""

GROUNDING_SHARE, GROUNDING_SECONDS, GROUNDING_BYTES = 0.5, 5.0, 1 << 28
"""Share of the time to prepare, seconds and bytes that ground rules may take."""

RULES_PER_SECOND = 50_000
"""Ground rules for which a circuit is made in a second on a busy machine; on a quiet one it is four times as many."""

PROOF_SHARE, PROOF_SECONDS = 0.2, 3.0
"""Share of the time left to prepare, and seconds, in which is proved which fluents exclude each other."""

LATE_SECONDS = 0.05
"""Time that a turn may take in any case before a state that fits has been found: being lost costs more."""


class BeliefTracker:
    """The own legal moves of a player that is told percepts, from a ``Belief`` in which others play at random.

    Attributes:
        belief: what is held possible.
    """

    def __init__(self, game: GroundGame, role: str, *, seed: int = 0) -> None:
        self.game = game
        self.belief = Belief(game, Propnet(game), game.roles.index(role), seed=seed, limit=ENTRIES)

    @classmethod
    def prepare(cls) -> None:
        """Compile what a belief needs, unless that has been done before on this machine, or kernels run as plain Python."""
        if PLAIN or _is_ready():
            return
        tracker = cls(ground(parse_program(rehearsal.RULES, "<rehearsal>")), "one")
        tracker.belief.prove_exclusions(PROOF_SECONDS)
        tracker.advance(Turn(1, None, tracker.legal_moves()[0], frozenset()))

    @classmethod
    def of(cls, program: Program, role: str, *, deadline: float, seed: int) -> BeliefTracker | None:
        """One for the rules; None if they show all that happens, cannot be grounded quickly, or kernels would be slow."""
        if PLAIN or not _is_ready():
            return None
        if not any(signature(rule.head) == ("sees", 2) for rule in program.rules):
            return None
        seconds = min(GROUNDING_SECONDS, GROUNDING_SHARE * (deadline - time.monotonic()))
        try:
            game = ground(program, seconds=max(0.1, seconds), memory_bytes=GROUNDING_BYTES)
        except BudgetExceeded:
            return None
        if game.rules > RULES_PER_SECOND * (deadline - time.monotonic()):
            return None
        tracker = cls(game, role, seed=seed)
        tracker.belief.prove_exclusions(min(PROOF_SECONDS, PROOF_SHARE * (deadline - time.monotonic())))
        return tracker

    def advance(self, turn: Turn, deadline: float = math.inf) -> None:
        """Take in what a turn tells; after the deadline the belief becomes a sample."""
        if turn.percepts is None:
            return
        now = time.monotonic()
        late = max(now + LATE_SECONDS, deadline)
        own = turn.own_move if turn.own_move in self.game.move_index[self.belief.role] else None
        self.belief.update(own, turn.percepts, lambda: time.monotonic() >= deadline, lambda: time.monotonic() >= late)
        self.belief.keep_pace(max(LATE_SECONDS, deadline - now))

    def legal_moves(self, deadline: float = math.inf) -> tuple[Term, ...]:
        """The moves that are legal in all that is held possible, else the most widely legal ones; sorted."""
        return tuple(sorted(self.game.move(int(move)) for move in self.belief.legal_moves()))


def _is_ready() -> bool:
    """Whether the kernels have been compiled on this machine before, those that prove exclusions included."""
    return is_kept(propagate) and is_kept(proof_kernels.search)
