"""The process in which an agent thinks: ``python -m scsp_player.protocol.engine AGENT BEST-MOVE-DESCRIPTOR [OPTION…]``.

Orders come in on standard input and events go out on standard output, one JSON object a line.

Orders: ``{"do": "start", "message", "deadline", "seed"}`` first, then ``{"do": "play" | "observe", "turn", "message", "replied",
"deadline"}`` for each turn, and ``{"do": "stop"}``, after which another match may start; ``{"do": "ping"}`` is answered at once,
whatever the agent is doing; the end of the input ends the process.
Messages are those of the game manager, as they came; ``replied`` is the last reply to the manager; a deadline is a value of
``time.monotonic()``, a clock that all processes of a machine share.

Events: ``{"event": "idle", "matches"}`` when everything is imported, and after each match, with the number of matches so far;
``{"event": "started"}``; ``{"event": "move", "turn", "move", "view"}`` for the choice, in the manager's spelling;
``{"event": "rejected", "turn", "text"}`` for a message that does not fit the game;
``{"event": "unusable", "text"}`` for rules that cannot be played; ``{"event": "failed", "text"}`` before an end by an error;
``{"event": "alive"}`` for a ping. The best move so far is no event: it is kept in shared memory, see ``best_move``.
Between orders the agent may think on; the next order ends that.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from scsp_player.agents.base import Agent, Turn
from scsp_player.agents.registry import AgentKind, agent_kind
from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.terms import Term
from scsp_player.kernels import PLAIN, VARIABLE, is_kept
from scsp_player.protocol import engine_limits
from scsp_player.protocol.best_move import BestMove, BestMoveCell
from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.memory import resident_bytes
from scsp_player.protocol.messages import Play, Start, parse_message
from scsp_player.protocol.view import MatchView

STOP_SECONDS = 0.5
"""How long an agent may take to release what it holds when the process is to end."""

MATCHES, GUARD_MATCHES = 25, 37
"""Matches after which a process makes room for a fresh one; hardly ever both at a time, so that one of them is always warm."""

RESIDENT_BYTES = 1 << 29
"""Memory from which on a process makes room after its match."""

Orders = queue.SimpleQueue[dict[str, Any]]
Send = Callable[[dict[str, Any]], None]
Share = Callable[[int, str, Mapping[str, float]], None]


class Engine:
    """One match of an agent.

    Args:
        kind: the agent to make.
        start: the message that starts the match.
        send: takes each event.
        share: takes the best move so far, its turn and the agent's view of it.
        tell_legal: add the legal moves to ``move`` events wherever the agent is certain of them (agents that play at random).

    Raises:
        GdlError: if the rules cannot be read.
    """

    def __init__(self, kind: AgentKind, start: Start, send: Send, share: Share, *, tell_legal: bool = False) -> None:
        self.agent: Agent = kind.make(self._report)
        self._start = start
        self._send = send
        self._share = share
        self._tell_legal = tell_legal
        self._view = MatchView(start)
        self._turn = -1

    def start(self, deadline: float, seed: int) -> None:
        """Let the agent prepare.

        Raises:
            GdlError: if the rules cannot be played.
        """
        play_seconds = self._start.play_clock
        self.agent.start(self._view.program, self._view.role, play_seconds=play_seconds, deadline=deadline, seed=seed)
        self._send({"event": "started"})

    def take(self, order: dict[str, Any], *, choose: bool) -> None:
        """Carry out an order to play, or, if nobody waits for a choice, to observe."""
        number = order["turn"]
        try:
            message = parse_message(order["message"])
            assert isinstance(message, Play)
            turn = self._view.turn(message, number, order["replied"])
            if choose:
                self._play(turn, number, order["deadline"])
            else:
                self.agent.observe(turn)
        except (ProtocolError, ValueError) as error:
            self._send({"event": "rejected", "turn": number, "text": str(error)})

    def _play(self, turn: Turn, number: int, deadline: float) -> None:
        self._turn = number
        try:
            move = self.agent.play(turn, deadline)
        finally:
            self._turn = -1
        event = {"event": "move", "turn": number, "move": self._view.spell(move), "view": self.agent.view()}
        if self._tell_legal and turn.percepts is None:
            event["legal"] = [self._view.spell(legal) for legal in getattr(self.agent, "legal", ())]
        self._send(event)

    def _report(self, move: Term) -> None:
        if self._turn >= 0:
            self._share(self._turn, self._view.spell(move), self.agent.view())


def run(agent: str, cell: BestMoveCell, *, tell_legal: bool, ponder: bool) -> int:
    """Carry out orders from standard input until it ends; the exit status."""
    # What an agent prints must not get between the events.
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    lock = threading.Lock()

    def send(event: dict[str, Any]) -> None:
        with lock:
            output.write(json.dumps(event).encode() + b"\n")

    orders: Orders = queue.SimpleQueue()
    threading.Thread(target=_read_orders, args=(orders, send), daemon=True).start()
    try:
        kind = agent_kind(agent)
        kind.load()
        threads = threading.active_count()
        for matches in range(GUARD_MATCHES if tell_legal else MATCHES):
            # An agent that left threads behind, or a lot of memory, leaves with them.
            # So does one that runs without compiled kernels: there may be some by now.
            if matches and (threading.active_count() > threads or resident_bytes() > RESIDENT_BYTES or PLAIN):
                return 0
            send({"event": "idle", "matches": matches})
            order = orders.get()

            def share(turn: int, move: str, view: Mapping[str, float], match: int = matches + 1) -> None:
                cell.write(BestMove(match, turn, move, view))

            if order["do"] == "quit" or not _play_match(kind, order, orders, send, share, tell_legal, ponder):
                return 0
            gc.collect()
    except BrokenPipeError:
        return 1
    except BaseException:  # everything, MemoryError included, is told before the end
        with contextlib.suppress(BrokenPipeError):
            send({"event": "failed", "text": traceback.format_exc(limit=-8)})
        return 1
    return 0


def _play_match(
    kind: AgentKind, order: dict[str, Any], orders: Orders, send: Send, share: Share, tell_legal: bool, ponder: bool
) -> bool:
    """Carry out orders up to the end of a match; False if they end with it."""
    engine: Engine | None = None
    try:
        message = parse_message(order["message"])
        assert isinstance(message, Start)
        engine = Engine(kind, message, send, share, tell_legal=tell_legal)
        engine.start(order["deadline"], order["seed"])
        del message
    except GdlError as error:
        send({"event": "unusable", "text": str(error)})
        engine = None
    while (order := _next_order(engine if ponder else None, orders))["do"] not in ("stop", "quit"):
        if engine is not None:
            # When the match has moved on already, nobody waits for a choice.
            engine.take(order, choose=order["do"] == "play" and orders.empty())
    if engine is not None:
        engine.agent.stop()
    return bool(order["do"] == "stop")


def _next_order(engine: Engine | None, orders: Orders) -> dict[str, Any]:
    """The next order; the agent thinks until it is there."""
    if engine is not None and orders.empty():
        engine.agent.ponder(lambda: not orders.empty())
    return orders.get()


def _read_orders(orders: Orders, send: Send) -> None:
    """Hand orders on and answer pings; at their end leave the agent a moment to stop, whatever it is doing."""
    for line in sys.stdin.buffer:
        order = json.loads(line)
        if order["do"] == "ping":
            send({"event": "alive"})
        else:
            orders.put(order)
    orders.put({"do": "quit"})
    time.sleep(STOP_SECONDS)
    os._exit(0)


def _begin_plainly() -> None:
    """Begin anew with kernels as plain Python if they have never been compiled: whoever tells legal moves must do so at once."""
    from scsp_player.grounding.join_kernels import run as join

    if not PLAIN and not is_kept(join):
        os.execve(sys.executable, sys.orig_argv, {**os.environ, VARIABLE: "plain"})


def _die_with_server() -> None:
    """On Linux: be killed when the server is, even in a state in which nothing can be read from it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("agent")
    parser.add_argument("descriptor", type=int)
    parser.add_argument("--tell-legal", action="store_true")
    parser.add_argument("--memory", type=int)
    parser.add_argument("--nice", type=int, default=0)
    parser.add_argument("--ponder", action="store_true")
    parser.add_argument("--cores", type=int, nargs="+", default=[])
    return parser.parse_args()


if __name__ == "__main__":
    options = _options()
    _die_with_server()
    if options.tell_legal:
        _begin_plainly()
    engine_limits.apply(options.memory, options.nice, tuple(options.cores))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the server to handle
    status = run(options.agent, BestMoveCell(options.descriptor), tell_legal=options.tell_legal, ponder=options.ponder)
    sys.stdout.flush()
    os._exit(status)  # threads of an agent must not keep the process alive
