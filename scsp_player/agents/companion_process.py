"""The other end of a ``Companion``: ``python -m scsp_player.agents.companion_process DESCRIPTOR``.

Grounds the rules without haste, within a bound on memory, then follows the match. Every order but the one to ponder is
answered by ``done`` when it has been carried out; the process ends when the connection does.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import resource
import signal
import sys
import threading
import time
import traceback
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from scsp_player.agents.base import Report
from scsp_player.agents.companion import unpacked
from scsp_player.gdl.reading import parse_program
from scsp_player.gdl.terms import Term
from scsp_player.grounding import BudgetExceeded, ground

if TYPE_CHECKING:
    from scsp_player.agents.searching import SearchingAgent

PATIENCE_SECONDS = 24 * 3600.0
"""How long grounding may take; the match is over before."""

STORE_BYTES = 2 << 30
"""Memory for the relations of the grounder."""

DATA_BYTES = 4 << 30
"""Memory for everything; a process that wants more is lost, and its match goes on without it."""


class _Orders:
    """The orders of the other end, read by a thread so that the process ends at once when nobody needs it any more."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> dict[str, Any]:
        """The next order; waits for it."""
        return self._waiting.get()

    @property
    def more(self) -> bool:
        """Whether another order waits."""
        return not self._waiting.empty()

    def _read(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._waiting.put(self.connection.recv())
        os._exit(0)


def run(connection: Connection) -> None:
    """Carry out orders until the process is ended from outside."""
    orders = _Orders(connection)

    def report(move: Term) -> None:
        connection.send({"event": "report", "turn": number, "move": str(move)})

    number = 0
    agent = _started(orders.next(), report)
    connection.send({"event": "done"})
    while True:
        order = orders.next()
        if order["do"] == "ponder":  # not answered: whoever sends it does not wait
            agent.ponder(lambda: orders.more)
            continue
        turn = unpacked(order["turn"])
        number = turn.number
        if order["do"] == "play" and not orders.more:
            connection.send({"event": "move", "turn": number, "move": str(agent.play(turn, order["deadline"]))})
        else:  # when the match has moved on already, nobody waits for a move
            agent.observe(turn)
        connection.send({"event": "done"})


def _started(order: dict[str, Any], report: Report) -> SearchingAgent:
    module, _, name = order["agent"].partition(":")
    agent: SearchingAgent = getattr(importlib.import_module(module), name)(report)
    program = parse_program(order["rules"], order["source"], notation="kif")
    game = ground(program, seconds=PATIENCE_SECONDS, memory_bytes=STORE_BYTES)
    agent.set_up(game, order["role"], deadline=time.monotonic() + order["play_seconds"], seed=order["seed"])
    return agent


def _bound_memory() -> None:
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = DATA_BYTES if hard == resource.RLIM_INFINITY else min(DATA_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the one at the other end to handle
    _bound_memory()
    other_end = Connection(int(sys.argv[1]))
    try:
        run(other_end)
    except BaseException as error:  # everything, MemoryError included, is told before the end
        expected = isinstance(error, BudgetExceeded | MemoryError)
        with contextlib.suppress(OSError):
            other_end.send({"event": "failed", "text": str(error) or "no memory" if expected else traceback.format_exc(limit=-8)})
        os._exit(1)
