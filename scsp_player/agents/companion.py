"""A second process in which an agent that needs long to prepare does so while its match goes on."""

from __future__ import annotations

import contextlib
import logging
import subprocess
import sys
import time
from multiprocessing import Pipe
from typing import Any

from scsp_player.agents.base import Report, Turn
from scsp_player.gdl.printing import format_kif
from scsp_player.gdl.program import Program
from scsp_player.gdl.reading import parse_term
from scsp_player.gdl.terms import Term

LOG = logging.getLogger("scsp_player.agents")

LAST_WORDS = 0.05
"""Seconds that a move needs to get from one process to the other."""


class Companion:
    """An agent in a process of its own; see ``companion_process`` for what runs there.

    No call waits for the process, ``wait`` and ``play`` excepted, which have a deadline. When the process ends, for want of memory
    or by an error, ``lost`` says so and everything else does nothing.

    Args:
        agent: module and class of a searching agent, as ``module:Class``.
        program: the rules.
        role: the role to play.
        play_seconds: time for each move.
        seed: as of ``Agent.start``.
    """

    def __init__(self, agent: str, program: Program, role: str, *, play_seconds: float, seed: int) -> None:
        self._ours, theirs = Pipe()
        self._sent = self._done = 0
        self._moves: dict[int, str] = {}
        self._reports: dict[int, str] = {}
        self._lost = False
        command = [sys.executable, "-m", "scsp_player.agents.companion_process", str(theirs.fileno())]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
        theirs.close()
        self._order(
            do="start",
            agent=agent,
            rules=format_kif(program),
            source=program.source,
            role=role,
            play_seconds=play_seconds,
            seed=seed,
        )

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def lost(self) -> bool:
        """Whether nothing will come from it any more."""
        self._listen(0.0)
        return self._lost

    @property
    def ready(self) -> bool:
        """Whether it is prepared and has taken in every turn that it was told of."""
        self._listen(0.0)
        return not self._lost and self._done == self._sent

    def wait(self, deadline: float) -> bool:
        """Wait until it is ready or lost, but not beyond a deadline (``time.monotonic``); whether it is ready."""
        while not self.ready and not self._lost and (left := deadline - time.monotonic()) > 0:
            self._listen(left)
        return self.ready

    def observe(self, turn: Turn) -> None:
        """Tell it of a turn without asking for a move."""
        self._order(do="observe", turn=_packed(turn))

    def play(self, turn: Turn, deadline: float, report: Report) -> Term | None:
        """Its move in a turn, or the last that it has reported by the deadline, or None."""
        self._order(do="play", turn=_packed(turn), deadline=deadline - LAST_WORDS)
        reported = ""
        while not self._lost and turn.number not in self._moves and (left := deadline - time.monotonic()) > 0:
            self._listen(left)
            best = self._reports.get(turn.number, "")
            if best != reported:
                reported = best
                report(parse_term(best))
        text = self._moves.get(turn.number) or self._reports.get(turn.number)
        return parse_term(text) if text else None

    def ponder(self) -> None:
        """Let it think until the next order; it is ready all the while."""
        self._send(do="ponder")

    def close(self) -> None:
        """End the process."""
        self._lost = True
        self._process.kill()
        self._process.wait()
        self._ours.close()

    def _order(self, **fields: Any) -> None:
        self._sent += 1
        self._send(**fields)

    def _send(self, **fields: Any) -> None:
        if not self._lost:
            with contextlib.suppress(OSError):  # its end is noticed when it is listened to
                self._ours.send(fields)

    def _listen(self, seconds: float) -> None:
        """Take in what it has said, waiting so long for something new."""
        if self._lost:
            return
        try:
            while self._ours.poll(seconds):
                event = self._ours.recv()
                kind = event["event"]
                if kind == "report":
                    self._reports[event["turn"]] = event["move"]
                elif kind == "move":
                    self._moves[event["turn"]] = event["move"]
                elif kind == "failed":
                    LOG.warning("the preparation in the background was given up: %s", event["text"])
                elif kind == "done":
                    self._done += 1
                seconds = 0.0
        except (EOFError, OSError):
            self._lost = True
            self._process.wait()


def _packed(turn: Turn) -> dict[str, Any]:
    """A turn in types that need no classes to be read."""
    return {
        "number": turn.number,
        "joint_move": None if turn.joint_move is None else [str(move) for move in turn.joint_move],
        "own_move": None if turn.own_move is None else str(turn.own_move),
        "percepts": None if turn.percepts is None else [str(percept) for percept in turn.percepts],
    }


def unpacked(fields: dict[str, Any]) -> Turn:
    """The turn that a companion was told of."""
    joint_move, own_move, percepts = fields["joint_move"], fields["own_move"], fields["percepts"]
    return Turn(
        fields["number"],
        None if joint_move is None else tuple(map(parse_term, joint_move)),
        None if own_move is None else parse_term(own_move),
        None if percepts is None else frozenset(map(parse_term, percepts)),
    )
