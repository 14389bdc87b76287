"""The other end of an ``Improvement``: ``python -m scsp_player.propnet.improvement_process DESCRIPTOR``.

Ends when it is done, when it needs too much memory, and when the connection ends.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection

from scsp_player.propnet.improvement import Order
from scsp_player.propnet.simplify import simplify

DATA_BYTES = 3 << 30
"""Memory for everything; a process that wants more is lost."""

NICENESS = 5
"""How far behind other processes this one stands when all want the processor."""


def run(connection: Connection) -> None:
    """Simplify with ever more time, until an attempt is not cut short."""
    order = connection.recv()
    assert isinstance(order, Order)
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    best, known = order.circuit.literals, 0
    for seconds in order.seconds:
        begin = time.thread_time()
        circuit = simplify(order.circuit, order.game, seconds=seconds)
        if circuit.literals < best or (circuit.literals == best and len(circuit.exclusive) > known):
            best, known = circuit.literals, len(circuit.exclusive)
            connection.send(circuit)
        if time.thread_time() - begin < seconds / 2:
            return


def _end_with(connection: Connection) -> None:
    """End the process at once when nobody needs it any more."""
    with contextlib.suppress(EOFError, OSError):
        connection.recv()
    os._exit(0)


def _bound() -> None:
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = DATA_BYTES if hard == resource.RLIM_INFINITY else min(DATA_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    with contextlib.suppress(OSError):
        os.nice(NICENESS)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the one at the other end to handle
    _bound()
    try:
        run(Connection(int(sys.argv[1])))
    except OSError:  # the other end is gone
        os._exit(0)
    except BaseException:  # a MemoryError, most likely
        os._exit(1)
    os._exit(0)
