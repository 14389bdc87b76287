"""A server that is started again whenever it is killed or crashes.

The process that the user starts opens the listening sockets and does nothing else but watch over a process that serves. While that
one is started again, connections wait in the sockets instead of being refused: managers play a random move at once for a player
that refuses, and never repeat what was said meanwhile.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

LOG = logging.getLogger("scsp_player.protocol")

LOOK_SECONDS = 1.0
"""How often the supervisor looks whether it is still wanted."""

EARLY_SECONDS = 10.0
"""A server that ends sooner than this after its beginning has ended early."""

PAUSE_SECONDS = 0.5
"""Pause before the second start in succession after an early end; doubled with each more."""

LONGEST_PAUSE = 30.0
"""Pause at most."""

_STOPPING = (signal.SIGTERM, signal.SIGINT)
_FINAL = (0, 2)  # ended in order; refused to begin, and has said why


class Before(NamedTuple):
    """What was before a server.

    Attributes:
        early: how many servers in succession have ended early just before it.
        ending: how the last one ended; empty if it is the first.
    """

    early: int = 0
    ending: str = ""


def supervise(serve: Callable[[Before], int], *, wanted: Callable[[], bool] = lambda: True) -> int:
    """Run a server in a process of its own, again and again until it ends in order; SIGTERM and SIGINT are passed on to it.

    The server is killed when this process is (on Linux).

    Args:
        serve: what runs there; its result is the exit status, 2 if it refuses to begin. A first one that fails early is not started
            again, unless a signal killed it: it could never have served.
        wanted: asked every second; the server is told to end when it says no.

    Returns:
        The last server's exit status; 1 if it was killed while it was to end.
    """
    before = Before()
    with _signals() as wakened:
        while True:
            begun = time.monotonic()
            status, stopped = _watch(_fork(serve, before), wakened, wanted)
            if stopped or status in _FINAL:
                return status if status >= 0 else 1
            ended_early = time.monotonic() - begun < EARLY_SECONDS
            if ended_early and status > 0 and not before.ending:
                return status
            ending = f"killed by signal {-status}" if status < 0 else f"status {status}"
            before = Before(before.early + 1 if ended_early else 0, ending)
            pause = min(LONGEST_PAUSE, PAUSE_SECONDS * 2.0 ** (before.early - 2)) if before.early > 1 else 0.0
            if _waits(wakened, pause, wanted):
                return 1


def _fork(serve: Callable[[Before], int], before: Before) -> int:
    """Start a server; its process number."""
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in _STOPPING:
            signal.signal(number, signal.SIG_DFL)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() == parent:
            status = serve(before)
    except BaseException:
        LOG.exception("the server failed")
    finally:
        with contextlib.suppress(OSError, ValueError):
            logging.shutdown()
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)  # what was opened before belongs to the supervisor


def _watch(child: int, wakened: socket.socket, wanted: Callable[[], bool]) -> tuple[int, bool]:
    """Exit status of a server (less than 0: the signal that killed it), and whether it had been told to end."""
    stopped = False
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status), stopped
        number = _signal(wakened, LOOK_SECONDS)
        if number or (not stopped and not wanted()):
            stopped = True
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number or signal.SIGTERM)


def _waits(wakened: socket.socket, seconds: float, wanted: Callable[[], bool]) -> bool:
    """Wait; True if nothing is wanted any more."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if _signal(wakened, min(left, LOOK_SECONDS)) or not wanted():
            return True
    return False


def _signal(wakened: socket.socket, seconds: float) -> int:
    """The first signal to stop within a time, or 0 if there is none; earlier when a child ends."""
    if select.select([wakened], [], [], seconds)[0]:
        return next((number for number in wakened.recv(64) if number in _STOPPING), 0)
    return 0


@contextlib.contextmanager
def _signals() -> Iterator[socket.socket]:
    """A socket that a byte comes out of for each signal; handlers are put back afterwards."""
    wakened, waker = socket.socketpair()
    with wakened, waker:
        waker.setblocking(False)
        before = {number: signal.signal(number, lambda *_: None) for number in (*_STOPPING, signal.SIGCHLD)}
        old = signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        try:
            yield wakened
        finally:
            signal.set_wakeup_fd(old)
            for number, handler in before.items():
                signal.signal(number, handler)
