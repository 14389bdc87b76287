"""What an agent is: something that follows one match in one role and chooses moves before a deadline."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from scsp_player.gdl.program import Program
from scsp_player.gdl.terms import Term

Report = Callable[[Term], None]
"""Receives a move that the agent would play if its time ended now."""


def ignore_report(move: Term) -> None:
    """A report that goes nowhere; for agents that are called directly."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a player learns when it is asked for its next move.

    With perfect information ``joint_move`` says everything. With hidden information (GDL-II) the player learns its own move, which
    the manager may have substituted, and its percepts. In turn 0 there is nothing to learn yet and all three are None.

    Attributes:
        number: how many joint moves have been played before; 0 for the first question of a match.
        joint_move: the joint move of the last turn, one move a role in the order of the sheet; None with hidden information.
        own_move: the own move of the last turn as it was really played; None with perfect information.
        percepts: what the player saw as a consequence of the last joint move; None with perfect information.
    """

    number: int
    joint_move: tuple[Term, ...] | None = None
    own_move: Term | None = None
    percepts: frozenset[Term] | None = None


class Agent(ABC):
    """A player of one match. A new object is made for each match and thrown away after it.

    Deadlines are values of ``time.monotonic()``. An agent that overruns one is not waited for: the last move that it reported
    for the turn is played, or any legal move. So report early, and again whenever the best move changes.

    Calls come one at a time and in this order: ``start``, then ``play`` or ``observe`` with turn 0, 1, 2, …, then ``stop``;
    ``ponder`` may come between any two of them.
    """

    def __init__(self, report: Report = ignore_report) -> None:
        self.report = report

    @classmethod  # noqa: B027  (most agents have nothing to compile)
    def prepare(cls) -> None:
        """Get ready to be ready: whatever takes long once a process, compiling kernels above all. No clock runs yet."""

    @abstractmethod
    def start(self, program: Program, role: str, *, play_seconds: float, deadline: float, seed: int) -> None:
        """Prepare for a match; thinking ahead is allowed until the deadline, returning early is too.

        Args:
            program: the rules.
            role: the role to play, one of ``program.roles``.
            play_seconds: time for each later move.
            deadline: when to be ready.
            seed: the same seed and the same turns give the same moves, as far as time allows.

        Raises:
            GdlError: if the rules cannot be played.
        """

    @abstractmethod
    def play(self, turn: Turn, deadline: float) -> Term:
        """Take note of what happened and choose the next move, by the deadline.

        Raises:
            ValueError: if the turn contains a move that is not legal; the turn then counts as not told.
        """

    def observe(self, turn: Turn) -> None:
        """Take note of what happened in a turn whose own move is known already; used to catch up with a running match.

        An agent for which choosing takes long overrides this.
        """
        self.play(turn, 0.0)

    def view(self) -> dict[str, float]:
        """What the agent makes of the move that it would play now, for the record of the match.

        By convention ``value``, the expected score from 0 to 100, ``visits``, how often the move was tried, and ``leaves``, how
        many positions have been evaluated in all. Empty for an agent that has no opinion.
        """
        return {}

    def ponder(self, interrupted: Callable[[], bool]) -> None:  # noqa: B027  (most agents only think when they are asked)
        """Nobody waits for anything: think about what may come, until ``interrupted`` says that something has.

        Called, if thinking on others' time is allowed, after ``start``, ``play`` and ``observe``. ``interrupted`` has to be asked
        every few milliseconds. Returning early is allowed.
        """

    def stop(self) -> None:  # noqa: B027  (most agents hold nothing that needs releasing)
        """The match is over; release threads, processes and files."""
