"""Simplifying a circuit in a process of its own, while the network is in use."""

from __future__ import annotations

import contextlib
import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection

import numpy as np

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet.circuit import Circuit

LOG = logging.getLogger("scsp_player.propnet")

MOST_LITERALS = 2_000_000
"""Larger circuits stay as they are: the process would need gigabytes for them."""


@dataclass(frozen=True, eq=False)
class Order:
    """What the process is asked to do.

    Attributes:
        circuit: the circuit to simplify.
        game: its game, of which the rules themselves are not needed.
        seconds: processor time, one number for each attempt.
    """

    circuit: Circuit
    game: GroundGame
    seconds: tuple[float, ...]


class Improvement:
    """A process that simplifies a circuit again and again, with more time each time, and hands over every result that is better.

    It has a low priority, so that it takes little time from whoever is playing, and does not hold Python's lock. It ends when it is
    done, with ``close``, and together with the process that has started it.

    Args:
        circuit: the circuit to simplify.
        game: its game.
        seconds: processor time of each attempt.
        use: called from a thread of its own with every circuit that comes back.
    """

    def __init__(self, circuit: Circuit, game: GroundGame, seconds: tuple[float, ...], use: Callable[[Circuit], None]) -> None:
        self._use = use
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        if circuit.literals > MOST_LITERALS:
            return
        ours, theirs = Pipe()
        command = [sys.executable, "-m", "scsp_player.propnet.improvement_process", str(theirs.fileno())]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
        theirs.close()
        order = Order(circuit, without_rules(game), seconds)
        self._thread = threading.Thread(target=self._listen, args=(ours, order), daemon=True, name="improve playouts")
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether results may still come."""
        return self._thread is not None and self._thread.is_alive()

    def join(self, seconds: float | None = None) -> bool:
        """Wait until no more results come, at most so long; whether it is so."""
        if self._thread is not None:
            self._thread.join(seconds)
        return not self.running

    def close(self) -> None:
        """End the process; what it has found so far stays in use."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _listen(self, connection: Connection, order: Order) -> None:
        assert self._process is not None
        with connection, contextlib.suppress(EOFError, OSError):
            connection.send(order)
            while True:
                self._use(connection.recv())
        if self._process.wait() > 0:
            LOG.warning("simplifying the circuit was given up")


def without_rules(game: GroundGame) -> GroundGame:
    """A game without ground rules: enough for what looks at moves, fluents and the initial state only."""
    none = np.zeros(0, np.int32)
    return replace(
        game,
        rule_head=none,
        rule_start=np.zeros(1, np.int64),
        rule_body=none,
        head_start=np.zeros(1, np.int64),
        atom_term=none,
        component_start=np.zeros(1, np.int64),
        component_atoms=none,
        component_cyclic=np.zeros(0, np.bool_),
    )
